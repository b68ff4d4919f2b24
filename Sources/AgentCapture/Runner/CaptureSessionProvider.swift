import Authorization
package import Capture
package import CaptureLinux
import MediaEncoding
package import Persistence
import PhotoModel

/// The cameras and microphones of a box, however they are found.
package protocol DeviceCatalog: Sendable {
    /// The cameras currently present, best choice first; none is opened.
    func cameras() async -> [any FrameSource]
    /// The bare camera sensors currently present, which need libcamera to become cameras.
    func sensors() async -> [MediaController]
    /// Why configured cameras cannot be found, one sentence each.
    func problems() async -> [CaptureError]
    /// The microphones currently present, best choice first.
    func microphones() async -> [any AudioSource]
    /// A camera's own microphone; nil if it has none.
    func microphone(for camera: CaptureDevice) async -> (any AudioSource)?
}

extension DeviceCatalog {
    /// No problems.
    package func problems() async -> [CaptureError] { [] }
}

/// The devices of this machine; the synthetic ones are always present, after the real ones.
package struct MachineDevices: DeviceCatalog {
    private let libcamera: LibcameraCameras?
    private let commands: [CommandCamera]
    private let network: [String]
    private let clock: any CaptureClock
    private let compressor: any FrameCompressor
    private let pool: BlockingPool

    /// Creates a catalog.
    ///
    /// - Parameters:
    ///   - libcamera: the program that lists and drives libcamera's cameras; nil for none.
    ///   - commands: cameras whose pictures a program writes.
    ///   - network: addresses of network cameras.
    ///   - clock: the clock that stamps frames and sound.
    ///   - compressor: compresses the synthetic camera's pictures.
    ///   - pool: runs the blocking search for devices.
    package init(
        libcamera: LibcameraCameras? = nil,
        commands: [CommandCamera] = [],
        network: [String] = [],
        clock: any CaptureClock,
        compressor: any FrameCompressor,
        pool: BlockingPool
    ) {
        self.libcamera = libcamera
        self.commands = commands
        self.network = network
        self.clock = clock
        self.compressor = compressor
        self.pool = pool
    }

    /// Video4Linux cameras, libcamera's, command cameras, network cameras, then the synthetic one.
    package func cameras() async -> [any FrameSource] {
        let real = try? await pool.uncancelled { [clock] in VideoCameraDiscovery(clock: clock).cameras() }
        let distant = network.compactMap { try? NetworkCamera(CameraAddress($0), clock: clock) }
        let driven = (try? await listed()) ?? []
        return (real ?? []) + driven + commands + distant + [SyntheticCamera(clock: clock, compressor: compressor)]
    }

    /// libcamera's cameras.
    private func listed() async throws -> [CommandCamera] {
        guard let libcamera else { return [] }
        return try await pool.uncancelled { [clock] in try libcamera.cameras(clock: clock) }
    }

    /// Why libcamera's program lists no camera, and which command cameras' programs are missing.
    package func problems() async -> [CaptureError] {
        var problems: [CaptureError] = []
        do {
            _ = try await listed()
        } catch let error as CaptureError {
            problems.append(error)
        } catch {
            problems.append(CaptureError(.deviceFailed, "libcamera's cameras cannot be listed", cause: error))
        }
        for camera in commands {
            do throws(CaptureError) {
                try camera.checkProgram()
            } catch {
                problems.append(error)
            }
        }
        return problems
    }

    /// The sensors behind the kernel's media controllers; empty if libcamera drives them.
    package func sensors() async -> [MediaController] {
        guard libcamera == nil else { return [] }
        let found = try? await pool.uncancelled { [clock] in VideoCameraDiscovery(clock: clock).sensors() }
        return found ?? []
    }

    /// ALSA microphones, then the synthetic one.
    package func microphones() async -> [any AudioSource] {
        let real = try? await pool.uncancelled { [clock] () -> [any AudioSource] in
            LinuxMicrophones(clock: clock).microphones()
        }
        return (real ?? []) + [SyntheticMicrophone(clock: clock)]
    }

    /// The synthetic microphone for a synthetic camera, else the camera's own.
    package func microphone(for camera: CaptureDevice) async -> (any AudioSource)? {
        if ConsentFile.synthetic.contains(camera.id) { return SyntheticMicrophone(clock: clock) }
        return try? await pool.uncancelled { [clock] () -> [any AudioSource] in
            guard let own = LinuxMicrophones(clock: clock).preferred(for: camera) else { return [] }
            return [own]
        }.first
    }
}

/// Opens sessions with the devices of this box, each with a person's consent.
package struct CaptureSessionProvider: Sendable {
    /// The requirements for a session.
    package struct Request: Hashable, Sendable {
        /// The camera's identity; nil for the first real one, or else the synthetic one.
        package var camera: CaptureDevice.ID?
        /// The requested format.
        package var format = FormatChoice()
        /// The automatics to lock once the camera has settled.
        package var locks: Set<CameraAutomatic> = []
        /// The parts of the picture to blacken.
        package var mask: PrivacyMask?
        /// Whether raw frames are kept unchanged, for PNG or DNG stills.
        package var keepsSamples: Bool { format.pixels != .any }
        /// Whether Live Photos will be taken.
        package var isLivePhoto = false
        /// Whether their movies should have sound.
        package var sound = CaptureProfile.Sound.optional
        /// The microphone's identity; nil for the camera's own.
        package var microphone: CaptureDevice.ID?
        /// How much of a movie precedes the still.
        package var preRoll = Duration.milliseconds(1500)
        /// How much of a movie follows the still.
        package var postRoll = Duration.milliseconds(1500)

        /// Requests stills from the default camera.
        package init() {}
    }

    /// The decisions about devices.
    package let consents: Consents
    /// The devices.
    package let devices: any DeviceCatalog
    /// The clock that stamps frames and sound.
    package let clock: any CaptureClock
    private let usage: [CaptureDevice.Capability: String]
    /// Writes the files.
    package let recorder: any CaptureRecorder
    private let compressor: any FrameCompressor

    /// Creates a provider; a real device without the text why it is used is not opened.
    package init(
        devices: any DeviceCatalog,
        consents: Consents,
        usage: [CaptureDevice.Capability: String],
        clock: any CaptureClock,
        recorder: any CaptureRecorder,
        compressor: any FrameCompressor
    ) {
        self.devices = devices
        self.consents = consents
        self.usage = usage
        self.clock = clock
        self.recorder = recorder
        self.compressor = compressor
    }

    /// Runs a session during the body; shots in progress are finished before the devices close.
    ///
    /// - Throws: `configuration` naming a missing usage text, `notAuthorized`, errors of opening and of the body.
    package func withSession<Value: Sendable>(
        _ request: Request,
        body: (CaptureSession, CaptureDevice) async throws -> Value
    ) async throws -> Value {
        let (cameraInput, microphoneInput) = try await inputs(request)
        let camera = cameraInput.source
        let session = CaptureSession(clock: clock, recorder: recorder, compressor: compressor)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await session.run() }
            do {
                try await session.configure { configuration in
                    configuration.camera = cameraInput
                    configuration.microphone = microphoneInput
                    configuration.photoOutput.isLivePhotoCaptureEnabled = request.isLivePhoto
                    configuration.photoOutput.audioPolicy = request.sound == .required ? .required : .optional
                    configuration.photoOutput.preRoll = request.preRoll
                    configuration.photoOutput.postRoll = request.postRoll
                }
                try await session.start()
                let result = try await locking(request.locks, of: cameraInput) {
                    // The first Live Photo needs frames to reach back to.
                    if request.isLivePhoto {
                        try await clock.sleep(until: clock.reading().monotonic.advanced(by: request.preRoll))
                    }
                    return try await body(session, camera.device)
                }
                await session.shutdown()
                return result
            } catch {
                await session.shutdown()
                throw error
            }
        }
    }

    /// Runs the body with a camera's automatics locked at their settled values.
    ///
    /// Changed values are restored, unless the camera may no longer be opened.
    ///
    /// - Throws: `unsupported` if the camera cannot be locked, and what the body throws.
    private func locking<Value: Sendable>(
        _ automatics: Set<CameraAutomatic>,
        of input: CameraInput,
        body: () async throws -> Value
    ) async throws -> Value {
        guard !automatics.isEmpty else { return try await body() }
        guard let camera = input.source as? any ControllableCamera else {
            let message = "camera.lock: only the controls of a camera of this machine can be locked"
            throw CaptureError(.unsupported, message, deviceID: input.source.device.id)
        }
        let before = try await camera.lock(automatics)
        let result = await Result.awaiting(body)
        if !input.consent.isWithdrawn { try? await camera.restore(before) }
        return try result.get()
    }

    /// The named camera, else the first, and its microphone; all consents are checked before the camera is examined.
    private func inputs(_ request: Request) async throws -> (CameraInput, MicrophoneInput?) {
        let id = request.camera
        let cameras = await devices.cameras().filter { id == nil || $0.device.id == id }
        var refusal: CaptureError?
        for camera in cameras {
            if id == nil { try await refuseTestPicture(camera.device.id, refusal) }
            let consent = try await consent(.camera, for: camera.device.id)
            let microphone = try await microphoneInput(for: camera.device, request)
            let known: any FrameSource
            do throws(CaptureError) {
                known = try await camera.examined(consent)
            } catch {
                // A node that turns out not to be a camera; try the next one.
                guard error.code == .unsupported, id == nil else { throw error }
                refusal = refusal ?? error
                continue
            }
            let format = try request.format.format(of: known.device)
            let masker = try request.mask.map { try TurboFrameMasker($0) }
            let input = try CameraInput(
                known,
                format: format,
                masker: masker,
                keepsSamples: request.keepsSamples,
                consent: consent
            )
            return (input, microphone)
        }
        if let refusal { throw refusal }
        guard let id else { throw AgentError(.failed, "there is no camera on this box") }
        // Ask for the decision even if the camera is absent.
        _ = try await consent(.camera, for: id)
        if let problem = await devices.problems().first { throw problem }
        throw CaptureError(.deviceLost, "the camera is not present: see tintype-agent cameras", deviceID: id)
    }

    /// Throws if the synthetic camera would stand in for an unusable real one: its picture would look like success.
    private func refuseTestPicture(_ id: CaptureDevice.ID, _ refusal: CaptureError?) async throws {
        guard ConsentFile.synthetic.contains(id) else { return }
        if let refusal { throw refusal }
        if let problem = await devices.problems().first { throw problem }
        guard let sensor = await devices.sensors().first else { return }
        throw CaptureError(.unsupported, "\(sensor.advice), or name the camera \(id.rawValue)")
    }

    private func microphoneInput(for camera: CaptureDevice, _ request: Request) async throws -> MicrophoneInput? {
        guard request.isLivePhoto, request.sound != .off else { return nil }
        guard let microphone = await chosenMicrophone(request.microphone, for: camera) else {
            guard request.sound == .required else { return nil }
            throw CaptureError(
                .configurationFailed,
                "Live Photos need sound here (live.sound: required), and the camera has no microphone",
                deviceID: request.microphone ?? camera.id
            )
        }
        do {
            return try MicrophoneInput(microphone, consent: try await consent(.microphone, for: microphone.device.id))
        } catch let error as AgentError where request.sound == .optional && error.exit != .configuration {
            return nil
        }
    }

    /// The named microphone, else the camera's own.
    private func chosenMicrophone(_ id: CaptureDevice.ID?, for camera: CaptureDevice) async -> (any AudioSource)? {
        guard let id else { return await devices.microphone(for: camera) }
        return await devices.microphones().first { $0.device.id == id }
    }

    /// The permission to use a device; if undecided, a person is asked where one can answer.
    ///
    /// - Throws: `configuration` naming a missing usage text, `held` and `notAllowed` with what to do.
    package func consent(
        _ capability: CaptureDevice.Capability,
        for id: CaptureDevice.ID
    ) async throws -> CaptureConsent {
        if !ConsentFile.synthetic.contains(id) {
            _ = try UsageText.required(usage[capability], "capture.\(capability.rawValue).usage")
        }
        let subject = ConsentSubject(capability: capability, deviceID: id)
        let status = try await consents.requestAccess(for: subject)
        guard status == .authorized else {
            throw AgentError(
                status == .notDetermined ? .held : .notAllowed,
                "using the \(capability.rawValue) \(id.rawValue) is \(status.rawValue): "
                    + (status == .restricted
                        ? "the setting capture.consent forbids it"
                        : "tintype-agent consent set \(capability.rawValue) authorized")
            )
        }
        return try await consents.consent(for: subject)
    }
}
