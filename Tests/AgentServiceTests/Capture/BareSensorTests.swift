import Capture
import CaptureLinux
import Foundation
import Synchronization
import Testing

@testable import AgentCapture
@testable import AgentCommands

struct BareSensorTests {
    private static let sensor = MediaController(driver: "rp1-cfe", place: "platform:1f00110000.csi")

    @Test("A box whose only camera is a bare sensor refuses to take a test picture instead, unless that is named")
    func noTestPicture() async throws {
        let devices = try CountedDevices(cameraName: "synthetic-camera", sensors: [Self.sensor])
        let bench = try CaptureBench(devices: devices)
        let error = await #expect(throws: CaptureError.self) { try await bench.takeShots(CaptureProfile(name: "")) }
        #expect(error?.code == .unsupported && error?.message.contains("rpicam-apps") == true)
        #expect(devices.openCount.load(ordering: .relaxed) == 0)
        try await bench.provider.withSession(Self.request(devices.cameraID)) { _, camera in
            #expect(camera.id == devices.cameraID)
        }
    }

    private static func request(_ camera: CaptureDevice.ID) -> CaptureSessionProvider.Request {
        var request = CaptureSessionProvider.Request()
        request.camera = camera
        return request
    }

    @Test("A bare sensor beside a camera that can be used changes nothing")
    func besideCamera() async throws {
        let bench = try CaptureBench(devices: try CountedDevices(sensors: [Self.sensor]))
        #expect(try await bench.takeShots(CaptureProfile(name: "")).count == 1)
    }

    @Test("The list of cameras shows sensors with what to do, to people and to programs")
    func list() throws {
        let list = CameraList(cameras: [], sensors: [Self.sensor], problems: [])
        #expect(list.text(all: false) == Self.sensor.advice)
        let object = try JSONSerialization.jsonObject(with: Data(try JSONText.text(list).utf8)) as? [String: Any]
        let sensors = try #require(object?["sensors"] as? [[String: String]])
        let expected = ["driver": "rp1-cfe", "place": "platform:1f00110000.csi", "advice": Self.sensor.advice]
        #expect(sensors == [expected])
        #expect(object?["cameras"] as? [String] == [])
        let encoding = CameraList(cameras: [], sensors: [], problems: [], videoEncoder: "libx264")
        #expect(encoding.text(all: false) == "Movies are encoded by libx264.")
        let told = try JSONSerialization.jsonObject(with: Data(try JSONText.text(encoding).utf8)) as? [String: Any]
        #expect(told?["videoEncoder"] as? String == "libx264")
    }

    @Test("The doctor asks to mend a box that has a sensor alone, and mentions one beside a camera")
    func doctor() {
        typealias Verdict = DoctorCommand.Finding.Verdict
        let alone = DoctorCommand.cameraFindings(hasCamera: false, [Self.sensor], [])
        #expect(alone.map(\.verdict) == [Verdict.bad] && alone.first?.detail == Self.sensor.advice)
        #expect(DoctorCommand.cameraFindings(hasCamera: true, [Self.sensor], []).map(\.verdict) == [.note])
        #expect(DoctorCommand.cameraFindings(hasCamera: true, [], []).isEmpty)
        #expect(DoctorCommand.cameraFindings(hasCamera: false, [], []).map(\.verdict) == [.note])
    }
}
