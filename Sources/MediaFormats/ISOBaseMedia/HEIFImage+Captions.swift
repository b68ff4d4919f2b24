extension HEIFImage {
    /// The file that this was read from without people's texts in its metadata, of the same length; no picture changes.
    ///
    /// The texts of EXIF become empty, XMP becomes spaces, and a Motion Photo's movie (`mpvd`) and Samsung's trailer
    /// are removed.
    ///
    /// - Throws: ``MediaFormatError`` and what the source throws.
    package func withoutCaptions(_ source: some ByteSource, limits: ParseLimits = .standard) throws -> RewrittenFile {
        var patches = try metadataPatches(source, limits: limits) { block, bytes, found in
            if let new = TIFFCaptions.stripped(block, in: bytes, limits: limits) {
                found.replace(at: block.offset, with: new)
            } else {
                found.zero(block)
            }
        } xmp: { bytes, found in
            found.replace(at: 0, with: Array(repeating: UInt8(ascii: " "), count: bytes.byteCount))
        }
        for box in boxes.boxes
        where box.type == "sefd" || box.type == "mpvd" || box.userType == MovieStripping.xmpUserType {
            patches.free(box)
        }
        return patches.applied(toFileOf: source.byteCount)
    }
}
