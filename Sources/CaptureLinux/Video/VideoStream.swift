import Capture
import Synchronization
import SystemPackage

/// One run of a Video4Linux camera, on a thread of its own that waits for the driver.
///
/// A camera that was unplugged or got stuck after its first frame is waited for and opened anew: the stream goes on, with
/// a gap in the numbers of its frames, and perhaps in another size.
final class VideoStream: FrameStream {
    private let device: VideoDevice
    private let wanted: CaptureFormat
    private let state: Mutex<State>

    private struct State {
        var format: CaptureFormat
        /// What was opened and nobody runs yet.
        var opened: VideoDevice.Granted?
        var isStopped = false
        var waker: Waker?
    }

    init(device: VideoDevice, wanted: CaptureFormat, granted: VideoDevice.Granted) {
        self.device = device
        self.wanted = wanted
        state = Mutex(State(format: granted.captureFormat, opened: granted))
    }

    deinit {
        if let opened = state.withLock(\.opened) { device.close(opened) }
    }

    var format: CaptureFormat { state.withLock(\.format) }

    func run(_ receiver: any FrameReceiver) async throws(CaptureError) {
        try await NamedThread.run("tt-camera", onCancel: stop) { () throws(CaptureError) in
            try self.grab(receiver)
        }
    }

    func stop() {
        state.withLock { state in
            state.isStopped = true
            if let waker = state.waker { device.calls.wake(waker) }
        }
    }

    /// Grabs until stopped; on the stream's own thread.
    private func grab(_ receiver: any FrameReceiver) throws(CaptureError) {
        var granted = state.withLock { $0.opened.take() }
        defer { if let granted { device.close(granted) } }
        let waker = try device.calling("wait for") { () throws(Errno) in try device.calls.makeWaker() }
        let isStopped = state.withLock { state in
            state.waker = waker
            return state.isStopped
        }
        defer {
            state.withLock { $0.waker = nil }
            device.calls.close(waker)
        }
        var recovery = StreamRecovery()
        var stamper = FrameStamper()
        var ending = StreamRecovery.Ending.stopped
        var deliveredCount = 0
        while !isStopped {
            if let open = granted {
                var grabber = FrameGrabber(device: device, granted: open, waker: waker, receiver: receiver)
                stamper.beginRun()
                ending = grabber.run(&stamper)
                deliveredCount = grabber.deliveredCount
            }
            switch recovery.action(after: ending, deliveredCount: deliveredCount) {
            case .end: return
            case .fail(let error): throw error
            case .restart: break
            case .reopen(let pause, let reason):
                if let open = granted.take() {
                    // An open descriptor would keep the node's number even when the device is gone.
                    device.close(open)
                    receiver.interrupted(by: reason)
                }
                deliveredCount = 0
                guard device.calls.waits(pause, because: reason, waker, device.clock) else { return }
                do throws(CaptureError) {
                    let opened = try device.reopen(wanted)
                    granted = opened
                    state.withLock { $0.format = opened.captureFormat }
                } catch {
                    ending = .failed(error)
                }
            }
        }
    }
}
