extension HEIFImage {
    /// Boxes that refer to file offsets outside `meta` and are dropped on rewriting: the movie of a Motion Photo, and
    /// Samsung's directory, which locates the movie by its offset.
    private static let replacedBoxes: Set<FourCharacterCode> = ["mpvd", "sefd"]

    /// The file that this was read from with another XMP packet, without a Motion Photo's movie.
    ///
    /// `meta` is rewritten: an item for the packet if there was none, a reference from it to the picture, and all item
    /// locations, shifted by the growth of `meta`. The packet goes into its own `mdat` at the end; an old packet's
    /// bytes become zeros. Pictures are not touched.
    ///
    /// - Throws: `unsupported` if an item lies inside `meta` by a file offset or is constructed from another item's
    ///   bytes; the file's damage, if any; what the source throws.
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
        // The length of `meta` does not depend on the offsets in it: measure first, then write.
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
        let starts = old.starts
        var file = RewrittenFile()
        for box in kept {
            if box.type == "meta" {
                file.append(meta)
            } else {
                for piece in old.pieces(in: box.range, starts) { file.append(piece) }
            }
        }
        var header = ByteWriter(capacity: Box.shortestHeader)
        header.appendBoxHeader("mdat", payloadLength: packet.count)
        file.append(header.bytes)
        file.append(packet)
        return file
    }
}
