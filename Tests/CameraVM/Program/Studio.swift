import Capture
import MediaEncoding
import PhotoModel
import SystemPackage

/// A session with one camera that everybody has agreed to, which writes into memory.
struct Studio: Sendable {
    let session: CaptureSession

    /// Runs a session for as long as the body takes.
    ///
    /// - Parameters:
    ///   - camera: the camera.
    ///   - format: the format to ask for.
    ///   - microphone: the microphone; nil for none.
    ///   - mayOpenVideoNodes: whether an encoder in hardware may be looked for.
    ///   - body: takes shots.
    /// - Throws: why the session did not start, and what the body throws.
    static func open(
        _ camera: some FrameSource,
        _ format: CaptureFormat,
        microphone: (any AudioSource)? = nil,
        mayOpenVideoNodes: Bool = false,
        body: @Sendable (Studio) async throws -> Void
    ) async throws {
        let compressor = try TurboFrameCompressor()
        let recorder = FileCaptureRecorder(software: "Tintype Tests 1") { mayOpenVideoNodes }
        let session = CaptureSession(clock: Cameras.clock, recorder: recorder, compressor: compressor)
        let desk = Consents(store: Decisions(), prompter: Nobody())
        let input = try CameraInput(
            camera,
            format: format,
            consent: try await desk.consent(for: ConsentSubject(capability: .camera, deviceID: camera.device.id))
        )
        var sound: MicrophoneInput?
        if let microphone {
            let subject = ConsentSubject(capability: .microphone, deviceID: microphone.device.id)
            sound = try MicrophoneInput(microphone, consent: try await desk.consent(for: subject))
        }
        var output = CapturePhotoOutput()
        output.isLivePhotoCaptureEnabled = true
        output.audioPolicy = .optional
        output.preRoll = .milliseconds(500)
        output.postRoll = .milliseconds(500)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await session.run() }
            do {
                try await session.configure { [output, sound] configuration in
                    configuration.camera = input
                    configuration.microphone = sound
                    configuration.photoOutput = output
                }
                try await session.start()
                try await body(Studio(session: session))
            } catch {
                await session.shutdown()
                throw error
            }
            await session.shutdown()
            try await group.waitForAll()
        }
    }

    /// Takes a shot of now.
    func shoot(_ number: UInt128, isLivePhoto: Bool = false) async throws -> CaptureResult {
        var settings = CapturePhotoSettings(uniqueID: AssetID(rawValue: number), folder: FilePath(Machine.folder))
        settings.isLivePhoto = isLivePhoto
        return try await session.capturePhoto(with: settings).result()
    }

    /// Waits until the camera is away, and returns why.
    func interruption() async throws -> CaptureError {
        for await _ in await session.activityUpdates() {
            if case .interrupted(let error) = await session.state { return error }
        }
        throw MachineError("the session ended")
    }

    /// Waits until frames arrive again.
    func untilRunning() async {
        for await _ in await session.activityUpdates() {
            if case .running = await session.state { return }
        }
    }
}

/// Allows everything.
struct Decisions: ConsentStore {
    func status(for subject: ConsentSubject) -> ConsentStatus { .authorized }
    func setStatus(_ status: ConsentStatus, for subject: ConsentSubject) {}
}

/// Is never asked.
struct Nobody: ConsentPrompter {
    func ask(for subject: ConsentSubject) -> Bool? { nil }
}
