import Capture
import PhotoModel
import SystemPackage

/// The loop of one streaming run: wait, dequeue, deliver, requeue.
struct FrameGrabber {
    /// A camera that delivered this many frames has settled: a second at the usual rate.
    private static let settlingFrameCount = 30

    let device: VideoDevice
    let granted: VideoDevice.Granted
    let waker: Waker
    let receiver: any FrameReceiver
    /// The number of delivered frames.
    private(set) var deliveredCount = 0
    private var joiner: PlaneJoiner?
    private var converter: FrameConverter?
    private var exposure: ManualExposure

    init(device: VideoDevice, granted: VideoDevice.Granted, waker: Waker, receiver: any FrameReceiver) {
        self.device = device
        self.granted = granted
        self.waker = waker
        self.receiver = receiver
        joiner = PlaneJoiner(granted.format)
        exposure = ManualExposure(device, granted.descriptor)
    }

    /// No frame for this long means that the stream is stuck.
    private var patience: Duration { max(.seconds(1), granted.frameInterval.duration * 5) }

    /// Streams until stopped, stuck or lost, and returns which; the stamper assigns sequence numbers and timestamps.
    mutating func run(_ stamper: inout FrameStamper) -> StreamRecovery.Ending {
        let buffers: [MappedBuffer]
        do throws(CaptureError) {
            converter = try FrameConverter(granted, device)
            unsafe buffers = try unsafe device.start(granted.descriptor)
        } catch {
            return .failed(error)
        }
        defer { unsafe device.stop(granted.descriptor, buffers) }
        while true {
            do throws(Errno) {
                let ending: StreamRecovery.Ending? =
                    switch try device.calls.wait(granted.descriptor, waker, atMost: patience) {
                    case .woken: .stopped
                    case .hangup: .failed(device.failure("read from", .deviceGone))
                    case .timedOut: .broken(stuck("it delivered no frame for \(patience)"))
                    case .error: .broken(stuck("it stopped streaming"))
                    case .event: handleEvents()
                    case .ready: try unsafe takeFrame(buffers, &stamper)
                    }
                if let ending { return ending }
            } catch .wouldBlock {
                continue
            } catch let error where error == .ioError || error == .invalidArgument {
                // After EIO the driver's state is unknown, including buffer numbers (vidioc-qbuf.rst). A refused buffer
                // would be missing from then on; a restart recreates all of them.
                return .broken(device.failure("read from", error))
            } catch {
                return .failed(device.failure("read from", error))
            }
        }
    }

    private mutating func takeFrame(
        _ buffers: [MappedBuffer],
        _ stamper: inout FrameStamper
    ) throws(Errno) -> StreamRecovery.Ending? {
        let buffer = try device.calls.dequeue(granted.descriptor)
        guard unsafe buffers.indices.contains(Int(buffer.index)) else {
            return .broken(stuck("it returned a buffer that it does not have"))
        }
        unsafe deliver(buffer, buffers[Int(buffer.index)], &stamper)
        try device.calls.queue(granted.descriptor, index: buffer.index)
        return nil
    }

    /// Handles all pending events; a frame that is also pending is dequeued after the next wait.
    private mutating func handleEvents() -> StreamRecovery.Ending? {
        while let event = try? device.calls.nextEvent(granted.descriptor) {
            switch event {
            case .sourceChange:
                let message = "the signal changed; renegotiating the format"
                return .sourceChanged(CaptureError(.reconfiguring, message, deviceID: device.id))
            case .endOfStream: return .broken(stuck("it reported the end of its stream"))
            case .control(let id):
                keepControl(id)
                exposure.controlChanged(id)
            case .other: break
            }
        }
        return nil
    }

    /// Restores a value that another program changed: it may set controls even though it cannot stream.
    private func keepControl(_ id: UInt32) {
        guard let value = granted.heldControls[id] else { return }
        try? device.calls.setValue(granted.descriptor, ofControl: id, to: value)
    }

    /// Locks the automatics of a camera that was locked before it disappeared, now that they have settled.
    private func closeLock() {
        guard let value = granted.lateLock else { return }
        try? device.calls.setValue(granted.descriptor, ofControl: CameraControl.lock.id, to: value)
    }

    private mutating func deliver(_ buffer: DequeuedBuffer, _ mapped: MappedBuffer, _ stamper: inout FrameStamper) {
        let reading = device.clock.reading()
        let stamp = stamper.stamp(buffer, dequeued: reading.monotonic, interval: granted.frameInterval.duration)
        let info = FrameInfo(
            sequence: stamp.number,
            timestamp: stamp.timestamp,
            pixelFormat: converter == nil ? joiner?.pixelFormat ?? granted.format.pixelFormat : .i420,
            size: granted.format.size,
            bytesPerLine: converter == nil ? granted.format.bytesPerLine.first ?? 0 : granted.format.size.width,
            isFullRange: granted.format.isFullRange || granted.format.pixelFormat.isJPEG,
            clock: reading,
            isDamaged: buffer.hasError,
            exposureTime: exposure.next()
        )
        deliveredCount += 1
        if deliveredCount == Self.settlingFrameCount { closeLock() }
        let planes = unsafe zip(mapped.planes, buffer.planes).map { memory, plane in
            unsafe UnsafeRawBufferPointer(rebasing: memory[plane.range(in: memory.count)])
        }
        if joiner != nil {
            let receiver = receiver
            unsafe joiner?.join(planes) { receiver.receive($0, info) }
        } else if let converter, let plane = unsafe planes.first {
            let receiver = receiver
            unsafe converter.convert(plane.bytes) { receiver.receive($0, info) }
        } else if let plane = unsafe planes.first {
            unsafe receiver.receive(plane.bytes, info)
        }
    }

    private func stuck(_ what: String) -> CaptureError {
        CaptureError(.deviceFailed, "the camera is stuck: \(what)", deviceID: device.id)
    }
}
