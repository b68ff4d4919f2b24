import PhotoModel

/// The offsets of a file's top-level boxes after one of them changed its length.
struct MovedBoxes {
    private var moves: [(old: FileRange, start: Int, isRewritten: Bool)] = []
    /// Where the next box begins.
    private(set) var end = 0

    /// Appends a box with its new length.
    mutating func append(_ box: Box, length: Int) {
        moves.append((box.range, end, box.type == "meta"))
        end += length
    }

    /// The new range of bytes of the old file; nil if they are no longer there unchanged.
    func place(of range: FileRange) -> FileRange? {
        // The first box that ends where the range does, or behind it.
        var (lower, upper) = (0, moves.count)
        while lower < upper {
            let middle = (lower + upper) / 2
            if moves[middle].old.end < range.end { lower = middle + 1 } else { upper = middle }
        }
        // An empty range may lie between two boxes.
        for move in moves[lower...].prefix(2) where move.old.contains(range) && !move.isRewritten {
            let start = move.start + range.offset - move.old.offset
            return FileRange(start..<start + range.length)
        }
        return nil
    }
}

/// Rewrites a `meta` box with an XMP item.
struct HEIFRewriter {
    private let children: [(box: Box, bytes: [UInt8])]
    private let header: [UInt8]
    private let locations: [HEIFItemLocations.Entry]
    private let ranges: [UInt32: [FileRange]]
    private let packetItemID: UInt32
    private let primaryItemID: UInt32
    private let hasPacketItem: Bool
    private let isReferenced: Bool
    private let isLargeFile: Bool

    /// Reads the needed parts of the old box; refuses what cannot be moved.
    init(
        _ image: HEIFImage,
        _ loaded: LoadedBox,
        of bytes: RawSpan,
        file: FileRange,
        limits: ParseLimits
    ) throws(MediaFormatError) {
        let boxes = try bytes.metaChildren(of: loaded.box, limits: limits)
        guard let first = boxes.first, let locationBox = boxes.first(ofType: "iloc") else {
            throw MediaFormatError(.malformed, "a picture file without item locations", at: loaded.fileOffset)
        }
        for type in ["iinf", "iloc", "iref"] as [FourCharacterCode] where boxes.all(ofType: type).count > 1 {
            throw MediaFormatError(.malformed, "a list of items stands twice", at: loaded.fileOffset)
        }
        var children: [(box: Box, bytes: [UInt8])] = []
        for box in boxes {
            children.append((box, try bytes.copyBytes(in: box.range, limit: ParseLimits.headerBoxBytes)))
        }
        self.children = children
        header = try bytes.copyBytes(
            in: FileRange(loaded.box.payload.offset..<first.range.offset),
            limit: limits.valueBytes
        )
        let itemData = boxes.first(ofType: "idat").map { loaded.fileRange(of: $0.payload) }
        locations = try HEIFItemLocations(locationBox, of: bytes, limits: limits).entries
        var ranges: [UInt32: [FileRange]] = [:]
        for entry in locations {
            guard ranges[entry.itemID] == nil else {
                throw MediaFormatError(.malformed, "an item has two places", at: loaded.fileOffset)
            }
            if case .unrecognized = entry.construction {
                throw MediaFormatError(.unsupported, "an item made from another item's bytes", at: loaded.fileOffset)
            }
            ranges[entry.itemID] = try entry.ranges(file: file, itemData: itemData)
        }
        self.ranges = ranges
        let old = image.xmpItem
        let free = (image.items.map(\.id) + locations.map(\.itemID)).max() ?? 0
        packetItemID = old?.id ?? (free == .max ? free : free + 1)
        hasPacketItem = old != nil
        primaryItemID = image.primaryItemID
        isReferenced = image.references.contains {
            $0.type == "cdsc" && $0.from == old?.id && $0.to.contains(image.primaryItemID)
        }
        isLargeFile = file.length > Int(UInt32.max) - (64 << 20)
        guard packetItemID <= UInt16.max else {
            throw MediaFormatError(.unsupported, "a picture file with item numbers of 32 bits", at: loaded.fileOffset)
        }
    }

    /// The new locations of all items stored by file offset, except the packet.
    func places(movedBy moved: MovedBoxes) throws(MediaFormatError) -> [UInt32: [FileRange]] {
        var places: [UInt32: [FileRange]] = [:]
        for entry in locations where entry.construction == .file && entry.itemID != packetItemID {
            for range in ranges[entry.itemID] ?? [] {
                guard let place = moved.place(of: range) else {
                    throw MediaFormatError(.unsupported, "an item's bytes are in a box that is rewritten")
                }
                places[entry.itemID, default: []].append(place)
            }
        }
        return places
    }

    /// The whole box.
    func meta(places: [UInt32: [FileRange]], packet: FileRange) -> [UInt8] {
        var writer = ByteWriter(capacity: children.reduce(256) { $0 + $1.bytes.count })
        writer.appendBox("meta") { writer in
            writer.append(header)
            var hasReferences = false
            for child in children {
                switch child.box.type {
                case "iinf" where !hasPacketItem: appendItems(child, to: &writer)
                case "iloc": appendLocations(places: places, packet: packet, to: &writer)
                case "iref" where !isReferenced:
                    appendReferences(child.bytes, headerLength: child.box.headerLength, to: &writer)
                    hasReferences = true
                default: writer.append(child.bytes)
                }
            }
            if !isReferenced && !hasReferences { appendReferences([], headerLength: 0, to: &writer) }
        }
        return writer.bytes
    }

    private func appendItems(_ child: (box: Box, bytes: [UInt8]), to writer: inout ByteWriter) {
        let headerLength = child.box.headerLength
        let isWide = child.bytes[headerLength] > 0
        let counted = headerLength + 4 + (isWide ? 4 : 2)
        let count = UInt32(bigEndianBytes: child.bytes[(headerLength + 4)..<counted])
        writer.appendBox("iinf") { writer in
            writer.append(child.bytes[headerLength..<headerLength + 4])
            if isWide { writer.append(count &+ 1) } else { writer.append(UInt16(truncatingIfNeeded: count &+ 1)) }
            writer.append(child.bytes[counted...])
            // Flag 1: not to be shown by itself.
            writer.appendFullBox("infe", version: 2, flags: 1) { writer in
                writer.append(UInt16(truncatingIfNeeded: packetItemID))
                writer.append(UInt16(0))
                writer.append("mime\0\(HEIFItem.xmpContentType)\0")
            }
        }
    }

    private func appendReferences(_ old: [UInt8], headerLength: Int, to writer: inout ByteWriter) {
        let isWide = old.isEmpty ? primaryItemID > UInt16.max : old[headerLength] > 0
        writer.appendBox("iref") { writer in
            if old.isEmpty {
                writer.append(isWide ? UInt32(1) << 24 : 0)
            } else {
                writer.append(old[headerLength...])
            }
            writer.appendBox("cdsc") { writer in
                if isWide {
                    writer.append(packetItemID)
                    writer.append(UInt16(1))
                    writer.append(primaryItemID)
                } else {
                    writer.append(UInt16(truncatingIfNeeded: packetItemID))
                    writer.append(UInt16(1))
                    writer.append(UInt16(truncatingIfNeeded: primaryItemID))
                }
            }
        }
    }

    /// Version 1: 16-bit item numbers, no base offsets, one width for offsets and lengths.
    private func appendLocations(places: [UInt32: [FileRange]], packet: FileRange, to writer: inout ByteWriter) {
        let others = locations.filter { $0.itemID != packetItemID }
        writer.appendFullBox("iloc", version: 1) { writer in
            writer.append(UInt16(isLargeFile ? 0x8800 : 0x4400))
            writer.append(UInt16(truncatingIfNeeded: others.count + 1))
            for entry in others {
                let isInFile = entry.construction == .file && entry.dataReference == 0
                let moved = (places[entry.itemID] ?? []).map { (UInt64($0.offset), UInt64($0.length)) }
                // The draft has no locations yet, only their number.
                let placeholders = (ranges[entry.itemID] ?? []).map { _ in (UInt64(0), UInt64(0)) }
                let inFile = moved.isEmpty ? placeholders : moved
                let extents = isInFile ? inFile : entry.extents.map { ($0.offset, $0.length) }
                append(entry.itemID, entry.construction, entry.dataReference, extents, to: &writer)
            }
            append(packetItemID, .file, 0, [(UInt64(packet.offset), UInt64(packet.length))], to: &writer)
        }
    }

    private func append(
        _ itemID: UInt32,
        _ construction: HEIFItem.Construction,
        _ dataReference: UInt16,
        _ extents: [(UInt64, UInt64)],
        to writer: inout ByteWriter
    ) {
        writer.append(UInt16(truncatingIfNeeded: itemID))
        writer.append(UInt16(construction == .itemData ? 1 : 0))
        writer.append(dataReference)
        writer.append(UInt16(truncatingIfNeeded: extents.count))
        for (offset, length) in extents {
            if isLargeFile {
                writer.append(offset)
                writer.append(length)
            } else {
                writer.append(words: UInt32(truncatingIfNeeded: offset), UInt32(truncatingIfNeeded: length))
            }
        }
    }
}
