extension HEIFImage {
    /// The picture's EXIF and XMP metadata, omitting what cannot be read.
    package func metadata(from source: some ByteSource) -> PictureMetadata {
        var metadata = PictureMetadata()
        metadata.exif = try? exif(source)
        metadata.xmp = try? xmp(source)
        return metadata
    }

    /// The EXIF of the file that this was read from; nil if absent or unreadable.
    ///
    /// The orientation is in ``primaryProperties``: HEIF rotates pictures by its own properties and ignores EXIF's. The
    /// fields' ranges count from the beginning of the item.
    ///
    /// - Throws: what the source throws.
    package func exif(_ source: some ByteSource, limits: ParseLimits = .standard) throws -> ExifMetadata? {
        guard let item = exifItem else { return nil }
        let bytes = try bytes(of: item, from: source, limit: limits.packetBytes)
        return bytes.withBytes { bytes in
            bytes.tiffBlock(ofExif: bytes.fullRange).flatMap { try? ExifMetadata(bytes, block: $0, limits: limits) }
        }
    }

    /// The XMP of the file that this was read from; nil if absent or unreadable.
    ///
    /// - Throws: what the source throws.
    package func xmp(_ source: some ByteSource, limits: ParseLimits = .standard) throws -> XMPProperties? {
        guard let item = xmpItem else { return nil }
        let bytes = try bytes(of: item, from: source, limit: limits.packetBytes)
        return bytes.withBytes { try? XMPProperties($0, packet: $0.fullRange, limits: limits) }
    }
}
