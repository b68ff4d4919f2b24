extension PictureMetadata {
    /// How much of a file's beginning to search for metadata; the second for large PNG and WebP files, which may have
    /// it at the end.
    private static let headByteCounts = [4 << 20, 64 << 20]

    /// Reads a still picture's metadata in any known format.
    ///
    /// - Throws: ``MediaFormatError`` for files that are not a still of a known format; the source's errors.
    package init(of source: some ByteSource) throws {
        let type = try source.head(ContentType.sniffedByteCount).withBytes { ContentType(sniffing: $0) }
        switch type {
        case .heic, .heif, .avif: self = try HEIFImage(source).metadata(from: source)
        case .jpeg, .png, .webP: self = try Self.read(source)
        case .jpegXL:
            let file = try JPEGXLFile(source)
            self.init(exif: file.exif, xmp: file.xmp)
        default: self = try RawFile(source).metadata
        }
    }

    private static func read(_ source: some ByteSource) throws -> PictureMetadata {
        var failure = MediaFormatError(.truncated, "the description lies too far behind", at: 0)
        for byteCount in headByteCounts {
            let end = min(byteCount, source.byteCount)
            let head = try source.bytes(in: FileRange(0..<end))
            do throws(MediaFormatError) {
                return try head.withBytes { bytes throws(MediaFormatError) in try StillMetadata(bytes).metadata }
            } catch {
                failure = error
            }
            if end == source.byteCount { break }
        }
        throw failure
    }
}
