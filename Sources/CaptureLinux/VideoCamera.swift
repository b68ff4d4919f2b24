package import Capture
import Glibc
import SystemPackage

/// A Video4Linux camera.
package struct VideoCamera: FrameSource {
    /// What it is and what it offers.
    package let device: CaptureDevice
    private let calls: any VideoDeviceCalls
    private let clock: any CaptureClock

    init(device: CaptureDevice, calls: any VideoDeviceCalls, clock: any CaptureClock) {
        self.device = device
        self.calls = calls
        self.clock = clock
    }

    /// Opens the camera at the node that it has now and agrees on a format.
    ///
    /// The driver may grant another size or interval than asked for; another pixel format is refused when it is none
    /// that the session can use.
    package func open(_ format: CaptureFormat) async throws(CaptureError) -> any FrameStream {
        let device = VideoDevice(id: device.id, calls: calls, clock: clock)
        let granted = try device.open(format)
        return VideoStream(device: device, granted: granted)
    }

    /// The value of a control now; drivers often tell an old one while an automatic mode is on.
    package func value(of control: CaptureControl) async throws(CaptureError) -> Int32 {
        try withNode { device, descriptor throws(CaptureError) in
            try device.calling("read \(control.name) of") { () throws(Errno) in
                try device.calls.value(descriptor, ofControl: control.id)
            }
        }
    }

    /// Sets a control, also while the camera streams; automatic modes must be switched off before manual values.
    ///
    /// - Parameters:
    ///   - control: one of ``device``'s.
    ///   - value: a value of its range.
    /// - Throws: `unsupported` when the value is outside the range or the driver refuses it, `deviceLost` and the like.
    package func set(_ control: CaptureControl, to value: Int32) async throws(CaptureError) {
        guard control.range.contains(Int64(value)) else {
            throw CaptureError(.unsupported, "\(control.name) takes \(control.range)", deviceID: device.id)
        }
        try withNode { device, descriptor throws(CaptureError) in
            try device.calling("set \(control.name) of", refusal: .unsupported) { () throws(Errno) in
                try device.calls.setValue(descriptor, ofControl: control.id, to: value)
            }
        }
    }

    private func withNode<Value>(
        _ body: (VideoDevice, VideoDescriptor) throws(CaptureError) -> Value
    ) throws(CaptureError) -> Value {
        let device = VideoDevice(id: device.id, calls: calls, clock: clock)
        let descriptor = try device.openNode()
        defer { calls.close(descriptor) }
        return try body(device, descriptor)
    }
}

/// An open node with its buffers; used by one thread at a time.
struct VideoDevice: Sendable {
    /// How many buffers are asked for: one being filled, one being read, two to be late.
    static let bufferCount: UInt32 = 4
    /// The most that a driver may grant.
    static let largestBufferCount: UInt32 = 32

    /// What the driver agreed to.
    struct Granted: Sendable {
        let descriptor: VideoDescriptor
        let format: VideoFormat
        let frameInterval: FrameInterval
    }

    let id: CaptureDevice.ID
    let calls: any VideoDeviceCalls
    let clock: any CaptureClock

    /// Finds the camera's node, opens it and agrees on a format.
    func open(_ wanted: CaptureFormat) throws(CaptureError) -> Granted {
        let descriptor = try openNode()
        do throws(CaptureError) {
            let format = try calling("set the format of", refusal: .unsupported) { () throws(Errno) in
                try calls.setFormat(
                    descriptor,
                    VideoFormat(pixelFormat: wanted.pixelFormat, size: wanted.size)
                )
            }
            guard format.pixelFormat == wanted.pixelFormat else {
                throw CaptureError(.unsupported, "the camera insists on \(format.pixelFormat)", deviceID: id)
            }
            let interval = try calling("set the frame rate of", refusal: .unsupported) { () throws(Errno) in
                try calls.setFrameInterval(descriptor, wanted.frameInterval)
            }
            return Granted(descriptor: descriptor, format: format, frameInterval: interval ?? wanted.frameInterval)
        } catch {
            calls.close(descriptor)
            throw error
        }
    }

    /// Opens the node that the camera has now.
    func openNode() throws(CaptureError) -> VideoDescriptor {
        guard let node = VideoCameraDiscovery(calls: calls, clock: clock).node(of: id) else {
            throw CaptureError(.deviceLost, "the camera is not plugged in", deviceID: id)
        }
        return try calling("open") { () throws(Errno) in try calls.open(node.path) }
    }

    /// Asks for buffers, maps them, gives them to the driver and begins streaming.
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

    /// Ends streaming and gives everything back; what fails then changes nothing.
    func stop(_ descriptor: VideoDescriptor, _ buffers: [MappedBuffer]) {
        try? calls.streamOff(descriptor)
        for index in unsafe buffers.indices { unsafe calls.unmap(buffers[index]) }
        _ = try? calls.requestBuffers(descriptor, count: 0)
    }

    /// Turns an error number into what it means for this camera (vidioc-*.rst, "Return Value").
    ///
    /// `EINVAL` is the fault of what was asked for only in calls that ask for something; they say so by `refusal`.
    func calling<Value>(
        _ verb: String,
        refusal: CaptureError.Code = .deviceFailed,
        _ call: () throws(Errno) -> Value
    ) throws(CaptureError) -> Value {
        do throws(Errno) {
            return try call()
        } catch {
            throw failure(verb, error, refusal: refusal)
        }
    }

    /// The error of a call that failed.
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
