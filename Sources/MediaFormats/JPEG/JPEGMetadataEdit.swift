/// New metadata for a JPEG file; anything not mentioned is kept.
package struct JPEGMetadataEdit: Hashable, Sendable {
    /// The change of one kind of metadata.
    package enum Change: Hashable, Sendable {
        /// Keep it.
        case keep
        /// Remove it.
        case remove
        /// Replace or add it.
        case replace([UInt8])
    }

    /// The longest payload of one segment: 65,535 minus the length field.
    static let largestPayload = 65_533

    /// The EXIF block, from its byte order mark.
    package var exif: Change
    /// The XMP packet; replacing or removing it also drops Extended XMP, which belongs to the old packet.
    package var xmp: Change

    package init(exif: Change = .keep, xmp: Change = .keep) {
        self.exif = exif
        self.xmp = xmp
    }

    /// Applies the edit to a file, or its header and the file's length, reading only its header and copying no image
    /// data.
    ///
    /// EXIF becomes the first segment after the start of image (Exif 2.32, 4.5.5), XMP the next; a JFIF segment stays
    /// before them, as JFIF requires.
    ///
    /// - Throws: errors of reading the header; `unrepresentable` if a block is too long for one segment.
    package func applied(to bytes: RawSpan, fileLength: Int? = nil) throws(MediaFormatError) -> RewrittenFile {
        let header = try JPEGHeader(bytes)
        var inserted: [UInt8] = []
        if case .replace(let block) = exif { inserted += try Self.segment(JPEGPrefix.exif, block) }
        if case .replace(let packet) = xmp { inserted += try Self.segment(JPEGPrefix.xmp, packet) }
        var file = RewrittenFile()
        var isInserted = false
        for segment in header.segments {
            let isOpening =
                segment.marker == .startOfImage
                || segment.marker == .application(0) && bytes.hasPrefix(JPEGPrefix.jfif, at: segment.payload.offset)
            if !isOpening && !isInserted {
                file.append(inserted)
                isInserted = true
            }
            if !replaces(segment, in: bytes) { file.append(segment.range) }
        }
        file.append(FileRange(header.end..<max(header.end, fileLength ?? bytes.byteCount)))
        return file
    }

    private func replaces(_ segment: JPEGSegment, in bytes: RawSpan) -> Bool {
        guard segment.marker == .application(1) else { return false }
        let start = segment.payload.offset
        if bytes.hasPrefix(JPEGPrefix.exif, at: start) { return exif != .keep }
        if bytes.hasPrefix(JPEGPrefix.xmp, at: start) || bytes.hasPrefix(JPEGPrefix.extendedXMP, at: start) {
            return xmp != .keep
        }
        return false
    }

    /// One APP1 segment.
    static func segment(_ prefix: StaticString, _ body: [UInt8]) throws(MediaFormatError) -> [UInt8] {
        try segment(.application(1), prefix, body)
    }

    /// One segment of any kind.
    static func segment(
        _ marker: JPEGMarker,
        _ prefix: StaticString,
        _ body: [UInt8]
    ) throws(MediaFormatError) -> [UInt8] {
        let length = prefix.utf8CodeUnitCount + body.count
        guard length <= largestPayload else {
            throw MediaFormatError(.unrepresentable, "a metadata block is too long for one JPEG segment")
        }
        var writer = ByteWriter(capacity: length + 4)
        writer.append(UInt8(0xFF))
        writer.append(marker.rawValue)
        writer.append(UInt16(length + 2))
        writer.append(prefix.description)
        writer.append(body)
        return writer.bytes
    }
}
