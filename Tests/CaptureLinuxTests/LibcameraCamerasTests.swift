import Capture
import Foundation
import PhotoModel
import TestSupport
import Testing

@testable import CaptureLinux

struct LibcameraCamerasTests {
    /// What rpicam-vid 1.9 prints on a Pi 5 with two cameras.
    static let list = """
        Available cameras
        -----------------
        0 : imx708_wide [4608x2592 10-bit RGGB] (/base/axi/pcie@1000120000/rp1/i2c@88000/imx708@1a)
            Modes: 'SRGGB10_CSI2P' : 1536x864 [120.13 fps - (768, 432)/3072x1728 crop]
                                     2304x1296 [56.03 fps - (0, 0)/4608x2592 crop]
                                     4608x2592 [14.35 fps - (0, 0)/4608x2592 crop]

        1 : imx219 [3280x2464 10-bit RGGB] (/base/axi/pcie@1000120000/rp1/i2c@80000/imx219@10)
            Modes: 'SRGGB10_CSI2P' : 640x480 [103.33 fps - (1000, 752)/1280x960 crop]
                                     1640x1232 [41.85 fps - (0, 0)/3280x2464 crop]
                   'SRGGB8' : 640x480 [103.33 fps - (1000, 752)/1280x960 crop]
                              3280x2464 [nan fps - (0, 0)/3280x2464 crop]

        """

    @Test("The list of cameras is read: place, sensor, libcamera's name, modes")
    func reading() throws {
        let cameras = ListedCamera.cameras(in: Self.list)
        #expect(cameras.map(\.index) == [0, 1] && cameras.map(\.model) == ["imx708_wide", "imx219"])
        let id = "libcamera:/base/axi/pcie@1000120000/rp1/i2c@88000/imx708@1a"
        #expect(cameras.first?.deviceID.rawValue == id)
        #expect(cameras[0].modes.map(\.framesPerSecond) == [120.13, 56.03, 14.35])
        #expect(cameras[1].modes.map(\.size.width) == [640, 1640, 640, 3280])
        // Earlier versions tell less.
        let old = ListedCamera.cameras(in: "0 : ov5647 [2592x1944] (/base/soc/i2c0mux/i2c@1/ov5647@36)")
        #expect(old.first?.model == "ov5647" && old.first?.modes == [])
        #expect(old.first?.formats(.mjpeg).map(\.size.description) == ["1920x1080", "1280x720", "640x480"])
        for text in ["No cameras available!", "", "0 : x", "-1 : x [1x1] (/y)", "0 : x ()", "99999999999 : x (/y)"] {
            #expect(ListedCamera.cameras(in: text).isEmpty, "\(text)")
        }
        let many = (0..<40).map { "\($0) : x [8x8] (/\($0))\n" }.joined()
        #expect(ListedCamera.cameras(in: many).count == 16)
    }

    @Test("Every mode and the usual sizes are offered, at 30 pictures a second at most; raw ones without padding")
    func formats() throws {
        let cameras = ListedCamera.cameras(in: Self.list)
        let wide = cameras[0].formats(.mjpeg)
        #expect(
            wide.map(\.size.description) == [
                "4608x2592", "2304x1296", "1920x1080", "1536x864", "1280x720", "640x480",
            ]
        )
        #expect(wide.map(\.frameInterval.framesPerSecond) == [14.35, 30, 30, 30, 30, 30])
        #expect(wide.allSatisfy { $0.pixelFormat == .motionJPEG })
        let raw = cameras[1].formats(.yuv420)
        #expect(
            raw.map(\.size.description) == ["3264x2464", "1920x1080", "1600x1232", "1280x720", "640x480"]
        )
        #expect(raw.allSatisfy { $0.pixelFormat == .i420 && $0.size.width % 64 == 0 })
    }

    /// A script in the place of rpicam-vid, which notes how it is called, lists what `list` holds and writes a picture.
    private static func program(_ standIn: StandInProgram, list: String) throws -> LibcameraCameras {
        let path = standIn.folder.appending(path: "rpicam-vid").path
        try list.write(toFile: "\(standIn.folder.path)/list", atomically: true, encoding: .utf8)
        let script = """
            #!/bin/sh
            F='\(standIn.folder.path)'
            echo "$*" >> $F/calls
            if [ "$1" = --list-cameras ]; then cat $F/list; exit; fi
            while [ "$1" != --metadata ]; do shift; done
            cat $F/0.jpg
            printf '[\\n{\\n "SensorTimestamp": 999000000000,\\n' > "$2"
            exec sleep 1000
            """
        try ExecutableFile.write(script, to: path)
        return LibcameraCameras(program: path, arguments: ["--ev", "0.5"])
    }

    @Test("A camera is found again by its name when its place in the list is another one")
    func identity() async throws {
        let standIn = try StandInProgram()
        let program = try Self.program(standIn, list: Self.list)
        let cameras = try program.cameras(clock: StandingClock())
        #expect(cameras.map(\.device.model) == ["imx708_wide", "imx219"])
        #expect(standIn.text("calls") == "--list-cameras\n", "nothing is opened for a list")
        let swapped = Self.list.replacing("0 : imx708", with: "9 : imx708").replacing("1 : imx219", with: "0 : imx219")
        try swapped.write(toFile: "\(standIn.folder.path)/list", atomically: true, encoding: .utf8)
        let format = try #require(cameras[1].device.formats.first { $0.size.width == 1280 })
        let stream = try await cameras[1].open(format)
        let receiver = StoppingReceiver(stream) { !$0.frames.isEmpty }
        try await stream.run(receiver)
        #expect(receiver.kept.frames.first?.info.timestamp.nanoseconds == 999_000_000_000)
        let call = try #require(standIn.text("calls").split(separator: "\n").last)
        #expect(call.hasPrefix("--camera 0 --timeout 0 --nopreview --codec mjpeg --width 1280 --height 720"))
        #expect(call.contains("--framerate 30.0 --metadata /dev/fd/3 --metadata-format json --flush --output -"))
        #expect(call.hasSuffix("--quality 93 --ev 0.5"))
        try "No cameras available!".write(toFile: "\(standIn.folder.path)/list", atomically: true, encoding: .utf8)
        let error = await #expect(throws: CaptureError.self) { _ = try await cameras[1].open(format) }
        #expect(error?.code == .deviceLost)
    }

    @Test("A program that is not there, fails, or lists nothing says what to do")
    func problems() throws {
        let standIn = try StandInProgram()
        let empty = try Self.program(standIn, list: "No cameras available!\n")
        let none = #expect(throws: CaptureError.self) { _ = try empty.cameras(clock: StandingClock()) }
        #expect(none?.code == .deviceLost && none?.message.contains("docs/install.md") == true)
        let failing = LibcameraCameras(program: "/bin/false")
        let failed = #expect(throws: CaptureError.self) { _ = try failing.cameras(clock: StandingClock()) }
        #expect(failed?.message == "/bin/false --list-cameras ended with status 1")
        let absent = LibcameraCameras(program: "/nonexistent/rpicam-vid")
        #expect(throws: CaptureError.self) { _ = try absent.cameras(clock: StandingClock()) }
    }

    @Test("Arguments that the agent gives itself are refused")
    func arguments() {
        for argument in ["-o", "--output", "--width=640", "--metadata", "-t"] {
            #expect(LibcameraCameras(program: "x", arguments: ["--ev", "1", argument]).refusedArgument == argument)
        }
        #expect(LibcameraCameras(program: "x", arguments: ["--ev", "1", "--hdr"]).refusedArgument == nil)
    }
}
