/// A camera as an input of a session; there is none without a consent for it.
package struct CameraInput: Sendable {
    /// The camera.
    package let source: any FrameSource
    /// The format wanted.
    package let format: CaptureFormat
    /// The permission.
    package let consent: CaptureConsent

    /// Joins a camera with the permission to use it.
    ///
    /// - Parameters:
    ///   - source: the camera.
    ///   - format: the format wanted; nil for the camera's first.
    ///   - consent: the permission.
    /// - Throws: `notAuthorized` when the permission is for something else or withdrawn, `unsupported` when the camera
    ///   has no such format.
    package init(
        _ source: any FrameSource,
        format: CaptureFormat? = nil,
        consent: CaptureConsent
    ) throws(CaptureError) {
        try consent.check(source.device, is: .camera)
        guard let format = format ?? source.device.formats.first, source.device.formats.contains(format) else {
            throw CaptureError(.unsupported, "the camera does not offer this format", deviceID: source.device.id)
        }
        self.source = source
        self.format = format
        self.consent = consent
    }
}

/// A microphone as an input of a session; there is none without a consent for it.
package struct MicrophoneInput: Sendable {
    /// The microphone.
    package let source: any AudioSource
    /// The format wanted.
    package let format: AudioFormat
    /// The permission.
    package let consent: CaptureConsent

    /// Joins a microphone with the permission to use it.
    ///
    /// - Parameters:
    ///   - source: the microphone.
    ///   - format: the format wanted; nil for the microphone's first.
    ///   - consent: the permission.
    /// - Throws: `notAuthorized` when the permission is for something else or withdrawn, `unsupported` when the
    ///   microphone has no such format.
    package init(
        _ source: any AudioSource,
        format: AudioFormat? = nil,
        consent: CaptureConsent
    ) throws(CaptureError) {
        try consent.check(source.device, is: .microphone)
        guard let format = format ?? source.device.audioFormats.first, source.device.audioFormats.contains(format)
        else {
            throw CaptureError(.unsupported, "the microphone does not offer this format", deviceID: source.device.id)
        }
        self.source = source
        self.format = format
        self.consent = consent
    }
}

extension CaptureConsent {
    /// Throws `notAuthorized` unless this is a standing permission for the device and its use.
    package func check(_ device: CaptureDevice, is capability: CaptureDevice.Capability) throws(CaptureError) {
        let wanted = ConsentSubject(capability: capability, deviceID: device.id)
        guard subject == wanted, device.capability == capability, !isWithdrawn else {
            throw CaptureError(
                .notAuthorized,
                "there is no standing permission to use this \(capability.rawValue)",
                deviceID: device.id
            )
        }
    }
}

/// How stills and Live Photos are made.
package struct CapturePhotoOutput: Hashable, Sendable {
    /// Whether a Live Photo needs sound.
    package enum AudioPolicy: String, Hashable, Sendable, Codable, CaseIterable {
        /// Without a microphone, Live Photos cannot be enabled.
        case required
        /// Without a microphone, movies are silent and marked so.
        case optional
    }

    /// Whether shots may be Live Photos; set it before the first of them, since it changes the pipeline.
    package var isLivePhotoCaptureEnabled = false
    /// Whether a Live Photo needs sound.
    package var audioPolicy = AudioPolicy.required
    /// How much of the movie lies before the still, at most 10 s.
    package var preRoll = Duration.milliseconds(1500)
    /// How much of the movie lies after the still, at most 10 s.
    package var postRoll = Duration.milliseconds(1500)
    /// How many shots may be under way at once, 1 to 64.
    package var maximumInFlight = 16
    /// The memory for the camera's frames in bytes, recordings under way included.
    package var frameBudget = 64 << 20
    /// The memory for the microphone's sound in bytes.
    package var audioBudget = 8 << 20

    /// Stills only.
    package init() {}
}

/// The pipeline of a session as it is wanted; values until it is committed.
package struct SessionConfiguration: Sendable {
    /// The camera; nil for none yet.
    package private(set) var camera: CameraInput?
    /// The microphone; nil for none.
    package private(set) var microphone: MicrophoneInput?
    /// How stills and Live Photos are made.
    package var photoOutput = CapturePhotoOutput()

    /// Adds the camera, or puts another in its place.
    package mutating func setCamera(_ input: CameraInput?) { camera = input }

    /// Adds the microphone, or puts another in its place.
    package mutating func setMicrophone(_ input: MicrophoneInput?) { microphone = input }

    /// Whether the inputs can make Live Photos.
    package var isLivePhotoCaptureSupported: Bool {
        camera != nil && (microphone != nil || photoOutput.audioPolicy == .optional)
    }

    /// Why the whole makes no pipeline, found without touching a device; nil when it does.
    package var problem: CaptureError? {
        do throws(CaptureError) {
            try check()
            return nil
        } catch {
            return error
        }
    }

    /// What is wrong with the whole; a configuration is checked before any device is touched.
    func check() throws(CaptureError) {
        func refuse(_ message: String) -> CaptureError { CaptureError(.configurationFailed, message) }
        let output = photoOutput
        guard let camera else { throw refuse("a session needs a camera") }
        try camera.consent.check(camera.source.device, is: .camera)
        if let microphone { try microphone.consent.check(microphone.source.device, is: .microphone) }
        guard !output.isLivePhotoCaptureEnabled || isLivePhotoCaptureSupported else {
            throw refuse("Live Photos with sound need a microphone; add one or make sound optional")
        }
        guard Duration.zero...Duration.seconds(10) ~= output.preRoll,
            Duration.zero...Duration.seconds(10) ~= output.postRoll
        else { throw refuse("pre-roll and post-roll are 0 to 10 seconds") }
        guard 1...64 ~= output.maximumInFlight else { throw refuse("1 to 64 shots may be under way at once") }
        guard output.frameBudget > 0, output.audioBudget > 0 else { throw refuse("media need memory") }
    }
}
