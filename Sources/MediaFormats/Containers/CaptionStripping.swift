/// Removes titles, captions, keywords and comments from a still's file, leaving its image data unchanged.
///
/// EXIF and TIFF directories stay, with their texts emptied; XMP, IPTC, comments, text chunks, unknown kinds of
/// segments, and anything after the image are removed entirely.
package enum CaptionStripping {
    /// Returns a whole JPEG, PNG, WebP, GIF, JPEG XL, TIFF or DNG file without captions; all its image data are ranges
    /// of the old one.
    ///
    /// - Throws: `unsupported` for other containers, errors of reading the container, and `malformed` for a TIFF file
    ///   whose texts overlap its image.
    package static func stripped(
        _ bytes: RawSpan,
        limits: ParseLimits = .standard
    ) throws(MediaFormatError) -> RewrittenFile {
        switch StillMetadata.container(of: bytes) {
        case .jpeg: try strippedJPEG(bytes, limits: limits)
        case .png: try strippedPNG(bytes, limits: limits)
        case .webp: try strippedWebP(bytes, limits: limits)
        case .tiff: try strippedTIFF(bytes, limits: limits)
        case nil where GIFFile.isBeginning(bytes):
            try LocationStripping.rewrittenGIF(bytes, limits: limits) { _, _ in }
        case nil where JPEGXLFile.isBeginning(bytes): try strippedJPEGXL(bytes, limits: limits)
        case nil: throw MediaFormatError(.unsupported, "captions cannot be found in this container")
        }
    }

    private static func strippedJPEG(_ bytes: RawSpan, limits: ParseLimits) throws(MediaFormatError) -> RewrittenFile {
        try LocationStripping.rewrittenJPEG(bytes, limits: limits) { segment, file throws(MediaFormatError) in
            guard segment.marker.rawValue == 0xE1, bytes.hasPrefix(JPEGPrefix.exif, at: segment.payload.offset) else {
                return
            }
            let block = segment.payload.dropping(JPEGPrefix.exif.utf8CodeUnitCount)
            if let new = TIFFCaptions.stripped(block, in: bytes, limits: limits) {
                file.append(try JPEGMetadataEdit.segment(JPEGPrefix.exif, new))
            }
        }
    }

    private static func strippedPNG(_ bytes: RawSpan, limits: ParseLimits) throws(MediaFormatError) -> RewrittenFile {
        let png = try PNGFile(bytes, limits: limits)
        var file = RewrittenFile()
        file.append(FileRange(0..<8))
        for chunk in png.chunks {
            if LocationStripping.keptPNGChunks.contains(chunk.type) {
                file.append(chunk.range)
            } else if chunk.type == "eXIf", let block = TIFFCaptions.stripped(chunk.data, in: bytes, limits: limits) {
                file.append(try PNGFile.chunk(chunk.type, block))
            }
        }
        return file
    }

    private static func strippedWebP(_ bytes: RawSpan, limits: ParseLimits) throws(MediaFormatError) -> RewrittenFile {
        try LocationStripping.rewrittenWebP(bytes, limits: limits) { chunk in
            guard chunk.type == "EXIF" else { return [] }
            return TIFFCaptions.stripped(chunk.exifBlock(in: bytes), in: bytes, limits: limits) ?? []
        }
    }

    private static func strippedJPEGXL(
        _ bytes: RawSpan,
        limits: ParseLimits
    ) throws(MediaFormatError) -> RewrittenFile {
        try LocationStripping.rewrittenJPEGXL(bytes, limits: limits) { block in
            TIFFCaptions.stripped(block, in: bytes, limits: limits)
        } xmp: { _ in
            nil
        }
    }

    private static func strippedTIFF(_ bytes: RawSpan, limits: ParseLimits) throws(MediaFormatError) -> RewrittenFile {
        let tiff = try TIFFFile(bytes, limits: limits)
        return try tiff.applying(TIFFCaptions.patches(tiff.structure, in: bytes), to: bytes, limits: limits)
    }
}
