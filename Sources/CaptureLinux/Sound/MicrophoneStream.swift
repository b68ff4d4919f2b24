import Capture
import SystemPackage

/// One run of a microphone, on its own thread; an unplugged one is awaited, like a camera.
final class MicrophoneStream: AudioStream {
    let format: AudioFormat
    private let source: SoundSource
    private let thread: DeviceThread<SoundSource.Granted>

    init(source: SoundSource, granted: SoundSource.Granted) {
        self.source = source
        format = granted.format
        thread = DeviceThread(
            name: "tt-microphone",
            opened: granted,
            calls: source.calls,
            clock: source.clock,
            close: { source.calls.close($0.descriptor) },
            failure: { source.failure("wait for", $0) }
        )
    }

    func run(_ receiver: any AudioReceiver) async throws(CaptureError) {
        try await thread.run { [source, format] in
            DeviceThread.Work(
                stream: { granted, waker in
                    var grabber = SoundGrabber(source: source, granted: granted, waker: waker, receiver: receiver)
                    let ending = grabber.run()
                    return (ending, grabber.deliveredCount)
                },
                // Movies continue silently meanwhile: the sound's timestamps show the gap.
                interrupted: { _ in },
                reopen: { () throws(CaptureError) in try source.open(format) }
            )
        }
    }

    func stop() {
        thread.stop()
    }
}
