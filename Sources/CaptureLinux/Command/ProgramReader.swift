import Capture
import Glibc
import MediaFormats
import PhotoModel
import SystemPackage

/// One picture of a program.
struct ProgramPicture {
    /// A JPEG, or planes; empty when it is not whole.
    let bytes: [UInt8]
    /// Counts what the program wrote, from 0.
    let number: UInt32
    /// Its place among the program's pictures, by which metadata is told; nil for what is no picture at all.
    let place: Int?
    /// When it was read.
    let arrival: ClockReading
    /// When it was exposed, as the program tells; nil when it does not.
    var exposure: MonotonicTime?

    /// Whether it can be used.
    var isWhole: Bool { !bytes.isEmpty }

    /// Its width and height; nil when it is not whole, or tells none that can be used.
    func size(_ pictures: CameraProgram.Pictures) -> PixelSize? {
        guard isWhole else { return nil }
        guard case .motionJPEG = pictures else { return pictures.size }
        guard let size = try? bytes.withBytes({ try JPEGHeader($0).pixelSize }) else { return nil }
        return 2...16_384 ~= size.width && 2...16_384 ~= size.height ? size : nil
    }
}

/// Reads what a program that was started writes: pictures, their times, and its last words.
final class ProgramReader: @unchecked Sendable {
    // Guarded by being handed over: whoever opens the camera uses it first, then the camera's thread alone.

    /// What came of waiting.
    enum Event {
        /// A picture, or part of one.
        case picture(ProgramPicture)
        /// Nothing came until the deadline.
        case silence
        /// Somebody woke it.
        case woken
        /// The program ended, or cannot be read.
        case ended(CaptureError)
    }

    private static let chunk = 256 << 10

    /// What was started.
    let program: CameraProgram
    private let limits: CameraProgram.Limits
    private let clock: any CaptureClock
    private let deviceID: CaptureDevice.ID
    private var child: ChildProgram?
    /// The ends that the program has not closed: pictures, last words, times; -1 for the others, which are not waited for.
    private var sources: [Int32]
    private var cutter: PictureCutter
    private var times = SensorTimes()
    private var words = LastLine()
    private var waiting: [ProgramPicture] = []
    private var count: UInt32 = 0
    private var pictureCount = 0
    /// Whether anything came on its standard output.
    private(set) var hasOutput = false
    private var buffer = [UInt8](repeating: 0, count: chunk)

    /// Starts the program.
    ///
    /// - Throws: `unsupported` when there is none of its name, `deviceFailed` when it cannot be started.
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
        let child = try ChildProgram.start(program.resolved(), hasMetadata: program.hasMetadata)
        sources = [child.output, child.errors, child.metadata]
        self.child = child
    }

    deinit { close() }

    /// Ends the program, if it still runs; blocks.
    func close() {
        _ = child.take()?.end(patience: limits.end)
    }

    /// Puts pictures back that were taken out.
    func putBack(_ pictures: [ProgramPicture]) {
        waiting.insert(contentsOf: pictures, at: 0)
    }

    /// Waits for the next picture.
    ///
    /// - Parameters:
    ///   - waker: ends the wait.
    ///   - deadline: until when.
    /// - Returns: what came of it.
    func next(_ waker: Waker, until deadline: MonotonicTime) -> Event {
        while true {
            let now = clock.reading().monotonic
            if let picture = ready(now) { return .picture(picture) }
            if isOver { return .ended(lastWords()) }
            // A picture that lacks its time is given without it before its wait is over.
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

    /// Takes out the first picture, if there is nothing about it to wait for.
    private func ready(_ now: MonotonicTime) -> ProgramPicture? {
        guard let first = waiting.first else { return nil }
        let waited = now.duration(since: first.arrival.monotonic)
        let isTimed = !program.hasMetadata || !first.isWhole || first.exposure != nil
        guard isTimed || waiting.count > 1 || isOver || waited >= limits.metadata else { return nil }
        return waiting.removeFirst()
    }

    /// Whether the program has closed its standard output.
    private var isOver: Bool { sources[0] < 0 }

    /// Waits for the program and reads what there is; true when somebody woke it.
    private func read(_ waker: Waker, atMost limit: Duration) throws(Errno) -> Bool {
        var descriptors = ([waker.rawValue] + sources).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        // Up to the next millisecond, since a shorter wait would be none.
        try pollDescriptors(&descriptors, atMost: limit + .milliseconds(1))
        if descriptors[0].revents != 0 { return true }
        if descriptors[2].revents != 0 { _ = try take(1) { words.append($0) } }
        if descriptors[1].revents != 0 {
            let reading = try take(0) { keep(cutter.pieces(with: $0)) }
            if reading == .more { hasOutput = true }
            if reading == .closed, let piece = cutter.lastPiece() { keep([piece]) }
        }
        // After the pictures: the time of one was written before the first byte of the next.
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

    /// How it ended, and what it told last.
    private func lastWords() -> CaptureError {
        let name = program.command.first ?? "the program"
        guard let child = child.take() else {
            return CaptureError(.deviceFailed, "\(name) has ended", deviceID: deviceID)
        }
        // Who closes the output usually ends a moment later, with a status that tells more than our signal would.
        _ = child.hasEnded(within: .milliseconds(500))
        while sources[1] >= 0, (try? take(1) { words.append($0) }) == .more {}
        let status = child.end(patience: limits.end)
        let end = status < 0 ? "was ended by signal \(-status)" : "ended with status \(status)"
        let line = words.text.isEmpty ? "" : ": \(words.text)"
        return CaptureError(.deviceFailed, "\(name) \(end)\(line)", deviceID: deviceID)
    }
}
