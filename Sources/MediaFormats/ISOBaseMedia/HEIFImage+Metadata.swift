import PhotoModel

extension HEIFImage {
    /// The picture's EXIF and XMP metadata, omitting what cannot be read.
    ///
    /// - Parameter source: the file.
    /// - Returns: the metadata.
    package func metadata(from source: some ByteSource) -> PictureMetadata {
        var metadata = PictureMetadata()
        metadata.exif = exifItem.flatMap { try? bytes(of: $0, from: source) }.flatMap { Self.exif(ofItem: $0) }
        metadata.xmp = xmpItem.flatMap { try? bytes(of: $0, from: source) }.flatMap { packet in
            try? packet.withBytes { bytes throws(MediaFormatError) in
                try XMPProperties(bytes, packet: bytes.fullRange)
            }
        }
        return metadata
    }

    /// Reads an EXIF item, which starts with the big-endian offset of the TIFF header (ISO/IEC 23008-12, A.2.1).
    private static func exif(ofItem bytes: [UInt8]) -> ExifMetadata? {
        guard bytes.count > 4 else { return nil }
        let skipped = Int(bigEndianBytes: bytes.prefix(4))
        guard let block = FileRange(offset: 4 + skipped, length: bytes.count - 4 - skipped) else { return nil }
        return try? bytes.withBytes { bytes throws(MediaFormatError) in try ExifMetadata(bytes, block: block) }
    }
}
