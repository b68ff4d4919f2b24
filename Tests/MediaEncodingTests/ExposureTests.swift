import CaptureTestSupport
import Foundation
import MediaEncoding
import MediaFormats
import PhotoModel
import SystemPackage
import Testing

@testable import Capture

struct ExposureTests {
    @Test("An exposure that was set by hand is told in EXIF; exiftool reads it as the time that it is")
    func exposure() async throws {
        try await Studio.open(audio: nil) { studio in
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
            let request = StillRequest(
                frame: Frame(info: info, buffer: kept.buffer),
                description: description,
                format: .jpeg,
                path: studio.folder.appending("exposed.jpg")
            )
            _ = try await FileCaptureRecorder(software: "test").recordStill(request)
            let tags = try Tool.tags(of: request.path.string)
            #expect(tags["ExifIFD:ExposureTime"] == "0.0083")
            #expect(tags["ExifIFD:ExposureProgram"] == "1" && tags["ExifIFD:ExposureMode"] == "1")
            #expect(tags["ExifTool:Warning"] == nil)
        }
    }
}
