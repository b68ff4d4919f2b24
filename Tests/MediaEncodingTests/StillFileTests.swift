import CaptureTestSupport
import Foundation
import MediaEncoding
import MediaFormats
import PhotoModel
import SystemPackage
import Testing

@testable import Capture

struct StillFileTests {
    /// A request for the newest frame, whose exposure was set by hand.
    private func request(_ studio: Studio) async throws -> StillRequest {
        await studio.clock.advance(by: .seconds(1))
        let kept = try #require(await studio.session.newestFrame)
        var info = kept.info
        info.exposureTime = .microseconds(8300)
        let description = CaptureDescription(
            id: AssetID(rawValue: 1),
            camera: SyntheticCamera(clock: studio.clock, compressor: try TurboFrameCompressor()).device,
            captureTime: info.clock.captureTime(of: info.timestamp, bootID: nil),
            orientation: .up,
            hasThumbnail: false,
            trigger: .command
        )
        return StillRequest(
            frame: Frame(info: info, buffer: kept.buffer),
            description: description,
            format: .jpeg,
            path: studio.folder.appending("exposed.jpg")
        )
    }

    @Test("An exposure that was set by hand is told in EXIF; exiftool reads it as the time that it is")
    func exposure() async throws {
        try await Studio.open(audio: nil) { studio in
            let still = try await FileCaptureRecorder(software: "test").recordStill(request(studio))
            let tags = try Tool.tags(of: still.file.path.string)
            #expect(tags["ExifIFD:ExposureTime"] == "0.0083")
            #expect(tags["ExifIFD:ExposureProgram"] == "1" && tags["ExifIFD:ExposureMode"] == "1")
            #expect(tags["ExifTool:Warning"] == nil)
        }
    }

    @Test("An original is never written over, and what was to do it leaves nothing behind")
    func noOverwrite() async throws {
        try await Studio.open(audio: nil) { studio in
            let recorder = FileCaptureRecorder(software: "test")
            let request = try await request(studio)
            let file = try await recorder.recordStill(request).file
            // What a power cut can leave of another: its name alone.
            try Data("torn".utf8).write(to: URL(filePath: file.path.string))
            let error = await #expect(throws: CaptureError.self) { try await recorder.recordStill(request) }
            #expect(error?.code == .storageFailed)
            #expect(try String(contentsOfFile: file.path.string, encoding: .utf8) == "torn")
            let names = try FileManager.default.contentsOfDirectory(atPath: studio.folder.string)
            #expect(names == [file.path.lastComponent?.string])
        }
    }
}
