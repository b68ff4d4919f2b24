/// The locations of a HEIF file's items (`iloc`, ISO/IEC 14496-12, 8.11.3).
struct HEIFItemLocations {
    /// One item's entry, with the file's raw numbers.
    struct Entry {
        let itemID: UInt32
        let construction: HEIFItem.Construction
        let dataReference: UInt16
        /// Offset, base included, and length; a single extent of length 0 means everything.
        var extents: [(offset: UInt64, length: UInt64)]
    }

    /// The entries in file order.
    let entries: [Entry]

    /// Reads the box; item numbers, offsets and lengths are not validated yet.
    init(_ box: Box, of bytes: RawSpan, limits: ParseLimits) throws(MediaFormatError) {
        var reader = ByteReader(box.payload)
        let version = try FullBoxHeader(&reader, from: bytes).version
        guard version <= 2 else {
            throw MediaFormatError(.unsupported, "item locations of a newer version", at: box.range.offset)
        }
        let widths: UInt16 = try reader.read(from: bytes)
        let isWide = version == 2
        let count = try reader.itemNumber(isWide: isWide, from: bytes)
        guard count <= limits.listItems else {
            throw MediaFormatError(.limitExceeded, "a picture file has too many items", at: box.range.offset)
        }
        var entries: [Entry] = []
        var extentCount = 0
        for _ in 0..<count {
            let itemID = try reader.itemNumber(isWide: isWide, from: bytes)
            let method = version == 0 ? 0 : try reader.read(UInt16.self, from: bytes) & 0xF
            let dataReference: UInt16 = try reader.read(from: bytes)
            let base = try Self.number(&reader, width: widths >> 4 & 0xF, of: bytes)
            let extents: UInt16 = try reader.read(from: bytes)
            extentCount += Int(extents)
            guard extentCount <= limits.segments else {
                throw MediaFormatError(.limitExceeded, "a picture file has too many extents", at: box.range.offset)
            }
            var entry = Entry(
                itemID: itemID,
                construction: Self.construction(method),
                dataReference: dataReference,
                extents: []
            )
            for _ in 0..<extents {
                if version > 0 { _ = try Self.number(&reader, width: widths & 0xF, of: bytes) }
                let offset = try Self.number(&reader, width: widths >> 12, of: bytes)
                let length = try Self.number(&reader, width: widths >> 8 & 0xF, of: bytes)
                let (sum, overflows) = base.addingReportingOverflow(offset)
                guard !overflows else {
                    throw MediaFormatError(.malformed, "an item lies beyond what can be addressed", at: reader.offset)
                }
                entry.extents.append((sum, length))
            }
            entries.append(entry)
        }
        self.entries = entries
    }

    private static func construction(_ method: UInt16) -> HEIFItem.Construction {
        switch method {
        case 0: .file
        case 1: .itemData
        default: .unrecognized(UInt8(truncatingIfNeeded: method))
        }
    }

    private static func number(
        _ reader: inout ByteReader,
        width: UInt16,
        of bytes: RawSpan
    ) throws(MediaFormatError) -> UInt64 {
        switch width {
        case 0: return 0
        case 4: return UInt64(try reader.read(UInt32.self, from: bytes))
        case 8: return try reader.read(from: bytes)
        default: throw MediaFormatError(.malformed, "a field of an impossible width", at: reader.offset)
        }
    }
}

extension HEIFItemLocations.Entry {
    /// The extents as ranges of the whole file, or within the payload of `idat`; none if the item's bytes are in
    /// another file or constructed from another item.
    ///
    /// - Throws: `truncated` if an extent reaches outside.
    func ranges(file: FileRange, itemData: FileRange?) throws(MediaFormatError) -> [FileRange] {
        let holder: FileRange
        switch construction {
        case .file where dataReference == 0: holder = file
        case .itemData:
            guard let itemData else { return [] }
            holder = itemData
        case .file, .unrecognized: return []
        }
        var ranges: [FileRange] = []
        for extent in extents {
            let wholeLength = UInt64(holder.length)
            let length =
                extent.length == 0 && extent.offset <= wholeLength ? wholeLength - extent.offset : extent.length
            guard let range = holder.part(at: extent.offset, length: length) else {
                throw MediaFormatError(.truncated, "an item reaches beyond the file", at: holder.end)
            }
            ranges.append(range)
        }
        return ranges
    }
}
