import Capture
import Synchronization
import SystemPackage

/// One run of a microphone, on a thread of its own; one that was unplugged is waited for, as a camera is.
final class MicrophoneStream: AudioStream {
    let format: AudioFormat
    private let source: SoundSource
    private let state: Mutex<State>

    private struct State {
        /// What was opened and nobody runs yet.
        var opened: SoundSource.Granted?
        var isStopped = false
        var waker: Waker?
    }

    init(source: SoundSource, granted: SoundSource.Granted) {
        self.source = source
        format = granted.format
        state = Mutex(State(opened: granted))
    }

    deinit {
        if let opened = state.withLock(\.opened) { source.calls.close(opened.descriptor) }
    }

    func run(_ receiver: any AudioReceiver) async throws(CaptureError) {
        try await NamedThread.run("tt-microphone", onCancel: stop) { () throws(CaptureError) in
            try self.record(receiver)
        }
    }

    func stop() {
        state.withLock { state in
            state.isStopped = true
            if let waker = state.waker { source.calls.wake(waker) }
        }
    }

    /// Records until stopped; on the stream's own thread.
    private func record(_ receiver: any AudioReceiver) throws(CaptureError) {
        var granted = state.withLock { $0.opened.take() }
        defer { if let granted { source.calls.close(granted.descriptor) } }
        let waker = try source.calling("wait for") { () throws(Errno) in try source.calls.makeWaker() }
        let isStopped = state.withLock { state in
            state.waker = waker
            return state.isStopped
        }
        defer {
            state.withLock { $0.waker = nil }
            source.calls.close(waker)
        }
        var recovery = StreamRecovery()
        var ending = StreamRecovery.Ending.stopped
        var deliveredCount = 0
        while !isStopped {
            if let open = granted {
                var grabber = SoundGrabber(source: source, granted: open, waker: waker, receiver: receiver)
                ending = grabber.run()
                deliveredCount = grabber.deliveredCount
            }
            switch recovery.action(after: ending, deliveredCount: deliveredCount) {
            case .end: return
            case .fail(let error): throw error
            case .restart: break
            case .reopen(let pause, let reason):
                if let open = granted.take() { source.calls.close(open.descriptor) }
                deliveredCount = 0
                guard source.calls.waits(pause, because: reason, waker, source.clock) else { return }
                do throws(CaptureError) {
                    granted = try source.open(format)
                } catch {
                    ending = .failed(error)
                }
            }
        }
    }
}
