package import Capture
import CaptureLinux
import MediaEncoding
import MediaFormats
import PhotoModel
import SystemPackage

/// The cameras and microphones of this box, and sessions with them.
package struct CaptureStation: Sendable {
    /// What a session is wanted for.
    package struct Request: Sendable {
        /// The camera by its identity; nil for the first real one, or the synthetic one where there is none.
        package var camera: CaptureDevice.ID?
        /// Whether Live Photos will be taken.
        package var isLivePhoto = false
        /// Whether their movies should have sound.
        package var hasSound = true

        /// A session for stills with the default camera.
        package init() {}
    }

    /// Decides who may use what.
    package let desk: ConsentDesk
    private let settings: AgentSettings
    private let clock = SystemCaptureClock()
    private let compressor: TurboFrameCompressor

    /// A station over the box's decisions.
    ///
    /// - Throws: `codecFailed` when there is no memory for the codecs.
    package init(settings: AgentSettings, consents: ConsentFile) throws {
        self.settings = settings
        compressor = try TurboFrameCompressor()
        let usage: [CaptureDevice.Capability: String?] = [
            .camera: settings.cameraUsage, .microphone: settings.microphoneUsage,
        ]
        desk = ConsentDesk(
            store: consents,
            prompter: ConsolePrompter(name: settings.name, usage: usage.compactMapValues(\.self))
        )
    }

    /// All cameras, real ones first; the synthetic one is always there.
    package func cameras() -> [any FrameSource] {
        VideoCameraDiscovery(clock: clock).cameras() + [syntheticCamera]
    }

    /// All microphones, real ones first.
    package func microphones() -> [any AudioSource] {
        LinuxMicrophones(clock: clock).microphones() + [SyntheticMicrophone(clock: clock)]
    }

    /// Runs a session for as long as the body takes; shots under way are finished before the devices close.
    ///
    /// - Parameters:
    ///   - request: what the session is wanted for.
    ///   - body: takes the shots, told the session and its camera.
    /// - Returns: what the body returns.
    /// - Throws: `configuration` naming a missing usage text, `notAuthorized`, what opening the devices and the body throw.
    package func withSession<Result: Sendable>(
        _ request: Request,
        body: (CaptureSession, CaptureDevice) async throws -> Result
    ) async throws -> Result {
        let camera = try chosenCamera(request.camera)
        let cameraInput = try CameraInput(camera, consent: try await consent(.camera, for: camera.device))
        let microphoneInput = try await microphoneInput(for: camera.device, request)
        let session = CaptureSession(
            clock: clock,
            recorder: FileCaptureRecorder(software: Agent.build),
            compressor: compressor
        )
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await session.run() }
            do {
                try await session.configure { configuration in
                    configuration.setCamera(cameraInput)
                    configuration.setMicrophone(microphoneInput)
                    configuration.photoOutput.isLivePhotoCaptureEnabled = request.isLivePhoto
                    configuration.photoOutput.audioPolicy = .optional
                }
                try await session.start()
                // A Live Photo reaches back; the first one needs something to reach back to.
                if request.isLivePhoto { try await Task.sleep(for: CapturePhotoOutput().preRoll) }
                let result = try await body(session, camera.device)
                await session.shutdown()
                return result
            } catch {
                await session.shutdown()
                throw error
            }
        }
    }

    private var syntheticCamera: SyntheticCamera {
        SyntheticCamera(clock: clock, compressor: compressor)
    }

    private func chosenCamera(_ id: CaptureDevice.ID?) throws -> any FrameSource {
        let cameras = cameras()
        guard let id else { return cameras[0] }
        guard let camera = cameras.first(where: { $0.device.id == id }) else {
            throw AgentError(.failed, "there is no camera \(id.rawValue) now: see tintype-agent cameras")
        }
        return camera
    }

    /// The microphone that belongs to a camera: the synthetic one to the synthetic camera, to a real one its own.
    private func microphoneInput(for camera: CaptureDevice, _ request: Request) async throws -> MicrophoneInput? {
        guard request.isLivePhoto, request.hasSound else { return nil }
        let isSynthetic = camera.id == syntheticCamera.device.id
        let microphone: (any AudioSource)? =
            isSynthetic ? SyntheticMicrophone(clock: clock) : LinuxMicrophones(clock: clock).preferred(for: camera)
        guard let microphone else { return nil }
        return try MicrophoneInput(microphone, consent: try await consent(.microphone, for: microphone.device))
    }

    private func consent(
        _ capability: CaptureDevice.Capability,
        for device: CaptureDevice
    ) async throws -> CaptureConsent {
        switch capability {
        case _ where ConsentFile.synthetic.contains(device.id): break
        case .camera: _ = try AgentSettings.required(settings.cameraUsage, "capture.camera.usage")
        case .microphone: _ = try AgentSettings.required(settings.microphoneUsage, "capture.microphone.usage")
        }
        let subject = ConsentSubject(capability: capability, deviceID: device.id)
        let status = try await desk.requestAccess(for: subject)
        guard status == .authorized else {
            throw AgentError(
                status == .notDetermined ? .held : .notAllowed,
                "using the \(capability.rawValue) \(device.id.rawValue) is \(status.rawValue): "
                    + "tintype-agent consent set \(capability.rawValue) authorized"
            )
        }
        return try await desk.consent(for: subject)
    }
}
