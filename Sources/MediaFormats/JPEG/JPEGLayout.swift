/// The layout of a whole JPEG file: segments of all scans, image data, and the trailer.
package struct JPEGLayout: Hashable, Sendable {
    /// Every segment from start to end of image, the ones between scans included.
    package let segments: [JPEGSegment]
    /// The image without metadata: everything but APPn, comments, fill bytes and the trailer.
    ///
    /// A hash over these ranges in order does not change when metadata is added, changed or removed.
    package let imageDataRanges: [FileRange]
    /// The first byte after the end-of-image marker: padding, a Motion Photo's movie or more pictures may follow.
    package let endOfImage: Int
    /// Whether the end-of-image marker is present; otherwise the file ends inside the image.
    package let isComplete: Bool

    /// Reads a whole file.
    ///
    /// - Throws: `unrecognizedFormat`, `malformed`, `limitExceeded`, or `truncated` if the file ends inside a segment.
    ///   A file that ends inside entropy-coded data is not an error, but incomplete.
    package init(_ bytes: RawSpan, limits: ParseLimits = .standard) throws(MediaFormatError) {
        var cursor = try JPEGSegmentCursor(bytes)
        var segments: [JPEGSegment] = []
        var ranges: [FileRange] = []
        var isComplete = false
        while !isComplete {
            guard segments.count < limits.segments else {
                throw MediaFormatError(.limitExceeded, "too many segments", at: cursor.offset)
            }
            let segment = try cursor.next(in: bytes)
            segments.append(segment)
            if !segment.marker.isMetadata { ranges.append(segment.range) }
            isComplete = segment.marker == .endOfImage
            if segment.marker == .startOfScan {
                let start = cursor.offset
                let isFollowed = cursor.skipEntropyCodedData(in: bytes)
                ranges.append(FileRange(start..<cursor.offset))
                if !isFollowed { break }
            }
        }
        self.segments = segments
        self.isComplete = isComplete
        imageDataRanges = ranges
        endOfImage = cursor.offset
    }
}
