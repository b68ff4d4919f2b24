import Capture
import PhotoModel
import Synchronization
import SystemPackage

@testable import CaptureLinux

/// A sound device that answers as a test's script says, by a clock that only its sound moves.
final class ScriptedSoundDevice: SoundDeviceCalls, CaptureClock {
    /// One answer to waiting and reading.
    enum Step {
        /// So many samples wait; the driver tells their time truly, or so much off it.
        case sound(frames: Int, timeError: Duration = .zero)
        /// So much time passes in which sound is lost; then this error.
        case lost(Duration, Errno)
        case wait(WaitResult)
        /// The device goes, and its node with it.
        case unplugged
    }

    /// One answer to waiting for device nodes.
    enum NodeStep {
        case nothing
        case appears([SoundDevice], after: Duration)
    }

    struct State {
        var devices = [ScriptedSoundDevice.microphone()]
        var granted: AudioFormat?
        /// The next call of this name fails with these, one after the other.
        var failures: [String: [Errno]] = [:]
        var steps: [Step] = []
        var nodeSteps: [NodeStep] = []
        var calls: [String] = []
        var now = MonotonicTime(nanoseconds: 1_000_000_000_000)
        var pendingError: Errno?
        var available = 0
        var timeError = Duration.zero
        var openDescriptors = 0
        var openWakers = 0
        var openWatches = 0
        /// The value of the next sample, so that sound can be told from silence and from other sound.
        var nextSample: Int16 = 1
    }

    static let format = AudioFormat(sampleRate: 48_000, channelCount: 1)
    let bootID: BootID? = nil
    let state: Mutex<State>

    init(_ change: (inout State) -> Void = { _ in }) {
        var start = State()
        change(&start)
        state = Mutex(start)
    }

    /// A microphone of a webcam.
    static func microphone(card: String = "Webcam", socket: String = "3", serialNumber: String? = "A1") -> SoundDevice {
        SoundDevice(
            card: card,
            number: 0,
            name: "HD Webcam",
            place: "1-\(socket):1.2",
            usb: USBFunction(
                device: "/sys/devices/pci0000:00/0000:00:14.0/usb1/1-\(socket)",
                interface: "1.2",
                serialNumber: serialNumber
            )
        )
    }

    private func answer<Value: Sendable>(
        _ name: String,
        _ body: (inout State) throws(Errno) -> Value
    ) throws(Errno) -> Value {
        let result = state.withLock { state -> Result<Value, Errno> in
            state.calls.append(name)
            if var failures = state.failures[name], !failures.isEmpty {
                let failure = failures.removeFirst()
                state.failures[name] = failures
                return .failure(failure)
            }
            do throws(Errno) {
                return .success(try body(&state))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    // MARK: The clock

    func reading() -> ClockReading {
        ClockReading(
            monotonic: state.withLock(\.now),
            wall: WallTime(millisecondsSince1970: 0),
            isSynchronized: false
        )
    }

    func sleep(until deadline: MonotonicTime) {}

    // MARK: The device

    func devices() -> [SoundDevice] { state.withLock(\.devices) }

    func open(_ device: SoundDevice) throws(Errno) -> SoundDescriptor {
        try answer("open") { state in
            state.openDescriptors += 1
            return SoundDescriptor(rawValue: 7)
        }
    }

    func close(_ descriptor: SoundDescriptor) { state.withLock { $0.openDescriptors -= 1 } }

    func configure(
        _ descriptor: SoundDescriptor,
        _ format: AudioFormat,
        period: Duration,
        buffer: Duration
    ) throws(Errno) -> AudioFormat {
        try answer("configure") { $0.granted ?? format }
    }

    func prepare(_ descriptor: SoundDescriptor) throws(Errno) { try answer("prepare") { $0.available = 0 } }
    func start(_ descriptor: SoundDescriptor) throws(Errno) { try answer("start") { _ in } }
    func resume(_ descriptor: SoundDescriptor) throws(Errno) { try answer("resume") { _ in } }

    func position(_ descriptor: SoundDescriptor) throws(Errno) -> SoundPosition {
        try answer("position") { state throws(Errno) in
            if let error = state.pendingError.take() { throw error }
            return SoundPosition(
                availableFrameCount: state.available,
                timestamp: state.now.advanced(by: state.timeError)
            )
        }
    }

    func read(_ descriptor: SoundDescriptor, into samples: inout [UInt8], frameCount: Int) throws(Errno) -> Int {
        let (count, first) = try answer("read") { state in
            let count = min(frameCount, state.available, samples.count / 2)
            state.available -= count
            defer { state.nextSample &+= 1 }
            return (count, state.nextSample)
        }
        for index in 0..<count {
            samples[index * 2] = UInt8(truncatingIfNeeded: first)
            samples[index * 2 + 1] = UInt8(truncatingIfNeeded: first >> 8)
        }
        return count
    }

    /// The script's next step; at its end somebody asks to stop.
    func wait(_ descriptor: SoundDescriptor, _ waker: Waker, atMost timeout: Duration) throws(Errno) -> WaitResult {
        try answer("wait") { state in
            guard !state.steps.isEmpty else { return .woken }
            switch state.steps.removeFirst() {
            case .wait(let result): return result
            case .sound(let frames, let timeError):
                state.now = state.now.advanced(by: Self.format.duration(ofFrames: frames))
                state.available += frames
                state.timeError = timeError
            case .lost(let duration, let error):
                state.now = state.now.advanced(by: duration)
                state.pendingError = error
            case .unplugged:
                state.devices = []
                state.pendingError = Errno(rawValue: 19)
            }
            return .ready
        }
    }

    // MARK: Waiting

    func makeWaker() throws(Errno) -> Waker {
        try answer("makeWaker") { state in
            state.openWakers += 1
            return Waker(rawValue: 4)
        }
    }

    func wake(_ waker: Waker) {}
    func close(_ waker: Waker) { state.withLock { $0.openWakers -= 1 } }

    func watchNodes() -> NodeWatch {
        state.withLock { $0.openWatches += 1 }
        return NodeWatch(rawValue: 5)
    }

    func wait(_ watch: NodeWatch, _ waker: Waker, atMost timeout: Duration) -> WaitResult {
        state.withLock { state in
            state.now = state.now.advanced(by: timeout)
            guard !state.nodeSteps.isEmpty else { return timeout == .zero ? .timedOut : .woken }
            switch state.nodeSteps.removeFirst() {
            case .nothing: return .timedOut
            case .appears(let devices, let delay):
                state.devices = devices
                state.now = state.now.advanced(by: delay)
                return .ready
            }
        }
    }

    func close(_ watch: NodeWatch) { state.withLock { $0.openWatches -= 1 } }

    /// What was not given back.
    var leaks: [String] {
        state.withLock { state in
            [("descriptors", state.openDescriptors), ("wakers", state.openWakers), ("watches", state.openWatches)]
                .filter { $0.1 != 0 }.map { "\($0.1) \($0.0)" }
        }
    }
}

/// Lays what it receives end to end, as whoever makes a movie does.
final class SoundNotes: AudioReceiver {
    struct Run: Hashable {
        let time: MonotonicTime
        let frameCount: Int
        let isSilent: Bool
    }

    let runs = Mutex<[Run]>([])

    func receive(_ samples: RawSpan, at timestamp: MonotonicTime) {
        let bytes = unsafe samples.withUnsafeBytes { unsafe Array($0) }
        let run = Run(time: timestamp, frameCount: bytes.count / 2, isSilent: bytes.allSatisfy { $0 == 0 })
        runs.withLock { $0.append(run) }
    }
}
