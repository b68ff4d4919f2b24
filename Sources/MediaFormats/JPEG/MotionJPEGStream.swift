/// Splits a stream of concatenated JPEGs without lengths into frames.
///
/// A frame runs from its start of image to its end of image. Pictures inside a frame's segments, such as thumbnails,
/// are skipped with the segment. After a truncated frame, the next one is found by its start of image.
package struct MotionJPEGStream: Hashable, Sendable {
    /// One piece of the stream.
    package enum Piece: Hashable, Sendable {
        /// A whole frame, from start of image to end of image.
        case frame([UInt8])
        /// A frame that is truncated, or longer than allowed.
        case broken
        /// More bytes without a start of image than any separator between frames has.
        case garbage
    }

    private enum State: Hashable {
        /// No start of image found yet.
        case seeking
        /// A marker is expected at the offset.
        case segments
        /// The offset is in entropy-coded data.
        case entropy
    }

    /// The most bytes of padding, or of a multipart header, between two frames.
    static let longestSeparator = 512

    private let longestFrame: Int
    private var buffer: [UInt8] = []
    private var state = State.seeking
    /// The bytes examined so far, from the beginning of the buffer, which is a frame's unless one is being sought.
    private var offset = 0
    /// The bytes dropped since the last frame.
    private var skipped = 0
    /// Whether the frame's header was seen; a second one belongs to another frame.
    private var hasFrameHeader = false

    /// Starts before the first byte; the longest frame's bytes bound the buffer.
    package init(longestFrame: Int) {
        self.longestFrame = longestFrame
    }

    /// Consumes the next bytes.
    package mutating func append(_ bytes: some Sequence<UInt8>) {
        buffer.append(contentsOf: bytes)
    }

    /// Removes and returns the next piece; nil if more bytes are needed.
    package mutating func next() -> Piece? {
        while true {
            let before = (state, offset, buffer.count, skipped)
            if let piece = step() { return piece }
            if before == (state, offset, buffer.count, skipped) { break }
        }
        guard state != .seeking, buffer.count > longestFrame else { return nil }
        // Drop everything examined: searching it for beginnings again and again could take forever.
        return broken(dropping: min(max(offset, 2), buffer.count))
    }

    /// Ends the stream; true if that cuts off a frame.
    package mutating func finish() -> Bool {
        defer { self = MotionJPEGStream(longestFrame: longestFrame) }
        return state != .seeking
    }

    private mutating func step() -> Piece? {
        switch state {
        case .seeking: seek()
        case .segments: readSegment()
        case .entropy: skipEntropy()
        }
    }

    /// Drops bytes up to the next start of image that is followed by a marker.
    private mutating func seek() -> Piece? {
        let start = buffer.withBytes { bytes in
            var place = 0
            while let found = bytes.firstOffset(of: 0xFF, in: FileRange(place..<bytes.byteCount)) {
                guard found + 2 < bytes.byteCount else { return (found, isWhole: false) }
                if buffer[found + 1] == JPEGMarker.startOfImage.rawValue, buffer[found + 2] == 0xFF {
                    return (found, isWhole: true)
                }
                place = found + 1
            }
            return (bytes.byteCount, isWhole: false)
        }
        skipped += start.0
        buffer.removeFirst(start.0)
        guard start.isWhole else { return nil }
        (state, offset, hasFrameHeader) = (.segments, 2, false)
        defer { skipped = 0 }
        return skipped > Self.longestSeparator ? .garbage : nil
    }

    /// Skips one segment.
    private mutating func readSegment() -> Piece? {
        guard offset < buffer.count else { return nil }
        guard buffer[offset] == 0xFF else { return broken(dropping: 2) }
        guard let code = buffer[offset...].firstIndex(where: { $0 != 0xFF }) else { return nil }
        let marker = JPEGMarker(rawValue: buffer[code])
        if marker == .endOfImage { return frame(upTo: code + 1) }
        if marker == .startOfImage { return broken(dropping: code - 1) }
        guard marker.rawValue != 0 else { return broken(dropping: 2) }
        guard !marker.isStandalone else {
            offset = code + 1
            return nil
        }
        guard code + 2 < buffer.count else { return nil }
        let length = Int(buffer[code + 1]) << 8 | Int(buffer[code + 2])
        guard length >= 2, !(marker.isFrameHeader && hasFrameHeader) else { return broken(dropping: 2) }
        if marker.isFrameHeader { hasFrameHeader = true }
        offset = code + 1 + length
        if marker == .startOfScan { state = .entropy }
        return nil
    }

    /// Advances to the marker that ends entropy-coded data.
    private mutating func skipEntropy() -> Piece? {
        guard offset < buffer.count else { return nil }
        let end = buffer.withBytes { bytes in
            var place = offset
            while let found = bytes.firstOffset(of: 0xFF, in: FileRange(place..<bytes.byteCount)) {
                guard found + 1 < bytes.byteCount else { return (found, isMarker: false) }
                let code = buffer[found + 1]
                let isData = code == 0 || JPEGMarker(rawValue: code).isRestart
                if !isData, code != 0xFF { return (found, isMarker: true) }
                place = found + (isData ? 2 : 1)
            }
            return (bytes.byteCount, isMarker: false)
        }
        offset = end.0
        guard end.isMarker else { return nil }
        if buffer[offset + 1] == JPEGMarker.startOfImage.rawValue { return broken(dropping: offset) }
        state = .segments
        return nil
    }

    private mutating func frame(upTo end: Int) -> Piece? {
        guard end <= longestFrame else { return broken(dropping: end) }
        let bytes = Array(buffer[..<end])
        buffer.removeFirst(end)
        (state, offset) = (.seeking, 0)
        return .frame(bytes)
    }

    private mutating func broken(dropping count: Int) -> Piece? {
        buffer.removeFirst(count)
        (state, offset, skipped) = (.seeking, 0, 0)
        return .broken
    }
}
