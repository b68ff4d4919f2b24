import CaptureLinux
import PhotoModel
import Synchronization
import SystemPackage

@testable import Capture

/// A video device that answers as a test's script says, and notes what was asked of it.
final class ScriptedDevice: VideoDeviceCalls {
    /// One answer to waiting and taking a buffer.
    enum Step {
        case frame(DequeuedBuffer)
        case wait(WaitResult)
        case dequeueFails(Errno)
    }

    struct State {
        var nodes = [VideoNode(path: "/dev/video0", serialNumber: "A1")]
        var capabilities = VideoCapabilities(
            card: "Script Cam",
            busInfo: "usb-1",
            flags: [.videoCapture, .streaming, .deviceCapabilities],
            deviceFlags: [.videoCapture, .streaming]
        )
        var formats: [(format: PixelFormat, isEmulated: Bool)] = [(.motionJPEG, false)]
        var controls: [VideoControl] = []
        var values: [UInt32: Int32] = [:]
        var grantedFormat: VideoFormat?
        var grantedBuffers: UInt32 = 4
        /// The next call of this name fails with this.
        var failures: [String: Errno] = [:]
        var steps: [Step] = []
        var pending: Step?
        var calls: [String] = []
        var openDescriptors = 0
        var openWakers = 0
        var mapped = 0
        var queued: Set<UInt32> = []
    }

    static let node = VideoFormat(pixelFormat: .motionJPEG, size: PixelSize(width: 64, height: 48))
    let state: Mutex<State>

    init(_ change: (inout State) -> Void = { _ in }) {
        var start = State()
        change(&start)
        state = Mutex(start)
    }

    private func answer<Value: Sendable>(
        _ name: String,
        _ body: (inout State) throws(Errno) -> Value
    ) throws(Errno) -> Value {
        let result = state.withLock { state -> Result<Value, Errno> in
            state.calls.append(name)
            if let failure = state.failures.removeValue(forKey: name) { return .failure(failure) }
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
            return VideoDescriptor(rawValue: 3)
        }
    }

    func close(_ descriptor: VideoDescriptor) { state.withLock { $0.openDescriptors -= 1 } }

    func capabilities(_ descriptor: VideoDescriptor) throws(Errno) -> VideoCapabilities {
        try answer("capabilities") { $0.capabilities }
    }

    func format(_ descriptor: VideoDescriptor, index: UInt32) throws(Errno) -> (format: PixelFormat, isEmulated: Bool) {
        try answer("format") { state throws(Errno) in
            guard Int(index) < state.formats.count else { throw .invalidArgument }
            return state.formats[Int(index)]
        }
    }

    func frameSize(_ descriptor: VideoDescriptor, _ format: PixelFormat, index: UInt32) throws(Errno) -> VideoSizes {
        let small = PixelSize(width: 64, height: 48)
        switch index {
        case 0: return .discrete(small)
        case 1: return .range(smallest: small, largest: PixelSize(width: 640, height: 480), step: small)
        default: throw .invalidArgument
        }
    }

    func frameInterval(
        _ descriptor: VideoDescriptor,
        _ format: PixelFormat,
        _ size: PixelSize,
        index: UInt32
    ) throws(Errno) -> FrameInterval {
        guard index < 2 else { throw .invalidArgument }
        return index == 0 ? .fifteenthSecond : .thirtiethSecond
    }

    func control(_ descriptor: VideoDescriptor, after id: UInt32) throws(Errno) -> VideoControl {
        try answer("control") { state throws(Errno) in
            guard let next = state.controls.first(where: { $0.control.id > id }) else { throw .invalidArgument }
            return next
        }
    }

    func value(_ descriptor: VideoDescriptor, ofControl id: UInt32) throws(Errno) -> Int32 {
        try answer("value") { state throws(Errno) in
            guard let value = state.values[id] else { throw .invalidArgument }
            return value
        }
    }

    func setValue(_ descriptor: VideoDescriptor, ofControl id: UInt32, to value: Int32) throws(Errno) {
        try answer("setValue") { state -> Void in state.values[id] = value }
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
            return count == 0 ? 0 : state.grantedBuffers
        }
    }

    func map(_ descriptor: VideoDescriptor, index: UInt32) throws(Errno) -> MappedBuffer {
        try answer("map") { state -> Void in
            state.mapped += 1
        }
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 256, alignment: 16)
        unsafe memory.initializeMemory(as: UInt8.self, repeating: UInt8(index))
        return unsafe MappedBuffer(memory: memory)
    }

    func unmap(_ buffer: MappedBuffer) {
        unsafe buffer.memory.deallocate()
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
            if case .wait(let result) = step { return result }
            state.pending = step
            return .ready
        }
    }

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
            if state.mapped != 0 { leaks.append("\(state.mapped) mappings") }
            return leaks
        }
    }
}

/// Notes what it receives.
final class NotingReceiver: FrameReceiver {
    let frames = Mutex<[(info: FrameInfo, byteCount: Int)]>([])

    func receive(_ bytes: RawSpan, _ info: FrameInfo) {
        let count = bytes.byteCount
        frames.withLock { $0.append((info, count)) }
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
            byteCount: byteCount,
            hasError: hasError,
            sequence: sequence,
            timestamp: StandingClock.now.advanced(by: .milliseconds(-milliseconds)),
            timestampClock: clock
        )
    )
}
