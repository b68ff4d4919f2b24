import Capture
import CaptureTestSupport
import Foundation
import MediaEncoding
import PhotoModel
import Synchronization
import SystemPackage
import TestSupport

/// A session with synthetic devices, a clock that stands still, and a folder that is removed at the end.
final class Studio: Sendable {
    static let size = PixelSize(width: 640, height: 360)

    let clock: SimulatedClock
    let session: CaptureSession
    let folder: FilePath
    let cameraID: CaptureDevice.ID
    let desk: Consents
    private let camera: SyntheticCamera

    private init(clock: SimulatedClock, session: CaptureSession, desk: Consents, camera: SyntheticCamera) throws {
        self.clock = clock
        self.session = session
        self.desk = desk
        self.camera = camera
        cameraID = camera.device.id
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("tintype-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        folder = FilePath(url.path)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: folder.string)
    }

    /// Runs a session with these devices for as long as the body takes.
    static func open(
        format: PixelFormat = .motionJPEG,
        size: PixelSize = Studio.size,
        audio: AudioFormat? = AudioFormat(sampleRate: 48_000, channelCount: 1),
        masker: (any FrameMasker)? = nil,
        keepsSamples: Bool = false,
        recorder: FileCaptureRecorder = FileCaptureRecorder(software: "Tintype Tests 1"),
        _ change: @Sendable (inout CapturePhotoOutput) -> Void = { _ in },
        body: (Studio) async throws -> Void
    ) async throws {
        let clock = SimulatedClock(participants: audio == nil ? 1 : 2)
        let compressor = try TurboFrameCompressor()
        let session = CaptureSession(clock: clock, recorder: recorder, compressor: compressor)
        let camera = SyntheticCamera(clock: clock, size: size, compressor: compressor)
        let desk = Consents(store: MemoryConsentStore(), prompter: AgreeingPrompter())
        let studio = try Studio(clock: clock, session: session, desk: desk, camera: camera)
        let consent = try await desk.allow(.camera, camera.device.id)
        let wanted = camera.device.formats.first { $0.pixelFormat == format }
        var output = CapturePhotoOutput()
        output.isLivePhotoCaptureEnabled = true
        output.audioPolicy = .optional
        change(&output)
        let cameraInput = try CameraInput(
            camera,
            format: wanted,
            masker: masker,
            keepsSamples: keepsSamples,
            consent: consent
        )
        var microphoneInput: MicrophoneInput?
        if let audio {
            let microphone = SyntheticMicrophone(clock: clock, format: audio)
            let consent = try await desk.allow(.microphone, microphone.device.id)
            microphoneInput = try MicrophoneInput(microphone, consent: consent)
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await session.run() }
            try await session.configure { [output, microphoneInput] configuration in
                configuration.camera = cameraInput
                configuration.microphone = microphoneInput
                configuration.photoOutput = output
            }
            async let started: Void = session.start()
            await clock.advance(by: .milliseconds(300))
            try await started
            try await body(studio)
            await session.shutdown()
            try await group.waitForAll()
        }
    }

    /// The same camera in another of its formats.
    func otherFormat(_ pixelFormat: PixelFormat) async throws -> CameraInput {
        let format = camera.device.formats.first { $0.pixelFormat == pixelFormat }
        let subject = ConsentSubject(capability: .camera, deviceID: cameraID)
        return try CameraInput(camera, format: format, consent: try await desk.consent(for: subject))
    }

    /// Settings for a shot of now.
    func settings(_ id: UInt128, isLive: Bool = true) -> CapturePhotoSettings {
        var settings = CapturePhotoSettings(uniqueID: AssetID(rawValue: id), folder: folder)
        settings.isLivePhoto = isLive
        settings.location = Location(latitude: 48.25, longitude: 11.5, altitude: 519)
        return settings
    }
}

/// Something that has happened.
final class Flag: Sendable {
    private let value = Atomic<Bool>(false)

    var isRaised: Bool { value.load(ordering: .relaxed) }

    func raise() { value.store(true, ordering: .relaxed) }
}

/// Decisions in memory.
actor MemoryConsentStore: ConsentStore {
    private var decisions: [ConsentSubject: ConsentStatus] = [:]

    func status(for subject: ConsentSubject) -> ConsentStatus { decisions[subject] ?? .notDetermined }
    func setStatus(_ status: ConsentStatus, for subject: ConsentSubject) { decisions[subject] = status }
}

/// Says yes to everything.
struct AgreeingPrompter: ConsentPrompter {
    func ask(for subject: ConsentSubject) -> Bool? { true }
}

extension Consents {
    func allow(_ capability: CaptureDevice.Capability, _ id: CaptureDevice.ID) async throws -> CaptureConsent {
        let subject = ConsentSubject(capability: capability, deviceID: id)
        _ = try await requestAccess(for: subject)
        return try await consent(for: subject)
    }
}
