extension HEIFItem {
    /// Reads the items of an `iinf` box (ISO/IEC 14496-12, 8.11.6).
    static func items(_ box: Box, of bytes: RawSpan, limits: ParseLimits) throws(MediaFormatError) -> [HEIFItem] {
        var reader = ByteReader(box.payload)
        let version = try FullBoxHeader(&reader, from: bytes).version
        try reader.skip(version == 0 ? 2 : 4)
        var items: [HEIFItem] = []
        for entry in try bytes.boxes(in: reader.remainingRange, limits: limits) where entry.type == "infe" {
            guard items.count < limits.listItems else {
                throw MediaFormatError(.limitExceeded, "a picture file has too many items", at: entry.range.offset)
            }
            items.append(try HEIFItem(entry, of: bytes, limits: limits))
        }
        return items
    }

    private init(_ box: Box, of bytes: RawSpan, limits: ParseLimits) throws(MediaFormatError) {
        var reader = ByteReader(box.payload)
        let header = try FullBoxHeader(&reader, from: bytes)
        id = try reader.itemNumber(isWide: header.version >= 3, from: bytes)
        try reader.skip(2)
        isHidden = header.flags & 1 == 1
        if header.version >= 2 {
            type = FourCharacterCode(rawValue: try reader.read(from: bytes))
        } else {
            type = "mime"
        }
        // The item's name, which nobody shows.
        _ = try Self.terminatedText(&reader, of: bytes, limits: limits)
        contentType = type == "mime" ? try Self.terminatedText(&reader, of: bytes, limits: limits) : nil
    }

    /// Text up to a zero byte, or to the end of the box if the writer omitted it.
    private static func terminatedText(
        _ reader: inout ByteReader,
        of bytes: RawSpan,
        limits: ParseLimits
    ) throws(MediaFormatError) -> String {
        let rest = reader.remainingRange
        let end = bytes.firstOffset(of: 0, in: rest) ?? rest.end
        let text = try bytes.text(in: try reader.take(end - rest.offset), limits: limits)
        if !reader.isAtEnd { try reader.skip(1) }
        return text
    }
}

extension ByteReader {
    /// Reads an item's number or a count of items, for which newer versions of a box have 32 bits instead of 16.
    mutating func itemNumber(isWide: Bool, from bytes: RawSpan) throws(MediaFormatError) -> UInt32 {
        isWide ? try read(from: bytes) : UInt32(try read(UInt16.self, from: bytes))
    }
}
