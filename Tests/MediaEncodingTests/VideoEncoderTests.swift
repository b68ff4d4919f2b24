import CaptureTestSupport
import Foundation
import PhotoModel
import SystemPackage
import Testing

@testable import Capture
@testable import MediaEncoding

/// Movies whose encoder in hardware fails.
struct VideoEncoderTests {
    /// Opens like any other, and fails at the first picture: it was told before that there is none.
    private static let failing = VideoEncoder(name: "failing") { size, interval throws(MediaEncodingError) in
        let codec = try CodecContext.software(.h264, size: size, frameInterval: interval)
        try unsafe codec.send(nil, presentationTime: 0) { _ in }
        return codec
    }

    /// Does not open, as where there is no such device.
    private static let absent = VideoEncoder(name: "absent") { _, _ throws(MediaEncodingError) in
        throw MediaEncodingError(.codecFailed, "there is none in this test")
    }

    private static func recorder(_ hardware: [VideoEncoder]) -> FileCaptureRecorder {
        FileCaptureRecorder(software: "test", hardware: hardware) { false }
    }

    /// The numbers of the frames that a Live Photo's movie shows, as ffprobe counts them.
    private static func frameCount(_ hardware: [VideoEncoder]) async throws -> Int {
        var count = 0
        try await Studio.open(audio: nil, recorder: recorder(hardware)) { studio in
            await studio.clock.advance(by: .seconds(2))
            let shot = try await studio.session.capturePhoto(with: studio.settings(0xE4C))
            await studio.clock.advance(by: .seconds(2))
            let result = try await shot.result()
            #expect(result.movieError == nil && result.flags.isSubset(of: [.audioAbsent]))
            let path = try #require(result.movie).file.path.string
            let output = try Tool.run(
                "ffprobe",
                [
                    "-v", "error", "-select_streams", "v:0", "-count_frames", "-show_entries", "stream=nb_read_frames",
                    "-of", "csv=p=0", path,
                ]
            )
            #expect(output.errorText.isEmpty)
            count = output.lines.compactMap { Int($0.filter(\.isNumber)) }.max() ?? 0
        }
        return count
    }

    @Test("A movie whose encoder fails is begun again with x264, and has all its frames")
    func failingEncoder() async throws {
        let whole = try await Self.frameCount([])
        #expect(whole > 80)
        #expect(try await Self.frameCount([Self.failing]) == whole)
        #expect(try await Self.frameCount([Self.absent, Self.failing]) == whole)
    }

    @Test("The first encoder that opens is named, and x264 where there is no other")
    func names() async {
        #expect(await Self.recorder([]).videoEncoderName() == "libx264")
        #expect(await Self.recorder([Self.absent]).videoEncoderName() == "libx264")
        #expect(await Self.recorder([Self.absent, Self.failing]).videoEncoderName() == "failing")
    }

    @Test("Without leave to open video nodes their encoder is not tried")
    func leave() async {
        let nodes = VideoEncoder(name: VideoEncoder.videoForLinux.name, open: Self.failing.open)
        for mayOpen in [false, true] {
            let recorder = FileCaptureRecorder(software: "test", hardware: [nodes]) { mayOpen }
            #expect(await recorder.videoEncoderName() == (mayOpen ? "h264_v4l2m2m" : "libx264"))
        }
    }
}
