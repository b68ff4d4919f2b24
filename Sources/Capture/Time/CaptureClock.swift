package import PhotoModel

/// The clocks of the machine that captures, read together; passed in, so that tests run without waiting.
package protocol CaptureClock: Sendable {
    /// The boot that monotonic readings belong to.
    var bootID: BootID? { get }

    /// Reads the monotonic and the wall clock at one moment.
    func reading() -> ClockReading

    /// Waits until the monotonic clock shows `deadline`; returns at once when it already does.
    ///
    /// - Throws: `CancellationError` when the task is cancelled first.
    func sleep(until deadline: MonotonicTime) async throws
}

/// What both clocks showed at one moment, which ties a monotonic time to a date.
package struct ClockReading: Hashable, Sendable {
    /// The monotonic clock.
    package var monotonic: MonotonicTime
    /// The wall clock.
    package var wall: WallTime
    /// Seconds east of UTC by the machine's time zone.
    package var utcOffsetSeconds: Int
    /// Whether the wall clock was kept in step by time synchronisation.
    package var isSynchronized: Bool

    package init(monotonic: MonotonicTime, wall: WallTime, utcOffsetSeconds: Int = 0, isSynchronized: Bool) {
        self.monotonic = monotonic
        self.wall = wall
        self.utcOffsetSeconds = utcOffsetSeconds
        self.isSynchronized = isSynchronized
    }

    /// The evidence for a moment near this reading.
    ///
    /// - Parameters:
    ///   - time: the moment, on the same monotonic clock.
    ///   - bootID: the boot that the clock belongs to.
    /// - Returns: the wall time of that moment with what proves it.
    package func captureTime(of time: MonotonicTime, bootID: BootID?) -> CaptureTime {
        CaptureTime(
            wall: wall.advanced(by: time.duration(since: monotonic)),
            utcOffsetSeconds: utcOffsetSeconds,
            monotonicNanoseconds: UInt64(exactly: time.nanoseconds),
            bootID: bootID,
            source: .deviceClock,
            isSynchronized: isSynchronized
        )
    }
}
