/// A reference from one item to others (`iref`, ISO/IEC 14496-12, 8.11.12).
package struct HEIFReference: Hashable, Sendable {
    /// What the reference means: `cdsc`, `thmb`, `auxl`, `dimg`.
    package let type: FourCharacterCode
    /// The referring item.
    package let from: UInt32
    /// The items referred to.
    package let to: [UInt32]

    /// Reads an `iref` box.
    static func references(
        _ box: Box,
        of bytes: RawSpan,
        limits: ParseLimits
    ) throws(MediaFormatError) -> [HEIFReference] {
        var header = ByteReader(box.payload)
        let isWide = try FullBoxHeader(&header, from: bytes).version >= 1
        var found: [HEIFReference] = []
        for entry in try bytes.boxes(in: header.remainingRange, limits: limits) {
            var reader = ByteReader(entry.payload)
            let from = try reader.itemNumber(isWide: isWide, from: bytes)
            let count: UInt16 = try reader.read(from: bytes)
            var to: [UInt32] = []
            for _ in 0..<count { to.append(try reader.itemNumber(isWide: isWide, from: bytes)) }
            found.append(HEIFReference(type: entry.type, from: from, to: to))
        }
        return found
    }
}
