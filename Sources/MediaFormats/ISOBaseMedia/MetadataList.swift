// A metadata list, in `moov/meta`, `moov/udta/meta` or a track (QuickTime File Format, "Metadata"):
//
//     meta   QuickTime: plain box; ISO: FullBox
//       hdlr   handler 'mdta' (keys are names) or 'mdir' (keys are four-character codes, as iTunes writes)
//       keys   FullBox: count32, then per key size32, namespace 'mdta', name in UTF-8
//       ilst   per item a box, its type the 1-based number of the key or the code; in it
//         data   type32, locale32, value

/// The names and values of one `meta` box.
struct MetadataList {
    /// One item of the list.
    struct Item {
        /// The key's name, or the four characters of the code.
        let key: String
        /// The first value; nil if the item has none.
        let value: MetadataValue?
        /// The item's box.
        let box: Box
    }

    /// The longest key's name, in bytes: each of thousands of items may have it, and is compared by it.
    private static let longestKey = 1024

    /// The names of `keys`, in order.
    let keys: [String]
    /// The items of `ilst`, in order.
    let items: [Item]

    /// Reads a `meta` box.
    init(meta: Box, of bytes: RawSpan, limits: ParseLimits) throws(MediaFormatError) {
        let children = try bytes.metaChildren(of: meta, limits: limits)
        var keys: [String] = []
        if let box = children.first(ofType: "keys") {
            keys = try Self.keys(box, of: bytes, limits: limits)
        }
        var items: [Item] = []
        if let list = children.first(ofType: "ilst") {
            for box in try bytes.children(of: list, limits: limits) {
                guard items.count < limits.listItems else {
                    throw MediaFormatError(.limitExceeded, "a metadata list is too long", at: box.range.offset)
                }
                guard let key = Self.key(of: box, keys: keys) else { continue }
                let data = try bytes.children(of: box, limits: limits).first(ofType: "data")
                var value: MetadataValue?
                if let data { value = try MetadataValue(data: data.payload, of: bytes, limits: limits) }
                items.append(Item(key: key, value: value, box: box))
            }
        }
        self.keys = keys
        self.items = items
    }

    /// The name of an item: its key's if its type is a key's number, else its four characters.
    static func key(of item: Box, keys: [String]) -> String? {
        let number = Int(item.type.rawValue)
        if keys.indices.contains(number - 1) { return keys[number - 1] }
        return number > 0xFF_FFFF ? item.type.description : nil
    }

    private static func keys(_ box: Box, of bytes: RawSpan, limits: ParseLimits) throws(MediaFormatError) -> [String] {
        var reader = ByteReader(box.payload)
        _ = try FullBoxHeader(&reader, from: bytes)
        let count: UInt32 = try reader.read(from: bytes)
        guard count <= limits.listItems else {
            throw MediaFormatError(.limitExceeded, "a metadata list has too many keys", at: box.range.offset)
        }
        var keys: [String] = []
        for _ in 0..<count {
            let size: UInt32 = try reader.read(from: bytes)
            guard size >= 8 else {
                throw MediaFormatError(.malformed, "a key is smaller than its header", at: reader.offset)
            }
            try reader.skip(4)
            let name = try reader.take(size - 8)
            guard name.length <= longestKey else {
                throw MediaFormatError(.limitExceeded, "a key is longer than any name", at: name.offset)
            }
            keys.append(try bytes.text(in: name, limits: limits))
        }
        return keys
    }
}
