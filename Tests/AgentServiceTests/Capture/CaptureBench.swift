import AgentStore
import Capture
import CaptureLinux
import Foundation
import Host
import Logging
import MediaEncoding
import Persistence
import PhotoLibrary
import PhotoModel
import Settings
import Synchronization
import TestSupport
import Testing

@testable import AgentCapture

/// Devices that are made up, and count how often they are opened.
final class CountedDevices: DeviceCatalog {
    let clock = SystemCaptureClock()
    let compressor: TurboFrameCompressor
    let openCount = Atomic<Int>(0)
    private let microphoneSources: [any AudioSource]
    private let cameraName: String
    private let bareSensors: [MediaController]

    /// A small synthetic camera under a name of its own, which makes it a real one for the consents.
    init(
        cameraName: String = "test-camera",
        microphones: [any AudioSource] = [],
        sensors: [MediaController] = []
    ) throws {
        bareSensors = sensors
        compressor = try TurboFrameCompressor()
        self.cameraName = cameraName
        microphoneSources = microphones
    }

    var cameraID: CaptureDevice.ID { CaptureDevice.ID(rawValue: cameraName) }

    func cameras() async -> [any FrameSource] {
        let camera = SyntheticCamera(
            clock: clock,
            size: PixelSize(width: 320, height: 240),
            compressor: compressor,
            name: cameraName
        )
        return [Counted(camera: camera, devices: self)]
    }

    func sensors() async -> [MediaController] { bareSensors }

    func microphones() async -> [any AudioSource] { microphoneSources }

    func microphone(for camera: CaptureDevice) async -> (any AudioSource)? { microphoneSources.first }

    private struct Counted: FrameSource {
        let camera: SyntheticCamera
        let devices: CountedDevices
        /// Its formats are not known before it is examined.
        var device: CaptureDevice {
            var device = camera.device
            device.formats = []
            return device
        }

        func examined(_ consent: CaptureConsent) async throws(CaptureError) -> any FrameSource {
            try consent.check(device, is: .camera)
            devices.openCount.add(1, ordering: .relaxed)
            return Examined(camera: camera, devices: devices)
        }

        func open(_ format: CaptureFormat) async throws(CaptureError) -> any FrameStream {
            throw CaptureError(.unsupported, "it was not examined", deviceID: device.id)
        }
    }

    private struct Examined: FrameSource {
        let camera: SyntheticCamera
        let devices: CountedDevices
        var device: CaptureDevice { camera.device }

        func holdExposure(_ consent: CaptureConsent) async throws(CaptureError) -> any HeldExposure {
            try await camera.holdExposure(consent)
        }

        func open(_ format: CaptureFormat) async throws(CaptureError) -> any FrameStream {
            devices.openCount.add(1, ordering: .relaxed)
            return try camera.open(format)
        }
    }
}

/// Answers every question alike, and counts them.
final class AnsweringPrompter: ConsentPrompter {
    let count = Atomic<Int>(0)
    let answer: Bool?

    init(_ answer: Bool?) { self.answer = answer }

    func ask(for subject: ConsentSubject) async -> Bool? {
        count.add(1, ordering: .relaxed)
        return answer
    }
}

/// A box in a folder of its own: queue, decisions, devices.
final class CaptureBench: Sendable {
    let folder: URL
    let devices: CountedDevices
    let prompter: AnsweringPrompter
    let consents: ConsentFile
    let provider: CaptureSessionProvider
    let store: AgentStore
    let pool = BlockingPool(width: 4)

    /// Says nothing.
    static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    var root: Path { Path(folder.path) }
    var destination: QueueDestination { QueueDestination(store: store, limits: SpaceLimits()) }

    init(
        policy: ConsentFile.Policy = .authorized,
        answer: Bool? = nil,
        usage: [CaptureDevice.Capability: String] = [.camera: "test", .microphone: "test"],
        devices: CountedDevices? = nil
    ) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "tintype-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        self.devices = try devices ?? CountedDevices()
        prompter = AnsweringPrompter(answer)
        consents = ConsentFile(in: Path(folder.path), policy: policy)
        provider = CaptureSessionProvider(
            devices: self.devices,
            consents: Consents(store: consents, prompter: prompter),
            usage: usage,
            clock: self.devices.clock,
            recorder: FileCaptureRecorder(software: "test"),
            compressor: self.devices.compressor
        )
        store = try AgentStore(root: Path(folder.path), now: HostClock.now())
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    /// A camera's decision.
    var subject: ConsentSubject { ConsentSubject(capability: .camera, deviceID: devices.cameraID) }

    /// What cameras of a service share, with triggers that the test pulls.
    func context(
        indicator: String? = nil,
        captured: @escaping @Sendable () -> Void = {},
        sources: @escaping @Sendable (CaptureProfile, CaptureSession) throws -> [any TriggerSource] = { _, _ in [] }
    ) -> CaptureService.Context {
        CaptureService.Context(
            provider: provider,
            destination: destination,
            pool: pool,
            position: PositionSource(fixed: Location(latitude: 47.3769, longitude: 8.5417, altitude: 408)),
            standard: CaptureProfile(name: ""),
            indicator: RecordingIndicator(program: indicator, pool: pool, logger: Self.logger),
            sources: sources,
            captured: captured,
            logger: Self.logger
        )
    }

    /// Takes shots in a session, from no known place.
    func taker(
        _ session: CaptureSession,
        _ camera: CaptureDevice,
        _ profile: CaptureProfile,
        destination: (any CaptureDestination)? = nil,
        tally: CaptureTally = CaptureTally()
    ) -> ShotTaker {
        ShotTaker(
            session: session,
            camera: camera,
            profile: profile,
            destination: destination ?? self.destination,
            clock: provider.clock,
            position: PositionSource(fixed: nil),
            pool: pool,
            tally: tally
        )
    }

    /// Takes one shot in a session of its own.
    func takeShots(_ profile: CaptureProfile, count: Int = 1) async throws -> [CapturedShot] {
        try await provider.withSession(profile.request) { [self] session, camera in
            let taker = taker(session, camera, profile)
            var shots: [CapturedShot] = []
            for _ in 0..<count {
                shots += try await taker.take(TriggerEvent(.command, at: provider.clock.reading().monotonic))
            }
            return shots
        }
    }

    /// A profile for quick Live Photos.
    static func liveProfile(_ name: String = "live") -> CaptureProfile {
        var profile = CaptureProfile(name: name)
        profile.isLivePhoto = true
        profile.preRoll = .milliseconds(500)
        profile.postRoll = .milliseconds(500)
        return profile
    }
}

/// A trigger that the test pulls.
struct HandTrigger: TriggerSource {
    let trigger = Trigger(.input, name: "hand")
    let pulls: AsyncStream<Void>
    let clock: any CaptureClock

    func run(_ fire: @escaping @Sendable (TriggerEvent) -> Void) async throws {
        for await _ in pulls { fire(TriggerEvent(trigger, at: clock.reading().monotonic)) }
        try await Task.sleep(for: .seconds(3600))
    }
}

/// Looks at something until it holds; fails after two minutes, which are a moment on a crowded machine.
func eventually(_ what: String, _ holds: () async throws -> Bool) async throws {
    let deadline = ContinuousClock.now.advanced(by: .seconds(120))
    while try await !holds() {
        try #require(ContinuousClock.now < deadline, "never: \(what)")
        try await Task.sleep(for: .milliseconds(10))
    }
}
