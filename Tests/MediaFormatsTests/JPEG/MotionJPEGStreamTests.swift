import MediaFormats
import MediaSamples
import Testing

struct MotionJPEGStreamTests {
    /// Three different frames, of which the second holds a thumbnail with a start and an end of image of its own.
    private static func frames() throws -> [[UInt8]] {
        let thumbnail = try SampleStill.jpeg()
        return [
            try SampleStill.jpeg(imageBytes: 40), try SampleStill.jpeg(exif: thumbnail, imageBytes: 300),
            try SampleStill.jpeg(imageBytes: 5, hasTables: false),
        ]
    }

    /// What a stream makes of bytes that come in chunks, and whether a frame was under way at the end.
    private static func pieces(
        _ bytes: [UInt8],
        chunk: Int,
        longestFrame: Int = 1 << 20
    ) -> (pieces: [MotionJPEGStream.Piece], isCut: Bool) {
        var stream = MotionJPEGStream(longestFrame: longestFrame)
        var pieces: [MotionJPEGStream.Piece] = []
        for start in stride(from: 0, to: bytes.count, by: chunk) {
            stream.append(bytes[start..<min(start + chunk, bytes.count)])
            while let piece = stream.next() { pieces.append(piece) }
        }
        return (pieces, stream.finish())
    }

    @Test("Frames come out to the byte, whatever the chunks, and a thumbnail is none", arguments: [1, 2, 7, 64, 4096])
    func whole(chunk: Int) throws {
        let frames = try Self.frames()
        let (pieces, isCut) = Self.pieces(Array(frames.joined()), chunk: chunk)
        #expect(pieces == frames.map { .frame($0) })
        #expect(!isCut)
    }

    @Test("Padding and the headers of a multipart message between frames are passed over, more is garbage")
    func between() throws {
        let frames = try Self.frames()
        let header = Array("\r\n--frame\r\nContent-Type: image/jpeg\r\n\r\n".utf8)
        let padding = [UInt8](repeating: 0, count: 512 - header.count)
        for chunk in [1, 100, 10_000] {
            let separated = header + frames[0] + padding + header + frames[1] + [0xFF] + frames[2]
            #expect(Self.pieces(separated, chunk: chunk).pieces == frames.map { .frame($0) })
            let garbage = [UInt8](repeating: 0xFF, count: 513) + frames[0]
            #expect(Self.pieces(garbage, chunk: chunk).pieces == [.garbage, .frame(frames[0])])
        }
    }

    @Test("A frame that breaks off anywhere is broken, and the next one is whole", arguments: [1, 50, 4096])
    func halves(chunk: Int) throws {
        let frames = try Self.frames()
        let imageData = frames[0].count - 42
        for length in imageData..<frames[0].count - 2 {
            let (pieces, isCut) = Self.pieces(frames[0].prefix(length) + frames[2] + frames[0], chunk: chunk)
            #expect(pieces == [.broken, .frame(frames[2]), .frame(frames[0])] && !isCut, "\(length)")
            let end = Self.pieces(Array(frames[2] + frames[0].prefix(length)), chunk: chunk)
            #expect(end.pieces == [.frame(frames[2])] && end.isCut, "\(length)")
        }
        // Cut in the header of a scan, it would take the next frame for its image data.
        let joined = Self.pieces(frames[2].prefix(frames[2].count - 10) + frames[2] + frames[0], chunk: chunk)
        #expect(joined.pieces == [.broken, .frame(frames[2]), .frame(frames[0])])
        // Cut in the image data, where most bytes are, nothing else is lost.
        let cut = Array(frames[1].dropLast(100))
        #expect(Self.pieces(cut + frames[0], chunk: chunk).pieces == [.broken, .frame(frames[0])])
    }

    @Test("A frame that is longer than allowed is dropped while it grows, and no more than that is kept")
    func tooLong() throws {
        let (long, short) = (try SampleStill.jpeg(imageBytes: 5000), try SampleStill.jpeg())
        let (pieces, _) = Self.pieces(long + short, chunk: 10, longestFrame: 1000)
        #expect(pieces.last == .frame(short) && pieces.first == .broken)
        #expect(!pieces.contains(.frame(long)))
    }

    @Test("Bytes that hold no picture make none")
    func nothing() {
        let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        #expect(Self.pieces(bytes, chunk: 1000).pieces.allSatisfy { $0 == .broken || $0 == .garbage })
    }
}
