import Capture

/// Assigns one camera's frames sequence numbers and timestamps that stay consistent across restarts, unplugging and
/// driver bugs.
struct FrameStamper {
    private var last: (number: UInt32, timestamp: MonotonicTime)?
    private var offset: UInt32 = 0
    private var isFirstOfRun = true

    /// The driver restarts its count.
    mutating func beginRun() {
        isFirstOfRun = true
    }

    /// Assigns a frame a number that skips the missed frames, and a time later than the previous frame's, from the
    /// driver's information and when it was dequeued.
    mutating func stamp(
        _ buffer: DequeuedBuffer,
        dequeued: MonotonicTime,
        interval: Duration
    ) -> (number: UInt32, timestamp: MonotonicTime) {
        let timestamp = timestamp(of: buffer, dequeued: dequeued, interval: interval)
        if let last, isFirstOfRun || !isRising(buffer.sequence &+ offset, after: last.number) {
            // A new run, or a driver that repeats numbers (vivid at 60 frames a second) or restarts its count. Its
            // count is useless here: the elapsed time tells how many frames were missed.
            let elapsed = timestamp.duration(since: last.timestamp) / max(interval, .microseconds(1))
            let missed = UInt32(min(max(elapsed.rounded() - 1, 0), Double(UInt32.max >> 1)))
            offset = last.number &+ 1 &+ missed &- buffer.sequence
        }
        isFirstOfRun = false
        let number = buffer.sequence &+ offset
        last = (number, timestamp)
        return (number, timestamp)
    }

    /// Whether a number is later than another; numbers wrap at 2^32.
    private func isRising(_ number: UInt32, after last: UInt32) -> Bool {
        Int32(bitPattern: number &- last) > 0
    }

    /// The driver's timestamp if plausible, else our own.
    ///
    /// It is plausible if it is from the monotonic clock, at most ten seconds old, less than an interval in the future
    /// (some drivers stamp with the time a frame should have had), and later than the previous frame's. Otherwise the
    /// time is one frame before dequeuing, the latest moment its exposure can have begun.
    private func timestamp(of buffer: DequeuedBuffer, dequeued: MonotonicTime, interval: Duration) -> MonotonicTime {
        let age = dequeued.duration(since: buffer.timestamp)
        let told = min(buffer.timestamp, dequeued)
        let isOrdered = last.map { $0.timestamp < told } ?? true
        if buffer.timestampClock == .monotonic, (.zero - interval)...Duration.seconds(10) ~= age, isOrdered {
            return told
        }
        let guessed = dequeued.advanced(by: .zero - interval)
        guard let last, last.timestamp >= guessed else { return guessed }
        return min(last.timestamp.advanced(by: .microseconds(1)), dequeued)
    }
}
