import Capture
import Glibc
import Synchronization
import SystemPackage

/// An open node with its buffers; used by one thread at a time.
struct VideoDevice: Sendable {
    /// The number of requested buffers: one being filled, one being read, two for delays.
    static let bufferCount: UInt32 = 4
    /// The most that a driver may grant.
    static let largestBufferCount: UInt32 = 32

    /// How long to leave a camera alone that did not respond, before each retry.
    static let answerPauses: [Duration] = [.milliseconds(100), .milliseconds(400)]

    /// The negotiated parameters.
    struct Granted: Sendable {
        let descriptor: VideoDescriptor
        let format: VideoFormat
        let frameInterval: FrameInterval
        /// The values to keep while streaming, by control number.
        let heldControls: [UInt32: Int32]
        /// The values to restore at the end.
        let savedControls: [UInt32: Int32]
        /// The camera's own lock, to be closed once its automatics have settled; nil if none.
        var lateLock: Int32?

        var captureFormat: CaptureFormat {
            CaptureFormat(pixelFormat: format.pixelFormat, size: format.size, frameInterval: frameInterval)
        }
    }

    /// The values a camera must keep when it returns, by control number; shared by the locker and the camera's streams.
    final class LockedControls: Sendable {
        private let values = Mutex<[UInt32: Int32]>([:])

        func withLock<Value: Sendable>(_ body: (inout [UInt32: Int32]) -> Value) -> Value {
            values.withLock { values in body(&values) }
        }
    }

    /// The longest line of a picture for which memory is allocated, in bytes.
    private static let longestLine = 1 << 20

    let id: CaptureDevice.ID
    let calls: any VideoDeviceCalls
    let clock: any CaptureClock
    let locked = LockedControls()

    /// Finds the camera's node, opens it and negotiates a format.
    func open(_ wanted: CaptureFormat) throws(CaptureError) -> Granted {
        let descriptor = try openNode()
        do throws(CaptureError) {
            return try negotiate(descriptor, wanted)
        } catch {
            calls.close(descriptor)
            throw error
        }
    }

    /// Reopens the camera; if the format is no longer available, in the best available one.
    func reopen(_ wanted: CaptureFormat) throws(CaptureError) -> Granted {
        let descriptor = try openNode()
        do throws(CaptureError) {
            do throws(CaptureError) {
                return try negotiate(descriptor, wanted)
            } catch let error where error.code == .unsupported {
                guard let best = FormatList(calls: calls, descriptor: descriptor).formats.first else { throw error }
                return try negotiate(descriptor, best)
            }
        } catch {
            calls.close(descriptor)
            throw error
        }
    }

    /// Locks a returning camera as before, or returns why it is not; the open camera records a pending lock.
    ///
    /// Values are set at once. The camera's own lock would only stop its automatics, which have restarted: it waits
    /// until they have settled.
    func lockAgain(_ granted: inout Granted) -> CaptureError? {
        var held = locked.withLock { $0 }
        granted.lateLock = held.removeValue(forKey: CameraControl.lock.id)
        do throws(CaptureError) {
            let controls = CameraControls(device: self, descriptor: granted.descriptor)
            try controls.restore(ControlSnapshot(values: held))
            return nil
        } catch {
            let message = "the camera came back, but its lock could not be restored: \(error.message)"
            return CaptureError(error.code, message, deviceID: id, cause: error.cause)
        }
    }

    /// Restores what was changed for streaming, and closes the node.
    func close(_ granted: Granted) {
        for (id, value) in granted.savedControls {
            try? calls.setValue(granted.descriptor, ofControl: id, to: value)
        }
        calls.close(granted.descriptor)
    }

    /// Opens the camera's current node.
    func openNode() throws(CaptureError) -> VideoDescriptor {
        try openCamera().0
    }

    /// The same, with the node's capabilities.
    func openCamera() throws(CaptureError) -> (VideoDescriptor, VideoCapabilities) {
        try VideoCameraDiscovery(calls: calls, clock: clock).open(id)
    }

    private func negotiate(_ descriptor: VideoDescriptor, _ wanted: CaptureFormat) throws(CaptureError) -> Granted {
        guard wanted.pixelFormat.canBeRead || BayerLayout(wanted.pixelFormat) != nil else {
            throw CaptureError(.unsupported, wanted.pixelFormat.refusal, deviceID: id)
        }
        // Before querying the timings: otherwise a change right after the response would be missed.
        try? calls.subscribe(descriptor, to: .sourceChange)
        try? calls.subscribe(descriptor, to: .endOfStream)
        // An HDMI converter delivers nothing until told the detected timings; other cameras do not know this call.
        try? calls.adoptTimings(descriptor)
        let format = try calling("set the format of", refusal: .unsupported) { () throws(Errno) in
            try calls.setFormat(descriptor, VideoFormat(pixelFormat: wanted.pixelFormat, size: wanted.size))
        }
        guard format.pixelFormat == wanted.pixelFormat else {
            throw CaptureError(.unsupported, "the camera insists on \(format.pixelFormat)", deviceID: id)
        }
        guard format.size.isPlausible, format.bytesPerLine.allSatisfy({ 0...Self.longestLine ~= $0 }) else {
            throw CaptureError(.unsupported, "the camera insists on \(format.size), which no picture has", deviceID: id)
        }
        let interval = try calling("set the frame rate of", refusal: .unsupported) { () throws(Errno) in
            try calls.setFrameInterval(descriptor, wanted.frameInterval)
        }
        let (held, saved) = holdFrameRate(descriptor)
        return Granted(
            descriptor: descriptor,
            format: format,
            frameInterval: interval ?? wanted.frameInterval,
            heldControls: held,
            savedControls: saved
        )
    }

    /// Forbids the camera to halve its frame rate in the dark, which would halve a movie's frames.
    ///
    /// Another program may change it back while this one streams; the driver reports that, and it is set again.
    /// Claiming priority over other programs (`VIDIOC_S_PRIORITY`) would lock out an administrator adjusting a running
    /// camera.
    private func holdFrameRate(_ descriptor: VideoDescriptor) -> (held: [UInt32: Int32], saved: [UInt32: Int32]) {
        let id = CameraControl.exposureDynamicFrameRate.id
        guard let value = try? calls.value(descriptor, ofControl: id), value != 0,
            (try? calls.setValue(descriptor, ofControl: id, to: 0)) != nil
        else { return ([:], [:]) }
        try? calls.subscribe(descriptor, to: .control(id))
        return ([id: 0], [id: value])
    }

    /// Requests and maps buffers, queues them and starts streaming.
    func start(_ descriptor: VideoDescriptor) throws(CaptureError) -> [MappedBuffer] {
        let count = try calling("get buffers of") { () throws(Errno) in
            try calls.requestBuffers(descriptor, count: Self.bufferCount)
        }
        var buffers: [MappedBuffer] = unsafe []
        do throws(CaptureError) {
            guard 1...Self.largestBufferCount ~= count else {
                throw CaptureError(.deviceFailed, "the driver granted \(count) buffers", deviceID: id)
            }
            for index in 0..<count {
                let buffer = try unsafe calling("map a buffer of") { () throws(Errno) in
                    try unsafe calls.map(descriptor, index: index)
                }
                unsafe buffers.append(buffer)
                try calling("queue a buffer of") { () throws(Errno) in try calls.queue(descriptor, index: index) }
            }
            try calling("start") { () throws(Errno) in try calls.streamOn(descriptor) }
        } catch {
            unsafe stop(descriptor, buffers)
            throw error
        }
        return unsafe buffers
    }

    /// Stops streaming and releases everything; failures at this point do not matter.
    func stop(_ descriptor: VideoDescriptor, _ buffers: [MappedBuffer]) {
        try? calls.streamOff(descriptor)
        for index in unsafe buffers.indices { unsafe calls.unmap(buffers[index]) }
        _ = try? calls.requestBuffers(descriptor, count: 0)
    }

    /// Makes a call, and converts an error number into this camera's error (vidioc-*.rst, "Return Value").
    ///
    /// A webcam that timed out (`EPROTO`, `ETIMEDOUT`) often responds after a pause. `EINVAL` is the request's fault
    /// only in calls that request something; they pass `refusal`.
    func calling<Value>(
        _ verb: String,
        refusal: CaptureError.Code = .deviceFailed,
        _ call: () throws(Errno) -> Value
    ) throws(CaptureError) -> Value {
        var pauses = Self.answerPauses[...]
        while true {
            do throws(Errno) {
                return try call()
            } catch {
                guard error == .protocolError || error == .timedOut, let pause = pauses.popFirst() else {
                    throw failure(verb, error, refusal: refusal)
                }
                calls.pause(pause)
            }
        }
    }

    /// The error for a failed call.
    func failure(_ verb: String, _ number: Errno, refusal: CaptureError.Code = .deviceFailed) -> CaptureError {
        let (code, advice): (CaptureError.Code, String) =
            switch number {
            case .resourceBusy: (.deviceBusy, "another program streams from it")
            case .noSpace: (.insufficientBandwidth, "the bus is full; use Motion JPEG, a smaller size or a lower rate")
            case .deviceGone, .noSuchAddressOrDevice, .noSuchFileOrDirectory: (.deviceLost, "it was unplugged")
            case .permissionDenied, .notPermitted: (.notAuthorized, "give the service access to the video group")
            case .invalidArgument: (refusal, "the driver refused the request")
            default: (.deviceFailed, "the driver failed")
            }
        return CaptureError(code, "cannot \(verb) the camera: \(advice)", deviceID: id, cause: number)
    }
}

extension Errno {
    /// `ENODEV`: the device was unplugged.
    static let deviceGone = Errno(rawValue: Glibc.ENODEV)
}
