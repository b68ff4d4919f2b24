import Capture
import MediaFormats
import PhotoModel
import SystemPackage

extension Scenario {
    /// A USB webcam made of software behind the kernel's own driver for webcams.
    static let webcam = [
        Scenario("webcam.motion-jpeg", .usbWebcam) { report in
            let webcam = try Webcam()
            let program = try await webcam.plugIn()
            defer { program.end() }
            let camera = try await Cameras.only()
            await report.check(
                "the camera is known by its serial number",
                camera.device.serialNumber == Webcam.serialNumber
                    && camera.device.id.rawValue.contains(Webcam.serialNumber),
                camera.device.id
            )
            let format = try camera.format(.motionJPEG, Webcam.size)
            let streaming = try await camera.stream(30, format)
            await report.check(
                "Motion JPEG is delivered as the camera sent it, byte for byte",
                streaming.frames.count == 30 && streaming.frames.allSatisfy { webcam.pictures.contains($0.bytes) },
                streaming.failure
            )
            await report.note("\(streaming.missingCount) of 30 frames missing")
            try await Studio.open(camera, format) { studio in
                let still = try Machine.read(try await studio.shoot(5).still.file.path.string)
                await report.check(
                    "a still keeps the camera's own compression",
                    try webcam.pictures.contains { try Webcam.imageData(of: $0) == Webcam.imageData(of: still) }
                )
            }
        },

        Scenario("webcam.damaged-pictures", .usbWebcam) { report in
            let webcam = try Webcam { number, jpeg in
                let jpeg = try Webcam.withoutHuffmanTables(jpeg)
                return number % 2 == 0 ? jpeg : Array(jpeg.prefix(jpeg.count / 2))
            }
            let program = try await webcam.plugIn()
            defer { program.end() }
            let camera = try await Cameras.only()
            try await Studio.open(camera, try camera.format(.motionJPEG, Webcam.size)) { studio in
                let still = try Machine.read(try await studio.shoot(6).still.file.path.string)
                let counts = await studio.session.frameCounts
                await report.check("pictures cut short are dropped", counts?.dropped[.truncated] ?? 0 > 0, counts)
                let bare = try Webcam.withoutHuffmanTables(still)
                let whole = webcam.pictures.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
                await report.check(
                    "a still is one of the whole ones",
                    try whole.contains { try Webcam.imageData(of: $0) == Webcam.imageData(of: bare) }
                )
                let frame = try still.withBytes { bytes throws(MediaFormatError) in try MotionJPEGFrame(bytes) }
                await report.check("and has the Huffman tables that the camera left out", !frame.lacksHuffmanTables)
            }
        },

        Scenario("webcam.unplugging", .usbWebcam) { report in
            let webcam = try Webcam()
            let program = try await webcam.plugIn()
            defer { program.end() }
            let camera = try await Cameras.only()
            try await Studio.open(camera, try camera.format(.motionJPEG, Webcam.size)) { studio in
                program.end()
                let reason = try await studio.interruption()
                await report.check(
                    "pulled out while it streams, it is told as lost",
                    reason.code == .deviceLost,
                    reason
                )
                try await Machine.wait(for: "the node to go") { !Machine.exists("/dev/video0") }
                let again = try await webcam.plugIn()
                defer { again.end() }
                let plugged = ContinuousClock.now
                await studio.untilRunning()
                let delay = ContinuousClock.now - plugged
                await report.check("plugged in again, it delivers soon", delay < .seconds(10), delay)
                await report.note("frames again \(delay) after the node came back")
                let result = try await studio.shoot(7)
                await report.check("and takes shots", result.still.file.byteCount > 0)
                let counts = await studio.session.frameCounts
                await report.check(
                    "the frames that were missed are counted",
                    counts?.dropped[.deviceGap] ?? 0 > 10,
                    counts
                )
                await studio.session.stop()
            }
        },
    ]
}
