import Capture
import CaptureLinux
import MediaEncoding
import PhotoModel
import Synchronization
import Testing

@testable import AgentCapture

/// A session locks whatever camera can be locked, not only those of one driver.
struct LockedCameraTests {
    @Test("A camera is locked while a session lasts, and restored however it ends", arguments: [false, true])
    func locks(fails: Bool) async throws {
        struct Interruption: Error {}
        let bench = try CaptureBench()
        let devices = LockableDevices(bench.devices)
        let provider = Self.provider(devices, bench)
        let request = Self.request([.exposure, .focus])
        do {
            try await provider.withSession(request) { _, _ in
                #expect(devices.calls.withLock { $0 } == [.lock([.exposure, .focus])])
                if fails { throw Interruption() }
            }
        } catch is Interruption {
            #expect(fails)
        }
        let restored = ControlSnapshot(values: [7: 5])
        #expect(devices.calls.withLock { $0 } == [.lock([.exposure, .focus]), .restore(restored)])
    }

    @Test("A camera without controls refuses a lock, and works without one")
    func refuses() async throws {
        let bench = try CaptureBench()
        let error = await #expect(throws: CaptureError.self) {
            try await bench.provider.withSession(Self.request([.focus])) { _, _ in }
        }
        #expect(error?.code == .unsupported && error?.message.hasPrefix("camera.lock") == true)
        try await bench.provider.withSession(Self.request([])) { _, _ in }
    }

    private static func provider(_ devices: LockableDevices, _ bench: CaptureBench) -> CaptureSessionProvider {
        CaptureSessionProvider(
            devices: devices,
            consents: Consents(store: bench.consents, prompter: bench.prompter),
            usage: [.camera: "test"],
            clock: bench.devices.clock,
            recorder: FileCaptureRecorder(software: "test"),
            compressor: bench.devices.compressor
        )
    }

    private static func request(_ locks: Set<CameraAutomatic>) -> CaptureSessionProvider.Request {
        var request = CaptureSessionProvider.Request()
        request.locks = locks
        return request
    }
}

/// The bench's camera, with controls that note what is done to them.
private final class LockableDevices: DeviceCatalog {
    enum Call: Hashable {
        case lock(Set<CameraAutomatic>)
        case restore(ControlSnapshot)
    }

    let calls = Mutex<[Call]>([])
    private let devices: CountedDevices

    init(_ devices: CountedDevices) {
        self.devices = devices
    }

    func cameras() async -> [any FrameSource] { await devices.cameras().map { Camera(camera: $0, devices: self) } }
    func sensors() async -> [MediaController] { [] }
    func microphones() async -> [any AudioSource] { [] }
    func microphone(for camera: CaptureDevice) async -> (any AudioSource)? { nil }

    private struct Camera: ControllableCamera {
        let camera: any FrameSource
        let devices: LockableDevices
        var device: CaptureDevice { camera.device }

        func examined(_ consent: CaptureConsent) async throws(CaptureError) -> any FrameSource {
            Camera(camera: try await camera.examined(consent), devices: devices)
        }

        func open(_ format: CaptureFormat) async throws(CaptureError) -> any FrameStream {
            try await camera.open(format)
        }

        func controls(_ consent: CaptureConsent) async throws(CaptureError) -> [CaptureControl] { [] }
        func controlValues(_ consent: CaptureConsent) async throws(CaptureError) -> [UInt32: Int32] { [:] }
        func set(_ control: CaptureControl, to value: Int32) async throws(CaptureError) {}

        func lock(_ automatics: Set<CameraAutomatic>) async throws(CaptureError) -> ControlSnapshot {
            devices.calls.withLock { $0.append(.lock(automatics)) }
            return ControlSnapshot(values: [7: 5])
        }

        func restore(_ snapshot: ControlSnapshot) async throws(CaptureError) {
            devices.calls.withLock { $0.append(.restore(snapshot)) }
        }
    }
}
