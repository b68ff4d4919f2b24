package import Capture
import SystemPackage

/// Finds the microphones of this machine.
package struct LinuxMicrophones: Sendable {
    private let calls: any SoundDeviceCalls
    private let clock: any CaptureClock

    package init(calls: any SoundDeviceCalls = SystemSoundCalls(), clock: any CaptureClock) {
        self.calls = calls
        self.clock = clock
    }

    /// The microphones currently present; none is opened.
    package func microphones() -> [Microphone] {
        calls.devices().map { Microphone($0, calls: calls, clock: clock) }
    }

    /// The microphone to use with a camera: the one in the same USB device, else the first one, if any.
    package func preferred(for camera: CaptureDevice) -> Microphone? {
        let microphones = microphones()
        let socket = camera.id.usbSocket
        return microphones.first { socket != nil && $0.device.id.usbSocket == socket } ?? microphones.first
    }
}

/// A microphone of this machine.
package struct Microphone: AudioSource {
    /// The formats to offer, best for movies first; the library converts from the native one.
    private static let formats = [48_000, 44_100].flatMap { rate in
        [1, 2].map { AudioFormat(sampleRate: rate, channelCount: $0) }
    }

    /// Its identity and formats.
    package let device: CaptureDevice
    private let calls: any SoundDeviceCalls
    private let clock: any CaptureClock

    init(_ found: SoundDevice, calls: any SoundDeviceCalls, clock: any CaptureClock) {
        device = CaptureDevice(
            id: found.id,
            capability: .microphone,
            manufacturer: found.usb?.manufacturer,
            model: found.name,
            serialNumber: found.usb?.serialNumber,
            audioFormats: Self.formats
        )
        self.calls = calls
        self.clock = clock
    }

    /// Opens the microphone by its identity, under its current number, and negotiates a format.
    package func open(_ format: AudioFormat) async throws(CaptureError) -> any AudioStream {
        let source = SoundSource(id: device.id, calls: calls, clock: clock)
        return MicrophoneStream(source: source, granted: try source.open(format))
    }
}

/// A sound device, by its identity.
struct SoundSource: Sendable {
    /// How often sound is delivered.
    static let period = Duration.milliseconds(20)
    /// How late the recording thread may be before sound is lost.
    static let buffer = Duration.milliseconds(500)

    /// The negotiated parameters.
    struct Granted: Sendable {
        let descriptor: SoundDescriptor
        let format: AudioFormat
    }

    let id: CaptureDevice.ID
    let calls: any SoundDeviceCalls
    let clock: any CaptureClock

    /// Finds the device, opens it and negotiates a format.
    func open(_ wanted: AudioFormat) throws(CaptureError) -> Granted {
        guard let device = calls.devices().first(where: { $0.id == id }) else {
            throw CaptureError(.deviceLost, "the microphone is not plugged in", deviceID: id)
        }
        let descriptor = try calling("open") { () throws(Errno) in try calls.open(device) }
        do throws(CaptureError) {
            let format = try calling("set the format of", refusal: .unsupported) { () throws(Errno) in
                try calls.configure(descriptor, wanted, period: Self.period, buffer: Self.buffer)
            }
            guard format == wanted else {
                let insists = "the microphone insists on \(format.sampleRate) Hz and \(format.channelCount) channels"
                throw CaptureError(.unsupported, insists, deviceID: id)
            }
            return Granted(descriptor: descriptor, format: format)
        } catch {
            calls.close(descriptor)
            throw error
        }
    }

    /// Converts an error number into this microphone's error.
    func calling<Value>(
        _ verb: String,
        refusal: CaptureError.Code = .deviceFailed,
        _ call: () throws(Errno) -> Value
    ) throws(CaptureError) -> Value {
        do throws(Errno) {
            return try call()
        } catch {
            throw failure(verb, error, refusal: refusal)
        }
    }

    /// The error for a failed call.
    func failure(_ verb: String, _ number: Errno, refusal: CaptureError.Code = .deviceFailed) -> CaptureError {
        let (code, advice): (CaptureError.Code, String) =
            switch number {
            case .resourceBusy: (.deviceBusy, "another program records from it")
            case .deviceGone, .noSuchAddressOrDevice, .noSuchFileOrDirectory: (.deviceLost, "it was unplugged")
            case .permissionDenied, .notPermitted: (.notAuthorized, "give the service access to the audio group")
            case .invalidArgument: (refusal, "the driver refused the request")
            default: (.deviceFailed, "the driver failed")
            }
        return CaptureError(code, "cannot \(verb) the microphone: \(advice)", deviceID: id, cause: number)
    }
}
