import Capture
import PhotoModel
import Testing

@testable import AgentCapture
@testable import AgentCommands

struct CameraDocumentTests {
    /// A camera with a little of everything.
    private static func camera() throws -> CameraDocument {
        let size = PixelSize(width: 1280, height: 720)
        let slow = try #require(FrameInterval(numerator: 2, denominator: 15))
        let device = CaptureDevice(
            id: CaptureDevice.ID(rawValue: "usb-0000:00:14.0-3:1.0/HD Webcam/A1"),
            capability: .camera,
            model: "HD Webcam",
            formats: [
                CaptureFormat(pixelFormat: .motionJPEG, size: size, frameInterval: .thirtiethSecond),
                CaptureFormat(pixelFormat: .yuyv, size: size, frameInterval: slow),
                CaptureFormat(pixelFormat: .motionJPEG, size: size, frameInterval: .fifteenthSecond),
            ]
        )
        let controls = [
            CaptureControl(id: 1, name: "Zoom\u{1B}[2J", range: 100...400, step: 10, defaultValue: 100),
            CaptureControl(
                id: 2,
                name: "Focus, Auto",
                kind: .boolean,
                range: 0...1,
                defaultValue: 1,
                isWritable: false
            ),
            CaptureControl(
                id: 3,
                name: "Exposure",
                kind: .menu,
                range: 0...3,
                defaultValue: 3,
                menu: [.init(value: 1, name: "Manual"), .init(value: 3, name: "Automatic")]
            ),
        ]
        return CameraDocument(device, consent: .authorized, controls: controls)
    }

    @Test("People read two tables: a row for each format and size with its rates, and one for each control")
    func table() throws {
        let expected = #"""
            HD Webcam  usb-0000:00:14.0-3:1.0/HD Webcam/A1  consent: authorized
              FORMAT  SIZE      FRAMES A SECOND
              MJPG    1280x720  30*, 15
              YUYV    1280x720  7.5
              CONTROL        DEFAULT    VALUES
              Zoom\u{1B}[2J  100        100 to 400 in steps of 10
              Focus, Auto    1          0 off, 1 on (cannot be set now)
              Exposure       Automatic  1 Manual, 3 Automatic
            """#
        #expect(try Self.camera().text(all: true) == expected)
    }

    @Test("001.5: a camera that nobody allowed is shown by its identity, and why nothing more is known")
    func unknown() {
        let device = CaptureDevice(id: CaptureDevice.ID(rawValue: "x"), capability: .camera, model: "Cam")
        let document = CameraDocument(device, consent: .notDetermined, problem: "not before its use is allowed")
        #expect(document.text(all: false) == "Cam  x  consent: notDetermined\n  not before its use is allowed")
    }

    @Test("A long list is cut, and says how to see the rest")
    func longList() {
        let controls = (0..<20 as Range<UInt32>).map {
            CaptureControl(id: $0, name: "Control \($0)", range: 0...9, defaultValue: 0)
        }
        let device = CaptureDevice(
            id: CaptureDevice.ID(rawValue: "x"),
            capability: .camera,
            model: "x"
        )
        let document = CameraDocument(device, consent: .authorized, controls: controls)
        #expect(document.text(all: false).hasSuffix("\n  and 12 more: --all"))
        #expect(document.text(all: true).split(separator: "\n").count == 22)
    }

    @Test("Programs read every field by a name that stays")
    func json() throws {
        let text = try JSONText.text(try Self.camera())
        let exposure =
            #"{"defaultValue":3,"id":3,"isWritable":true,"kind":"menu","maximum":3,"#
            + #""menu":[{"name":"Manual","value":1},{"name":"Automatic","value":3}],"#
            + #""minimum":0,"name":"Exposure","shortName":"exposure","step":1}"#
        #expect(text.hasPrefix(#"{"consent":"authorized","controls":[{"defaultValue":100,"#))
        #expect(text.contains(exposure))
        let format = #"{"framesPerSecond":30,"isChosen":true,"pixelFormat":"MJPG","size":"1280x720"}"#
        #expect(text.contains(#""formats":["# + format))
        #expect(text.hasSuffix(#""id":"usb-0000:00:14.0-3:1.0/HD Webcam/A1","model":"HD Webcam"}"#))
    }
}
