import MediaEncoding
import MediaFormats
import PhotoModel
import Testing

@testable import Capture

struct GreyDecoderTests {
    private static func frame(_ bytes: [UInt8], _ reading: ClockReading) throws -> Frame {
        let info = FrameInfo(
            sequence: 0,
            timestamp: reading.monotonic,
            pixelFormat: .motionJPEG,
            size: Studio.size,
            clock: reading
        )
        return Frame(info: info, buffer: try #require(MediaBuffer(bytes, budget: MediaBudget(limit: 1 << 24))))
    }

    private static let reading = ClockReading(
        monotonic: MonotonicTime(nanoseconds: 0),
        wall: WallTime(millisecondsSince1970: 0),
        isSynchronized: true
    )

    @Test("A frame becomes grey at an eighth of its size, each pixel the mean of its 64")
    func eighth() async throws {
        let picture = SyntheticPicture(size: Studio.size)
        let samples = picture.samples(frame: 77, isClap: true, reading: Self.reading)
        let info = FrameInfo(
            sequence: 0,
            timestamp: Self.reading.monotonic,
            pixelFormat: .i420,
            size: Studio.size,
            bytesPerLine: Studio.size.width,
            isFullRange: true,
            clock: Self.reading
        )
        let jpeg = try samples.withBytes { try TurboFrameCompressor(quality: 95).jpeg(of: $0, info) }
        let decoded = try await TurboGreyDecoder().greyPicture(of: Self.frame(jpeg, Self.reading))
        let grey = try #require(decoded)
        #expect(grey.size == PixelSize(width: 80, height: 45))
        for row in 0..<grey.size.height {
            for column in 0..<grey.size.width {
                var sum = 0
                for y in row * 8..<row * 8 + 8 {
                    for x in column * 8..<column * 8 + 8 { sum += Int(samples[y * Studio.size.width + x]) }
                }
                #expect(abs(sum / 64 - Int(grey.samples[row * grey.size.width + column])) <= 4)
            }
        }
    }

    @Test("A damaged frame makes no picture", arguments: [[], [0xFF, 0xD8], [0xFF, 0xD8, 0xFF, 0xD9]] as [[UInt8]])
    func damaged(bytes: [UInt8]) async throws {
        let decoded = try await TurboGreyDecoder().greyPicture(of: Self.frame(bytes, Self.reading))
        #expect(decoded == nil)
    }
}
