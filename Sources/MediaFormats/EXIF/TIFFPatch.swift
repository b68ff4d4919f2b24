/// Bytes to overwrite in a TIFF structure, so that nothing moves.
struct TIFFPatch {
    /// The range to overwrite.
    let range: FileRange
    /// The new bytes, as many as the range has.
    let bytes: [UInt8]

    /// Zeros over a range.
    static func zeros(_ range: FileRange) -> TIFFPatch {
        TIFFPatch(range: range, bytes: Array(repeating: 0, count: range.length))
    }

    /// A copy of a TIFF structure with patches applied in order; nil if it cannot be read and must be removed entirely.
    static func patched(
        _ block: FileRange,
        in bytes: RawSpan,
        limits: ParseLimits,
        _ patches: (TIFFStructure) -> TIFFPatches
    ) -> [UInt8]? {
        guard let structure = try? TIFFStructure(bytes, block: block, limits: limits),
            var copy = try? bytes.copyBytes(in: block, limit: .max)
        else { return nil }
        let patches = patches(structure)
        guard !patches.isExcessive else { return nil }
        for patch in patches.list {
            guard block.contains(patch.range) else { return nil }
            let start = patch.range.offset - block.offset
            copy.replaceSubrange(start..<start + patch.range.length, with: patch.bytes)
        }
        return copy
    }
}

/// Patches of a TIFF structure, with a limit on what they read and write.
///
/// Thousands of entries may have one value as long as the file: each patch of it would have its own bytes.
struct TIFFPatches {
    /// In the order they were added.
    private(set) var list: [TIFFPatch] = []
    /// Whether the limit was reached: then the patches are incomplete.
    private(set) var isExcessive = false
    private var room: Int

    /// No patches; values that do not overlap never reach the limit, since each is read and written a few times.
    init(of structure: TIFFStructure) {
        room = 8 * structure.block.length
    }

    /// Whether a value may be read or written.
    mutating func take(_ range: FileRange) -> Bool {
        isExcessive = isExcessive || range.length > room
        if !isExcessive { room -= range.length }
        return !isExcessive
    }

    /// Adds a patch.
    mutating func append(_ patch: TIFFPatch) {
        if take(patch.range) { list.append(patch) }
    }

    /// Adds zeros over a range.
    mutating func zero(_ range: FileRange) {
        if take(range) { list.append(.zeros(range)) }
    }
}

extension TIFFFile {
    /// The file, of the same length, with its metadata overwritten by the patches of the directories and their values,
    /// and without the metadata of embedded JPEG previews.
    ///
    /// - Throws: `malformed` if metadata overlaps other parts of the file; errors of reading a preview.
    func applying(
        _ patches: TIFFPatches,
        to bytes: RawSpan,
        limits: ParseLimits
    ) throws(MediaFormatError) -> RewrittenFile {
        guard !patches.isExcessive else {
            throw MediaFormatError(.malformed, "metadata overlaps other metadata", at: structure.block.offset)
        }
        for patch in patches.list where !patch.range.isEmpty && overlaps(patch.range, imageDataRanges) {
            throw MediaFormatError(.malformed, "metadata overlaps the image", at: patch.range.offset)
        }
        let all = try patches.list + previewPatches(in: bytes, limits: limits)
        let sorted = all.sorted { ($0.range.offset, $0.range.length) < ($1.range.offset, $1.range.length) }
        var file = RewrittenFile()
        var position = 0
        for patch in sorted where !patch.range.isEmpty {
            guard patch.range.offset >= position else {
                throw MediaFormatError(.malformed, "metadata overlaps other metadata", at: patch.range.offset)
            }
            file.append(FileRange(position..<patch.range.offset))
            file.append(patch.bytes)
            position = patch.range.end
        }
        file.append(FileRange(position..<max(position, bytes.byteCount)))
        return file
    }

    /// Zeros for the metadata of JPEG files among the image data (EXIF, XMP, IPTC, comments).
    private func previewPatches(in bytes: RawSpan, limits: ParseLimits) throws(MediaFormatError) -> [TIFFPatch] {
        var patches: [TIFFPatch] = []
        // Any number of previews may begin at one place.
        var (segmentCount, room) = (0, bytes.byteCount)
        for preview in jpegRanges {
            let header = try JPEGHeader(bytes.extracting(preview.bounds), limits: limits)
            segmentCount += header.segments.count
            guard segmentCount <= limits.tableEntries else {
                throw MediaFormatError(.limitExceeded, "previews have too many segments", at: preview.offset)
            }
            for segment in header.segments where segment.marker.isText && !segment.payload.isEmpty {
                room -= segment.payload.length
                guard room >= 0 else {
                    throw MediaFormatError(.malformed, "metadata overlaps other metadata", at: preview.offset)
                }
                let start = preview.offset + segment.payload.offset
                patches.append(.zeros(FileRange(start..<start + segment.payload.length)))
            }
        }
        return patches
    }

    /// Whether a range overlaps one of several sorted, disjoint ranges: a binary search.
    private func overlaps(_ range: FileRange, _ others: [FileRange]) -> Bool {
        var (low, high) = (0, others.count)
        while low < high {
            let middle = (low + high) / 2
            if others[middle].end <= range.offset { low = middle + 1 } else { high = middle }
        }
        return low < others.count && others[low].offset < range.end
    }
}

extension JPEGMarker {
    /// Whether its segment holds texts or locations: EXIF and XMP, IPTC, comments.
    fileprivate var isText: Bool {
        self == .comment || self == .application(1) || self == .application(13)
    }
}
