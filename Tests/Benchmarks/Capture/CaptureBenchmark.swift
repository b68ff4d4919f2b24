import BenchmarkSupport
import Capture
import CaptureLinux
import Foundation
import MediaEncoding
import PhotoModel
import SystemPackage

/// What capturing costs on this machine, in real time, with a recorded 1080p30 Motion JPEG feed.
///
/// Each figure is printed with the limit that the project sets itself, and with a peer's where there is one.
func captureBenchmark() async throws {
    let feed = try RecordedFeed()
    print(
        "feed: \(feed.frames.count) frames of \(RecordedFeed.size), \(feed.meanByteCount / 1000) kB each, 30 a second"
    )
    let folder = FilePath(FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path)
    try FileManager.default.createDirectory(atPath: folder.string, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder.string) }
    try idleBenchmark(feed, in: folder)
    try await withSession(of: feed) { session in
        try await ContinuousClock().sleep(for: .seconds(2))
        try await stillBenchmark(session, folder)
        try await livePhotoBenchmark(session, folder)
        try await burstBenchmark(session, folder)
        if let counts = await session.frameCounts {
            print("frames: \(counts.kept) kept, dropped: \(counts.dropped)")
        }
    }
}

/// Requests at moments that have nothing to do with the camera's.
private func stillBenchmark(_ session: CaptureSession, _ folder: FilePath) async throws {
    var (lags, choices, delays): ([Duration], [Duration], [Duration]) = ([], [], [])
    for index in 0..<60 {
        let settings = CapturePhotoSettings(uniqueID: AssetID(rawValue: UInt128(index + 1)), folder: folder)
        let start = ContinuousClock.now
        for await event in try await session.capturePhoto(with: settings).events {
            switch event {
            case .didCapture(let frame):
                choices.append(ContinuousClock.now - start)
                lags.append(frame.lag.magnitude)
            case .photo: delays.append(ContinuousClock.now - start)
            case .finished(let error): if let error { throw error }
            default: break
            }
        }
        try await ContinuousClock().sleep(for: .milliseconds(37))
    }
    print("request to chosen frame, camera's time: \(spread(lags)); limit 16.7 ms, half an interval")
    print("request to its choice known: \(spread(choices))")
    print("request to still durable: \(spread(delays)); limit 60 ms median")
}

private func livePhotoBenchmark(_ session: CaptureSession, _ folder: FilePath) async throws {
    var delays: [Duration] = []
    let before = processorTime()
    let count = 5
    for index in 0..<count {
        var settings = CapturePhotoSettings(uniqueID: AssetID(rawValue: UInt128(index + 1000)), folder: folder)
        settings.isLivePhoto = true
        var stopped = ContinuousClock.now
        for await event in try await session.capturePhoto(with: settings).events {
            switch event {
            case .movieRecordingStopped: stopped = ContinuousClock.now
            case .movie: delays.append(ContinuousClock.now - stopped)
            case .finished(let error): if let error { throw error }
            default: break
            }
        }
    }
    let cpu = (processorTime() - before).seconds / Double(count)
    print("post-roll end to pair on disk: \(spread(delays)); limit 800 ms")
    print("processor time of a Live Photo of 3 s, feed and ring included: \(String(format: "%.2f", cpu)) s")
}

/// Every frame of ten seconds, each asked for at its own time.
private func burstBenchmark(_ session: CaptureSession, _ folder: FilePath) async throws {
    let count = 300
    let clock = SystemCaptureClock()
    let interval = FrameInterval.thirtiethSecond
    // The replayed camera's frame n is due n intervals after the clock's zero.
    let nanoseconds = clock.reading().monotonic.nanoseconds
    let first = Int(Int128(nanoseconds) * 30 / 1_000_000_000) + 2
    let results = try await withThrowingTaskGroup(of: ChosenFrame.self) { group in
        for index in 0..<count {
            let due = MonotonicTime(nanoseconds: interval.offset(ofFrame: first + index).wholeNanoseconds)
            try await clock.sleep(until: due)
            var settings = CapturePhotoSettings(uniqueID: AssetID(rawValue: UInt128(index + 2000)), folder: folder)
            settings.requestedTime = due
            let shot = try await session.capturePhoto(with: settings)
            group.addTask { try await shot.result().frame }
        }
        return try await group.reduce(into: []) { $0.append($1) }
    }
    let sequences = results.map { Int($0.info.sequence) }.sorted()
    let missing = (sequences.last ?? 0) - (sequences.first ?? 0) + 1 - Set(sequences).count
    print("burst: \(Set(sequences).count) of \(count) frames durable in 10 s, \(missing) left out; limit 0")
}

private func spread(_ values: [Duration]) -> String {
    let sorted = values.sorted()
    guard let worst = sorted.last else { return "none" }
    return "median \(milliseconds(sorted[sorted.count / 2])), worst \(milliseconds(worst)) of \(sorted.count)"
}

private func milliseconds(_ duration: Duration) -> String { String(format: "%.1f ms", duration.seconds * 1000) }
