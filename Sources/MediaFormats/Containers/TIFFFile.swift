package import PhotoModel

/// The size and image data of a TIFF or DNG file; ``TIFFStructure`` holds its metadata.
package struct TIFFFile: Hashable, Sendable {
    /// The directories and their entries.
    package let structure: TIFFStructure
    /// The size of the main image: the largest one not marked as reduced.
    package let pixelSize: PixelSize?
    /// The strips, tiles and embedded JPEG files of all images, in ascending order, without overlaps.
    package let imageDataRanges: [FileRange]
    /// Those that the directories name as JPEG files or abbreviated JPEG streams.
    let jpegRanges: [FileRange]
    /// The XMP packet (tag 0x02BC).
    package let xmpPacket: FileRange?

    /// Reads the directories of a whole file.
    ///
    /// - Throws: `unrecognizedFormat` or `truncated` if there is no TIFF header.
    package init(_ bytes: RawSpan, limits: ParseLimits = .standard) throws(MediaFormatError) {
        structure = try TIFFStructure(bytes, block: bytes.fullRange, limits: limits)
        let images = structure.directories.filter {
            switch $0.kind {
            case .image, .subImage: true
            default: false
            }
        }
        var ranges: [FileRange] = []
        var sizes: [(size: PixelSize, isReduced: Bool)] = []
        var room = limits.tableEntries
        for image in images {
            if let size = Self.pixelSize(image, of: structure, in: bytes) { sizes.append(size) }
            ranges += Self.imageData(image, of: structure, in: bytes, atMost: &room)
        }
        let full = sizes.filter { !$0.isReduced }.map(\.size)
        pixelSize = (full.isEmpty ? sizes.map(\.size) : full).max {
            Double($0.width) * Double($0.height) < Double($1.width) * Double($1.height)
        }
        imageDataRanges = Self.merged(ranges)
        jpegRanges = Set(ranges).filter {
            $0.length > 2 && (try? bytes.integer(at: $0.offset, as: UInt16.self)) == 0xFFD8
                && (try? bytes.byte(at: $0.offset + 2)) == 0xFF
        }
        .sorted { $0.offset < $1.offset }
        xmpPacket = structure.directory(.image(0))?.entry(0x02BC)?.value
    }

    private static func pixelSize(
        _ image: TIFFDirectory,
        of structure: TIFFStructure,
        in bytes: RawSpan
    ) -> (size: PixelSize, isReduced: Bool)? {
        guard let width = image.entry(0x0100).flatMap({ structure.unsigned($0, in: bytes) }),
            let height = image.entry(0x0101).flatMap({ structure.unsigned($0, in: bytes) }), width > 0, height > 0
        else { return nil }
        // NewSubfileType, bit 0: a reduced version of another image.
        let kind = image.entry(0x00FE).flatMap { structure.unsigned($0, in: bytes) } ?? 0
        return (PixelSize(width: width, height: height), kind & 1 == 1)
    }

    /// Offsets and lengths come in pairs of tags: strips, tiles, and the JPEG file of a preview.
    private static func imageData(
        _ image: TIFFDirectory,
        of structure: TIFFStructure,
        in bytes: RawSpan,
        atMost room: inout Int
    ) -> [FileRange] {
        let pairs: [(offsets: UInt16, lengths: UInt16)] = [(0x0111, 0x0117), (0x0144, 0x0145), (0x0201, 0x0202)]
        var ranges: [FileRange] = []
        for pair in pairs {
            guard let offsets = image.entry(pair.offsets), let lengths = image.entry(pair.lengths) else { continue }
            // All directories may share one value as long as the file.
            let count = min(offsets.count, lengths.count, room)
            room -= count
            for index in 0..<count {
                guard let offset = structure.unsigned(offsets, at: index, in: bytes),
                    let length = structure.unsigned(lengths, at: index, in: bytes),
                    let range = structure.block.part(at: offset, length: length)
                else { continue }
                ranges.append(range)
            }
        }
        return ranges
    }

    private static func merged(_ ranges: [FileRange]) -> [FileRange] {
        var merged: [FileRange] = []
        for range in ranges.sorted(by: { $0.offset < $1.offset }) where !range.isEmpty {
            if let last = merged.last, range.offset <= last.end {
                merged[merged.count - 1] = FileRange(last.offset..<max(last.end, range.end))
            } else {
                merged.append(range)
            }
        }
        return merged
    }
}
