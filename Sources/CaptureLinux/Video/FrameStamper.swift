import Capture

/// Gives the frames of one camera numbers and times that hold over restarts, unplugging and drivers' mistakes.
struct FrameStamper {
    private var last: (number: UInt32, timestamp: MonotonicTime)?
    private var offset: UInt32 = 0
    private var isFirstOfRun = true

    /// The driver counts from the beginning from here on.
    mutating func beginRun() {
        isFirstOfRun = true
    }

    /// Numbers and times a frame.
    ///
    /// - Parameters:
    ///   - buffer: what the driver tells of it.
    ///   - dequeued: when it was taken.
    ///   - interval: the time from one frame to the next.
    /// - Returns: a number that leaves out as many as were missed, and a time later than that of the frame before.
    mutating func stamp(
        _ buffer: DequeuedBuffer,
        dequeued: MonotonicTime,
        interval: Duration
    ) -> (number: UInt32, timestamp: MonotonicTime) {
        let timestamp = timestamp(of: buffer, dequeued: dequeued, interval: interval)
        if let last, isFirstOfRun || !isRising(buffer.sequence &+ offset, after: last.number) {
            // A new run, or a driver that repeats numbers (vivid at 60 frames a second) or begins to count anew. Its count
            // is no help here: how many frames were missed is told by the time that went by.
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

    /// The driver's time where it can be true, else our own.
    ///
    /// It can be true when it is of the monotonic clock, not older than ten seconds, less than an interval in the future
    /// (some drivers stamp with the time a frame should have had), and later than the frame before. Otherwise it is the
    /// time of taking it less one frame, which is when its exposure began at the latest.
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
