/// Turns a JPEG file without touching its pixels: two bytes of its EXIF block change.
package struct JPEGOrientationEdit: Hashable, Sendable {
    private static let tag: UInt16 = 0x0112

    /// How the picture is to be shown.
    package let orientation: ImageOrientation

    /// Describes the edit.
    package init(_ orientation: ImageOrientation) {
        self.orientation = orientation
    }

    /// Applies the edit to a file, of which only the header is read.
    ///
    /// - Parameters:
    ///   - bytes: the whole file, or its header when `fileLength` is given.
    ///   - fileLength: the length of the whole file in bytes.
    /// - Returns: the new file in pieces; a file without EXIF gets a block of its own.
    /// - Throws: what reading the header and the EXIF block throws; `unsupported` for a block without an orientation,
    ///   into which none can be put without moving what a maker note points to.
    package func applied(to bytes: RawSpan, fileLength: Int? = nil) throws(MediaFormatError) -> RewrittenFile {
        guard let block = try JPEGHeader(bytes).exifBlocks(in: bytes).first else {
            var exif = ExifMetadata()
            exif.orientation = orientation
            return try JPEGMetadataEdit(exif: .replace(exif.bytes())).applied(to: bytes, fileLength: fileLength)
        }
        let structure = try TIFFStructure(bytes, block: block)
        guard let entry = structure.directory(.image(0))?.entry(Self.tag), entry.type == .short, entry.count == 1 else {
            throw MediaFormatError(.unsupported, "the EXIF block has no orientation to change", at: block.offset)
        }
        var value = ByteWriter(order: structure.order)
        value.append(UInt16(orientation.rawValue))
        var file = RewrittenFile()
        file.append(FileRange(0..<entry.value.offset))
        file.append(value.bytes)
        file.append(FileRange(entry.value.end..<max(entry.value.end, fileLength ?? bytes.byteCount)))
        return file
    }
}
