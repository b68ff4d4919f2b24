/// The locations and durations of a track's samples (`stbl`, ISO/IEC 14496-12, 8.5 to 8.7).
struct SampleTable {
    private let children: [Box]
    private let limits: ParseLimits

    /// Finds the tables; they are read on demand.
    init(_ box: Box, of bytes: RawSpan, limits: ParseLimits) throws(MediaFormatError) {
        children = try bytes.children(of: box, limits: limits)
        self.limits = limits
    }

    /// The sample descriptions: one box each, of the codec's type.
    func descriptions(of bytes: RawSpan) throws(MediaFormatError) -> [Box] {
        guard let box = children.first(ofType: "stsd") else { return [] }
        return try bytes.boxes(in: box.payload.dropping(8), limits: limits)
    }

    /// The number of samples and the sum of their durations in the media's units, from `stts`.
    func totals(of bytes: RawSpan) throws(MediaFormatError) -> (samples: UInt64, duration: UInt64) {
        var samples: UInt64 = 0
        var duration: UInt64 = 0
        guard let box = children.first(ofType: "stts") else { return (0, 0) }
        var table = try Table(box, entryBytes: 8, of: bytes, limits: limits)
        for _ in 0..<table.count {
            let count: UInt32 = try table.reader.read(from: bytes)
            let delta: UInt32 = try table.reader.read(from: bytes)
            samples += UInt64(count)
            let (sum, overflows) = duration.addingReportingOverflow(UInt64(count) * UInt64(delta))
            guard !overflows else {
                throw MediaFormatError(.malformed, "the samples last longer than can be counted", at: box.range.offset)
            }
            duration = sum
        }
        return (samples, duration)
    }

    /// The file ranges of the samples, in order.
    ///
    /// - Throws: `malformed` if a chunk has no samples or an offset does not fit; `limitExceeded`, `truncated`.
    func sampleRanges(of bytes: RawSpan) throws(MediaFormatError) -> [FileRange] {
        var sizes = try sampleSizes(of: bytes)[...]
        let runs = try chunkRuns(of: bytes)
        var ranges: [FileRange] = []
        var run = 0
        for (index, chunk) in try chunkOffsets(of: bytes).enumerated() {
            while run + 1 < runs.count, runs[run + 1].firstChunk <= index + 1 { run += 1 }
            guard runs.indices.contains(run), runs[run].samplesPerChunk > 0 else {
                throw MediaFormatError(.malformed, "a chunk has no samples")
            }
            var offset = chunk
            for size in sizes.prefix(runs[run].samplesPerChunk) {
                guard let range = FileRange(offset: offset, length: size) else {
                    throw MediaFormatError(.malformed, "a sample lies beyond what can be addressed")
                }
                ranges.append(range)
                offset = UInt64(range.end)
            }
            sizes = sizes.dropFirst(runs[run].samplesPerChunk)
            if sizes.isEmpty { break }
        }
        return ranges
    }

    private func sampleSizes(of bytes: RawSpan) throws(MediaFormatError) -> [UInt32] {
        guard let box = children.first(ofType: "stsz") else {
            guard children.first(ofType: "stz2") == nil else {
                throw MediaFormatError(.unsupported, "compact sample sizes")
            }
            return []
        }
        var reader = ByteReader(box.payload)
        _ = try FullBoxHeader(&reader, from: bytes)
        let common: UInt32 = try reader.read(from: bytes)
        let count: UInt32 = try reader.read(from: bytes)
        guard count <= limits.tableEntries else {
            throw MediaFormatError(.limitExceeded, "a track has too many samples", at: box.range.offset)
        }
        if common > 0 { return Array(repeating: common, count: Int(count)) }
        guard Int(count) <= reader.remaining / 4 else {
            throw MediaFormatError(.truncated, "a sample table is shorter than it says", at: box.range.end)
        }
        var sizes: [UInt32] = []
        sizes.reserveCapacity(Int(count))
        for _ in 0..<count { sizes.append(try reader.read(from: bytes)) }
        return sizes
    }

    private func chunkRuns(of bytes: RawSpan) throws(MediaFormatError) -> [(firstChunk: Int, samplesPerChunk: Int)] {
        guard let box = children.first(ofType: "stsc") else { return [] }
        var table = try Table(box, entryBytes: 12, of: bytes, limits: limits)
        var runs: [(firstChunk: Int, samplesPerChunk: Int)] = []
        for _ in 0..<table.count {
            let firstChunk: UInt32 = try table.reader.read(from: bytes)
            let samplesPerChunk: UInt32 = try table.reader.read(from: bytes)
            try table.reader.skip(4)
            runs.append((Int(firstChunk), Int(samplesPerChunk)))
        }
        return runs
    }

    private func chunkOffsets(of bytes: RawSpan) throws(MediaFormatError) -> [UInt64] {
        let isWide = children.first(ofType: "co64") != nil
        guard let box = children.first(ofType: isWide ? "co64" : "stco") else { return [] }
        var table = try Table(box, entryBytes: isWide ? 8 : 4, of: bytes, limits: limits)
        var offsets: [UInt64] = []
        offsets.reserveCapacity(table.count)
        for _ in 0..<table.count {
            if isWide {
                offsets.append(try table.reader.read(from: bytes))
            } else {
                offsets.append(UInt64(try table.reader.read(UInt32.self, from: bytes)))
            }
        }
        return offsets
    }
}

/// A FullBox with a count and fixed-size entries; the reader is at the first entry.
private struct Table {
    var reader: ByteReader
    let count: Int

    init(_ box: Box, entryBytes: Int, of bytes: RawSpan, limits: ParseLimits) throws(MediaFormatError) {
        reader = ByteReader(box.payload)
        _ = try FullBoxHeader(&reader, from: bytes)
        let announced: UInt32 = try reader.read(from: bytes)
        guard announced <= limits.tableEntries else {
            throw MediaFormatError(.limitExceeded, "a sample table is too long", at: box.range.offset)
        }
        guard Int(announced) <= reader.remaining / entryBytes else {
            throw MediaFormatError(.truncated, "a sample table is shorter than it says", at: box.range.end)
        }
        count = Int(announced)
    }
}
