package import PhotoModel

/// The metadata of a camera's raw photo, and the preview embedded by the camera.
///
/// CR2, NEF, ARW, DNG, ORF and RW2 are TIFF structures, the last two with their own magic number instead of 42. Others:
///
///     RAF  "FUJIFILMCCD-RAW " ...  84: JPEG's offset32 and length32, 92: offset32 of records; all big-endian
///          records: count32, count × (tag16 length16 bytes); tag 0x0111: height16 width16
///     CR3  ISO-BMFF; moov / uuid 85C0B687...: CMT1 (IFD0), CMT2 (Exif) and CMT4 (GPS), each a TIFF structure;
///          uuid EAF42B5E...: PRVW with a JPEG
package struct RawFile: Hashable, Sendable {
    /// The EXIF, XMP and IPTC metadata.
    package private(set) var metadata = PictureMetadata()
    /// The picture's size before the orientation is applied.
    package private(set) var storedSize: PixelSize?
    /// The largest embedded picture that is a regular JPEG file; nil without one.
    package private(set) var preview: FileRange?
    /// Whether the first image is a sensor's mosaic: one colour per pixel, which is no picture before it is developed.
    package private(set) var isMosaic = false

    /// How to rotate the picture; upright if the file does not say.
    package var orientation: ImageOrientation { metadata.exif?.orientation ?? .up }
    /// The size as shown.
    package var pixelSize: PixelSize? { orientation.isTransposed ? storedSize?.transposed : storedSize }

    /// How much of a TIFF structure's beginning is searched for its directories.
    private static let headByteCount = 16 << 20
    /// How much of an embedded JPEG is read to find its segments up to the first scan.
    private static let previewHeadByteCount = 512 << 10
    /// How many embedded pictures are examined.
    private static let candidateCount = 64
    /// Smaller pictures are meant for the camera's own screen.
    private static let smallestPreviewSide = 160

    /// Reads a raw photo.
    ///
    /// - Throws: `unrecognizedFormat` for anything but these raw formats, `truncated`, and what the source throws.
    package init(_ source: some ByteSource, limits: ParseLimits = .standard) throws {
        let start = FileRange(0..<min(RawPhoto.markedByteCount, source.byteCount))
        let head = try source.untrustedBytes(in: start, limit: start.length)
        switch head.withBytes({ RawPhoto.markedMediaType($0) }) {
        case "image/x-fuji-raf": try readRAF(source, limits)
        case "image/x-canon-cr3": try readCR3(source, limits)
        case "image/x-canon-cr2":
            try readTIFF(source, limits)
            // IFD0 describes the preview, which many cameras store smaller, and the sensor's directory has no size.
            storedSize = metadata.exif?.pixelSize ?? storedSize
        default: try readTIFF(source, limits)
        }
    }

    private mutating func readTIFF(_ source: some ByteSource, _ limits: ParseLimits) throws {
        let start = FileRange(0..<min(Self.headByteCount, source.byteCount))
        let head = try source.untrustedBytes(in: start, limit: start.length)
        let candidates = try head.withBytes { bytes throws(MediaFormatError) in
            let file = try TIFFFile(bytes, limits: limits)
            metadata.exif = ExifMetadata(file.structure, in: bytes)
            if let packet = file.xmpPacket { metadata.xmp = try? XMPProperties(bytes, packet: packet, limits: limits) }
            if let block = file.structure.iptcBlock(in: bytes) {
                metadata.iptc = IPTCRecord(bytes, block: block, limits: limits)
            }
            if let interpretation = file.structure.directory(.image(0))?.entry(0x0106) {
                isMosaic = file.structure.unsigned(interpretation, in: bytes) == 32_803
            }
            storedSize = Self.panasonicSize(file.structure, in: bytes) ?? file.pixelSize
            return Self.candidates(file.structure, in: bytes)
        }
        try choosePreview(candidates, of: source, limits)
        guard preview == nil else { return }
        try choosePreview(Self.startsOfJPEG(in: head, fileLength: source.byteCount), of: source, limits)
    }

    /// Panasonic stores the borders of the picture within the sensor: top, left, bottom, right.
    private static func panasonicSize(_ structure: TIFFStructure, in bytes: RawSpan) -> PixelSize? {
        guard structure.mark == TIFFStructure.panasonicMark, let image = structure.directory(.image(0)) else {
            return nil
        }
        func number(_ tag: UInt16) -> Int? { image.entry(tag).flatMap { structure.unsigned($0, in: bytes) } }
        guard let top = number(4), let left = number(5), let bottom = number(6), let right = number(7), bottom > top,
            right > left
        else { return nil }
        return PixelSize(width: right - left, height: bottom - top)
    }

    /// Where the directories say JPEG files may be; each may lie beyond the bytes read so far.
    private static func candidates(_ structure: TIFFStructure, in bytes: RawSpan) -> [FileRange] {
        var found: [FileRange] = []
        for directory in structure.directories {
            for (offsets, lengths) in [(UInt16(0x0201), UInt16(0x0202)), (0x0111, 0x0117)] {
                guard let offset = directory.entry(offsets), let length = directory.entry(lengths), offset.count == 1,
                    let first = structure.unsigned(offset, in: bytes),
                    let count = structure.unsigned(length, in: bytes),
                    let range = FileRange(offset: first, length: count)
                else { continue }
                found.append(range)
            }
            // Panasonic's own entry for the preview.
            if let entry = directory.entry(0x002E), structure.mark == TIFFStructure.panasonicMark {
                found.append(entry.value)
            }
        }
        return found
    }

    /// Where a JPEG file may begin, for makers that record the offset only in their maker notes.
    private static func startsOfJPEG(in head: [UInt8], fileLength: Int) -> [FileRange] {
        var found: [FileRange] = []
        for place in head.indices.dropFirst().dropLast(2) where found.count < candidateCount {
            guard head[place] == 0xFF, head[place + 1] == 0xD8, head[place + 2] == 0xFF else { continue }
            found.append(FileRange(place..<fileLength))
        }
        return found
    }

    /// Keeps the largest candidate that can be decoded: raw data in lossless JPEG (SOF3) cannot.
    private mutating func choosePreview(
        _ candidates: [FileRange],
        of source: some ByteSource,
        _ limits: ParseLimits
    ) throws {
        var largest = 0
        for candidate in candidates.prefix(Self.candidateCount) where candidate.end <= source.byteCount {
            let length = min(candidate.length, Self.previewHeadByteCount)
            let start = FileRange(candidate.offset..<candidate.offset + length)
            let head = try source.untrustedBytes(in: start, limit: length)
            let parsed = try? head.withBytes { bytes throws(MediaFormatError) in try JPEGHeader(bytes, limits: limits) }
            guard let header = parsed, header.isDecodable, let size = header.pixelSize,
                size.width >= Self.smallestPreviewSide,
                size.width * size.height > largest
            else { continue }
            largest = size.width * size.height
            preview = candidate
        }
    }
}

extension RawFile {
    private mutating func readRAF(_ source: some ByteSource, _ limits: ParseLimits) throws {
        let header = try source.untrustedBytes(in: FileRange(84..<100), limit: 16)
        let (jpeg, records) = try header.withBytes { bytes throws(MediaFormatError) in
            (
                FileRange(
                    offset: try bytes.integer(at: 0, as: UInt32.self),
                    length: try bytes.integer(at: 4, as: UInt32.self)
                ),
                Int(try bytes.integer(at: 8, as: UInt32.self))
            )
        }
        guard let jpeg, jpeg.end <= source.byteCount else { return }
        try choosePreview([jpeg], of: source, limits)
        let start = FileRange(jpeg.offset..<jpeg.offset + min(jpeg.length, Self.previewHeadByteCount))
        let head = try source.untrustedBytes(in: start, limit: start.length)
        let still = try? head.withBytes { bytes throws(MediaFormatError) in try StillMetadata(bytes, limits: limits) }
        metadata = still?.metadata ?? PictureMetadata()
        storedSize = try Self.fujifilmSize(at: records, of: source, limits) ?? still?.storedSize
    }

    private static func fujifilmSize(
        at offset: Int,
        of source: some ByteSource,
        _ limits: ParseLimits
    ) throws -> PixelSize? {
        guard offset > 0, offset < source.byteCount else { return nil }
        let range = FileRange(offset..<min(source.byteCount, offset + (64 << 10)))
        let records = try source.untrustedBytes(in: range, limit: range.length)
        return try? records.withBytes { bytes throws(MediaFormatError) in
            var reader = ByteReader(bytes.fullRange)
            for _ in 0..<min(try reader.read(UInt32.self, from: bytes), UInt32(limits.directoryEntries)) {
                let tag = try reader.read(UInt16.self, from: bytes)
                let length = try reader.read(UInt16.self, from: bytes)
                let value = try reader.take(length)
                guard tag == 0x0111, value.length >= 4 else { continue }
                let height = Int(try bytes.integer(at: value.offset, as: UInt16.self))
                let width = Int(try bytes.integer(at: value.offset + 2, as: UInt16.self))
                return width > 0 && height > 0 ? PixelSize(width: width, height: height) : nil
            }
            return nil
        }
    }

    private static let canonMetadata: UInt128 = 0x85C0_B687_820F_11E0_8111_F4CE_462B_6A48
    private static let canonPreview: UInt128 = 0xEAF4_2B5E_1C98_4B88_B9FB_B7DC_406E_4D16

    private mutating func readCR3(_ source: some ByteSource, _ limits: ParseLimits) throws {
        let file = try FileBoxes(of: source, limits: limits)
        let moov = try LoadedBox(try file.required("moov"), of: source)
        let exif = try moov.bytes.withBytes { bytes throws(MediaFormatError) -> ExifMetadata? in
            let children = try bytes.children(of: moov.box, limits: limits)
            guard let box = children.first(where: { $0.userType == Self.canonMetadata }) else { return nil }
            var exif: ExifMetadata?
            for part in try bytes.children(of: box, limits: limits) {
                guard let kind = Self.canonDirectory(part.type),
                    let structure = try? TIFFStructure(bytes, block: part.payload, first: kind, limits: limits)
                else { continue }
                exif = ExifMetadata(structure, in: bytes, beside: exif ?? ExifMetadata())
            }
            return exif
        }
        metadata.exif = exif
        // The largest track has the size of the sensor, with its borders.
        let movie = try? Movie(source, limits: limits)
        storedSize = exif?.pixelSize ?? movie?.tracks.compactMap(\.codedSize).max { $0.width < $1.width }
        guard let box = file.boxes.first(where: { $0.userType == Self.canonPreview }) else { return }
        try readCanonPreview(box.payload, of: source, limits)
    }

    private static func canonDirectory(_ type: FourCharacterCode) -> TIFFDirectory.Kind? {
        switch type {
        case "CMT1": .image(0)
        case "CMT2": .exif
        case "CMT4": .gps
        default: nil
        }
    }

    /// Eight bytes, then the box PRVW: eight bytes, width16 height16, two bytes, length32, JPEG.
    private mutating func readCanonPreview(
        _ payload: FileRange,
        of source: some ByteSource,
        _ limits: ParseLimits
    ) throws {
        let start = FileRange(payload.offset..<payload.offset + min(payload.length, 256))
        let head = try source.untrustedBytes(in: start, limit: start.length)
        let candidates = Self.startsOfJPEG(in: head, fileLength: start.length).prefix(1).map {
            FileRange(payload.offset + $0.offset..<payload.end)
        }
        try choosePreview(Array(candidates), of: source, limits)
    }
}

extension JPEGHeader {
    /// Whether common decoders can show it: Huffman-coded baseline, extended or progressive frames (SOF0 to SOF2).
    fileprivate var isDecodable: Bool {
        segments.contains { 0xC0...0xC2 ~= $0.marker.rawValue } && segments.last?.marker == .startOfScan
    }
}
