extension HEIFImage {
    /// The file without the place its metadata name, of the same length; no picture changes.
    ///
    /// Takes the GPS directory out of EXIF and blanks what names a place in XMP, in every such item. A movie inside a
    /// Motion Photo (`mpvd`) loses its place too, and Samsung's trailer (`sefd`) goes.
    ///
    /// - Parameters:
    ///   - source: the file this was read from.
    ///   - limits: how much is read.
    /// - Returns: the new file; the old one as a whole when it names no place.
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
                // What cannot be read might hide a place.
                patches.zero(box.payload)
            }
        }
        // Samsung's trailer tells the country by the code of the mobile network.
        for box in boxes.boxes where box.type == "sefd" { patches.free(box) }
        for box in boxes.boxes where box.userType == MovieStripping.xmpUserType {
            try patches.removeLocation(fromXMPBox: box, of: source, limits: limits)
        }
        return patches.applied(toFileOf: source.byteCount)
    }

    /// What changes in the file when every Exif and XMP item is changed in its place.
    ///
    /// - Parameters:
    ///   - source: the file this was read from.
    ///   - limits: how much of an item is read.
    ///   - exif: changes the TIFF structure at a range of an item's bytes; all of them where it cannot be found.
    ///   - xmp: changes an item's packet.
    /// - Returns: the changes, by their places in the file.
    /// - Throws: what the source throws, and `limitExceeded`.
    func metadataPatches(
        _ source: some ByteSource,
        limits: ParseLimits,
        exif: (FileRange, RawSpan, inout FilePatches) -> Void,
        xmp: (RawSpan, inout FilePatches) -> Void
    ) throws -> FilePatches {
        var patches = FilePatches()
        for item in items where item.isExif || item.isXMP {
            let bytes = try bytes(of: item, from: source, limit: limits.packetBytes)
            var found = FilePatches()
            bytes.withBytes { bytes in
                if item.isXMP {
                    xmp(bytes, &found)
                } else {
                    exif(Self.tiffBlock(ofExifItem: bytes) ?? bytes.fullRange, bytes, &found)
                }
            }
            patches.append(found.mapped(through: item.extents))
        }
        return patches
    }

    /// Where the TIFF structure is in an Exif item: behind an offset of 32 bits that counts from its own end (ISO/IEC
    /// 23008-12, A.2.1); nil when the offset lies outside.
    static func tiffBlock(ofExifItem bytes: RawSpan) -> FileRange? {
        guard let offset = try? bytes.integer(at: 0, .bigEndian, as: UInt32.self) else { return nil }
        let rest = bytes.fullRange.dropping(4)
        guard Int(offset) < rest.length else { return nil }
        return rest.dropping(Int(offset))
    }

    /// What the file's EXIF says; nil without EXIF or when it cannot be read.
    ///
    /// Orientation is in ``primaryProperties``: HEIF turns pictures by its own properties and ignores EXIF's.
    ///
    /// - Parameters:
    ///   - source: the file this was read from.
    ///   - limits: how much is read.
    /// - Returns: the fields; their ranges count from the beginning of the item.
    /// - Throws: what the source throws.
    package func exif(
        _ source: some ByteSource,
        limits: ParseLimits = .standard
    ) throws -> ExifMetadata? {
        guard let item = exifItem else { return nil }
        let bytes = try bytes(of: item, from: source, limit: limits.packetBytes)
        return bytes.withBytes { bytes in
            Self.tiffBlock(ofExifItem: bytes).flatMap { try? ExifMetadata(bytes, block: $0, limits: limits) }
        }
    }

    /// What the file's XMP says; nil without XMP or when it cannot be read.
    ///
    /// - Parameters:
    ///   - source: the file this was read from.
    ///   - limits: how much is read.
    /// - Returns: the properties.
    /// - Throws: what the source throws.
    package func xmp(
        _ source: some ByteSource,
        limits: ParseLimits = .standard
    ) throws -> XMPProperties? {
        guard let item = xmpItem else { return nil }
        let bytes = try bytes(of: item, from: source, limit: limits.packetBytes)
        return bytes.withBytes { try? XMPProperties($0, packet: $0.fullRange, limits: limits) }
    }
}
