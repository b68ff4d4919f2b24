import Capture
import SystemPackage

/// The loop of one recording run: wait, read, deliver with timestamps.
struct SoundGrabber {
    /// No sound for this long means that the device is stuck.
    static let patience = Duration.seconds(1)
    /// The longest silence inserted for lost sound; a longer gap is left to the timeline.
    static let longestSilence = Duration.seconds(5)
    /// The delay between attempts to resume after a system suspend.
    private static let resumePause = Duration.milliseconds(100)

    let source: SoundSource
    let granted: SoundSource.Granted
    let waker: Waker
    let receiver: any AudioReceiver
    /// The number of delivered chunks.
    private(set) var deliveredCount = 0
    private var samples: [UInt8]
    /// The end time of the delivered sound.
    private var end: MonotonicTime?
    private var hasLostSound = false

    init(source: SoundSource, granted: SoundSource.Granted, waker: Waker, receiver: any AudioReceiver) {
        self.source = source
        self.granted = granted
        self.waker = waker
        self.receiver = receiver
        let frames = granted.format.frameCount(in: SoundSource.buffer)
        samples = [UInt8](repeating: 0, count: frames * granted.format.bytesPerFrame)
    }

    private var calls: any SoundDeviceCalls { source.calls }

    /// Records until stopped, stuck or lost, and returns which.
    mutating func run() -> StreamRecovery.Ending {
        do throws(Errno) {
            try begin()
        } catch {
            return .failed(source.failure("start", error))
        }
        while true {
            do throws(Errno) {
                switch try calls.wait(granted.descriptor, waker, atMost: Self.patience) {
                case .woken: return .stopped
                case .timedOut:
                    let message = "the microphone is stuck: it delivered no sound for \(Self.patience)"
                    return .broken(CaptureError(.deviceFailed, message, deviceID: source.id))
                default: try takeSound()
                }
            } catch .resourceTemporarilyUnavailable {
                continue
            } catch .brokenPipe {
                if let ending = recover({ grabber throws(Errno) in try grabber.begin() }) { return ending }
            } catch .suspended {
                if let ending = recover({ grabber throws(Errno) in try grabber.wakeUp() }) { return ending }
            } catch let error where error == .ioError {
                return .broken(source.failure("read from", error))
            } catch {
                return .failed(source.failure("read from", error))
            }
        }
    }

    private func begin() throws(Errno) {
        try calls.prepare(granted.descriptor)
        try calls.start(granted.descriptor)
    }

    /// Restarts after sound was lost; the next sound tells how much.
    private mutating func recover(_ work: (SoundGrabber) throws(Errno) -> Void) -> StreamRecovery.Ending? {
        hasLostSound = true
        do throws(Errno) {
            try work(self)
            return nil
        } catch {
            return error == .interrupted ? .stopped : .failed(source.failure("restart", error))
        }
    }

    /// Resumes after a system suspend; restarts if the driver cannot resume.
    private func wakeUp() throws(Errno) {
        while true {
            do throws(Errno) {
                return try calls.resume(granted.descriptor)
            } catch .resourceTemporarilyUnavailable {
                let nothing = NodeWatch(rawValue: -1)
                guard try calls.wait(nothing, waker, atMost: Self.resumePause) != .woken else { throw .interrupted }
            } catch .brokenPipe {
                return try begin()
            } catch .noFunction {
                return try begin()
            }
        }
    }

    private mutating func takeSound() throws(Errno) {
        let position = try calls.position(granted.descriptor)
        guard position.availableFrameCount > 0 else { return }
        let oldest = oldestTime(position)
        let count = try calls.read(granted.descriptor, into: &samples, frameCount: position.availableFrameCount)
        guard count > 0 else { return }
        let begin = fillGap(before: oldest)
        let byteCount = min(samples.count, count * granted.format.bytesPerFrame)
        unsafe receiver.receive(samples.span.bytes.extracting(0..<byteCount), at: begin)
        end = begin.advanced(by: granted.format.duration(ofFrames: count))
        deliveredCount += 1
    }

    /// When the oldest unread sample was captured (pcm.h: the timestamp is the newest one's).
    ///
    /// Drivers without timestamps report zero, and some report nonsense; the sound then counts as just captured.
    private func oldestTime(_ position: SoundPosition) -> MonotonicTime {
        let now = source.clock.reading().monotonic
        let age = now.duration(since: position.timestamp)
        let newest = Duration.zero...Duration.seconds(2) ~= age ? position.timestamp : now
        return newest.advanced(by: .zero - granted.format.duration(ofFrames: position.availableFrameCount))
    }

    /// Delivers exactly as much silence as sound was lost, to the sample, before the time when the sound after the loss
    /// was captured; returns when that sound begins, aligned with the preceding samples.
    private mutating func fillGap(before time: MonotonicTime) -> MonotonicTime {
        defer { hasLostSound = false }
        guard hasLostSound, let end else { return time }
        let format = granted.format
        let gap = time.duration(since: end)
        guard Duration.zero...Self.longestSilence ~= gap else { return time }
        let count = format.frameCount(in: gap)
        guard count > 0 else { return time }
        let silence = [UInt8](repeating: 0, count: count * format.bytesPerFrame)
        unsafe receiver.receive(silence.span.bytes, at: end)
        return end.advanced(by: format.duration(ofFrames: count))
    }
}
