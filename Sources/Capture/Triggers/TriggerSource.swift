import PhotoModel

/// One firing of a trigger.
package struct TriggerEvent: Hashable, Sendable {
    /// What fired.
    package let trigger: Trigger
    /// The moment to capture, which may be a little while ago.
    package let time: MonotonicTime
    /// How many of its moments went by unused before this one, since the box was late.
    package let skippedCount: Int64

    /// Describes a firing.
    package init(_ trigger: Trigger, at time: MonotonicTime, skippedCount: Int64 = 0) {
        self.trigger = trigger
        self.time = time
        self.skippedCount = skippedCount
    }
}

/// Something that makes the shutter fall: a clock, a calendar, an electrical input, a program.
package protocol TriggerSource: Sendable {
    /// What it fires as.
    var trigger: Trigger { get }

    /// Fires until the task is cancelled.
    ///
    /// - Parameter fire: is told of each firing; it returns at once.
    /// - Throws: `CancellationError` when the task is cancelled, and why it cannot fire any more.
    func run(_ fire: @escaping @Sendable (TriggerEvent) -> Void) async throws
}

/// Fires at a fixed interval and phase, and skips what it was too late for.
package struct IntervalTrigger: TriggerSource {
    /// What it fires as.
    package let trigger: Trigger
    private let schedule: IntervalSchedule
    private let clock: any CaptureClock

    /// A trigger; nil when the interval is shorter than a millisecond.
    ///
    /// The phase is that of the wall clock when it is made: every minute means at the full minute, after each restart.
    ///
    /// - Parameters:
    ///   - interval: the time between two firings.
    ///   - clock: what it goes by.
    ///   - name: tells several of them apart.
    package init?(every interval: Duration, clock: any CaptureClock, name: String? = nil) {
        let reading = clock.reading()
        let length = max(1, interval.wholeNanoseconds / 1000)
        let elapsed = reading.wall.microsecondsSince1970 % length
        let phase = reading.monotonic.advanced(by: .microseconds(-elapsed))
        guard let schedule = IntervalSchedule(phase: phase, interval: interval) else { return nil }
        self.schedule = schedule
        self.clock = clock
        trigger = Trigger(.interval, name: name)
    }

    /// Fires at each slot that is not over, the first one after the call.
    package func run(_ fire: @escaping @Sendable (TriggerEvent) -> Void) async throws {
        var schedule = schedule
        schedule.skip(through: clock.reading().monotonic)
        while true {
            let slot = schedule.next(after: clock.reading().monotonic)
            try await clock.sleep(until: slot.time)
            fire(TriggerEvent(trigger, at: slot.time, skippedCount: slot.skipped))
        }
    }
}

/// Fires at times of the day by the clock on the wall.
package struct CalendarTrigger: TriggerSource {
    /// The wall clock is looked at again after so long at most, since it may be set.
    static let longestSleep = Duration.seconds(30)
    /// A clock that is set back further starts anew.
    static let largestCorrection = Duration.seconds(7200)
    /// A moment that was missed by more, since the clock was set or the box slept, is skipped.
    static let grace = Duration.seconds(90)

    /// What it fires as.
    package let trigger: Trigger
    private let schedule: CalendarSchedule
    private let clock: any CaptureClock

    /// A trigger by a schedule.
    package init(_ schedule: CalendarSchedule, clock: any CaptureClock, name: String? = nil) {
        self.schedule = schedule
        self.clock = clock
        trigger = Trigger(.calendar, name: name)
    }

    /// Fires at each moment of the schedule; ends when there will never be one, such as a sunrise at the pole.
    package func run(_ fire: @escaping @Sendable (TriggerEvent) -> Void) async throws {
        var seen = clock.reading().wall
        while true {
            let reading = clock.reading()
            // A clock set back a little must not fire a moment again; one set back far was wrong before.
            if seen.duration(since: reading.wall) > Self.largestCorrection { seen = reading.wall }
            seen = max(seen, reading.wall.advanced(by: .zero - Self.grace))
            guard let due = schedule.next(after: seen, utcOffsetSeconds: reading.utcOffsetSeconds) else {
                try await clock.sleep(until: reading.monotonic.advanced(by: Self.longestSleep))
                seen = clock.reading().wall
                continue
            }
            let left = due.duration(since: reading.wall)
            guard left <= .zero else {
                let sleep = min(left, Self.longestSleep)
                try await clock.sleep(until: reading.monotonic.advanced(by: sleep))
                continue
            }
            seen = due
            fire(TriggerEvent(trigger, at: reading.monotonic.advanced(by: left)))
        }
    }
}
