import Capture

/// A run of sound that was delivered.
struct CollectedSound: Sendable {
    let timestamp: MonotonicTime
    let arrival: MonotonicTime
    let frameCount: Int
    /// The largest sample of either sign.
    let peak: Int
}

/// Collects sound of one channel as it is delivered.
private final class SoundCollector: AudioReceiver {
    let runs: AsyncStream<CollectedSound>
    private let sink: AsyncStream<CollectedSound>.Continuation

    init() {
        (runs, sink) = AsyncStream.makeStream()
    }

    func receive(_ samples: RawSpan, at timestamp: MonotonicTime) {
        var peak = 0
        for offset in stride(from: 0, to: samples.byteCount - 1, by: 2) {
            peak = max(peak, abs(Int(unsafe samples.unsafeLoadUnaligned(fromByteOffset: offset, as: Int16.self))))
        }
        let arrival = Cameras.clock.reading().monotonic
        let frameCount = samples.byteCount / 2
        sink.yield(CollectedSound(timestamp: timestamp, arrival: arrival, frameCount: frameCount, peak: peak))
    }

    func finish() {
        sink.finish()
    }
}

/// What came of recording from a microphone.
struct Recording: Sendable {
    /// One channel at 48 kHz.
    static let format = AudioFormat(sampleRate: Tone.sampleRate, channelCount: 1)

    /// The runs of sound in the order of delivery.
    var runs: [CollectedSound] = []
    /// Why the stream ended by itself; nil when it was stopped.
    var failure: CaptureError?

    /// How far each run begins from where the one before ended.
    var seams: [Duration] {
        zip(runs, runs.dropFirst()).map { before, after in
            after.timestamp.duration(since: before.timestamp) - Self.format.duration(ofFrames: before.frameCount)
        }
    }
}

extension AudioSource {
    /// Records until there is so much sound, or the stream ends by itself.
    ///
    /// - Parameters:
    ///   - duration: how much sound.
    ///   - event: happens after it, while the stream runs.
    ///   - laterDuration: how much sound to take from after the event.
    /// - Returns: the sound and how it ended.
    /// - Throws: why the microphone could not be opened, and what `event` throws.
    func record(
        _ duration: Duration,
        then event: () async throws -> Void = {},
        andAfterwards laterDuration: Duration = .zero
    ) async throws -> Recording {
        let stream = try await open(Recording.format)
        let collector = SoundCollector()
        async let end: CaptureError? = {
            defer { collector.finish() }
            do throws(CaptureError) {
                try await stream.run(collector)
                return nil
            } catch {
                return error
            }
        }()
        defer { stream.stop() }
        var recording = Recording()
        var runs = collector.runs.makeAsyncIterator()
        var left = Recording.format.frameCount(in: duration)
        while left > 0, let run = await runs.next() {
            recording.runs.append(run)
            left -= run.frameCount
        }
        try await event()
        let time = Cameras.clock.reading().monotonic
        left = Recording.format.frameCount(in: laterDuration)
        while left > 0, let run = await runs.next() {
            recording.runs.append(run)
            if run.timestamp > time { left -= run.frameCount }
        }
        stream.stop()
        recording.failure = await end
        return recording
    }
}
