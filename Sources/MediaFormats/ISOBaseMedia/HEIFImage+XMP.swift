extension HEIFImage {
    /// Boxes that point into the file from outside `meta` and are left out when it is written anew: the movie of a
    /// Motion Photo, and Samsung's directory, which names the movie by its offset.
    private static let replacedBoxes: Set<FourCharacterCode> = ["mpvd", "sefd"]

    /// The file with another XMP packet, without a Motion Photo's movie.
    ///
    /// `meta` is written anew: an item for the packet if there was none, a reference from it to the picture, and all
    /// places of items, moved by what `meta` grew. The packet goes into an `mdat` of its own at the end, the bytes of
    /// an old packet become zeros. Pictures are not touched.
    ///
    /// - Parameters:
    ///   - packet: the XMP packet.
    ///   - source: the file this was read from.
    ///   - limits: how much is read.
    /// - Returns: the new file.
    /// - Throws: `unsupported` when an item lies inside `meta` by a file offset or is made from another item's bytes;
    ///   the file's damage if it has any; what the source throws.
    package func withXMP(
        _ packet: [UInt8],
        _ source: some ByteSource,
        limits: ParseLimits = .standard
    ) throws -> RewrittenFile {
        if let damage = boxes.damage { throw damage }
        let loaded = try LoadedBox(try boxes.required("meta"), of: source)
        let edition = try loaded.bytes.withBytes { bytes throws(MediaFormatError) in
            try HEIFRewriter(self, loaded, of: bytes, file: FileRange(wholeFileOf: source.byteCount), limits: limits)
        }
        let kept = boxes.boxes.filter { !Self.replacedBoxes.contains($0.type) }
        // The length of `meta` does not depend on the places in it: measure first, then write.
        let draft = edition.meta(places: [:], packet: FileRange(0..<packet.count))
        var moved = MovedBoxes()
        for box in kept { moved.append(box, length: box.type == "meta" ? draft.count : box.range.length) }
        let packetPlace = FileRange(moved.end + Box.shortestHeader..<moved.end + Box.shortestHeader + packet.count)
        let meta = edition.meta(places: try edition.places(movedBy: moved), packet: packetPlace)
        return try assembled(kept, meta: meta, packet: packet, source)
    }

    private func assembled(
        _ kept: [Box],
        meta: [UInt8],
        packet: [UInt8],
        _ source: some ByteSource
    ) throws -> RewrittenFile {
        var erased = FilePatches()
        for extent in xmpItem?.extents ?? [] { erased.zero(extent) }
        let old = erased.applied(toFileOf: source.byteCount)
        var file = RewrittenFile()
        for box in kept {
            if box.type == "meta" {
                file.append(meta)
            } else {
                file.append(old, part: box.range)
            }
        }
        var header = ByteWriter(capacity: Box.shortestHeader)
        header.appendBoxHeader("mdat", payloadLength: packet.count)
        file.append(header.bytes)
        file.append(packet)
        return file
    }
}

extension RewrittenFile {
    /// Appends a part of another rewriting of the same file that moved nothing.
    fileprivate mutating func append(_ other: RewrittenFile, part: FileRange) {
        var place = 0
        for piece in other.pieces {
            let low = max(place, part.offset)
            let high = min(place + piece.byteCount, part.end)
            if low < high {
                switch piece {
                case .bytes(let bytes): append(Array(bytes[low - place..<high - place]))
                case .source: append(FileRange(low..<high))
                }
            }
            place += piece.byteCount
        }
    }
}
