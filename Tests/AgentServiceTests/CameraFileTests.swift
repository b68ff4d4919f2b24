import AgentCapture
import AgentService
import Capture
import CaptureLinux
import Foundation
import MediaEncoding
import Persistence
import PhotoModel
import Settings
import TestSupport
import Testing

struct CameraFileTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../config/cameras")

    @Test("The sample is understood, and holds every key but what follows from others")
    func sample() throws {
        let file = Self.folder.appending(path: "test-picture.yaml")
        let camera = try CameraFile(name: "test", yaml: String(contentsOf: file, encoding: .utf8))
        #expect(camera.program.command.first == "ffmpeg" && camera.program.command.last == "-")
        #expect(camera.program.pictures == .motionJPEG && camera.size == PixelSize(width: 1280, height: 720))
        #expect(camera.frameInterval == .fifteenthSecond || camera.frameInterval.framesPerSecond == 15)
        #expect(camera.manufacturer == nil && camera.model == "Test picture")
    }

    @Test("What is left out has its default; a slow camera may give a picture in 100 seconds")
    func defaults() throws {
        let camera = try CameraFile(name: "gate", yaml: "command: [read-camera]\nframesPerSecond: 0.01")
        #expect(camera.program == CameraProgram(command: ["read-camera"], pictures: .motionJPEG))
        #expect(camera.model == "gate" && camera.frameInterval.duration == .seconds(100))
        let device = camera.camera(clock: SystemCaptureClock()).device
        #expect(device.id.rawValue == "command:gate" && device.formats.count == 1)
        let raw = try CameraFile(name: "x", yaml: "command: [x]\npictures: yuv420\nsize: 64x48\nrange: full")
        #expect(raw.program.pictures == .planes(PixelSize(width: 64, height: 48), isFullRange: true))
    }

    @Test(
        "A file that is wrong is refused with the camera's name and what to write",
        arguments: [
            ("size: 64x48", "command is missing"), ("command: []", "command is missing"),
            ("command: [\"\"]", "command is missing"), ("command: [x]\npictures: h264", "one of mjpeg, yuv420"),
            ("command: [x]\npictures: yuv420", "width and height"), ("command: [x]\nsize: 1x1", "size"),
            ("command: [x]\npictures: yuv420\nsize: 16384x16384", "67108864 bytes"),
            ("command: [x]\nframesPerSecond: 0", "framesPerSecond"), ("command: [x]\nfps: 3", "no setting fps"),
        ]
    )
    func refused(yaml: String, words: String) {
        let error = #expect(throws: SettingsError.self) { try CameraFile(name: "gate", yaml: yaml) }
        #expect(error?.description.contains("camera gate") == true)
        #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
    }

    private func settings(_ flags: [String]) throws -> CaptureSettings {
        let reader = try SettingsReader(yaml: "", environment: [:], flags: flags)
        return try AgentSettings(from: reader, hostName: "box").capture
    }

    @Test("libcamera's program, codec and arguments; arguments that the agent says itself are refused")
    func libcamera() throws {
        #expect(try settings([]).libcamera == nil)
        let set = try settings(["capture.libcamera.program=rpicam-vid", "capture.libcamera.arguments=--ev,0.5"])
        #expect(set.libcamera == LibcameraCameras(program: "rpicam-vid", codec: .mjpeg, arguments: ["--ev", "0.5"]))
        for flag in ["arguments=--output,x", "codec=h264"] {
            #expect(throws: SettingsError.self) {
                try settings(["capture.libcamera.program=rpicam-vid", "capture.libcamera.\(flag)"])
            }
        }
        #expect(throws: SettingsError.self) { try settings(["capture.commandCameras=../x"]) }
        #expect(throws: SettingsError.self) { try settings(["capture.commandCameras=a,a"]) }
        let error = #expect(throws: AgentError.self) { try CameraFile(named: "absent", of: settings([])) }
        #expect(error?.exit == .configuration && error?.description.contains("absent.yaml") == true)
    }

    @Test("A machine's cameras are libcamera's and those of programs, too; what is not there is said")
    func devices() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tintype-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "rpicam-vid").path
        try ExecutableFile.write("#!/bin/sh\necho '0 : imx219 [8x8] (/base/imx219@10)'\n", to: path)
        let clock = SystemCaptureClock()
        func machine(_ program: String, _ command: String) throws -> MachineDevices {
            MachineDevices(
                libcamera: LibcameraCameras(program: program),
                commands: [try CameraFile(name: "gate", yaml: "command: [\(command)]").camera(clock: clock)],
                clock: clock,
                compressor: try TurboFrameCompressor(),
                pool: BlockingPool(width: 1)
            )
        }
        let good = try machine(path, "sh")
        let names = await good.cameras().map(\.device.id.rawValue)
        let order = ["libcamera:/base/imx219@10", "command:gate", "synthetic-camera"]
        #expect(names.filter(order.contains) == order)
        #expect(await good.problems().isEmpty)
        #expect(await good.sensors().isEmpty)
        let bad = try machine("/nonexistent/rpicam-vid", "/nonexistent/read-camera")
        #expect(await bad.cameras().map(\.device.id.rawValue).contains("command:gate"))
        let problems = await bad.problems().map(\.message)
        #expect(problems.count == 2 && problems.allSatisfy { $0.contains("/nonexistent/") }, "\(problems)")
    }
}
