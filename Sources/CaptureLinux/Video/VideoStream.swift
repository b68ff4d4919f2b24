import Capture
import Synchronization
import SystemPackage

/// One run of a Video4Linux camera, on its own thread that waits for the driver.
///
/// A camera that is unplugged or gets stuck after its first frame is awaited and reopened: the stream continues, with a
/// gap in the sequence numbers, and possibly in another size.
final class VideoStream: FrameStream {
    private let device: VideoDevice
    private let wanted: CaptureFormat
    private let current: Mutex<CaptureFormat>
    private let thread: DeviceThread<VideoDevice.Granted>

    init(device: VideoDevice, wanted: CaptureFormat, granted: VideoDevice.Granted) {
        self.device = device
        self.wanted = wanted
        current = Mutex(granted.captureFormat)
        thread = DeviceThread(
            name: "tt-camera",
            opened: granted,
            calls: device.calls,
            clock: device.clock,
            close: device.close,
            failure: { device.failure("wait for", $0) }
        )
    }

    var format: CaptureFormat { current.withLock(\.self) }

    func run(_ receiver: any FrameReceiver) async throws(CaptureError) {
        try await thread.run { self.work(receiver) }
    }

    func stop() {
        thread.stop()
    }

    private func work(_ receiver: any FrameReceiver) -> DeviceThread<VideoDevice.Granted>.Work {
        var stamper = FrameStamper()
        return DeviceThread.Work(
            stream: { [device] granted, waker in
                var grabber = FrameGrabber(device: device, granted: granted, waker: waker, receiver: receiver)
                stamper.beginRun()
                let ending = grabber.run(&stamper)
                return (ending, grabber.deliveredCount)
            },
            interrupted: receiver.interrupted,
            reopen: { () throws(CaptureError) in
                var granted = try self.device.reopen(self.wanted)
                if let refusal = self.device.lockAgain(&granted) { receiver.interrupted(by: refusal) }
                self.current.withLock { $0 = granted.captureFormat }
                return granted
            }
        )
    }
}
