import MediaEncoding
import TestSupport
import Testing

@testable import Capture

struct AudioTimelineTests {
    private static let start = MonotonicTime(nanoseconds: 5_000_000_000)

    private static func chunk(
        _ values: [Int16],
        at frame: Int,
        _ format: AudioFormat,
        jitter: Duration = .zero
    ) throws -> AudioChunk {
        let bytes = values.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
        let buffer = try #require(MediaBuffer(bytes, budget: MediaBudget(limit: 1 << 30)))
        let offset = frame < 0 ? .zero - format.duration(ofFrames: -frame) : format.duration(ofFrames: frame)
        return AudioChunk(timestamp: start.advanced(by: offset + jitter), format: format, buffer: buffer)
    }

    @Test("Every sample is at its time, every gap is exactly as much silence, whatever the jitter")
    func law() {
        checkProperty("audio time line", cases: 300, maximumSize: 40) { generator, size in
            let format = AudioFormat(
                sampleRate: generator.pick([8000, 44_100, 48_000]),
                channelCount: 1 + generator.below(2)
            )
            let total = format.sampleRate / 10 * (1 + generator.below(5))
            let gapLimit = format.sampleRate / 20
            var expected = [Int16](repeating: 0, count: total * format.channelCount)
            var chunks: [AudioChunk] = []
            var place = -generator.below(gapLimit)
            var covered = 0
            for _ in 0..<size {
                let count = 1 + generator.below(format.sampleRate / 50)
                let isAfterGap = chunks.isEmpty || generator.oneIn(6)
                if isAfterGap, !chunks.isEmpty { place += gapLimit + generator.below(gapLimit) }
                let value = Int16(1 + generator.below(30_000))
                let jitter = Duration.milliseconds(isAfterGap ? 0 : generator.below(20) - 10)
                let values = [Int16](repeating: value, count: count * format.channelCount)
                chunks.append(try Self.chunk(values, at: place, format, jitter: jitter))
                for frame in max(0, place)..<max(0, max(place, min(place + count, total))) where frame < total {
                    for channel in 0..<format.channelCount { expected[frame * format.channelCount + channel] = value }
                    covered += 1
                }
                place += count
            }
            let line = AudioTimeline(
                chunks,
                format: format,
                start: Self.start,
                duration: format.duration(ofFrames: total)
            )
            if line.samples.count != expected.count { return "\(line.samples.count) of \(expected.count) samples" }
            let silence = total - covered <= 2 ? 0 : total - covered
            if abs(line.silentFrameCount - silence) > 2 { return "silence \(line.silentFrameCount), not \(silence)" }
            // Times are whole nanoseconds: a run may be off by one sample where it begins anew.
            let wrong = zip(line.samples, expected).count { $0 != $1 }
            return wrong <= 2 * size * format.channelCount ? nil : "\(wrong) samples differ"
        }
    }

    @Test("Without any sound there is silence for all of the movie; sound of another format is left out")
    func silence() throws {
        let format = AudioFormat(sampleRate: 48_000, channelCount: 2)
        let other = try Self.chunk([1, 2, 3], at: 0, AudioFormat(sampleRate: 44_100, channelCount: 1))
        let line = AudioTimeline([other], format: format, start: Self.start, duration: .seconds(1))
        #expect(line.samples.count == 96_000)
        #expect(line.samples.allSatisfy { $0 == 0 })
        #expect(line.silence == .seconds(1))
    }
}
