import PhotoModel
import Synchronization
import SystemPackage
import Testing

@testable import Capture
@testable import CaptureLinux

/// A video device that answers as a test's script says, and notes what was asked of it.
final class ScriptedDevice: VideoDeviceCalls {
    /// One answer to waiting and taking a buffer.
    enum Step {
        case frame(DequeuedBuffer)
        case wait(WaitResult)
        case dequeueFails(Errno)
        case event(VideoEvent)
        /// The device goes, and its nodes with it.
        case unplugged
    }

    /// One answer to waiting for device nodes.
    enum NodeStep {
        case nothing
        case appears([VideoNode])
        case stopped
    }

    struct State {
        var nodes = [ScriptedDevice.camera("/dev/video0")]
        var capabilities = VideoCapabilities(
            card: "Script Cam",
            busInfo: "usb-1",
            flags: [.videoCapture, .streaming, .deviceCapabilities],
            deviceFlags: [.videoCapture, .streaming]
        )
        var formats: [(format: PixelFormat, isEmulated: Bool)] = [(.motionJPEG, false)]
        var sizes: [VideoSizes] = [.discrete(PixelSize(width: 64, height: 48))]
        var intervals: [VideoIntervals] = [.discrete(.fifteenthSecond), .discrete(.thirtiethSecond)]
        /// Whether each list gives its first entry for ever.
        var repeatsLists = false
        /// What the driver makes of a format that is tried; nil when it cannot try.
        var tried: (@Sendable (VideoFormat) -> VideoFormat?)?
        var controls: [VideoControl] = []
        var menus: [UInt32: [UInt32: String]] = [:]
        var values: [UInt32: Int32] = [:]
        /// The controls' values once the device was unplugged: a webcam without power forgets them.
        var laterValues: [UInt32: Int32]?
        /// Controls that can be set only while another one has a value.
        var activatedBy: [UInt32: (control: UInt32, value: Int32)] = [:]
        var grantedFormat: VideoFormat?
        var grantedBuffers: UInt32 = 4
        /// The next call of this name fails with this.
        var failures: [String: Errno] = [:]
        /// Every call of this name fails with this.
        var lastingFailures: [String: Errno] = [:]
        /// The call of this name that comes next after the device was unplugged fails with this.
        var laterFailures: [String: Errno] = [:]
        var steps: [Step] = []
        var nodeSteps: [NodeStep] = []
        var events: [VideoEvent] = []
        /// The interface that each call on buffers came by.
        var interface = VideoInterface.singlePlanar
        /// How long each piece of memory of a buffer is.
        var planeLengths = [256]
        var pending: Step?
        var calls: [String] = []
        var openDescriptors = 0
        var openedPaths: [FilePath] = []
        /// The nodes that there are once one was opened.
        var nodesAfterOpening: [VideoNode]?
        var openWakers = 0
        var openConversions = 0
        var openWatches = 0
        /// How long the camera was left alone each time.
        var rests: [Duration] = []
        /// How long each wait for device nodes was to be.
        var pauses: [Duration] = []
        var mapped = 0
        var queued: Set<UInt32> = []
    }

    let state: Mutex<State>

    init(_ change: (inout State) -> Void = { _ in }) {
        var start = State()
        change(&start)
        state = Mutex(start)
    }

    /// A node of a USB camera.
    static func camera(
        _ path: FilePath,
        socket: String = "3",
        serialNumber: String? = "A1",
        isCapture: Bool? = nil
    ) -> VideoNode {
        VideoNode(
            path: path,
            name: "Script Cam",
            place: "usb:1-\(socket):1.0",
            usb: USBFunction(
                device: "/sys/devices/pci0000:00/0000:00:14.0/usb1/1-\(socket)",
                interface: "1.0",
                serialNumber: serialNumber
            ),
            isCapture: isCapture
        )
    }

    private func answer<Value: Sendable>(
        _ name: String,
        _ body: (inout State) throws(Errno) -> Value
    ) throws(Errno) -> Value {
        let result = state.withLock { state -> Result<Value, Errno> in
            state.calls.append(name)
            let failure = state.failures.removeValue(forKey: name) ?? state.lastingFailures[name]
            if let failure { return .failure(failure) }
            do throws(Errno) {
                return .success(try body(&state))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    func nodes() -> [VideoNode] { state.withLock(\.nodes) }

    func open(_ path: FilePath) throws(Errno) -> VideoDescriptor {
        try answer("open") { state in
            state.openDescriptors += 1
            state.openedPaths.append(path)
            state.nodes = state.nodesAfterOpening ?? state.nodes
            return VideoDescriptor(rawValue: 3)
        }
    }

    func close(_ descriptor: VideoDescriptor) { state.withLock { $0.openDescriptors -= 1 } }

    func capabilities(_ descriptor: VideoDescriptor) throws(Errno) -> VideoCapabilities {
        try answer("capabilities") { $0.capabilities }
    }

    func format(_ descriptor: VideoDescriptor, index: UInt32) throws(Errno) -> (format: PixelFormat, isEmulated: Bool) {
        try answer("format") { state throws(Errno) in
            let index = state.repeatsLists ? 0 : Int(index)
            guard index < state.formats.count else { throw .invalidArgument }
            return state.formats[index]
        }
    }

    func frameSize(_ descriptor: VideoDescriptor, _ format: PixelFormat, index: UInt32) throws(Errno) -> VideoSizes {
        try answer("frameSize") { state throws(Errno) in
            let index = state.repeatsLists ? 0 : Int(index)
            guard index < state.sizes.count else { throw .invalidArgument }
            return state.sizes[index]
        }
    }

    func frameInterval(
        _ descriptor: VideoDescriptor,
        _ format: PixelFormat,
        _ size: PixelSize,
        index: UInt32
    ) throws(Errno) -> VideoIntervals {
        try answer("frameInterval") { state throws(Errno) in
            let index = state.repeatsLists ? 0 : Int(index)
            guard index < state.intervals.count else { throw .invalidArgument }
            return state.intervals[index]
        }
    }

    func tryFormat(_ descriptor: VideoDescriptor, _ format: VideoFormat) throws(Errno) -> VideoFormat {
        try answer("tryFormat") { state throws(Errno) in
            guard let granted = state.tried?(format) else { throw .invalidArgument }
            return granted
        }
    }

    func adoptTimings(_ descriptor: VideoDescriptor) throws(Errno) {
        try answer("adoptTimings") { _ throws(Errno) -> Void in throw .inappropriateIOCTLForDevice }
    }

    func openConversion(_ descriptor: VideoDescriptor) throws(Errno) -> FrameConversion {
        try answer("openConversion") { state in
            state.openConversions += 1
            return FrameConversion(rawValue: 9)
        }
    }

    /// Makes every byte of the picture the first one of the frame; a frame that begins with 0 is damaged.
    func convert(
        _ conversion: FrameConversion,
        _ frame: RawSpan,
        _ format: VideoFormat,
        to picture: inout [UInt8]
    ) -> Bool {
        let first = unsafe frame.unsafeLoad(as: UInt8.self)
        for index in picture.indices { picture[index] = first }
        return first != 0
    }

    func close(_ conversion: FrameConversion) { state.withLock { $0.openConversions -= 1 } }

    func menuItem(_ descriptor: VideoDescriptor, ofControl id: UInt32, _ value: UInt32) throws(Errno) -> String {
        try answer("menuItem") { state throws(Errno) in
            guard let name = state.menus[id]?[value] else { throw .invalidArgument }
            return name
        }
    }

    func control(_ descriptor: VideoDescriptor, after id: UInt32) throws(Errno) -> VideoControl {
        try answer("control") { state throws(Errno) in
            guard let next = state.controls.first(where: { $0.control.id > id }) else { throw .invalidArgument }
            guard let partner = state.activatedBy[next.control.id], state.values[partner.control] == partner.value
            else { return next }
            return next.activated
        }
    }

    func value(_ descriptor: VideoDescriptor, ofControl id: UInt32) throws(Errno) -> Int32 {
        try answer("value") { state throws(Errno) in
            guard let value = state.values[id] else { throw .invalidArgument }
            return value
        }
    }

    func setValue(_ descriptor: VideoDescriptor, ofControl id: UInt32, to value: Int32) throws(Errno) {
        try answer("setValue \(id) \(value)") { state -> Void in state.values[id] = value }
    }

    func setFormat(_ descriptor: VideoDescriptor, _ format: VideoFormat) throws(Errno) -> VideoFormat {
        try answer("setFormat") { $0.grantedFormat ?? format }
    }

    func setFrameInterval(_ descriptor: VideoDescriptor, _ interval: FrameInterval) throws(Errno) -> FrameInterval? {
        try answer("setFrameInterval") { _ in interval }
    }

    func requestBuffers(_ descriptor: VideoDescriptor, count: UInt32) throws(Errno) -> UInt32 {
        try answer(count == 0 ? "freeBuffers" : "requestBuffers") { state in
            if count == 0 { state.queued = [] }
            state.interface = descriptor.interface
            return count == 0 ? 0 : state.grantedBuffers
        }
    }

    func map(_ descriptor: VideoDescriptor, index: UInt32) throws(Errno) -> MappedBuffer {
        let lengths = try answer("map") { state in
            state.mapped += 1
            return state.planeLengths
        }
        var planes: [UnsafeMutableRawBufferPointer] = unsafe []
        for (number, length) in lengths.enumerated() {
            let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: length, alignment: 16)
            for offset in 0..<length {
                unsafe memory[offset] = UInt8(truncatingIfNeeded: Int(index) + number * 100 + offset)
            }
            unsafe planes.append(memory)
        }
        return unsafe MappedBuffer(planes: planes)
    }

    func unmap(_ buffer: MappedBuffer) {
        for index in unsafe buffer.planes.indices { unsafe buffer.planes[index].deallocate() }
        state.withLock { $0.mapped -= 1 }
    }

    func queue(_ descriptor: VideoDescriptor, index: UInt32) throws(Errno) {
        try answer("queue") { state throws(Errno) in
            guard state.queued.insert(index).inserted else { throw .invalidArgument }
        }
    }

    func dequeue(_ descriptor: VideoDescriptor) throws(Errno) -> DequeuedBuffer {
        try answer("dequeue") { state throws(Errno) in
            defer { state.pending = nil }
            switch state.pending {
            case .frame(let buffer):
                state.queued.remove(buffer.index)
                return buffer
            case .dequeueFails(let error): throw error
            default: throw .wouldBlock
            }
        }
    }

    func streamOn(_ descriptor: VideoDescriptor) throws(Errno) { try answer("streamOn") { _ in } }
    func streamOff(_ descriptor: VideoDescriptor) throws(Errno) { try answer("streamOff") { _ in } }

    /// The script's next step; at its end somebody asks to stop.
    func wait(_ descriptor: VideoDescriptor, _ waker: Waker, atMost timeout: Duration) throws(Errno) -> WaitResult {
        try answer("wait") { state in
            guard !state.steps.isEmpty else { return .woken }
            let step = state.steps.removeFirst()
            switch step {
            case .wait(let result): return result
            case .unplugged:
                state.nodes = []
                state.failures.merge(state.laterFailures) { $1 }
                state.values = state.laterValues ?? state.values
                return .hangup
            case .event(let event):
                state.events.append(event)
                return .event
            case .frame, .dequeueFails:
                state.pending = step
                return .ready
            }
        }
    }

    func subscribe(_ descriptor: VideoDescriptor, to event: VideoEvent) throws(Errno) {
        try answer("subscribe") { _ in }
    }

    func nextEvent(_ descriptor: VideoDescriptor) throws(Errno) -> VideoEvent {
        try answer("nextEvent") { state throws(Errno) in
            guard !state.events.isEmpty else { throw .noSuchFileOrDirectory }
            return state.events.removeFirst()
        }
    }

    func pause(_ duration: Duration) { state.withLock { $0.rests.append(duration) } }

    func watchNodes() -> NodeWatch {
        state.withLock { $0.openWatches += 1 }
        return NodeWatch(rawValue: 5)
    }

    /// The script's next step; at its end nothing happens at once, and before a pause is over somebody asks to stop.
    func wait(_ watch: NodeWatch, _ waker: Waker, atMost timeout: Duration) -> WaitResult {
        state.withLock { state in
            state.calls.append("waitForNodes")
            state.pauses.append(timeout)
            guard !state.nodeSteps.isEmpty else { return timeout == .zero ? .timedOut : .woken }
            switch state.nodeSteps.removeFirst() {
            case .nothing: return .timedOut
            case .appears(let nodes):
                state.nodes = nodes
                return .ready
            case .stopped: return .woken
            }
        }
    }

    func close(_ watch: NodeWatch) { state.withLock { $0.openWatches -= 1 } }

    func makeWaker() throws(Errno) -> Waker {
        try answer("makeWaker") { state in
            state.openWakers += 1
            return Waker(rawValue: 4)
        }
    }

    func wake(_ waker: Waker) {}
    func close(_ waker: Waker) { state.withLock { $0.openWakers -= 1 } }

    /// What was not given back.
    var leaks: [String] {
        state.withLock { state in
            var leaks: [String] = []
            if state.openDescriptors != 0 { leaks.append("\(state.openDescriptors) descriptors") }
            if state.openWakers != 0 { leaks.append("\(state.openWakers) wakers") }
            if state.openWatches != 0 { leaks.append("\(state.openWatches) watches") }
            if state.openConversions != 0 { leaks.append("\(state.openConversions) conversions") }
            if state.mapped != 0 { leaks.append("\(state.mapped) mappings") }
            return leaks
        }
    }
}

extension CaptureFormat {
    /// One that a scripted device has unless its script says otherwise.
    static let scripted = CaptureFormat(
        pixelFormat: .motionJPEG,
        size: PixelSize(width: 64, height: 48),
        frameInterval: .thirtiethSecond
    )
}

extension VideoControl {
    /// The same control when it can be set.
    fileprivate var activated: VideoControl {
        let same = CaptureControl(
            id: control.id,
            name: control.name,
            kind: control.kind,
            range: control.range,
            defaultValue: control.defaultValue
        )
        return VideoControl(control: same, isNumeric: isNumeric)
    }
}

/// Notes what it receives.
final class NotingReceiver: FrameReceiver {
    let frames = Mutex<[(info: FrameInfo, bytes: [UInt8])]>([])
    let interruptions = Mutex<[CaptureError.Code]>([])

    func receive(_ bytes: RawSpan, _ info: FrameInfo) {
        let copy = unsafe bytes.withUnsafeBytes { unsafe Array($0) }
        frames.withLock { $0.append((info, copy)) }
    }

    func interrupted(by error: CaptureError) {
        interruptions.withLock { $0.append(error.code) }
    }

    var infos: [FrameInfo] { frames.withLock { $0.map(\.info) } }
}

/// A clock at 1000 seconds.
struct StandingClock: CaptureClock {
    let bootID: BootID? = nil
    static let now = MonotonicTime(nanoseconds: 1_000_000_000_000)

    func reading() -> ClockReading {
        ClockReading(monotonic: Self.now, wall: WallTime(millisecondsSince1970: 0), isSynchronized: false)
    }
    func sleep(until deadline: MonotonicTime) {}
}

/// A buffer filled so many milliseconds before now.
func filled(
    _ index: UInt32,
    _ sequence: UInt32,
    age milliseconds: Int64,
    byteCount: Int = 100,
    hasError: Bool = false,
    clock: DequeuedBuffer.TimestampClock = .monotonic
) -> ScriptedDevice.Step {
    .frame(
        DequeuedBuffer(
            index: index,
            planes: [DequeuedBuffer.Plane(byteCount: byteCount)],
            hasError: hasError,
            sequence: sequence,
            timestamp: StandingClock.now.advanced(by: .milliseconds(-milliseconds)),
            timestampClock: clock
        )
    )
}

extension VideoCameraDiscovery {
    /// The first camera of a scripted device, without being opened.
    static func first(_ device: ScriptedDevice) throws -> VideoCamera {
        try #require(VideoCameraDiscovery(calls: device, clock: StandingClock()).cameras().first)
    }
}

extension VideoCamera {
    /// The permission to use it.
    var consent: CaptureConsent { CaptureConsent(ConsentSubject(capability: .camera, deviceID: device.id)) }

    /// The same camera with its formats.
    func examined() async throws(CaptureError) -> CaptureDevice { try await examined(consent).device }
}
