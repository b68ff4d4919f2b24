// Samsung's trailer (as exiftool's Samsung.pm describes it), at the end of a JPEG or in a HEIC's `sefd` box; all numbers
// little-endian:
//
//     per block   0000, type16, name length32, name, value
//     directory   "SEFH", version32, count32, count × { 0000, type16, distance32, size32 }
//     end         directory length32, "SEFT"
//
// The distance is from the block's beginning to the directory's. The value of block 0x0A30, "MotionPhoto_Data", is the
// movie; since One UI 6, in HEIC, it is "mpv2", then offset32 and size32, big-endian, of the movie in `mpvd`.

/// The blocks that Samsung's camera appends to a photo.
package struct SamsungTrailer: Hashable, Sendable {
    /// One block.
    package struct Block: Hashable, Sendable {
        /// The meaning of the value.
        package let type: UInt16
        /// The value's range in the file.
        package let value: FileRange
    }

    /// The type of the block that holds the movie or points to it.
    static let motionPhotoType: UInt16 = 0x0A30
    private static let entryLength = 12
    private static let pointerLength = 12

    /// The blocks in the order of the directory.
    package let blocks: [Block]
    /// From the first block to the end mark.
    package let range: FileRange

    /// Reads the trailer at the end of a range, the file or the payload of `sefd`; nil without an end mark.
    ///
    /// - Throws: `malformed` or `limitExceeded` if the directory contradicts itself, and what the source throws.
    package init?(_ source: some ByteSource, in part: FileRange, limits: ParseLimits = .standard) throws {
        guard part.length >= 20 else { return nil }
        let ending = try source.untrustedBytes(in: FileRange(part.end - 8..<part.end), limit: 8)
        let directoryLength: UInt32? = try ending.withBytes { bytes throws(MediaFormatError) in
            bytes.hasPrefix("SEFT", at: 4) ? try bytes.integer(at: 0, .littleEndian) : nil
        }
        guard let directoryLength else { return nil }
        guard let directory = part.part(at: part.length - 8 - Int(directoryLength), length: directoryLength) else {
            throw MediaFormatError(.malformed, "a trailer's directory is longer than the file", at: part.end - 8)
        }
        let bytes = try source.untrustedBytes(in: directory, limit: limits.valueBytes)
        let entries = try bytes.withBytes { bytes throws(MediaFormatError) in
            try Self.entries(bytes, directory: directory, limits: limits)
        }
        var blocks: [Block] = []
        var start = directory.offset
        for entry in entries {
            guard let block = part.part(at: directory.offset - part.offset - entry.distance, length: entry.size),
                block.length >= 8
            else {
                throw MediaFormatError(.malformed, "a trailer's block lies outside it", at: directory.offset)
            }
            let header = try source.untrustedBytes(in: FileRange(block.offset..<block.offset + 8), limit: 8)
            let nameLength: UInt32 = try header.withBytes { bytes throws(MediaFormatError) in
                try bytes.integer(at: 4, .littleEndian)
            }
            blocks.append(Block(type: entry.type, value: block.dropping(8 + Int(nameLength))))
            start = min(start, block.offset)
        }
        self.blocks = blocks
        range = FileRange(start..<part.end)
    }

    /// The movie: the value of its block, or the range that it points to; nil without one.
    package func movie(in source: some ByteSource) throws -> FileRange? {
        guard let block = blocks.first(where: { $0.type == Self.motionPhotoType }) else { return nil }
        guard block.value.length == Self.pointerLength else { return block.value }
        let bytes = try source.untrustedBytes(in: block.value, limit: Self.pointerLength)
        return try bytes.withBytes { bytes throws(MediaFormatError) in
            guard bytes.hasPrefix("mpv") else { return block.value }
            let offset: UInt32 = try bytes.integer(at: 4)
            let length: UInt32 = try bytes.integer(at: 8)
            guard let movie = FileRange(offset: offset, length: length), movie.end <= source.byteCount else {
                throw MediaFormatError(.truncated, "a movie reaches beyond the file", at: source.byteCount)
            }
            return movie
        }
    }

    private static func entries(
        _ bytes: RawSpan,
        directory: FileRange,
        limits: ParseLimits
    ) throws(MediaFormatError) -> [(type: UInt16, distance: Int, size: Int)] {
        guard bytes.hasPrefix("SEFH") else {
            throw MediaFormatError(.malformed, "a trailer without directory", at: directory.offset)
        }
        let count: UInt32 = try bytes.integer(at: 8, .littleEndian)
        guard count <= limits.listItems else {
            throw MediaFormatError(.limitExceeded, "a trailer has too many blocks", at: directory.offset)
        }
        var entries: [(type: UInt16, distance: Int, size: Int)] = []
        for index in 0..<Int(count) {
            let place = 12 + index * entryLength
            let type: UInt16 = try bytes.integer(at: place + 2, .littleEndian)
            let distance: UInt32 = try bytes.integer(at: place + 4, .littleEndian)
            let size: UInt32 = try bytes.integer(at: place + 8, .littleEndian)
            entries.append((type, Int(distance), Int(size)))
        }
        return entries
    }
}
