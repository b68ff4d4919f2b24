import Capture
import CaptureLinux
import CaptureTestSupport
import MediaEncoding
import MediaFormats
import PhotoModel
import SystemPackage

/// A camera that waits for a shutter nobody pulls, for the benchmark of what that costs.
///
/// It is a program of its own, so that its memory is that of capturing alone: `idle-ring FILE SECONDS` with the recorded
/// Motion JPEG of a 1080p30 camera.
@main
struct IdleRing {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 3, let seconds = Int(arguments[2]) else { throw Errno.invalidArgument }
        let clock = SystemCaptureClock()
        let size = PixelSize(width: 1920, height: 1080)
        let recording = try Recording(FilePath(arguments[1]))
        let camera = ReplayCamera(size: size, clock: clock) { recording.frame($0) }
        let desk = Consents(store: AllowingStore(), prompter: AllowingStore())
        let subject = ConsentSubject(capability: .camera, deviceID: camera.device.id)
        let input = try CameraInput(camera, consent: try await desk.consent(for: subject))
        let recorder = FileCaptureRecorder(software: "Tintype benchmark")
        let session = CaptureSession(clock: clock, recorder: recorder, compressor: try TurboFrameCompressor())
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await session.run() }
            try await session.configure { configuration in
                configuration.camera = input
                configuration.photoOutput.isLivePhotoCaptureEnabled = true
                configuration.photoOutput.audioPolicy = .optional
            }
            try await session.start()
            try await ContinuousClock().sleep(for: .seconds(seconds))
            await session.shutdown()
            try await group.waitForAll()
        }
    }
}

/// A file of JPEGs one after the other, of which one is in memory at a time.
private struct Recording {
    private static let pieceByteCount = 64 << 10

    private let file: FileDescriptor
    /// Where frames begin, and where the last one ends.
    private let bounds: [Int]

    init(_ path: FilePath) throws {
        file = try FileDescriptor.open(path, .readOnly)
        var found: [Int] = []
        var offset = 0
        var previous: UInt8 = 0
        while true {
            let piece = try Self.bytes(offset..<offset + Self.pieceByteCount, of: file)
            if piece.isEmpty { break }
            // Entropy-coded data stuffs a zero behind each FF, so that a start of image is found nowhere else.
            for (index, byte) in piece.enumerated() {
                if previous == 0xFF && byte == 0xD8 { found.append(offset + index - 1) }
                previous = byte
            }
            offset += piece.count
        }
        guard !found.isEmpty else { throw Errno.invalidArgument }
        bounds = found + [offset]
    }

    /// The frame of a number, beginning anew after the last.
    func frame(_ number: Int) -> [UInt8]? {
        let index = number % (bounds.count - 1)
        return try? Self.bytes(bounds[index]..<bounds[index + 1], of: file)
    }

    private static func bytes(_ range: Range<Int>, of file: FileDescriptor) throws -> [UInt8] {
        try unsafe [UInt8](unsafeUninitializedCapacity: range.count) { buffer, count in
            let target = UnsafeMutableRawBufferPointer(buffer)
            count = try unsafe file.read(fromAbsoluteOffset: Int64(range.lowerBound), into: target)
        }
    }
}

/// Allows everything: a recorded camera sees nobody.
private struct AllowingStore: ConsentStore, ConsentPrompter {
    func status(for subject: ConsentSubject) -> ConsentStatus { .authorized }
    func setStatus(_ status: ConsentStatus, for subject: ConsentSubject) {}
    func ask(for subject: ConsentSubject) -> Bool? { true }
}
