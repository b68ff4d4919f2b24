/// Turns one frame of a camera's MJPEG stream into a JPEG file that every reader accepts, without decoding it.
///
/// USB cameras may omit the Huffman tables (USB Video Class, MJPEG payload, 3.3: the typical tables of T.81 apply), pad
/// frames after the end of image, and write an "AVI1" segment that describes field interlacing. Apple's ImageIO refuses
/// a JPEG without tables.
package struct MotionJPEGFrame: Hashable, Sendable {
    /// Whether the frame lacked Huffman tables.
    package let lacksHuffmanTables: Bool
    /// The layout of the frame as received.
    package let layout: JPEGLayout

    /// Reads a frame as the camera delivered it, with anything after its end of image.
    ///
    /// - Throws: errors of ``JPEGLayout``; `truncated` for a frame without end of image, which was cut short;
    ///   `malformed` for one without image data.
    package init(_ bytes: RawSpan, limits: ParseLimits = .standard) throws(MediaFormatError) {
        layout = try JPEGLayout(bytes, limits: limits)
        guard layout.isComplete else {
            throw MediaFormatError(.truncated, "the frame has no end of image", at: bytes.byteCount)
        }
        guard layout.segments.contains(where: { $0.marker == .startOfScan }) else {
            throw MediaFormatError(.malformed, "the frame has no image data", at: 0)
        }
        lacksHuffmanTables = !layout.segments.contains { $0.marker == .huffmanTables }
    }

    /// The repaired file: missing tables inserted, EXIF and XMP inserted after the start of image, the AVI1 segment
    /// dropped, cut at the end of image; all image data are ranges of the frame.
    ///
    /// - Throws: `unrepresentable` if a block is too long for one segment.
    package func jpegFile(
        _ bytes: RawSpan,
        exif: [UInt8]? = nil,
        xmp: [UInt8]? = nil
    ) throws(MediaFormatError) -> RewrittenFile {
        var file = RewrittenFile()
        file.append([0xFF, JPEGMarker.startOfImage.rawValue])
        if let exif { file.append(try JPEGMetadataEdit.segment(JPEGPrefix.exif, exif)) }
        if let xmp { file.append(try JPEGMetadataEdit.segment(JPEGPrefix.xmp, xmp)) }
        var next = 0
        var needsTables = lacksHuffmanTables
        for segment in layout.segments {
            // Between a scan header and the next segment is entropy-coded data, elsewhere fill bytes: keep the former.
            if next > 0 { file.append(FileRange(next..<max(next, segment.range.offset))) }
            next = segment.marker == .startOfScan ? segment.range.end : 0
            if segment.marker == .startOfImage || Self.isMotionJPEGSegment(segment, in: bytes) { continue }
            if segment.marker == .startOfScan && needsTables {
                file.append(StandardHuffmanTables.segment)
                needsTables = false
            }
            file.append(segment.range)
        }
        return file
    }

    private static func isMotionJPEGSegment(_ segment: JPEGSegment, in bytes: RawSpan) -> Bool {
        segment.marker == .application(0) && bytes.hasPrefix(JPEGPrefix.motionJPEG, at: segment.payload.offset)
    }
}
