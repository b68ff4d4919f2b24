extension HEIFImage {
    /// The picture's EXIF and XMP metadata, omitting what cannot be read.
    ///
    /// - Parameter source: the file.
    /// - Returns: the metadata.
    package func metadata(from source: some ByteSource) -> PictureMetadata {
        var metadata = PictureMetadata()
        metadata.exif = try? exif(source)
        metadata.xmp = try? xmp(source)
        return metadata
    }

    /// The file's EXIF; nil if absent or unreadable.
    ///
    /// The orientation is in ``primaryProperties``: HEIF rotates pictures by its own properties and ignores EXIF's.
    ///
    /// - Parameters:
    ///   - source: the file this was read from.
    ///   - limits: how much to read at most.
    /// - Returns: the fields; their ranges count from the beginning of the item.
    /// - Throws: what the source throws.
    package func exif(
        _ source: some ByteSource,
        limits: ParseLimits = .standard
    ) throws -> ExifMetadata? {
        guard let item = exifItem else { return nil }
        let bytes = try bytes(of: item, from: source, limit: limits.packetBytes)
        return bytes.withBytes { bytes in
            bytes.tiffBlock(ofExif: bytes.fullRange).flatMap { try? ExifMetadata(bytes, block: $0, limits: limits) }
        }
    }

    /// The file's XMP; nil if absent or unreadable.
    ///
    /// - Parameters:
    ///   - source: the file this was read from.
    ///   - limits: how much to read at most.
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
