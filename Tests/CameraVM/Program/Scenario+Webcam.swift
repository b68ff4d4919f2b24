import Capture
import MediaEncoding
import MediaFormats
import PhotoModel
import SystemPackage

extension Scenario {
    /// A USB webcam made of software behind the kernel's own driver for webcams.
    static let webcam = [
        Scenario("webcam", .usbWebcam) { report in
            let size = PixelSize(width: 640, height: 360)
            let pictures = try makePictures(size)
            let webcam = try await plugIn(size)
            defer { webcam.end() }
            let camera = try Cameras.only()
            await report.check(
                "the camera is known by its serial number",
                camera.device.serialNumber == "TT-0001" && camera.device.id.rawValue.contains("TT-0001"),
                camera.device.id
            )
            let format = try camera.format(.motionJPEG, size)
            let streaming = try await camera.stream(30, format)
            await report.check(
                "Motion JPEG is delivered as the camera sent it, byte for byte",
                streaming.frames.count == 30 && streaming.frames.allSatisfy { pictures.contains($0.bytes) },
                streaming.failure
            )
            await report.note("\(streaming.missingCount) of 30 frames missing")
            try await Studio.open(camera, format) { studio in
                let still = try await studio.shoot(5).still.file
                let bytes = try Machine.read(still.path.string)
                await report.check(
                    "a still keeps the camera's own compression",
                    pictures.contains { scan(of: $0) == scan(of: bytes) }
                )
                webcam.end()
                let failure = try await studio.failure()
                await report.check("pulled out while it streams, it is lost", failure.code == .deviceLost, failure)
                try await Machine.wait(for: "the node to go") { !Machine.exists("/dev/video0") }
                await report.check("its node goes, as nobody holds it open", true)
                let again = try await plugIn(size)
                defer { again.end() }
                try await studio.session.start()
                let result = try await studio.shoot(6)
                await report.check("plugged in again, it takes shots", result.still.file.byteCount > 0)
                await studio.session.stop()
            }
        }
    ]

    /// Writes the pictures that the webcam shows in turn, and returns them.
    private static func makePictures(_ size: PixelSize) throws -> Set<[UInt8]> {
        let compressor = try TurboFrameCompressor()
        let picture = SyntheticPicture(size: size)
        let reading = Cameras.clock.reading()
        let info = FrameInfo(
            sequence: 0,
            timestamp: reading.monotonic,
            pixelFormat: .i420,
            size: size,
            bytesPerLine: size.width,
            isFullRange: true,
            clock: reading
        )
        var pictures: Set<[UInt8]> = []
        for number in 0..<10 {
            let samples = picture.samples(frame: number, isClap: false, reading: reading)
            let jpeg = try samples.withBytes { bytes throws(CaptureError) in try compressor.jpeg(of: bytes, info) }
            try Machine.write(jpeg, to: "\(Machine.folder)/picture-\(number).jpg")
            pictures.insert(jpeg)
        }
        return pictures
    }

    /// Starts the webcam and waits for its node.
    private static func plugIn(_ size: PixelSize) async throws -> BackgroundProgram {
        let pictures = (0..<10).map { "\(Machine.folder)/picture-\($0).jpg" }
        let webcam = try Machine.start(Machine.webcamProgram, ["\(size.width)", "\(size.height)", "30"] + pictures)
        try await Machine.wait(for: "the webcam's nodes") { Machine.exists("/dev/video1") && webcam.isRunning }
        return webcam
    }

    /// The compressed picture itself, which begins with the scan.
    private static func scan(of jpeg: [UInt8]) -> ArraySlice<UInt8>? {
        let layout = jpeg.withBytes { bytes in try? JPEGLayout(bytes) }
        return layout?.imageDataRanges.first.map { jpeg[$0.bounds] }
    }
}
