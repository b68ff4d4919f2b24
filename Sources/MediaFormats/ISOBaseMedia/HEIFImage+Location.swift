extension HEIFImage {
    /// The file that this was read from without the location in its metadata, of the same length; no picture changes.
    ///
    /// Removes the GPS directory from EXIF and blanks locations in XMP, in every such item. A Motion Photo's movie
    /// (`mpvd`) loses its location too, and Samsung's trailer (`sefd`) is removed. Without a location, the file is
    /// unchanged.
    ///
    /// - Throws: ``MediaFormatError`` and what the source throws.
    package func withoutLocation(_ source: some ByteSource, limits: ParseLimits = .standard) throws -> RewrittenFile {
        var patches = try metadataPatches(source, limits: limits) { block, bytes, found in
            found.removeLocation(fromTIFF: block, of: bytes, limits: limits)
        } xmp: { bytes, found in
            found.removeLocation(fromXMP: bytes.fullRange, of: bytes, fileOffset: 0, limits: limits)
        }
        for box in boxes.boxes where box.type == "mpvd" {
            if let movie = try? MovieStripping.patches(source, in: box.payload, removing: .location, limits: limits) {
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

    /// The patches, by file offsets, that change every Exif and XMP item of the file that this was read from in place.
    ///
    /// EXIF is changed at the range of the TIFF structure in an item's bytes, or the whole item if it cannot be found,
    /// and XMP by packet.
    ///
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
