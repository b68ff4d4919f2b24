extension MetadataList {
    /// A `meta` box of the same length without the places it names; nil when it names none.
    ///
    /// Keys and items of places go, the others are numbered anew, and a `free` box fills what they leave.
    static func withoutLocation(
        _ meta: Box,
        of bytes: RawSpan,
        limits: ParseLimits
    ) throws(MediaFormatError) -> [UInt8]? {
        let list = try MetadataList(meta: meta, of: bytes, limits: limits)
        let removed = Set(list.items.filter { MovieMetadata.Key.isLocation($0.key) }.map(\.box))
        guard !removed.isEmpty || list.keys.contains(where: MovieMetadata.Key.isLocation) else { return nil }
        let children = try bytes.metaChildren(of: meta, limits: limits)
        guard let first = children.first else { return nil }
        var writer = ByteWriter(capacity: meta.range.length)
        try writer.append(FileRange(meta.range.offset..<first.range.offset), of: bytes)
        for child in children {
            if child.type == "keys" {
                list.appendKeys(to: &writer)
            } else if child.type == "ilst" {
                try list.appendItems(of: child, without: removed, from: bytes, limits: limits, to: &writer)
            } else {
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

    private func appendKeys(to writer: inout ByteWriter) {
        let kept = keys.filter { !MovieMetadata.Key.isLocation($0) }
        writer.appendFullBox("keys") { writer in
            writer.append(UInt32(kept.count))
            for key in kept {
                writer.appendBox("mdta") { $0.append(key) }
            }
        }
    }

    private func appendItems(
        of box: Box,
        without removed: Set<Box>,
        from bytes: RawSpan,
        limits: ParseLimits,
        to writer: inout ByteWriter
    ) throws(MediaFormatError) {
        var numbers: [UInt32: UInt32] = [:]
        for (index, key) in keys.enumerated() where !MovieMetadata.Key.isLocation(key) {
            numbers[UInt32(index + 1)] = UInt32(numbers.count + 1)
        }
        var kept: [[UInt8]] = []
        for item in try bytes.children(of: box, limits: limits) where !removed.contains(item) {
            var copy = ByteWriter(capacity: item.range.length)
            try copy.append(item.range, of: bytes)
            if let number = numbers[item.type.rawValue] { copy.patch(number, at: 4) }
            kept.append(copy.bytes)
        }
        writer.appendBox("ilst") { writer in
            for item in kept { writer.append(item) }
        }
    }
}
