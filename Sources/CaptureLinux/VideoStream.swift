import Capture
import Synchronization
import SystemPackage

/// One run of a Video4Linux camera, on a thread of its own that waits for the driver.
final class VideoStream: FrameStream {
    /// How often in a row a stream is begun anew before the camera counts as failed.
    static let maximumRestarts = 3

    let format: CaptureFormat
    private let device: VideoDevice
    private let granted: VideoDevice.Granted
    private let state = Mutex(State())

    private struct State {
        var isStopped = false
        var hasRun = false
        var waker: Waker?
    }

    init(device: VideoDevice, granted: VideoDevice.Granted) {
        self.device = device
        self.granted = granted
        format = CaptureFormat(
            pixelFormat: granted.format.pixelFormat,
            size: granted.format.size,
            frameInterval: granted.frameInterval
        )
    }

    deinit {
        if !state.withLock(\.hasRun) { device.calls.close(granted.descriptor) }
    }

    func run(_ receiver: any FrameReceiver) async throws(CaptureError) {
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                NamedThread.run("tt-camera") { [self] in
                    do throws(CaptureError) {
                        continuation.resume(returning: Result<Void, CaptureError>.success(try grab(receiver)))
                    } catch {
                        continuation.resume(returning: .failure(error))
                    }
                }
            }
        } onCancel: {
            stop()
        }
        try result.get()
    }

    func stop() {
        state.withLock { state in
            state.isStopped = true
            if let waker = state.waker { device.calls.wake(waker) }
        }
    }

    /// Grabs until stopped; on the stream's own thread.
    func grab(_ receiver: any FrameReceiver) throws(CaptureError) {
        state.withLock { $0.hasRun = true }
        defer { device.calls.close(granted.descriptor) }
        let waker = try device.calling("wait for") { () throws(Errno) in try device.calls.makeWaker() }
        let isStopped = state.withLock { state in
            state.waker = waker
            return state.isStopped
        }
        defer {
            state.withLock { $0.waker = nil }
            device.calls.close(waker)
        }
        var restarts = 0
        while !isStopped {
            var grabber = FrameGrabber(device: device, granted: granted, waker: waker)
            switch try grabber.run(receiver) {
            case .stopped: return
            case .restart(let error):
                restarts = grabber.deliveredCount > 0 ? 1 : restarts + 1
                if restarts > Self.maximumRestarts { throw error }
            }
        }
    }
}

/// What one pass of streaming does: wait, take, hand on, give back.
struct FrameGrabber {
    /// Why a pass ended without the camera being lost.
    enum Outcome {
        /// Somebody asked for it.
        case stopped
        /// The stream is stuck or broken; begin it anew, and when that does not help, fail with this.
        case restart(CaptureError)
    }

    private let device: VideoDevice
    private let granted: VideoDevice.Granted
    private let waker: Waker
    private var lastTimestamp: MonotonicTime?
    /// How many frames were handed on.
    private(set) var deliveredCount = 0

    init(device: VideoDevice, granted: VideoDevice.Granted, waker: Waker) {
        self.device = device
        self.granted = granted
        self.waker = waker
    }

    /// No frame for so long means that the stream is stuck.
    private var patience: Duration { max(.seconds(1), granted.frameInterval.duration * 5) }

    /// Streams until stopped, stuck or lost.
    ///
    /// - Parameter receiver: takes the frames.
    /// - Returns: why it ended.
    /// - Throws: what no restart can mend: `deviceLost`, `deviceBusy`, `insufficientBandwidth` and the like.
    mutating func run(_ receiver: any FrameReceiver) throws(CaptureError) -> Outcome {
        let calls = device.calls
        let descriptor = granted.descriptor
        let buffers = try unsafe device.start(descriptor)
        defer { unsafe device.stop(descriptor, buffers) }
        while true {
            let result = try device.calling("wait for") { () throws(Errno) in
                try calls.wait(descriptor, waker, atMost: patience)
            }
            switch result {
            case .woken: return .stopped
            case .hangup: throw device.failure("read from", .deviceGone)
            case .timedOut: return .restart(stuck("it gave no frame for \(patience)"))
            case .error: return .restart(stuck("it stopped streaming"))
            case .ready:
                do throws(Errno) {
                    let buffer = try calls.dequeue(descriptor)
                    guard unsafe buffers.indices.contains(Int(buffer.index)) else {
                        return .restart(stuck("it named a buffer that it does not have"))
                    }
                    unsafe deliver(buffer, buffers[Int(buffer.index)], to: receiver)
                    try calls.queue(descriptor, index: buffer.index)
                } catch .wouldBlock {
                    continue
                } catch let error where error == .ioError || error == .invalidArgument {
                    // After EIO the driver's state is unknown, buffer numbers included (vidioc-qbuf.rst). A buffer that
                    // it refuses would be missing from then on; beginning anew makes all of them.
                    return .restart(device.failure("read from", error))
                } catch {
                    throw device.failure("read from", error)
                }
            }
        }
    }

    private mutating func deliver(_ buffer: DequeuedBuffer, _ mapped: MappedBuffer, to receiver: any FrameReceiver) {
        let reading = device.clock.reading()
        let info = FrameInfo(
            sequence: buffer.sequence,
            timestamp: timestamp(of: buffer, dequeued: reading.monotonic),
            pixelFormat: granted.format.pixelFormat,
            size: granted.format.size,
            bytesPerLine: granted.format.bytesPerLine,
            isFullRange: granted.format.isFullRange || granted.format.pixelFormat.isJPEG,
            clock: reading,
            isDamaged: buffer.hasError
        )
        let filled = unsafe mapped.memory.prefix(max(0, buffer.byteCount))
        unsafe receiver.receive(UnsafeRawBufferPointer(rebasing: filled).bytes, info)
        deliveredCount += 1
        lastTimestamp = info.timestamp
    }

    /// The driver's time where it can be true, else our own.
    ///
    /// It can be true when it is of the monotonic clock, not older than ten seconds, less than an interval in the future
    /// (some drivers stamp with the time a frame should have had), and later than the frame before. Otherwise it is the
    /// time of taking it less one frame, which is when its exposure began at the latest.
    private func timestamp(of buffer: DequeuedBuffer, dequeued: MonotonicTime) -> MonotonicTime {
        let interval = granted.frameInterval.duration
        let age = dequeued.duration(since: buffer.timestamp)
        let told = min(buffer.timestamp, dequeued)
        let isOrdered = lastTimestamp.map { $0 < told } ?? true
        if buffer.timestampClock == .monotonic, (.zero - interval)...Duration.seconds(10) ~= age, isOrdered {
            return told
        }
        let guessed = dequeued.advanced(by: .zero - interval)
        guard let lastTimestamp, lastTimestamp >= guessed else { return guessed }
        return min(lastTimestamp.advanced(by: .microseconds(1)), dequeued)
    }

    private func stuck(_ what: String) -> CaptureError {
        CaptureError(.deviceFailed, "the camera is stuck: \(what)", deviceID: device.id)
    }
}
