package import PhotoModel

/// The clocks of the capturing machine, read together; passed in, so that tests run without waiting.
package protocol CaptureClock: Sendable {
    /// The boot of monotonic readings.
    var bootID: BootID? { get }

    /// Reads the monotonic and the wall clock at the same moment.
    func reading() -> ClockReading

    /// The machine's UTC offset at an instant, in seconds east; it changes with daylight saving time.
    func utcOffsetSeconds(at time: WallTime) -> Int

    /// Sleeps until `deadline` on the monotonic clock; returns at once if it has passed.
    ///
    /// - Throws: `CancellationError` if the task is cancelled first.
    func sleep(until deadline: MonotonicTime) async throws
}

extension CaptureClock {
    /// The current offset, for a clock in a zone without daylight saving time.
    package func utcOffsetSeconds(at time: WallTime) -> Int { reading().utcOffsetSeconds }
}

/// Both clocks at one moment, which ties a monotonic time to a date.
package struct ClockReading: Hashable, Sendable {
    /// The monotonic clock.
    package var monotonic: MonotonicTime
    /// The wall clock.
    package var wall: WallTime
    /// The machine's time zone, in seconds east of UTC.
    package var utcOffsetSeconds: Int
    /// Whether time synchronisation controls the wall clock.
    package var isSynchronized: Bool

    package init(monotonic: MonotonicTime, wall: WallTime, utcOffsetSeconds: Int = 0, isSynchronized: Bool) {
        self.monotonic = monotonic
        self.wall = wall
        self.utcOffsetSeconds = utcOffsetSeconds
        self.isSynchronized = isSynchronized
    }

    /// The wall time, with its evidence, of a moment near this reading on the same monotonic clock of this boot.
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
