import Capture
import Foundation
import PhotoModel
import Synchronization
import Testing

@testable import CaptureLinux

struct CommandCameraTests {
    /// Opens a camera and runs it until somebody has enough, or it fails.
    private func run(
        _ camera: CommandCamera,
        until isEnough: @escaping @Sendable (StoppingReceiver.Kept) -> Bool
    ) async throws -> (kept: StoppingReceiver.Kept, format: CaptureFormat) {
        let stream = try await camera.open(try #require(camera.device.formats.first))
        let receiver = StoppingReceiver(stream, until: isEnough)
        try await stream.run(receiver)
        return (receiver.kept, stream.format)
    }

    @Test("Pictures go through to the byte, numbered, with their own size; the program ends with the stream")
    func frames() async throws {
        let program = try StandInProgram()
        let camera = program.camera("cat $F/0.jpg $F/1.jpg; cat $F/2.jpg | dd bs=7 2> /dev/null; exec sleep 1000")
        let (kept, format) = try await run(camera) { $0.frames.count == 3 }
        #expect(kept.frames.map(\.bytes) == Array(program.pictures.prefix(3)))
        #expect(kept.frames.map(\.info.sequence) == [0, 1, 2] && kept.damagedCount == 0)
        #expect(format.size == PixelSize(width: 8, height: 8) && kept.frames.allSatisfy { $0.info.size == format.size })
        #expect(kept.frames.allSatisfy { $0.info.isFullRange && $0.info.pixelFormat == .motionJPEG })
        #expect(zip(kept.frames, kept.frames.dropFirst()).allSatisfy { $0.info.timestamp < $1.info.timestamp })
        #expect(program.startCount == 1 && !program.isRunning)
    }

    @Test("The times that a program tells are those of its frames; where it tells none, that of the arrival counts")
    func metadata() async throws {
        let program = try StandInProgram()
        // As rpicam-vid: a time behind its frame, the last brace with the next object.
        let script = """
            exec 4> "$1"
            tell() { echo "$2{" >&4; echo '    "ExposureTime": 20000,' >&4; echo "    \\"SensorTimestamp\\": $1" >&4; }
            echo '[' >&4
            cat $F/0.jpg; tell 999900000000
            cat $F/1.jpg; tell 999933000000 '},'
            head -c 100 $F/2.jpg; tell 999950000000 '},'
            cat $F/2.jpg; tell 999966000000 '},'
            cat $F/3.jpg; echo '},{' >&4
            cat $F/0.jpg; tell 1 '},'
            exec sleep 1000
            """
        var limits = CameraProgram.Limits()
        // On a standing clock no wait ends by itself: the picture that follows ends it.
        limits.metadata = .seconds(1)
        let camera = program.camera(script, metadata: true, limits: limits)
        let (kept, _) = try await run(camera) { $0.frames.count == 6 }
        let times = kept.frames.map(\.info.timestamp.nanoseconds)
        #expect(times[0] == 999_900_000_000 && times[1] == 999_933_000_000 && times[3] == 999_966_000_000)
        #expect(kept.frames.map(\.info.isDamaged) == [false, false, true, false, false, false])
        // What was told of neither, or cannot be true, is between the frame before and now.
        #expect(times[4] > times[3] && times[5] > times[4] && times[5] <= StandingClock.now.nanoseconds)
    }

    @Test("Garbage and half pictures are left out and counted, and so is a picture of another size")
    func damage() async throws {
        let program = try StandInProgram()
        let script = """
            cat $F/0.jpg; head -c 1000 /dev/zero; cat $F/1.jpg; head -c 90 $F/2.jpg; cat $F/2.jpg; cat $F/large; cat $F/3.jpg
            exec sleep 1000
            """
        var large = program.pictures[0]
        let header = try #require(large.indices.first { large[$0...].starts(with: [0xFF, 0xC0]) })
        large[header + 6] = 16
        try Data(large).write(to: program.folder.appending(path: "large"))
        let (kept, _) = try await run(program.camera(script)) { $0.whole.count == 4 }
        #expect(kept.whole.map(\.bytes) == program.pictures)
        #expect(kept.damagedCount == 3 && kept.interruptions.isEmpty)
        #expect(kept.frames.map(\.info.sequence) == Array(0..<7))
    }

    @Test("A program that ends is started anew, with what it told last as the reason, after pauses that grow")
    func death() async throws {
        let program = try StandInProgram()
        let script = """
            cat $F/0.jpg; head -c 90 $F/1.jpg
            echo 'first words' >&2; echo 'no signal from rtsp://user:secret@camera/' >&2; exit 3
            """
        let calls = NotedPauses()
        let (kept, _) = try await run(program.camera(script, calls: calls)) { $0.whole.count == 6 }
        #expect(program.startCount == 6)
        let expected = "/bin/sh ended with status 3: no signal from rtsp://camera/"
        #expect(kept.interruptions.map(\.message) == Array(repeating: expected, count: 5))
        #expect(kept.interruptions.allSatisfy { $0.code == .deviceFailed })
        #expect(kept.damagedCount >= 5)
        #expect(zip(kept.frames, kept.frames.dropFirst()).allSatisfy { $0.info.sequence < $1.info.sequence })
        // One that ends soon after its first picture, again and again, is not started in a storm.
        let pauses = calls.pauses.withLock(\.self)
        #expect(pauses == [.zero, .zero, .milliseconds(250), .milliseconds(500), .seconds(1)])
    }

    @Test("A program that ignores SIGTERM is killed, and so is what it started")
    func stubborn() async throws {
        let program = try StandInProgram()
        let script = """
            trap '' TERM
            (echo $$ > $F/ready; while :; do sleep 1; done) &
            echo $! > $F/helper
            cat $F/0.jpg; wait
            """
        var limits = CameraProgram.Limits()
        limits.end = .milliseconds(50)
        _ = try await run(program.camera(script, limits: limits)) { $0.whole.count == 1 }
        #expect(!program.isRunning)
        let helper = try #require(pid_t(program.text("helper").dropLast()))
        // Nobody's child any more, it goes when its new parent looks.
        while kill(helper, 0) == 0, !Self.isZombie(helper) { try await Task.sleep(for: .milliseconds(5)) }
    }

    private static func isZombie(_ process: pid_t) -> Bool {
        let status = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
        return status.contains(") Z ")
    }

    @Test("A program that stops writing is ended and started anew")
    func stall() async throws {
        let program = try StandInProgram()
        var limits = CameraProgram.Limits()
        limits.silence = .milliseconds(200)
        let camera = program.camera("cat $F/0.jpg; exec sleep 1000", clock: SystemCaptureClock(), limits: limits)
        let (kept, _) = try await run(camera) { $0.whole.count == 2 }
        #expect(program.startCount >= 2 && !program.isRunning)
        #expect(kept.interruptions.first?.message.contains("wrote no whole picture") == true)
    }

    @Test("Raw pictures are cut by their size; what is left at the end is half a picture")
    func planes() async throws {
        let program = try StandInProgram()
        let size = PixelSize(width: 4, height: 2)
        let samples = (0..<UInt8(30)).map(\.self)
        try Data(samples).write(to: program.folder.appending(path: "raw"))
        let camera = program.camera(
            "cat $F/raw; [ $start = 1 ] || exec sleep 1000",
            pictures: .planes(size, isFullRange: false),
            calls: NotedPauses()
        )
        let (kept, format) = try await run(camera) { $0.whole.count == 4 }
        #expect(format.size == size && format.pixelFormat == .i420)
        #expect(kept.whole.map(\.bytes) == [0, 12, 0, 12].map { Array(samples[$0..<$0 + 12]) })
        #expect(kept.damagedCount == 1 && kept.interruptions.count == 1)
        #expect(kept.whole.allSatisfy { $0.info.bytesPerLine == 4 && !$0.info.isFullRange })
    }

    @Test(
        "A program that gives no picture is refused with what it did",
        arguments: [
            ("echo 'no cameras available' >&2; exit 255", "ended with status 255: no cameras available"),
            ("kill -9 $$", "was ended by signal 9"), ("exec sleep 1000", "wrote nothing"),
            ("yes; exec sleep 1000", "something, but no whole picture"),
        ]
    )
    func refused(script: String, words: String) async throws {
        let program = try StandInProgram()
        // The last two wait for their limit, which must not end the others on a busy machine, nor come before the last
        // one has begun to write.
        var limits = CameraProgram.Limits()
        var clock: any CaptureClock = StandingClock()
        if words.contains("nothing") {
            limits.start = .milliseconds(500)
            clock = SystemCaptureClock()
        } else if words.contains("something") {
            clock = CountingClock()
        }
        let camera = program.camera(script, clock: clock, limits: limits)
        let error = await #expect(throws: CaptureError.self) { _ = try await run(camera) { _ in true } }
        #expect(error?.code == .deviceFailed && error?.message.contains(words) == true, "\(error?.message ?? "")")
        #expect(!program.isRunning)
    }

    @Test("A program that is not there is said so")
    func absent() async throws {
        for name in ["/nonexistent/program", "no-such-program-anywhere"] {
            let error = #expect(throws: CaptureError.self) {
                _ = try CameraProgram(command: [name], pictures: .motionJPEG).resolved()
            }
            #expect(error?.code == .unsupported && error?.message.contains(name) == true)
        }
        #expect(try CameraProgram(command: ["sh"], pictures: .motionJPEG).resolved()[0].hasSuffix("/sh"))
    }

    @Test("Whoever is no longer waited for while the program starts is ended")
    func cancelled() async throws {
        let program = try StandInProgram()
        let camera = program.camera("exec sleep 1000")
        let opening = Task { _ = try await camera.open(try #require(camera.device.formats.first)) }
        while program.text("process").isEmpty { try await Task.sleep(for: .milliseconds(5)) }
        opening.cancel()
        let error = await #expect(throws: CaptureError.self) { try await opening.value }
        #expect(error?.code == .cancelled && !program.isRunning)
    }

    @Test("A stream that is never run leaves no program behind")
    func unused() async throws {
        let program = try StandInProgram()
        let camera = program.camera("cat $F/0.jpg; exec sleep 1000")
        _ = try await camera.open(try #require(camera.device.formats.first))
        #expect(program.startCount == 1 && !program.isRunning)
    }
}
