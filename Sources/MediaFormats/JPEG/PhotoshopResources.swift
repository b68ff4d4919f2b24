/// The blocks that Photoshop stores in APP13, one of which holds IPTC.
///
///     "8BIM" id16 name (length8, characters, padded to even) size32 data (padded to even)
///
/// IPTC (id 0x0404) is a list of datasets: 1C record8 dataset8 size16 data (IPTC-NAA IIM 4.2, 1.5).
enum PhotoshopResources {
    private static let iptc: UInt16 = 0x0404
    /// EXIF, EXIF again, XMP, and the checksum of IPTC, which is invalid afterwards.
    private static let removedResources: Set<UInt16> = [0x0422, 0x0423, 0x0424, 0x0425]
    /// In record 2: location codes and names, city, sub-location, state, country code and name.
    private static let placeDatasets: Set<UInt8> = [26, 27, 90, 92, 95, 100, 101]

    /// The blocks without locations; nil if they cannot be read and must be removed entirely.
    static func strippingLocation(_ range: FileRange, in bytes: RawSpan) -> [UInt8]? {
        var reader = ByteReader(range)
        var writer = ByteWriter(capacity: range.length)
        do throws(MediaFormatError) {
            while reader.remaining >= 12 {
                let start = reader.offset
                let (id, data) = try next(&reader, in: bytes)
                guard !removedResources.contains(id) else { continue }
                // The signature, the number and the name, without the length before the data.
                let head = FileRange(start..<data.offset - 4)
                try writer.append(head, of: bytes)
                let content = id == iptc ? try withoutPlaces(data, in: bytes) : try bytes.copyBytes(in: data)
                writer.append(UInt32(content.count))
                writer.append(content)
                writer.append(repeating: 0, count: content.count & 1)
            }
        } catch {
            return nil
        }
        return writer.bytes
    }

    /// The range of the IPTC datasets; nil without any.
    static func iptcBlock(in range: FileRange, of bytes: RawSpan) -> FileRange? {
        var reader = ByteReader(range)
        while reader.remaining >= 12, let resource = try? next(&reader, in: bytes) {
            if resource.id == iptc { return resource.data }
        }
        return nil
    }

    private static func next(
        _ reader: inout ByteReader,
        in bytes: RawSpan
    ) throws(MediaFormatError) -> (id: UInt16, data: FileRange) {
        guard try reader.read(UInt32.self, from: bytes) == 0x3842_494D else {
            throw MediaFormatError(.malformed, "a Photoshop resource is missing", at: reader.offset - 4)
        }
        let id = try reader.read(UInt16.self, from: bytes)
        let nameLength = try reader.read(UInt8.self, from: bytes)
        try reader.skip(Int(nameLength) | 1)
        let data = try reader.take(try reader.read(UInt32.self, from: bytes))
        if data.length & 1 == 1, !reader.isAtEnd { try reader.skip(1) }
        return (id, data)
    }

    /// Reads a dataset and advances.
    static func nextDataset(
        _ reader: inout ByteReader,
        in bytes: RawSpan
    ) throws(MediaFormatError) -> (record: UInt8, number: UInt8, value: FileRange) {
        guard try reader.read(UInt8.self, from: bytes) == 0x1C else {
            throw MediaFormatError(.malformed, "an IPTC dataset is missing", at: reader.offset - 1)
        }
        let record = try reader.read(UInt8.self, from: bytes)
        let number = try reader.read(UInt8.self, from: bytes)
        let length = try datasetLength(&reader, in: bytes)
        return (record, number, try reader.take(length))
    }

    private static func withoutPlaces(_ range: FileRange, in bytes: RawSpan) throws(MediaFormatError) -> [UInt8] {
        var reader = ByteReader(range)
        var writer = ByteWriter(capacity: range.length)
        // Fewer than five bytes are padding.
        while reader.remaining >= 5 {
            let start = reader.offset
            let dataset = try nextDataset(&reader, in: bytes)
            if dataset.record != 2 || !placeDatasets.contains(dataset.number) {
                try writer.append(FileRange(start..<reader.offset), of: bytes)
            }
        }
        return writer.bytes
    }

    /// 15 bits, or, with the highest bit set, the number of bytes that hold the length.
    private static func datasetLength(
        _ reader: inout ByteReader,
        in bytes: RawSpan
    ) throws(MediaFormatError) -> UInt64 {
        let length = try reader.read(UInt16.self, from: bytes)
        guard length & 0x8000 != 0 else { return UInt64(length) }
        guard length & 0x7FFF <= 8 else {
            throw MediaFormatError(.malformed, "an IPTC length is longer than eight bytes", at: reader.offset)
        }
        var value: UInt64 = 0
        for _ in 0..<(length & 0x7FFF) { value = value << 8 | UInt64(try reader.read(UInt8.self, from: bytes)) }
        return value
    }
}
