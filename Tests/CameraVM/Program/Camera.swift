import Capture
import CaptureLinux
import PhotoModel

/// A frame that was delivered, with a copy of its bytes.
struct CollectedFrame: Sendable {
    let info: FrameInfo
    let bytes: [UInt8]
}

/// Collects frames as they are delivered.
private final class FrameCollector: FrameReceiver {
    let frames: AsyncStream<CollectedFrame>
    private let sink: AsyncStream<CollectedFrame>.Continuation

    init() {
        (frames, sink) = AsyncStream.makeStream()
    }

    func receive(_ bytes: RawSpan, _ info: FrameInfo) {
        let copy = unsafe bytes.withUnsafeBytes { unsafe Array($0) }
        sink.yield(CollectedFrame(info: info, bytes: copy))
    }

    func finish() {
        sink.finish()
    }
}

/// What came of streaming from a camera.
struct Streaming: Sendable {
    /// The format that the camera agreed to.
    let format: CaptureFormat
    /// The frames in the order of delivery.
    var frames: [CollectedFrame] = []
    /// Why the stream ended by itself; nil when it was stopped.
    var failure: CaptureError?

    /// Whether the numbers of the frames rise.
    var isNumbered: Bool {
        zip(frames, frames.dropFirst()).allSatisfy { $0.info.sequence < $1.info.sequence }
    }

    /// How many frames the sequence numbers leave out.
    var missingCount: Int {
        zip(frames, frames.dropFirst()).reduce(0) { $0 + Int($1.1.info.sequence &- $1.0.info.sequence) - 1 }
    }

    /// How long after the frame before each frame was taken.
    var intervals: [Duration] {
        zip(frames, frames.dropFirst()).map { $1.info.timestamp.duration(since: $0.info.timestamp) }
    }
}

extension FrameSource {
    /// The camera's format of this kind and size, the fastest at most so fast.
    func format(_ pixelFormat: PixelFormat, _ size: PixelSize, atMost framesPerSecond: Double = 60) throws
        -> CaptureFormat
    {
        let found = device.formats.filter {
            $0.pixelFormat == pixelFormat && $0.size == size && $0.frameInterval.framesPerSecond <= framesPerSecond
        }
        guard let best = found.max(by: { $0.frameInterval.framesPerSecond < $1.frameInterval.framesPerSecond }) else {
            throw MachineError("the camera offers no \(pixelFormat) of \(size.width)x\(size.height): \(device.formats)")
        }
        return best
    }

    /// Streams until so many frames were delivered, or the stream ends by itself.
    ///
    /// - Parameters:
    ///   - count: how many frames.
    ///   - format: the format to ask for.
    ///   - event: happens after these frames, while the stream runs.
    ///   - laterCount: how many frames to take from after the event.
    /// - Returns: the frames and how it ended.
    /// - Throws: why the camera could not be opened, and what `event` throws.
    func stream(
        _ count: Int,
        _ format: CaptureFormat,
        then event: () async throws -> Void = {},
        andAfterwards laterCount: Int = 0
    ) async throws -> Streaming {
        let stream = try await open(format)
        let collector = FrameCollector()
        async let end: CaptureError? = {
            defer { collector.finish() }
            do throws(CaptureError) {
                try await stream.run(collector)
                return nil
            } catch {
                return error
            }
        }()
        defer { stream.stop() }
        var streaming = Streaming(format: stream.format)
        var frames = collector.frames.makeAsyncIterator()
        while streaming.frames.count < count, let frame = await frames.next() { streaming.frames.append(frame) }
        try await event()
        let time = Cameras.clock.reading().monotonic
        var left = laterCount
        while left > 0, let frame = await frames.next() {
            streaming.frames.append(frame)
            if frame.info.clock.monotonic > time { left -= 1 }
        }
        stream.stop()
        streaming.failure = await end
        return streaming
    }

    /// The error that opening or streaming ends with before the first frame; nil when a frame was delivered.
    func failureToStart(_ format: CaptureFormat) async -> CaptureError? {
        do {
            return try await stream(1, format).failure
        } catch {
            return error as? CaptureError
        }
    }
}

/// The cameras of the machine.
enum Cameras {
    static let clock: any CaptureClock = SystemCaptureClock()
    static let small = PixelSize(width: 320, height: 180)
    static let medium = PixelSize(width: 640, height: 480)

    private static let desk = Consents(store: Decisions(), prompter: Nobody())

    /// The permission to use a camera, which everybody has agreed to.
    static func consent(for camera: any FrameSource) async throws -> CaptureConsent {
        try await desk.consent(for: ConsentSubject(capability: .camera, deviceID: camera.device.id))
    }

    /// All cameras there are, with what they offer; nodes that turn out to be none are left out.
    static func all() async throws -> [any FrameSource] {
        var cameras: [any FrameSource] = []
        for camera in VideoCameraDiscovery(clock: clock).cameras() {
            do {
                cameras.append(try await camera.examined(try await consent(for: camera)))
            } catch let error as CaptureError where error.code == .unsupported {
                continue
            }
        }
        return cameras
    }

    /// The only camera there is.
    static func only() async throws -> any FrameSource {
        let cameras = try await all()
        guard let camera = cameras.first, cameras.count == 1 else {
            throw MachineError("one camera was expected: \(cameras.map(\.device.id.rawValue))")
        }
        return camera
    }
}
