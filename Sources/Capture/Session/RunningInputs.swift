import Synchronization

/// A delivering camera.
struct RunningCamera: Sendable {
    let input: CameraInput
    let stream: any FrameStream
    let pipeline: CameraPipeline
    let budget: MediaBudget
    let run: DeviceRun
}

/// A delivering microphone.
struct RunningMicrophone: Sendable {
    let input: MicrophoneInput
    let stream: any AudioStream
    let pipeline: MicrophonePipeline
    let budget: MediaBudget
    let run: DeviceRun
}

/// Ends a movie's sound by the pictures' time, so that a silent microphone cannot keep a movie open.
final class AudioDeadline: Sendable {
    /// How much later than pictures sound may arrive.
    static let grace = Duration.milliseconds(250)

    private let ring = Mutex<AudioRing?>(nil)

    /// Watches another ring, or none.
    func watch(_ newRing: AudioRing?) {
        ring.withLock { $0 = newRing }
    }

    /// Reports the latest picture's time.
    func picturesReached(_ time: MonotonicTime) {
        let ring = ring.withLock(\.self)
        ring?.endFeeds(dueBy: time.advanced(by: .zero - Self.grace))
    }
}

/// One run of a device's stream, from opening to closing.
final class DeviceRun: Sendable {
    private let stop: @Sendable () -> Void
    private let end: @Sendable (FeedEnd) -> Void
    private let failure = Mutex<CaptureError?>(nil)
    private let over = Latch()

    /// A run whose stream `stop` stops, and whose recordings `end` ends.
    init(stop: @escaping @Sendable () -> Void, end: @escaping @Sendable (FeedEnd) -> Void) {
        self.stop = stop
        self.end = end
    }

    /// Why the device ended by itself; nil if it did not.
    var error: CaptureError? { failure.withLock(\.self) }

    /// Runs the stream until it is stopped or fails; withdrawing the consent stops it.
    func follow(_ consent: CaptureConsent, _ stream: @escaping @Sendable () async throws(CaptureError) -> Void) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                await consent.waitUntilWithdrawn()
                guard consent.isWithdrawn else { return }
                self.failure.withLock {
                    $0 = CaptureError(
                        .consentWithdrawn,
                        "the permission to use the \(consent.subject.capability.rawValue) was withdrawn",
                        deviceID: consent.subject.deviceID
                    )
                }
                self.end(.consentWithdrawn)
                self.stop()
            }
            do throws(CaptureError) {
                try await stream()
            } catch {
                failure.withLock { $0 = $0 ?? error }
            }
            end(.deviceLost)
            group.cancelAll()
        }
        over.open()
    }

    /// Ends the recordings at this point, and closes the stream.
    func close(_ end: FeedEnd) async {
        self.end(end)
        stop()
        await wait()
    }

    /// Waits until the stream is closed.
    func wait() async { await over.wait() }
}
