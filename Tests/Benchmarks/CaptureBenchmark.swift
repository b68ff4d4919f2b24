import Capture
import CaptureLinux
import Foundation
import MediaEncoding
import MediaFormats
import PhotoModel
import SystemPackage
import TestSupport

/// What capturing costs on this machine, in real time, with a recorded 1080p30 Motion JPEG feed.
///
/// The peer of the ring is `ffmpeg -c copy` on the same frames: the least that reading and dropping them costs.
func captureBenchmark() async throws {
    let size = PixelSize(width: 1920, height: 1080)
    let clock = SystemCaptureClock()
    let compressor = try TurboFrameCompressor(quality: 85)
    let frames = try noisyFrames(size, compressor, clock.reading())
    let bytes = frames.reduce(0) { $0 + $1.count } / frames.count
    print("feed: \(frames.count) frames of \(size), \(bytes / 1000) kB each, 30 a second")
    guard let camera = ReplayCamera(frames: frames, size: size, clock: clock) else { return }
    let microphone = SyntheticMicrophone(clock: clock)
    let folder = FilePath(FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path)
    try FileManager.default.createDirectory(atPath: folder.string, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder.string) }
    let desk = ConsentDesk(store: AllowingStore(), prompter: AllowingStore())
    let cameraInput = try CameraInput(camera, consent: try await desk.consent(for: subject(of: camera.device)))
    let microphoneInput = try MicrophoneInput(
        microphone,
        consent: try await desk.consent(for: subject(of: microphone.device))
    )
    let recorder = FileCaptureRecorder(software: "Tintype benchmark")
    let session = CaptureSession(clock: clock, recorder: recorder, compressor: compressor)
    try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { await session.run() }
        try await session.configure { configuration in
            configuration.setCamera(cameraInput)
            configuration.setMicrophone(microphoneInput)
            configuration.photoOutput.isLivePhotoCaptureEnabled = true
        }
        try await session.start()
        try await Task.sleep(for: .seconds(2))
        try await idle(frames, folder)
        try await stills(session, folder)
        try await livePhotos(session, folder)
        if let counts = await session.frameCounts { print("frames: \(counts.kept) kept, \(counts.dropped) dropped") }
        await session.shutdown()
        try await group.waitForAll()
    }
}

private func idle(_ frames: [[UInt8]], _ folder: FilePath) async throws {
    let seconds = 5
    let before = processorTime()
    try await Task.sleep(for: .seconds(seconds))
    let ring = (processorTime() - before) / seconds
    print("idle ring: \(percent(ring)) of a core, \(residentBytes() >> 20) MiB resident")
    let feed = folder.appending("feed.mjpeg").string
    try Data(frames.joined()).write(to: URL(fileURLWithPath: feed))
    let peer = try childProcessorTime {
        [
            "ffmpeg", "-v", "error", "-re", "-framerate", "30", "-stream_loop", "-1", "-f", "mjpeg", "-i", feed,
            "-t", String(seconds), "-c", "copy", "-f", "null", "-",
        ]
    }
    print("ffmpeg -c copy of the same feed: \(percent(peer / seconds)) of a core, its start included")
    print("ratio: \(String(format: "%.2f", ring.seconds / max(0.000_001, peer.seconds / Double(seconds))))")
}

private func stills(_ session: CaptureSession, _ folder: FilePath) async throws {
    var delays: [Duration] = []
    for index in 0..<20 {
        let settings = CapturePhotoSettings(uniqueID: AssetID(rawValue: UInt128(index + 1)), folder: folder)
        let start = ContinuousClock.now
        _ = try await session.capture(settings)
        delays.append(ContinuousClock.now - start)
        try await Task.sleep(for: .milliseconds(37))
    }
    delays.sort()
    print("request to still durable: median \(milliseconds(delays[10])), worst \(milliseconds(delays[19])) of 20")
}

private func livePhotos(_ session: CaptureSession, _ folder: FilePath) async throws {
    for index in 0..<3 {
        var settings = CapturePhotoSettings(uniqueID: AssetID(rawValue: UInt128(index + 100)), folder: folder)
        settings.isLivePhoto = true
        let shot = try await session.capturePhoto(with: settings)
        var stopped = ContinuousClock.now
        var delay = Duration.zero
        let cpu = processorTime()
        for await event in shot.events {
            switch event {
            case .movieRecordingStopped: stopped = ContinuousClock.now
            case .movie: delay = ContinuousClock.now - stopped
            default: break
            }
        }
        print("post-roll end to pair on disk: \(milliseconds(delay)), \((processorTime() - cpu).seconds) s of CPU")
    }
}

/// Frames of bars with noise, so that they are as large as a real camera's.
private func noisyFrames(
    _ size: PixelSize,
    _ compressor: TurboFrameCompressor,
    _ reading: ClockReading
) throws -> [[UInt8]] {
    let picture = SyntheticPicture(size: size)
    var generator = SeededGenerator(seed: 1)
    let noise = generator.bytes(size.width * size.height + 4096).map { $0 & 15 }
    return try (0..<30).map { number in
        var samples = picture.samples(frame: number, isClap: number == 0, reading: reading)
        for index in 0..<size.width * size.height {
            samples[index] = UInt8(min(255, Int(samples[index]) + Int(noise[index + number * 100])))
        }
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

private func subject(of device: CaptureDevice) -> ConsentSubject {
    ConsentSubject(capability: device.capability, deviceID: device.id)
}

/// Allows everything: a benchmark of synthetic devices sees and hears nobody.
private struct AllowingStore: ConsentStore, ConsentPrompter {
    func status(for subject: ConsentSubject) -> ConsentStatus { .authorized }
    func setStatus(_ status: ConsentStatus, for subject: ConsentSubject) {}
    func ask(for subject: ConsentSubject) -> Bool? { true }
}

/// The CPU time that a program used until its end.
private func childProcessorTime(_ command: () -> [String]) throws -> Duration {
    func children() -> Duration {
        var usage = rusage()
        // RUSAGE_CHILDREN is -1 and imports as another type than the call takes.
        unsafe getrusage(-1, &usage)
        let times = [usage.ru_utime, usage.ru_stime]
        return times.reduce(.zero) { $0 + .seconds($1.tv_sec) + .microseconds($1.tv_usec) }
    }
    let before = children()
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = command()
    process.standardInput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return children() - before
}

private func percent(_ share: Duration) -> String { String(format: "%.1f %%", share.seconds * 100) }
private func milliseconds(_ duration: Duration) -> String { String(format: "%.0f ms", duration.seconds * 1000) }
