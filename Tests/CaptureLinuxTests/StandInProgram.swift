import Capture
import Foundation
import MediaSamples
import PhotoModel
import Synchronization
import SystemPackage
import TestSupport

@testable import CaptureLinux

/// A program that stands in for one that reads a camera: a script of the shell, and the pictures that it writes.
///
/// In the script `$F` is the folder with `0.jpg`, `1.jpg`, …, and `$start` the number of the program's start, from 1.
final class StandInProgram: Sendable {
    let folder: URL
    let pictures: [[UInt8]]

    init(pictureCount: Int = 4) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "tintype-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        pictures = try (0..<pictureCount).map { try SampleStill.jpeg(imageBytes: 200 + $0) }
        for (number, picture) in pictures.enumerated() {
            try Data(picture).write(to: folder.appending(path: "\(number).jpg"))
        }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// What is run.
    func command(_ script: String) -> [String] {
        let prologue = """
            F='\(folder.path)'; echo >> $F/starts; start=$(wc -l < $F/starts); echo $$ > $F/process

            """
        return ["/bin/sh", "-c", prologue + script]
    }

    /// A camera that runs the script.
    func camera(
        _ script: String,
        pictures: CameraProgram.Pictures = .motionJPEG,
        metadata: Bool = false,
        clock: any CaptureClock = StandingClock(),
        limits: CameraProgram.Limits = CameraProgram.Limits(),
        calls: any DeviceWaiting = ProgramWaiting()
    ) -> CommandCamera {
        let format = CaptureFormat(
            pixelFormat: pictures.pixelFormat,
            size: PixelSize(width: 640, height: 480),
            frameInterval: .thirtiethSecond
        )
        let device = CaptureDevice(
            id: CaptureDevice.ID(rawValue: "command:test"),
            capability: .camera,
            model: "test",
            formats: [format]
        )
        let command = command(script) + (metadata ? ["sh", CameraProgram.metadataPlaceholder] : [])
        return CommandCamera(device, clock: clock, limits: limits, calls: calls) { _ in
            CameraProgram(command: command, pictures: pictures)
        }
    }

    /// How often it was started.
    var startCount: Int { text("starts").count { $0 == "\n" } }

    /// Whether the program that was started last runs.
    var isRunning: Bool {
        guard let process = pid_t(text("process").dropLast()) else { return false }
        return kill(process, 0) == 0
    }

    func text(_ name: String) -> String {
        (try? String(contentsOf: folder.appending(path: name), encoding: .utf8)) ?? ""
    }
}

/// Keeps what a camera delivers, and stops it once it has enough.
final class StoppingReceiver: FrameReceiver {
    struct Kept: Sendable {
        var frames: [(info: FrameInfo, bytes: [UInt8])] = []
        var interruptions: [CaptureError] = []

        var whole: [(info: FrameInfo, bytes: [UInt8])] { frames.filter { !$0.info.isDamaged } }
        var damagedCount: Int { frames.count { $0.info.isDamaged } }
    }

    private let state = Mutex(Kept())
    private let stream: any FrameStream
    private let isEnough: @Sendable (Kept) -> Bool

    init(_ stream: any FrameStream, until isEnough: @escaping @Sendable (Kept) -> Bool) {
        self.stream = stream
        self.isEnough = isEnough
    }

    var kept: Kept { state.withLock(\.self) }

    func receive(_ bytes: RawSpan, _ info: FrameInfo) {
        let copy = unsafe bytes.withUnsafeBytes { unsafe Array($0) }
        keep { $0.frames.append((info, copy)) }
    }

    func interrupted(by error: CaptureError) {
        keep { $0.interruptions.append(error) }
    }

    private func keep(_ change: (inout Kept) -> Void) {
        let kept = state.withLock { kept in
            change(&kept)
            return kept
        }
        if isEnough(kept) { stream.stop() }
    }
}

/// A clock that goes on by a second each time it is read, however long that takes.
final class CountingClock: CaptureClock {
    let bootID: BootID? = nil
    private let seconds = Mutex<Int64>(1000)

    func reading() -> ClockReading {
        let now = seconds.withLock { seconds in
            seconds += 1
            return MonotonicTime(nanoseconds: seconds * 1_000_000_000)
        }
        return ClockReading(monotonic: now, wall: WallTime(millisecondsSince1970: 0), isSynchronized: false)
    }
    func sleep(until deadline: MonotonicTime) {}
}

/// Waits by the kernel's calls, except before the next start of a program: those pauses are noted and over at once.
final class NotedPauses: SystemWaiting {
    let pauses = Mutex<[Duration]>([])

    func wait(_ watch: NodeWatch, _ waker: Waker, atMost timeout: Duration) throws(Errno) -> WaitResult {
        pauses.withLock { $0.append(timeout) }
        return .timedOut
    }
}
