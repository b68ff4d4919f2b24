import Capture
import Synchronization
import SystemPackage

/// Streams an open device on its own thread: it runs once, can be stopped from anywhere, and recovers by itself, as
/// decided by ``StreamRecovery``.
final class DeviceThread<Opened: Sendable>: Sendable {
    /// The thread's work; created and used on it.
    struct Work {
        /// Streams until it ends: why, and how much was delivered.
        let stream: (Opened, Waker) -> (ending: StreamRecovery.Ending, deliveredCount: Int)
        /// Called when the device is given up until it can be reopened.
        let interrupted: (CaptureError) -> Void
        /// Reopens the device.
        let reopen: () throws(CaptureError) -> Opened
    }

    private struct State {
        /// The opened device, until it is run.
        var opened: Opened?
        var isStopped = false
        var waker: Waker?
    }

    private let name: String
    private let calls: any DeviceWaiting
    private let clock: any CaptureClock
    private let close: @Sendable (Opened) -> Void
    private let failure: @Sendable (Errno) -> CaptureError
    private let state: Mutex<State>

    /// Creates a thread without starting it; the open device is closed when the thread ends or if it never runs.
    ///
    /// The failure is the error if waiting is impossible.
    init(
        name: String,
        opened: Opened,
        calls: any DeviceWaiting,
        clock: any CaptureClock,
        close: @escaping @Sendable (Opened) -> Void,
        failure: @escaping @Sendable (Errno) -> CaptureError
    ) {
        self.name = name
        self.calls = calls
        self.clock = clock
        self.close = close
        self.failure = failure
        state = Mutex(State(opened: opened))
    }

    deinit {
        if let opened = state.withLock(\.opened) { close(opened) }
    }

    /// Works until ``stop()``, cancellation, or an unrecoverable error.
    func run(_ work: @escaping @Sendable () -> Work) async throws(CaptureError) {
        try await NamedThread.value(name, onCancel: stop) { () throws(CaptureError) in
            try self.run(work())
        }
    }

    /// Ends the work soon; callable from any thread, repeatedly.
    func stop() {
        state.withLock { state in
            state.isStopped = true
            if let waker = state.waker { calls.wake(waker) }
        }
    }

    private func run(_ work: Work) throws(CaptureError) {
        var opened = state.withLock { $0.opened.take() }
        defer { if let opened { close(opened) } }
        let waker = try makeWaker()
        let isStopped = state.withLock { state in
            state.waker = waker
            return state.isStopped
        }
        defer {
            state.withLock { $0.waker = nil }
            calls.close(waker)
        }
        var recovery = StreamRecovery()
        var outcome = (ending: StreamRecovery.Ending.stopped, deliveredCount: 0)
        while !isStopped {
            if let opened { outcome = work.stream(opened, waker) }
            switch recovery.action(after: outcome.ending, deliveredCount: outcome.deliveredCount) {
            case .end: return
            case .fail(let error): throw error
            case .restart: break
            case .reopen(let pause, let reason):
                if let open = opened.take() {
                    // An open descriptor would keep the node's number even if the device is gone.
                    close(open)
                    work.interrupted(reason)
                }
                guard calls.waits(pause, because: reason, waker, clock) else { return }
                do throws(CaptureError) {
                    opened = try work.reopen()
                } catch {
                    outcome = (.failed(error), 0)
                }
            }
        }
    }

    private func makeWaker() throws(CaptureError) -> Waker {
        do throws(Errno) {
            return try calls.makeWaker()
        } catch {
            throw failure(error)
        }
    }
}
