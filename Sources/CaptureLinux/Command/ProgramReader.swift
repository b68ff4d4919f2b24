import Capture
import Glibc
import MediaFormats
import PhotoModel
import SystemPackage

/// One picture that a program wrote.
struct ProgramPicture {
    /// A JPEG, or planes; empty if incomplete.
    let bytes: [UInt8]
    /// The index of the piece in the program's output, from 0.
    let number: UInt32
    /// Its index among the program's pictures, which metadata refers to; nil for anything but a picture.
    let place: Int?
    /// When it was read.
    let arrival: ClockReading
    /// When it was exposed, as the program reports; nil if it does not.
    var exposure: MonotonicTime?

    /// Whether it is complete.
    var isWhole: Bool { !bytes.isEmpty }

    /// Its width and height; nil if it is incomplete or its size is unusable.
    func size(_ pictures: CameraProgram.Pictures) -> PixelSize? {
        guard isWhole else { return nil }
        guard case .motionJPEG = pictures else { return pictures.size }
        guard let size = try? bytes.withBytes({ try JPEGHeader($0).pixelSize }) else { return nil }
        return 2...16_384 ~= size.width && 2...16_384 ~= size.height ? size : nil
    }
}

/// Reads a running program's output: pictures, their timestamps, and its last error line.
final class ProgramReader: @unchecked Sendable {
    // Guarded by handing it over: the opening thread uses it first, then only the camera's thread.

    /// Why a wait ended.
    enum Event {
        /// A picture, or part of one.
        case picture(ProgramPicture)
        /// The deadline passed.
        case silence
        /// It was woken.
        case woken
        /// The program ended, or cannot be read.
        case ended(CaptureError)
    }

    private static let chunk = 256 << 10

    /// The program that was started.
    let program: CameraProgram
    private let limits: CameraProgram.Limits
    private let clock: any CaptureClock
    private let deviceID: CaptureDevice.ID
    private var child: ChildProgram?
    /// The pipes for pictures, errors and timestamps; -1 once closed, and then no longer polled.
    private var sources: [Int32]
    private var cutter: PictureCutter
    private var times = SensorTimes()
    private var words = LastLine()
    private var waiting: [ProgramPicture] = []
    private var count: UInt32 = 0
    private var pictureCount = 0
    /// Whether it has written anything to standard output.
    private(set) var hasOutput = false
    private var buffer = [UInt8](repeating: 0, count: chunk)

    /// Starts the program.
    ///
    /// - Throws: `unsupported` if there is no such program, `deviceFailed` if it cannot be started.
    init(
        _ program: CameraProgram,
        limits: CameraProgram.Limits,
        clock: any CaptureClock,
        deviceID: CaptureDevice.ID
    ) throws(CaptureError) {
        self.program = program
        self.limits = limits
        self.clock = clock
        self.deviceID = deviceID
        cutter = PictureCutter(program.pictures)
        let pipes: ChildProgram.Pipes = program.hasMetadata ? .outputsAndMetadata : .outputs
        let child = try ChildProgram.start(program.resolved(), pipes: pipes)
        sources = [child.output, child.errors, child.metadata]
        self.child = child
    }

    deinit { close() }

    /// Ends the program if it is still running; blocks.
    func close() {
        _ = child.take()?.end(patience: limits.end)
    }

    /// Returns pictures to the front of the queue.
    func putBack(_ pictures: [ProgramPicture]) {
        waiting.insert(contentsOf: pictures, at: 0)
    }

    /// Waits for the next picture.
    ///
    /// - Parameters:
    ///   - waker: ends the wait.
    ///   - deadline: when to give up.
    /// - Returns: the picture, or why it was not delivered.
    func next(_ waker: Waker, until deadline: MonotonicTime) -> Event {
        while true {
            let now = clock.reading().monotonic
            if let picture = ready(now) { return .picture(picture) }
            if isOver { return .ended(lastWords()) }
            // A picture whose timestamp is late is delivered without it.
            let held = waiting.first.map { $0.arrival.monotonic.advanced(by: limits.metadata) }
            let end = min(deadline, held ?? deadline)
            guard now < end else { return .silence }
            do throws(Errno) {
                if try read(waker, atMost: end.duration(since: now)) { return .woken }
            } catch {
                let message = "its program cannot be read"
                return .ended(CaptureError(.deviceFailed, message, deviceID: deviceID, cause: error))
            }
        }
    }

    /// Removes and returns the first picture, unless its timestamp may still come.
    private func ready(_ now: MonotonicTime) -> ProgramPicture? {
        guard let first = waiting.first else { return nil }
        let waited = now.duration(since: first.arrival.monotonic)
        let isTimed = !program.hasMetadata || !first.isWhole || first.exposure != nil
        guard isTimed || waiting.count > 1 || isOver || waited >= limits.metadata else { return nil }
        return waiting.removeFirst()
    }

    /// Whether the program has closed its standard output.
    private var isOver: Bool { sources[0] < 0 }

    /// Waits for the program and reads what is available; true if woken.
    private func read(_ waker: Waker, atMost limit: Duration) throws(Errno) -> Bool {
        var descriptors = ([waker.rawValue] + sources).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        // Rounded up to a millisecond, since poll would not wait for less.
        try pollDescriptors(&descriptors, atMost: limit + .milliseconds(1))
        if descriptors[0].revents != 0 { return true }
        if descriptors[2].revents != 0 { _ = try take(1) { words.append($0) } }
        if descriptors[1].revents != 0 {
            let reading = try take(0) { keep(cutter.pieces(with: $0)) }
            if reading == .more { hasOutput = true }
            if reading == .closed, let piece = cutter.lastPiece() { keep([piece]) }
        }
        // After the pictures: a picture's timestamp is written before the next picture's first byte.
        while sources[2] >= 0, try take(2, { times.append($0) }) == .more {}
        for index in waiting.indices where waiting[index].exposure == nil {
            waiting[index].exposure = waiting[index].place.flatMap { times.time(ofFrame: $0) }
        }
        return false
    }

    private func keep(_ pieces: [PictureCutter.Piece]) {
        guard !pieces.isEmpty else { return }
        let arrival = clock.reading()
        for piece in pieces {
            var bytes: [UInt8] = []
            var place: Int? = pictureCount
            switch piece {
            case .picture(let whole): bytes = whole
            case .broken: break
            case .garbage: place = nil
            }
            waiting.append(ProgramPicture(bytes: bytes, number: count, place: place, arrival: arrival))
            count &+= 1
            if place != nil { pictureCount += 1 }
        }
    }

    private enum Reading { case more, nothing, closed }

    /// Reads one chunk of a source.
    private func take(_ source: Int, _ body: (ArraySlice<UInt8>) -> Void) throws(Errno) -> Reading {
        let count = unsafe Glibc.read(sources[source], &buffer, buffer.count)
        let number = errno
        guard count >= 0 else {
            guard number == EAGAIN || number == EINTR else { throw Errno(rawValue: number) }
            return .nothing
        }
        guard count > 0 else {
            sources[source] = -1
            return .closed
        }
        body(buffer[..<count])
        return .more
    }

    /// How the program ended, with its last error line.
    private func lastWords() -> CaptureError {
        let name = program.command.first ?? "the program"
        guard let child = child.take() else {
            return CaptureError(.deviceFailed, "\(name) has ended", deviceID: deviceID)
        }
        // A program that closes its output usually exits a moment later; its status tells more than our signal's.
        _ = child.hasEnded(within: .milliseconds(500))
        while sources[1] >= 0, (try? take(1) { words.append($0) }) == .more {}
        let status = child.end(patience: limits.end)
        let end = status < 0 ? "was ended by signal \(-status)" : "ended with status \(status)"
        let line = words.text.isEmpty ? "" : ": \(words.text)"
        return CaptureError(.deviceFailed, "\(name) \(end)\(line)", deviceID: deviceID)
    }
}
