package import Capture
import MediaFormats

/// Lays runs of sound on the time line of a movie: gaps become exactly as much silence, overlaps are cut.
///
/// A microphone's clock and its time stamps jitter by a few milliseconds. As long as a run begins within the tolerance of
/// where the one before ended, it is put there; so that jitter makes no clicks, and a real gap is still seen.
package struct AudioTimeline: Sendable {
    /// How far a run may begin from where the one before ended.
    package static let tolerance = Duration.milliseconds(20)

    /// Rate and channels.
    package let format: AudioFormat
    /// Samples from the beginning of the movie, channels interleaved.
    package private(set) var samples: [Int16]
    /// How many samples of each channel were put in for missing ones.
    package private(set) var silentFrameCount: Int

    /// Makes the sound of a movie.
    ///
    /// - Parameters:
    ///   - chunks: runs of sound in the order of time; what lies outside the movie is cut off.
    ///   - format: rate and channels; runs of another format are left out.
    ///   - start: when the movie begins.
    ///   - duration: how long it is.
    package init(_ chunks: [AudioChunk], format: AudioFormat, start: MonotonicTime, duration: Duration) {
        self.format = format
        let frameCount = format.frameCount(in: duration)
        let channels = format.channelCount
        let tolerance = format.frameCount(in: Self.tolerance)
        var samples: [Int16] = []
        samples.reserveCapacity(frameCount * channels)
        var silence = 0
        /// Where the next run belongs if it follows on the last one; nil before the first.
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
        // A sample or two at the ends are rounding, not silence.
        silentFrameCount = silence <= 2 ? 0 : silence
    }

    /// How much of it is silence that was put in.
    package var silence: Duration { format.duration(ofFrames: silentFrameCount) }
}

extension AudioChunk {
    /// The samples as numbers; an odd byte at the end is dropped.
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
