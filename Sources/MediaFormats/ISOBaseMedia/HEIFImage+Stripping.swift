extension HEIFImage {
    /// The file that this was read from without a part of its metadata, of the same length; no picture changes.
    ///
    /// To remove the location, EXIF loses its GPS directory, and XMP and a Motion Photo's movie (`mpvd`) lose their
    /// locations. To remove captions, the texts of EXIF become empty, XMP becomes spaces, and the movie is removed.
    /// Samsung's trailer (`sefd`) is always removed. A file that has none of this is unchanged.
    ///
    /// - Throws: ``MediaFormatError`` and what the source throws.
    package func stripped(
        _ source: some ByteSource,
        of removal: MetadataRemoval,
        limits: ParseLimits = .standard
    ) throws -> RewrittenFile {
        var patches = try metadataPatches(source, removing: removal, limits: limits)
        for box in boxes.boxes {
            switch (box.type, removal) {
            // Samsung's trailer reveals the country by the mobile network's code.
            case ("sefd", _), ("mpvd", .captions): patches.free(box)
            case ("mpvd", .location):
                if let movie = try? MovieStripping.patches(source, in: box.payload, removing: removal, limits: limits) {
                    patches.append(movie)
                } else {
                    // Unreadable data might hide a location.
                    patches.zero(box.payload)
                }
            case (_, .captions):
                if box.userType == MovieStripping.xmpUserType { patches.free(box) }
            case (_, .location):
                guard box.userType == MovieStripping.xmpUserType else { continue }
                try patches.removeLocation(fromXMPBox: box, of: source, limits: limits)
            }
        }
        return patches.applied(toFileOf: source.byteCount)
    }

    /// The patches, by file offsets, that change every Exif and XMP item of the file that this was read from in place.
    ///
    /// EXIF is changed at the range of the TIFF structure in an item's bytes, or the whole item if it cannot be found,
    /// and XMP by packet.
    ///
    /// - Throws: what the source throws, and `limitExceeded`.
    private func metadataPatches(
        _ source: some ByteSource,
        removing removal: MetadataRemoval,
        limits: ParseLimits
    ) throws -> FilePatches {
        var patches = FilePatches()
        // Any number of items may have the same bytes.
        var room = 4 * limits.packetBytes
        for item in items where item.isExif || item.isXMP {
            let bytes = try bytes(of: item, from: source, limit: min(limits.packetBytes, room))
            room -= bytes.count
            var found = FilePatches()
            bytes.withBytes { bytes in
                if item.isExif {
                    let block = bytes.tiffBlock(ofExif: bytes.fullRange) ?? bytes.fullRange
                    if let new = removal.exif(block, in: bytes, limits: limits) {
                        found.replace(at: block.offset, with: new)
                    } else {
                        // Unreadable data might hide a location.
                        found.zero(block)
                    }
                } else if removal == .location {
                    found.removeLocation(fromXMP: bytes.fullRange, of: bytes, fileOffset: 0, limits: limits)
                } else {
                    found.replace(at: 0, with: Array(repeating: UInt8(ascii: " "), count: bytes.byteCount))
                }
            }
            patches.append(found.mapped(through: item.extents))
        }
        return patches
    }
}
