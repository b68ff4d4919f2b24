/// Walks a JPEG file's markers, one segment at a time.
struct JPEGSegmentCursor {
    /// Where the next marker, or the fill bytes before it, begin.
    private(set) var offset: Int

    /// Starts at the start of image.
    init(_ bytes: RawSpan) throws(MediaFormatError) {
        guard try bytes.integer(at: 0, as: UInt16.self) == 0xFFD8 else {
            throw MediaFormatError(.unrecognizedFormat, "not a JPEG file", at: 0)
        }
        offset = 0
    }

    /// Reads the segment at the current offset, skipping fill bytes.
    mutating func next(in bytes: RawSpan) throws(MediaFormatError) -> JPEGSegment {
        guard try bytes.byte(at: offset) == 0xFF else {
            throw MediaFormatError(.malformed, "a marker is missing", at: offset)
        }
        var code = offset + 1
        while try bytes.byte(at: code) == 0xFF { code += 1 }
        let marker = JPEGMarker(rawValue: try bytes.byte(at: code))
        guard marker.rawValue != 0 else {
            throw MediaFormatError(.malformed, "entropy-coded data stands where a marker should be", at: code)
        }
        let start = code - 1
        guard !marker.isStandalone else {
            offset = code + 1
            return JPEGSegment(marker: marker, range: FileRange(start..<offset), payload: FileRange(offset..<offset))
        }
        let length = Int(try bytes.integer(at: code + 1, as: UInt16.self))
        guard length >= 2 else {
            throw MediaFormatError(.malformed, "a segment is shorter than its length field", at: code + 1)
        }
        let end = code + 1 + length
        guard end <= bytes.byteCount else { throw bytes.ended(at: end) }
        offset = end
        return JPEGSegment(marker: marker, range: FileRange(start..<end), payload: FileRange(code + 3..<end))
    }

    /// Skips entropy-coded data up to the marker that ends it; false if the bytes end first.
    ///
    /// In such data 0xFF is followed by 0 (a stuffed 0xFF) or by a restart marker (T.81, B.1.1.5).
    mutating func skipEntropyCodedData(in bytes: RawSpan) -> Bool {
        var place = offset
        while let found = bytes.firstOffset(of: 0xFF, in: FileRange(place..<max(place, bytes.byteCount))) {
            guard let code = try? bytes.byte(at: found + 1) else { break }
            let isData = code == 0 || JPEGMarker(rawValue: code).isRestart
            if !isData && code != 0xFF {
                offset = found
                return true
            }
            place = found + (isData ? 2 : 1)
        }
        offset = bytes.byteCount
        return false
    }
}
