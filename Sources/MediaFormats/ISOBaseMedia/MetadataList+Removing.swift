extension MetadataList {
    /// A `meta` box of the same length without the removed values; nil if there are none.
    ///
    /// Keys and items are removed, including items without a key; the rest is renumbered, and a `free` box fills the
    /// gap.
    static func removing(
        _ removal: MetadataRemoval,
        from meta: Box,
        of bytes: RawSpan,
        limits: ParseLimits
    ) throws(MediaFormatError) -> [UInt8]? {
        let list = try MetadataList(meta: meta, of: bytes, limits: limits)
        let kept = Set(list.items.filter { !removal.removes(key: $0.key) }.map(\.box))
        let children = try bytes.metaChildren(of: meta, limits: limits)
        guard let first = children.first,
            try list.holds(removal, beside: kept, children, of: bytes, limits: limits)
        else { return nil }
        var writer = ByteWriter(capacity: meta.range.length)
        try writer.append(FileRange(meta.range.offset..<first.range.offset), of: bytes)
        for child in children {
            if child.type == "keys" {
                list.appendKeys(without: removal, to: &writer)
            } else if child.type == "ilst" {
                try list.appendItems(of: child, kept, without: removal, from: bytes, limits: limits, to: &writer)
            } else if !removal.removes(inList: child) {
                try writer.append(child.range, of: bytes)
            }
        }
        let slack = meta.range.length - writer.count
        guard slack >= Box.shortestHeader else {
            throw MediaFormatError(.malformed, "a metadata list contradicts its keys", at: meta.range.offset)
        }
        writer.appendBox("free") { $0.append(repeating: 0, count: slack - Box.shortestHeader) }
        return writer.bytes
    }

    /// Whether anything must be removed: an item, a key, or another part of the list.
    private func holds(
        _ removal: MetadataRemoval,
        beside kept: Set<Box>,
        _ children: [Box],
        of bytes: RawSpan,
        limits: ParseLimits
    ) throws(MediaFormatError) -> Bool {
        if keys.contains(where: removal.removes(key:)) { return true }
        for child in children {
            if child.type == "ilst" {
                if try bytes.children(of: child, limits: limits).contains(where: { !kept.contains($0) }) { return true }
            } else if child.type != "keys", removal.removes(inList: child) {
                return true
            }
        }
        return false
    }

    private func appendKeys(without removal: MetadataRemoval, to writer: inout ByteWriter) {
        let kept = keys.filter { !removal.removes(key: $0) }
        writer.appendFullBox("keys") { writer in
            writer.append(UInt32(kept.count))
            for key in kept {
                writer.appendBox("mdta") { $0.append(key) }
            }
        }
    }

    private func appendItems(
        of box: Box,
        _ kept: Set<Box>,
        without removal: MetadataRemoval,
        from bytes: RawSpan,
        limits: ParseLimits,
        to writer: inout ByteWriter
    ) throws(MediaFormatError) {
        var numbers: [UInt32: UInt32] = [:]
        for (index, key) in keys.enumerated() where !removal.removes(key: key) {
            numbers[UInt32(index + 1)] = UInt32(numbers.count + 1)
        }
        var items: [[UInt8]] = []
        for item in try bytes.children(of: box, limits: limits) where kept.contains(item) {
            var copy = ByteWriter(capacity: item.range.length)
            try copy.append(item.range, of: bytes)
            if let number = numbers[item.type.rawValue] { copy.patch(number, at: 4) }
            items.append(copy.bytes)
        }
        writer.appendBox("ilst") { writer in
            for item in items { writer.append(item) }
        }
    }
}
