/// A camera as a session input; requires its consent.
package struct CameraInput: Sendable {
    /// The camera.
    package let source: any FrameSource
    /// The requested format.
    package let format: CaptureFormat
    /// Blackens the parts of each frame that nobody may keep; nil for none.
    package let masker: (any FrameMasker)?
    /// Whether raw frames are kept unchanged, for PNG or DNG stills.
    package let keepsSamples: Bool
    /// The permission.
    package let consent: CaptureConsent

    /// Combines a camera with its permission; without a format, the camera's first is used.
    ///
    /// The masker blackens the parts of each frame that nobody may keep; raw frames are kept unchanged for PNG or DNG
    /// stills.
    ///
    /// - Throws: `notAuthorized` if the permission is for something else or withdrawn, `unsupported` if the camera
    ///   has no such format.
    package init(
        _ source: any FrameSource,
        format: CaptureFormat? = nil,
        masker: (any FrameMasker)? = nil,
        keepsSamples: Bool = false,
        consent: CaptureConsent
    ) throws(CaptureError) {
        try consent.check(source.device, is: .camera)
        guard let format = format ?? source.device.formats.first, source.device.formats.contains(format) else {
            throw CaptureError(.unsupported, "the camera does not offer this format", deviceID: source.device.id)
        }
        self.source = source
        self.format = format
        self.masker = masker
        self.keepsSamples = keepsSamples
        self.consent = consent
    }
}

/// A microphone as a session input; requires its consent.
package struct MicrophoneInput: Sendable {
    /// The microphone.
    package let source: any AudioSource
    /// The requested format.
    package let format: AudioFormat
    /// The permission.
    package let consent: CaptureConsent

    /// Combines a microphone with its permission; without a format, the microphone's first is used.
    ///
    /// - Throws: `notAuthorized` if the permission is for something else or withdrawn, `unsupported` if the
    ///   microphone has no such format.
    package init(_ source: any AudioSource, format: AudioFormat? = nil, consent: CaptureConsent) throws(CaptureError) {
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
    /// Throws `notAuthorized` unless this is a valid permission for the device and its use.
    package func check(_ device: CaptureDevice, is capability: CaptureDevice.Capability) throws(CaptureError) {
        let wanted = ConsentSubject(capability: capability, deviceID: device.id)
        guard subject == wanted, device.capability == capability, !isWithdrawn else {
            throw CaptureError(
                .notAuthorized,
                "there is no permission to use this \(capability.rawValue)",
                deviceID: device.id
            )
        }
    }
}

/// The settings for stills and Live Photos.
package struct CapturePhotoOutput: Hashable, Sendable {
    /// Whether a Live Photo needs sound.
    package enum AudioPolicy: String, Hashable, Sendable, Codable, CaseIterable {
        /// Without a microphone, Live Photos cannot be enabled.
        case required
        /// Without a microphone, movies are silent and marked so.
        case optional
    }

    /// Whether shots may be Live Photos; set it before the first one, since it changes the pipeline.
    package var isLivePhotoCaptureEnabled = false
    /// Whether a Live Photo needs sound.
    package var audioPolicy = AudioPolicy.required
    /// The movie's duration before the still, at most 10 s.
    package var preRoll = Duration.milliseconds(1500)
    /// The movie's duration after the still, at most 10 s.
    package var postRoll = Duration.milliseconds(1500)
    /// The maximum number of concurrent shots, 1 to 64.
    package var maximumInFlight = 16
    /// The memory for the camera's frames in bytes, including current recordings.
    package var frameBudget = 64 << 20
    /// The memory for the microphone's sound in bytes.
    package var audioBudget = 8 << 20

    /// Stills only.
    package init() {}
}

/// The requested pipeline of a session; plain values until committed.
package struct SessionConfiguration: Sendable {
    /// The camera; nil if not set yet.
    package var camera: CameraInput?
    /// The microphone; nil for none.
    package var microphone: MicrophoneInput?
    /// The settings for stills and Live Photos.
    package var photoOutput = CapturePhotoOutput()

    /// Whether the inputs support Live Photos.
    package var isLivePhotoCaptureSupported: Bool {
        camera != nil && (microphone != nil || photoOutput.audioPolicy == .optional)
    }

    /// Throws if the configuration is invalid; called before any device is touched.
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
        guard 1...64 ~= output.maximumInFlight else { throw refuse("1 to 64 shots may be in progress at once") }
        guard output.frameBudget > 0, output.audioBudget > 0 else { throw refuse("media need memory") }
    }
}
