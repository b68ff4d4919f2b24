extension HEIFImage {
    /// The file without the location in its metadata, of the same length; no picture changes.
    ///
    /// Removes the GPS directory from EXIF and blanks locations in XMP, in every such item. A Motion Photo's movie
    /// (`mpvd`) loses its location too, and Samsung's trailer (`sefd`) is removed.
    ///
    /// - Parameters:
    ///   - source: the file this was read from.
    ///   - limits: how much to read at most.
    /// - Returns: the new file; the unchanged file if it has no location.
    /// - Throws: ``MediaFormatError`` and what the source throws.
    package func withoutLocation(
        _ source: some ByteSource,
        limits: ParseLimits = .standard
    ) throws -> RewrittenFile {
        var patches = try metadataPatches(source, limits: limits) { block, bytes, found in
            found.removeLocation(fromTIFF: block, of: bytes, limits: limits)
        } xmp: { bytes, found in
            found.removeLocation(fromXMP: bytes.fullRange, of: bytes, fileOffset: 0, limits: limits)
        }
        for box in boxes.boxes where box.type == "mpvd" {
            if let movie = try? MovieStripping.patches(
                source,
                in: box.payload,
                removing: .location,
                limits: limits
            ) {
                patches.append(movie)
            } else {
                // Unreadable data might hide a location.
                patches.zero(box.payload)
            }
        }
        // Samsung's trailer reveals the country by the mobile network's code.
        for box in boxes.boxes where box.type == "sefd" { patches.free(box) }
        for box in boxes.boxes where box.userType == MovieStripping.xmpUserType {
            try patches.removeLocation(fromXMPBox: box, of: source, limits: limits)
        }
        return patches.applied(toFileOf: source.byteCount)
    }

    /// The patches that change every Exif and XMP item in place.
    ///
    /// - Parameters:
    ///   - source: the file this was read from.
    ///   - limits: how much of an item to read at most.
    ///   - exif: changes the TIFF structure at a range of an item's bytes; the whole item if it cannot be found.
    ///   - xmp: changes an item's packet.
    /// - Returns: the patches, by file offsets.
    /// - Throws: what the source throws, and `limitExceeded`.
    func metadataPatches(
        _ source: some ByteSource,
        limits: ParseLimits,
        exif: (FileRange, RawSpan, inout FilePatches) -> Void,
        xmp: (RawSpan, inout FilePatches) -> Void
    ) throws -> FilePatches {
        var patches = FilePatches()
        // Any number of items may have the same bytes.
        var room = 4 * limits.packetBytes
        for item in items where item.isExif || item.isXMP {
            let bytes = try bytes(of: item, from: source, limit: min(limits.packetBytes, room))
            room -= bytes.count
            var found = FilePatches()
            bytes.withBytes { bytes in
                if item.isXMP {
                    xmp(bytes, &found)
                } else {
                    exif(bytes.tiffBlock(ofExif: bytes.fullRange) ?? bytes.fullRange, bytes, &found)
                }
            }
            patches.append(found.mapped(through: item.extents))
        }
        return patches
    }
}
