import Capture
import Foundation
import MediaEncoding
import MediaFormats
import PhotoModel
import Synchronization
import TestSupport
import Testing

/// A clock that is always there already: whoever waits for a time is at once in it.
final class HurriedClock: CaptureClock {
    private let now = Mutex(MonotonicTime(nanoseconds: 1_000_000_000))
    let bootID: BootID? = nil

    func reading() -> ClockReading {
        ClockReading(
            monotonic: now.withLock(\.self),
            wall: WallTime(millisecondsSince1970: 1_767_000_000_000),
            isSynchronized: true
        )
    }

    func sleep(until deadline: MonotonicTime) async throws {
        try Task.checkCancellation()
        now.withLock { $0 = max($0, deadline) }
    }
}

/// Keeps what a camera delivers, and stops it after so many frames.
final class Collector: FrameReceiver {
    struct Kept: Sendable {
        let bytes: [UInt8]
        let info: FrameInfo
    }

    private let frames = Mutex<[Kept]>([])
    private let limit: Int
    private let stream: any FrameStream

    init(_ stream: any FrameStream, limit: Int = .max) {
        self.stream = stream
        self.limit = limit
    }

    var kept: [Kept] { frames.withLock(\.self) }

    func receive(_ bytes: RawSpan, _ info: FrameInfo) {
        let copy = unsafe bytes.withUnsafeBytes { unsafe Array($0) }
        let count = frames.withLock { frames in
            frames.append(Kept(bytes: copy, info: info))
            return frames.count
        }
        if count == limit { stream.stop() }
    }
}

struct NetworkCameraTests {
    private static let size = PixelSize(width: 320, height: 240)

    /// Opens a camera and runs it until its end, or until it has delivered so many frames.
    static func run(
        _ address: String,
        clock: any CaptureClock = HurriedClock(),
        repeats: Bool = false,
        limit: Int = .max
    ) async throws -> (format: CaptureFormat, frames: [Collector.Kept], error: CaptureError?) {
        let camera = NetworkCamera(try CameraAddress(address), repeats: repeats, clock: clock)
        let stream = try await camera.open(try #require(camera.device.formats.first))
        let collector = Collector(stream, limit: limit)
        do throws(CaptureError) {
            try await stream.run(collector)
            return (stream.format, collector.kept, nil)
        } catch {
            return (stream.format, collector.kept, error)
        }
    }

    /// A recording of 20 frames at 10 a second, made by ffmpeg.
    private static func withRecording(
        _ codec: [String],
        _ fileExtension: String,
        body: (String) async throws -> Void
    ) async throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent(
            "\(UUID().uuidString).\(fileExtension)"
        )
        defer { try? FileManager.default.removeItem(at: path) }
        let source = ["-v", "error", "-f", "lavfi", "-i", "testsrc2=s=320x240:r=10", "-frames:v", "20"]
        let made = try Tool.run("ffmpeg", source + codec + [path.path])
        try #require(made.status == 0, "\(made.errorText)")
        try await body(path.path)
    }

    @Test(
        "A recording is shown at its own rate, every frame, and ends as a camera that is pulled out",
        arguments: [
            (["-c:v", "libx264", "-bf", "2", "-pix_fmt", "yuv420p"], "mp4"), (["-c:v", "mpeg4"], "avi"),
            (["-c:v", "libx265", "-x265-params", "log-level=none", "-pix_fmt", "yuv422p"], "mkv"),
        ]
    )
    func recording(codec: [String], fileExtension: String) async throws {
        try await Self.withRecording(codec, fileExtension) { path in
            let (format, frames, error) = try await Self.run(path)
            #expect(error?.code == .deviceLost)
            #expect(format.size == Self.size && format.pixelFormat == .i420)
            #expect(format.frameInterval.framesPerSecond == 10)
            #expect(frames.count == 20)
            #expect(frames.map(\.info.sequence) == Array(0..<20))
            #expect(frames.allSatisfy { $0.bytes.count == 320 * 240 * 3 / 2 && $0.info.isFullRange })
            for (frame, next) in zip(frames, frames.dropFirst()) {
                let distance = next.info.timestamp.duration(since: frame.info.timestamp)
                #expect(abs(distance.inSeconds - 0.1) < 0.002)
            }
            // The first picture is the one that ffmpeg decodes, stretched to the full range.
            let first = try #require(frames.first)
            let judge = try Tool.run(
                "ffmpeg",
                [
                    "-v", "error", "-i", path, "-frames:v", "1", "-vf", "scale=out_range=full", "-f", "rawvideo",
                    "-pix_fmt",
                    "gray", "-",
                ]
            )
            let difference = zip(first.bytes, judge.bytes).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
            #expect(judge.bytes.count == 320 * 240 && difference / (320 * 240) < 3)
        }
    }

    @Test("A recording that repeats goes on after its end, its times too")
    func repeating() async throws {
        try await Self.withRecording(["-c:v", "mjpeg", "-q:v", "3"], "avi") { path in
            let (format, frames, error) = try await Self.run(path, repeats: true, limit: 45)
            #expect(error == nil)
            #expect(format.pixelFormat == .motionJPEG)
            #expect(frames.count == 45)
            #expect(frames[0].bytes == frames[20].bytes && frames[0].bytes != frames[1].bytes)
            #expect(zip(frames, frames.dropFirst()).allSatisfy { $0.info.timestamp < $1.info.timestamp })
        }
    }

    @Test("Playlists, pictures of text and files of other kinds are no camera")
    func refused() async throws {
        let victim = try #require(TemporaryFile(Array("secret".utf8)))
        let contents = [
            "ffconcat version 1.0\nfile '\(victim.path)'\n", "#EXTM3U\n#EXTINF:1,\n\(victim.path)\n", "secret", "",
        ]
        for content in contents {
            let file = try #require(TemporaryFile(Array(content.utf8)))
            await #expect(throws: CaptureError.self) { _ = try await Self.run(file.path) }
        }
        let error = await #expect(throws: CaptureError.self) { _ = try await Self.run("/nonexistent-recording.mp4") }
        #expect(error?.code == .deviceLost)
    }

    /// A camera that sends JPEGs over HTTP on loopback, written in Python; each connection gets so many frames.
    private static func withServer(
        _ frames: [[UInt8]],
        framesPerConnection: Int,
        body: (String) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for (number, frame) in frames.enumerated() {
            try Data(frame).write(to: folder.appendingPathComponent("\(number).jpg"))
        }
        let program = """
            import http.server, sys
            folder, count, each = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
            state = {"next": 0}
            class Camera(http.server.BaseHTTPRequestHandler):
                def log_message(self, *arguments): pass
                def do_GET(self):
                    self.send_response(200)
                    self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=frame")
                    self.end_headers()
                    for _ in range(each):
                        data = open(f"{folder}/{state['next'] % count}.jpg", "rb").read()
                        state["next"] += 1
                        head = f"--frame\\r\\nContent-Type: image/jpeg\\r\\nContent-Length: {len(data)}\\r\\n\\r\\n"
                        try: self.wfile.write(head.encode() + data + b"\\r\\n")
                        except OSError: return
            server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Camera)
            server.daemon_threads = True
            print(server.server_port, flush=True)
            server.serve_forever()
            """
        let arguments = [folder.path, String(frames.count), String(framesPerConnection)]
        try await withPython(program, arguments) { port in
            try await body("http://user:secret@127.0.0.1:\(port)/video")
        }
    }

    /// Runs a server written in Python, which prints its port.
    static func withPython(
        _ program: String,
        _ arguments: [String],
        body: (_ port: Int) async throws -> Void
    ) async throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-c", program] + arguments
        let output = Pipe()
        process.standardOutput = output
        try process.runAlone()
        defer {
            // Threads of the test runner block the milder signals, and their children inherit that.
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
        var line = Data()
        while line.last != UInt8(ascii: "\n") {
            let byte = output.fileHandleForReading.readData(ofLength: 1)
            try #require(!byte.isEmpty)
            line += byte
        }
        let port = try #require(Int(String(decoding: line.dropLast(), as: UTF8.self)))
        try await body(port)
    }

    private static func jpegs(_ count: Int) throws -> [[UInt8]] {
        let compressor = try TurboFrameCompressor()
        let reading = HurriedClock().reading()
        let picture = SyntheticPicture(size: size)
        return try (0..<count).map { number in
            let samples = picture.samples(frame: number, isClap: false, reading: reading)
            let info = FrameInfo(
                sequence: 0,
                timestamp: reading.monotonic,
                pixelFormat: .i420,
                size: size,
                bytesPerLine: size.width,
                isFullRange: true,
                clock: reading
            )
            return try samples.withBytes { try compressor.jpeg(of: $0, info) }
        }
    }

    @Test("Motion JPEG over HTTP goes through as it came, and a camera that hangs up is called again")
    func motionJPEG() async throws {
        let sent = try Self.jpegs(30)
        try await Self.withServer(sent, framesPerConnection: 400) { address in
            let (format, frames, error) = try await Self.run(address, limit: 900)
            #expect(error == nil)
            #expect(format.pixelFormat == .motionJPEG && format.size == Self.size)
            #expect(frames.count == 900)
            // Each frame is one that was sent, to the byte; a new connection begins where the camera is by then.
            let numbers = frames.map { frame in sent.firstIndex { $0 == frame.bytes } }
            #expect(numbers.allSatisfy { $0 != nil })
            let jumps = zip(numbers, numbers.dropFirst()).count { (($0 ?? 0) + 1) % 30 != $1 }
            #expect(jumps <= 3)
            #expect(zip(frames, frames.dropFirst()).allSatisfy { $0.info.timestamp < $1.info.timestamp })
        }
    }
}
