package import Capture
import MediaFormats

/// Places chunks of sound on a movie's timeline: gaps become exactly as much silence, overlaps are cut.
///
/// A microphone's clock and timestamps jitter by a few milliseconds. A chunk that begins within the tolerance of the
/// previous one's end is placed right there, so that jitter causes no clicks and a real gap is still detected.
package struct AudioTimeline: Sendable {
    /// How far a chunk may begin from the previous one's end.
    package static let tolerance = Duration.milliseconds(20)

    /// The sample rate and channels.
    package let format: AudioFormat
    /// The samples from the beginning of the movie, channels interleaved.
    package private(set) var samples: [Int16]
    /// The number of inserted silent samples per channel.
    package private(set) var silentFrameCount: Int

    /// Assembles a movie's sound from chunks in order of time; anything outside the movie is cut off, and chunks in
    /// other formats are dropped.
    package init(_ chunks: [AudioChunk], format: AudioFormat, start: MonotonicTime, duration: Duration) {
        self.format = format
        let frameCount = format.frameCount(in: duration)
        let channels = format.channelCount
        let tolerance = format.frameCount(in: Self.tolerance)
        var samples: [Int16] = []
        samples.reserveCapacity(frameCount * channels)
        var silence = 0
        /// Where the next chunk belongs if it continues the last one; nil before the first.
        var expected: Int?
        for chunk in chunks where chunk.format == format {
            let told = format.frameCount(in: chunk.timestamp.duration(since: start))
            let begin = expected.map { abs(told - $0) <= tolerance ? $0 : told } ?? told
            let values = chunk.samples
            let count = values.count / channels
            expected = begin + count
            let written = samples.count / channels
            let gap = min(begin, frameCount) - written
            if gap > 0 {
                samples.append(contentsOf: repeatElement(0, count: gap * channels))
                silence += gap
            }
            let skip = max(0, samples.count / channels - begin)
            let room = frameCount - samples.count / channels
            guard skip < count, room > 0 else { continue }
            let end = min(count, skip + room)
            samples.append(contentsOf: values[skip * channels..<end * channels])
        }
        let missing = frameCount - samples.count / channels
        if missing > 0 {
            samples.append(contentsOf: repeatElement(0, count: missing * channels))
            silence += missing
        }
        self.samples = samples
        // One or two samples at the ends are rounding, not silence.
        silentFrameCount = silence <= 2 ? 0 : silence
    }

    /// The duration of the inserted silence.
    package var silence: Duration { format.duration(ofFrames: silentFrameCount) }
}

extension AudioChunk {
    /// The samples as numbers; a trailing odd byte is dropped.
    var samples: [Int16] {
        buffer.withBytes { bytes in
            unsafe [Int16](unsafeUninitializedCapacity: bytes.byteCount / 2) { target, count in
                unsafe bytes.withUnsafeBytes { source in
                    unsafe UnsafeMutableRawBufferPointer(target).copyMemory(
                        from: UnsafeRawBufferPointer(rebasing: source.prefix(bytes.byteCount / 2 * 2))
                    )
                }
                count = bytes.byteCount / 2
            }
        }
    }
}
