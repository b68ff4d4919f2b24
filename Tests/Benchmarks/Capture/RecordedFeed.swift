import Capture
import CaptureLinux
import CaptureTestSupport
import MediaEncoding
import MediaFormats
import PhotoModel
import TestSupport

/// One second of a camera's Motion JPEG, over and over.
struct RecordedFeed {
    static let size = PixelSize(width: 1920, height: 1080)

    /// One JPEG each.
    let frames: [[UInt8]]

    /// The mean size of a frame in bytes.
    var meanByteCount: Int { frames.reduce(0) { $0 + $1.count } / max(1, frames.count) }

    /// Draws bars with noise, so that frames are as large as a real camera's.
    init() throws {
        let compressor = try TurboFrameCompressor(quality: 85)
        let reading = SystemCaptureClock().reading()
        let picture = SyntheticPicture(size: Self.size)
        let area = Self.size.width * Self.size.height
        var generator = SeededGenerator(seed: 1)
        let noise = generator.bytes(area + 4096).map { $0 & 7 }
        frames = try (0..<30).map { number in
            var samples = picture.samples(frame: number, isClap: number == 0, reading: reading)
            for index in 0..<area {
                samples[index] = UInt8(min(255, Int(samples[index]) + Int(noise[index + number * 100])))
            }
            let info = FrameInfo(
                sequence: 0,
                timestamp: reading.monotonic,
                pixelFormat: .i420,
                size: Self.size,
                bytesPerLine: Self.size.width,
                isFullRange: true,
                clock: reading
            )
            return try samples.withBytes { try compressor.jpeg(of: $0, info) }
        }
    }
}

/// Runs a session with the recorded camera and a microphone.
func withSession(of feed: RecordedFeed, _ body: (CaptureSession) async throws -> Void) async throws {
    let clock = SystemCaptureClock()
    guard let camera = ReplayCamera(frames: feed.frames, size: RecordedFeed.size, clock: clock) else { return }
    let desk = Consents(store: AllowingStore(), prompter: AllowingStore())
    let cameraInput = try CameraInput(camera, consent: try await desk.consent(for: subject(of: camera.device)))
    let microphone = SyntheticMicrophone(clock: clock)
    let microphoneInput = try MicrophoneInput(
        microphone,
        consent: try await desk.consent(for: subject(of: microphone.device))
    )
    let recorder = FileCaptureRecorder(software: "Tintype benchmark")
    let session = CaptureSession(clock: clock, recorder: recorder, compressor: try TurboFrameCompressor())
    try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { await session.run() }
        try await session.configure { configuration in
            configuration.camera = cameraInput
            configuration.microphone = microphoneInput
            configuration.photoOutput.isLivePhotoCaptureEnabled = true
            configuration.photoOutput.maximumInFlight = 64
        }
        try await session.start()
        try await body(session)
        await session.shutdown()
        try await group.waitForAll()
    }
}

private func subject(of device: CaptureDevice) -> ConsentSubject {
    ConsentSubject(capability: device.capability, deviceID: device.id)
}

/// Allows everything: a benchmark of recorded devices sees and hears nobody.
private struct AllowingStore: ConsentStore, ConsentPrompter {
    func status(for subject: ConsentSubject) -> ConsentStatus { .authorized }
    func setStatus(_ status: ConsentStatus, for subject: ConsentSubject) {}
    func ask(for subject: ConsentSubject) -> Bool? { true }
}
