import PhotoModel

extension MovieTrack {
    /// Reads a `trak` box.
    ///
    /// - Throws: `malformed` without `tkhd` or `mdia`, and errors of the boxes inside.
    init(_ box: Box, of bytes: RawSpan, limits: ParseLimits) throws(MediaFormatError) {
        let children = try bytes.children(of: box, limits: limits)
        guard let headerBox = children.first(ofType: "tkhd"), let mediaBox = children.first(ofType: "mdia") else {
            throw MediaFormatError(.malformed, "a track without header or media", at: box.range.offset)
        }
        let header = try TrackHeader(headerBox, of: bytes)
        let media = try bytes.children(of: mediaBox, limits: limits)
        var timing = TimingHeader()
        if let mediaHeader = media.first(ofType: "mdhd") { timing = try TimingHeader(mediaHeader, of: bytes) }
        id = header.trackID
        orientation = header.orientation
        kind = try Self.kind(media, of: bytes)
        mediaTimescale = timing.timescale
        mediaDuration = timing.duration
        edits = try Self.edits(children, of: bytes, limits: limits)
        describedTrack = try Self.describedTrack(children, of: bytes, limits: limits)
        var samples = SampleSummary()
        if let table = try Self.sampleTable(media, of: bytes, limits: limits) {
            samples = try SampleSummary(table, of: bytes, limits: limits)
        }
        codec = samples.description?.type
        codedSize = kind == .video ? samples.codedSize : nil
        timedKeys = samples.timedKeys
        sampleCount = samples.count
        sampleRate = samples.rate(timescale: timing.timescale)
    }

    private static func kind(_ media: [Box], of bytes: RawSpan) throws(MediaFormatError) -> Kind {
        guard let box = media.first(ofType: "hdlr") else { return .unrecognized(FourCharacterCode(rawValue: 0)) }
        var reader = ByteReader(box.payload)
        try reader.skip(8)
        return Kind(handler: FourCharacterCode(rawValue: try reader.read(from: bytes)))
    }

    private static func edits(
        _ children: [Box],
        of bytes: RawSpan,
        limits: ParseLimits
    ) throws(MediaFormatError) -> EditList {
        guard let container = children.first(ofType: "edts"),
            let box = try bytes.descendant(of: container, "elst", limits: limits)
        else { return EditList() }
        return try EditList(box, of: bytes, limits: limits)
    }

    private static func describedTrack(
        _ children: [Box],
        of bytes: RawSpan,
        limits: ParseLimits
    ) throws(MediaFormatError) -> UInt32? {
        guard let container = children.first(ofType: "tref"),
            let box = try bytes.descendant(of: container, "cdsc", limits: limits), box.payload.length >= 4
        else { return nil }
        return try bytes.integer(at: box.payload.offset)
    }

    /// The sample table below the boxes of a `mdia`; nil if absent.
    static func sampleTable(
        _ media: [Box],
        of bytes: RawSpan,
        limits: ParseLimits
    ) throws(MediaFormatError) -> SampleTable? {
        guard let container = media.first(ofType: "minf"),
            let box = try bytes.descendant(of: container, "stbl", limits: limits)
        else { return nil }
        return try SampleTable(box, of: bytes, limits: limits)
    }
}

/// The timescale and duration that `mvhd` and `mdhd` begin with.
struct TimingHeader {
    /// Seconds since 1904 in UTC, or since 1970 in files of faulty writers; 0 if unset.
    var creationTime: UInt64 = 0
    /// Units per second.
    var timescale: UInt32 = 0
    /// The duration in these units; nil if unknown.
    var duration: MediaTime?

    init() {}

    /// Reads the fields, which are 64 bits wide in version 1.
    init(_ box: Box, of bytes: RawSpan) throws(MediaFormatError) {
        var reader = ByteReader(box.payload)
        let isWide = try FullBoxHeader(&reader, from: bytes).version == 1
        let units: UInt64
        if isWide {
            creationTime = try reader.read(from: bytes)
            try reader.skip(8)
            timescale = try reader.read(from: bytes)
            units = try reader.read(from: bytes)
        } else {
            creationTime = UInt64(try reader.read(UInt32.self, from: bytes))
            try reader.skip(4)
            timescale = try reader.read(from: bytes)
            let narrow: UInt32 = try reader.read(from: bytes)
            units = narrow == .max ? .max : UInt64(narrow)
        }
        duration = Int64(exactly: units).flatMap { MediaTime(value: $0, timescale: timescale) }
    }
}

/// The fields of a track's `tkhd`.
private struct TrackHeader {
    let trackID: UInt32
    let orientation: ImageOrientation?

    init(_ box: Box, of bytes: RawSpan) throws(MediaFormatError) {
        var reader = ByteReader(box.payload)
        let isWide = try FullBoxHeader(&reader, from: bytes).version == 1
        try reader.skip(isWide ? 16 : 8)
        trackID = try reader.read(from: bytes)
        // Duration, and the reserved, layer, group and volume fields around it.
        try reader.skip(isWide ? 28 : 24)
        var matrix: [Int] = []
        for _ in 0..<5 { matrix.append(Int(try reader.read(Int32.self, from: bytes))) }
        let one = 0x1_0000
        orientation = ImageOrientation(a: matrix[0] / one, b: matrix[1] / one, c: matrix[3] / one, d: matrix[4] / one)
    }
}

/// A summary of the sample table.
private struct SampleSummary {
    var description: Box?
    var codedSize: PixelSize?
    var timedKeys: [UInt32: String] = [:]
    var count: UInt64 = 0
    private var duration: UInt64 = 0

    init() {}

    init(_ table: SampleTable, of bytes: RawSpan, limits: ParseLimits) throws(MediaFormatError) {
        description = try table.descriptions(of: bytes).first
        (count, duration) = try table.totals(of: bytes)
        guard let description else { return }
        if description.type == "mebx" {
            timedKeys = try TimedMetadata.keys(description, of: bytes, limits: limits)
        } else if description.payload.length >= 28 {
            // VisualSampleEntry: 8 bytes common to all entries, 16 reserved, then the size.
            let width: UInt16 = try bytes.integer(at: description.payload.offset + 24)
            let height: UInt16 = try bytes.integer(at: description.payload.offset + 26)
            codedSize = PixelSize(width: Int(width), height: Int(height))
        }
    }

    func rate(timescale: UInt32) -> Double? {
        guard duration > 0, timescale > 0 else { return nil }
        return Double(count) * Double(timescale) / Double(duration)
    }
}
