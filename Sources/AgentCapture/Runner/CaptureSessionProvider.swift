import Authorization
package import Capture
package import CaptureLinux
import MediaEncoding
package import Persistence
import PhotoModel

/// The cameras and microphones of a box, in whichever way they are found.
package protocol DeviceCatalog: Sendable {
    /// The cameras there are now, the best choice first; none is opened for it.
    func cameras() async -> [any FrameSource]
    /// The bare camera sensors there are now, which are no cameras before libcamera drives them.
    func sensors() async -> [MediaController]
    /// Why cameras that the settings name cannot be found, one sentence each.
    func problems() async -> [CaptureError]
    /// The microphones there are now, the best choice first.
    func microphones() async -> [any AudioSource]
    /// The microphone that belongs to a camera; nil for none.
    func microphone(for camera: CaptureDevice) async -> (any AudioSource)?
}

extension DeviceCatalog {
    /// None.
    package func problems() async -> [CaptureError] { [] }
}

/// The devices of this machine; the synthetic ones are always there, behind the real ones.
package struct MachineDevices: DeviceCatalog {
    private let libcamera: LibcameraCameras?
    private let commands: [CommandCamera]
    private let network: [String]
    private let clock: any CaptureClock
    private let compressor: any FrameCompressor
    private let pool: BlockingPool

    /// A catalog.
    ///
    /// - Parameters:
    ///   - libcamera: the program that lists and drives libcamera's cameras; nil for none.
    ///   - commands: cameras whose pictures a program writes.
    ///   - network: addresses of cameras on the network.
    ///   - clock: what devices stamp with.
    ///   - compressor: makes JPEGs of the synthetic camera's pictures.
    ///   - pool: where devices are looked for.
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

    /// Video4Linux cameras, libcamera's, those of programs, those on the network, then the synthetic one.
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

    /// Why libcamera's program lists no camera, and which other programs there are not.
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

    /// What the kernel's media controllers receive from; none where libcamera drives them.
    package func sensors() async -> [MediaController] {
        guard libcamera == nil else { return [] }
        let found = try? await pool.uncancelled { [clock] in VideoCameraDiscovery(clock: clock).sensors() }
        return found ?? []
    }

    /// ALSA microphones, then the synthetic one.
    package func microphones() async -> [any AudioSource] {
        let real = await machineMicrophones()
        return real + [SyntheticMicrophone(clock: clock)]
    }

    /// The synthetic microphone for the synthetic camera, to a real one its own.
    package func microphone(for camera: CaptureDevice) async -> (any AudioSource)? {
        if ConsentFile.synthetic.contains(camera.id) { return SyntheticMicrophone(clock: clock) }
        return try? await pool.uncancelled { [clock] () -> [any AudioSource] in
            guard let own = LinuxMicrophones(clock: clock).preferred(for: camera) else { return [] }
            return [own]
        }.first
    }

    private func machineMicrophones() async -> [any AudioSource] {
        let found = try? await pool.uncancelled { [clock] () -> [any AudioSource] in
            LinuxMicrophones(clock: clock).microphones()
        }
        return found ?? []
    }
}

/// Opens sessions with the devices of this box, each with the consent of a person.
package struct CaptureSessionProvider: Sendable {
    /// What a session is wanted for.
    package struct Request: Hashable, Sendable {
        /// The camera's identity; nil for the first real one, or else the synthetic one.
        package var camera: CaptureDevice.ID?
        /// What is wanted of its format.
        package var format = FormatChoice()
        /// What the camera may not adjust any more once it has settled.
        package var locks: Set<CameraAutomatic> = []
        /// The parts of the picture that are black in everything.
        package var mask: PrivacyMask?
        /// Whether raw frames are kept as they are, for stills as PNG or DNG.
        package var keepsSamples: Bool { format.pixels != .any }
        /// Whether Live Photos will be taken.
        package var isLivePhoto = false
        /// Whether their movies should have sound.
        package var sound = CaptureProfile.Sound.optional
        /// The microphone by its identity; nil for the one that belongs to the camera.
        package var microphone: CaptureDevice.ID?
        /// How much of a movie precedes the still.
        package var preRoll = Duration.milliseconds(1500)
        /// How much of a movie follows the still.
        package var postRoll = Duration.milliseconds(1500)

        /// A session for stills with the default camera.
        package init() {}
    }

    /// Decides who may use what.
    package let consents: Consents
    /// The devices.
    package let devices: any DeviceCatalog
    /// What devices stamp with.
    package let clock: any CaptureClock
    private let usage: [CaptureDevice.Capability: String]
    /// Makes the files.
    package let recorder: any CaptureRecorder
    private let compressor: any FrameCompressor

    /// Sessions with a box's devices, by its decisions.
    ///
    /// - Parameters:
    ///   - devices: the devices.
    ///   - consents: the decisions.
    ///   - usage: why devices are used; a real one without its text is not opened.
    ///   - clock: what the devices stamp with.
    ///   - recorder: makes the files.
    ///   - compressor: makes JPEGs of raw frames.
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

    /// Runs a session for as long as the body takes; shots under way are finished before the devices close.
    ///
    /// - Parameters:
    ///   - request: what the session is wanted for.
    ///   - body: takes the shots, told the session and its camera.
    /// - Returns: what the body returns.
    /// - Throws: `configuration` naming a missing usage text, `notAuthorized`, what opening the devices and the body throw.
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
                    configuration.setCamera(cameraInput)
                    configuration.setMicrophone(microphoneInput)
                    configuration.photoOutput.isLivePhotoCaptureEnabled = request.isLivePhoto
                    configuration.photoOutput.audioPolicy = request.sound == .required ? .required : .optional
                    configuration.photoOutput.preRoll = request.preRoll
                    configuration.photoOutput.postRoll = request.postRoll
                }
                try await session.start()
                let result = try await locking(request.locks, of: cameraInput) {
                    // A Live Photo reaches back; the first one needs something to reach back to.
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

    /// Does something while a camera's automatics stand where they had settled.
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
        let result: Result<Value, any Error>
        do {
            result = .success(try await body())
        } catch {
            result = .failure(error)
        }
        if !input.consent.isWithdrawn { try? await camera.restore(before) }
        return try result.get()
    }

    /// The camera that is named, else the first, and its microphone; all consents are there before the camera is examined.
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
                // A node that turns out to be no camera; the next one may be.
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
        // A decision is asked for before a camera that is away is waited for.
        _ = try await consent(.camera, for: id)
        if let problem = await devices.problems().first { throw problem }
        throw CaptureError(.deviceLost, "the camera is not there now: see tintype-agent cameras", deviceID: id)
    }

    /// A box whose only camera cannot be used must not answer with the synthetic one's picture, which looks like success.
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

    /// The microphone that is named, else the one that belongs to the camera.
    private func chosenMicrophone(
        _ id: CaptureDevice.ID?,
        for camera: CaptureDevice
    ) async -> (any AudioSource)? {
        guard let id else { return await devices.microphone(for: camera) }
        return await devices.microphones().first { $0.device.id == id }
    }

    /// The permission to use a device; who has not decided yet is asked where somebody can answer.
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
        try refuse(try await consents.requestAccess(for: subject), unless: { $0 == .authorized }, subject)
        return try await consents.consent(for: subject)
    }

    private func refuse(
        _ status: ConsentStatus,
        unless isGood: (ConsentStatus) -> Bool,
        _ subject: ConsentSubject
    ) throws {
        guard !isGood(status) else { return }
        let capability = subject.capability.rawValue
        throw AgentError(
            status == .notDetermined ? .held : .notAllowed,
            "using the \(capability) \(subject.deviceID.rawValue) is \(status.rawValue): "
                + (status == .restricted
                    ? "the setting capture.consent forbids it" : "tintype-agent consent set \(capability) authorized")
        )
    }
}
