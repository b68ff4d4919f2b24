import MediaFormats
import PhotoModel
import Synchronization
import SystemPackage
import TestSupport

@testable import Capture

/// A JPEG as short as one can be: beginning, scan header, some data, end.
func tinyJPEG(_ mark: UInt8 = 1, byteCount: Int = 16) -> [UInt8] {
    [0xFF, 0xD8, 0xFF, 0xDA, 0x00, 0x08, 0x01, 0x01, 0x00, 0x00, 0x3F, 0x00]
        + Array(repeating: mark & 0x7F, count: max(0, byteCount - 14)) + [0xFF, 0xD9]
}

/// A time in milliseconds after the beginning of a test.
func at(_ milliseconds: Int64) -> MonotonicTime {
    MonotonicTime(nanoseconds: 1_000_000_000_000 + milliseconds * 1_000_000)
}

/// A frame's description.
func frameInfo(_ sequence: UInt32, _ time: MonotonicTime, format: PixelFormat = .motionJPEG) -> FrameInfo {
    FrameInfo(
        sequence: sequence,
        timestamp: time,
        pixelFormat: format,
        size: PixelSize(width: 64, height: 48),
        clock: ClockReading(
            monotonic: time,
            wall: WallTime(millisecondsSince1970: 1_767_000_000_000),
            isSynchronized: true
        )
    )
}

/// A clock that shows what it is told.
final class FixedClock: CaptureClock {
    private let time = Mutex(at(0))
    let bootID: BootID? = BootID(rawValue: 7)

    func set(_ now: MonotonicTime) { time.withLock { $0 = now } }
    func reading() -> ClockReading {
        let now = time.withLock(\.self)
        return ClockReading(monotonic: now, wall: WallTime(millisecondsSince1970: 0), isSynchronized: false)
    }
    func sleep(until deadline: MonotonicTime) {}
}

/// A camera whose frames are delivered by the test.
final class HandCamera: FrameSource {
    struct State {
        var receiver: (any FrameReceiver)?
        var waiting: [CheckedContinuation<Void, Never>] = []
        var sequence: UInt32 = 0
        var openCount = 0
        var refusedFormats: [CaptureFormat] = []
        var ended: Latch?
        var failure: CaptureError?
    }

    static let format = CaptureFormat(
        pixelFormat: .motionJPEG,
        size: PixelSize(width: 64, height: 48),
        frameInterval: .thirtiethSecond
    )
    static let otherFormat = CaptureFormat(
        pixelFormat: .motionJPEG,
        size: PixelSize(width: 32, height: 24),
        frameInterval: .thirtiethSecond
    )

    let device: CaptureDevice
    let state = Mutex(State())

    init(name: String = "hand-camera") {
        device = CaptureDevice(
            id: CaptureDevice.ID(rawValue: name),
            capability: .camera,
            model: "Hand",
            formats: [Self.format, Self.otherFormat]
        )
    }

    func open(_ format: CaptureFormat) throws(CaptureError) -> any FrameStream {
        let isRefused = state.withLock { state in
            if state.refusedFormats.contains(format) { return true }
            state.openCount += 1
            return false
        }
        if isRefused { throw CaptureError(.deviceBusy, "refused by the test", deviceID: device.id) }
        return Stream(camera: self, format: format)
    }

    /// Waits until the session listens.
    func listening() async {
        await withCheckedContinuation { continuation in
            let isReady = state.withLock { state in
                if state.receiver != nil { return true }
                state.waiting.append(continuation)
                return false
            }
            if isReady { continuation.resume() }
        }
    }

    /// Delivers a frame taken at a time; false when nobody listens.
    @discardableResult
    func deliver(_ time: MonotonicTime, _ bytes: [UInt8] = tinyJPEG()) -> Bool {
        let (receiver, sequence) = state.withLock { state in
            defer { state.sequence += 1 }
            return (state.receiver, state.sequence)
        }
        guard let receiver else { return false }
        bytes.withBytes { receiver.receive($0, frameInfo(sequence, time)) }
        return true
    }

    /// Delivers frames of 30 a second from one time to another, in milliseconds.
    func deliver(_ times: ClosedRange<Int64>) {
        var index: Int64 = 0
        while times.lowerBound + index * 100 / 3 <= times.upperBound {
            deliver(at(times.lowerBound + index * 100 / 3))
            index += 1
        }
    }

    /// Ends the stream as an unplugged camera does.
    func unplug() {
        let ended = state.withLock { state in
            state.failure = CaptureError(.deviceLost, "unplugged by the test", deviceID: device.id)
            return state.ended
        }
        ended?.open()
    }

    struct Stream: FrameStream {
        let camera: HandCamera
        let format: CaptureFormat
        let ended = Latch()

        func run(_ receiver: any FrameReceiver) async throws(CaptureError) {
            let waiting = camera.state.withLock { state in
                state.receiver = receiver
                state.ended = ended
                defer { state.waiting = [] }
                return state.waiting
            }
            for continuation in waiting { continuation.resume() }
            try await ended.cancelling { () throws(CaptureError) in
                let (never, continuation) = AsyncStream<Void>.makeStream()
                for await _ in never {}
                withExtendedLifetime(continuation) {}
            }
            let failure = camera.state.withLock { state in
                state.receiver = nil
                defer { state.failure = nil }
                return state.failure
            }
            if let failure { throw failure }
        }

        func stop() { ended.open() }
    }
}

/// Judges every frame alike and refuses raw ones.
struct NoCompressor: FrameCompressor {
    func jpeg(of bytes: RawSpan, _ info: FrameInfo) throws(CaptureError) -> [UInt8] {
        throw CaptureError(.unsupported, "no raw frames in this test")
    }
    func meanLuma(of bytes: RawSpan, _ info: FrameInfo) -> Double? { 0.5 }
}

/// Notes what it is asked to write, and fails when told to.
final class NotingRecorder: CaptureRecorder {
    struct Notes {
        var stills: [AssetID: MonotonicTime] = [:]
        var movies: [AssetID: [MonotonicTime]] = [:]
        var chunkCounts: [AssetID: Int] = [:]
        var failsStill = false
        var failsMovie = false
    }

    let notes = Mutex(Notes())

    private static func file(_ path: FilePath) throws(CaptureError) -> RecordedFile {
        guard let digest = ContentDigest(bytes: [UInt8](repeating: 0, count: 32)) else {
            throw CaptureError(.storageFailed, "no digest")
        }
        return RecordedFile(path: path, byteCount: 1, digest: digest, contentType: "test/test")
    }

    func recordStill(_ request: StillRequest) async throws(CaptureError) -> RecordedStill {
        let fails = notes.withLock { notes in
            notes.stills[request.description.id] = request.frame.timestamp
            return notes.failsStill
        }
        if fails { throw CaptureError(.storageFailed, "the disk is full in this test") }
        return RecordedStill(file: try Self.file(request.path), pixelSize: request.frame.info.size)
    }

    func recordMovie(_ request: MovieRequest) async throws(CaptureError) -> RecordedMovie {
        var times: [MonotonicTime] = []
        for await frame in request.frames where frame.timestamp >= request.start { times.append(frame.timestamp) }
        var chunks = 0
        if let audio = request.audio {
            for await _ in audio.chunks { chunks += 1 }
        }
        if Task.isCancelled { throw CaptureError(.cancelled, "given up") }
        let fails = notes.withLock { notes in
            notes.movies[request.description.id] = times
            notes.chunkCounts[request.description.id] = chunks
            return notes.failsMovie
        }
        if fails { throw CaptureError(.encodingFailed, "the encoder failed in this test") }
        return RecordedMovie(
            file: try Self.file(request.path),
            duration: .seconds(3),
            photoDisplayTime: .seconds(1),
            pixelSize: PixelSize(width: 64, height: 48),
            silence: nil
        )
    }
}

/// Decisions in memory, counting questions.
actor MemoryConsentStore: ConsentStore {
    private var decisions: [ConsentSubject: ConsentStatus] = [:]

    func status(for subject: ConsentSubject) -> ConsentStatus { decisions[subject] ?? .notDetermined }
    func setStatus(_ status: ConsentStatus, for subject: ConsentSubject) { decisions[subject] = status }
}

/// Answers alike, and counts how often it was asked.
final class CountingPrompter: ConsentPrompter {
    let count = Atomic<Int>(0)
    let answer: Bool?

    init(answer: Bool?) { self.answer = answer }

    func ask(for subject: ConsentSubject) async -> Bool? {
        count.add(1, ordering: .relaxed)
        await Task.yield()
        return answer
    }
}

/// A session over a hand-driven camera, ready to shoot.
struct Bench {
    let clock = FixedClock()
    let recorder = NotingRecorder()
    let camera = HandCamera()
    let desk = Consents(store: MemoryConsentStore(), prompter: CountingPrompter(answer: true))
    let session: CaptureSession
    let consent: CaptureConsent

    var subject: ConsentSubject { ConsentSubject(capability: .camera, deviceID: camera.device.id) }

    init() async throws {
        session = CaptureSession(clock: clock, recorder: recorder, compressor: NoCompressor())
        let subject = ConsentSubject(capability: .camera, deviceID: camera.device.id)
        _ = try await desk.requestAccess(for: subject)
        consent = try await desk.consent(for: subject)
    }

    /// Runs a started session for as long as the body takes; five frames have settled the exposure, the last at 0 ms.
    static func open(
        _ change: @Sendable (inout CapturePhotoOutput) -> Void = { _ in },
        body: (Bench) async throws -> Void
    ) async throws {
        let bench = try await Bench()
        var output = CapturePhotoOutput()
        output.isLivePhotoCaptureEnabled = true
        output.audioPolicy = .optional
        change(&output)
        let input = try CameraInput(bench.camera, consent: bench.consent)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await bench.session.run() }
            try await bench.session.configure { [output] configuration in
                configuration.camera = input
                configuration.photoOutput = output
            }
            try await bench.start()
            try await body(bench)
            await bench.session.shutdown()
            try await group.waitForAll()
        }
    }

    /// Starts the session while frames come.
    func start() async throws {
        async let started: Void = session.start()
        await camera.listening()
        camera.deliver(-134...0)
        try await started
    }

    /// Settings for a shot at a time in milliseconds.
    func settings(_ id: UInt128, at milliseconds: Int64, isLive: Bool = true) -> CapturePhotoSettings {
        var settings = CapturePhotoSettings(uniqueID: AssetID(rawValue: id), folder: "/nowhere")
        settings.isLivePhoto = isLive
        settings.requestedTime = at(milliseconds)
        return settings
    }
}

extension PhotoCapture {
    /// The names of the events in the order in which they came.
    func eventNames() async -> [String] {
        var names: [String] = []
        for await event in events { names.append(event.name) }
        return names
    }
}

extension PhotoCaptureEvent {
    var name: String {
        switch self {
        case .willBegin: "willBegin"
        case .willCapture: "willCapture"
        case .didCapture: "didCapture"
        case .photo: "photo"
        case .rawPhoto: "rawPhoto"
        case .movieRecordingStopped: "movieRecordingStopped"
        case .movie: "movie"
        case .finished(nil): "finished"
        case .finished: "finished with error"
        }
    }
}
