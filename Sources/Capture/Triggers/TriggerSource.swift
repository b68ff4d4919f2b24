import PhotoModel

/// One firing of a trigger.
package struct TriggerEvent: Hashable, Sendable {
    /// The trigger.
    package let trigger: Trigger
    /// The moment to capture, which may be slightly in the past.
    package let time: MonotonicTime
    /// How many of its moments were skipped before this one, because the box was late.
    package let skippedCount: Int64

    package init(_ trigger: Trigger, at time: MonotonicTime, skippedCount: Int64 = 0) {
        self.trigger = trigger
        self.time = time
        self.skippedCount = skippedCount
    }
}

/// Something that triggers the shutter: a clock, a calendar, an electrical input, a program.
package protocol TriggerSource: Sendable {
    /// The trigger it reports.
    var trigger: Trigger { get }

    /// Fires, calling a closure that returns at once, until the task is cancelled.
    ///
    /// - Throws: `CancellationError` if the task is cancelled, or why it can no longer fire.
    func run(_ fire: @escaping @Sendable (TriggerEvent) -> Void) async throws
}

/// Fires at a fixed interval and phase, skipping missed slots.
package struct IntervalTrigger: TriggerSource {
    /// The trigger it reports.
    package let trigger = Trigger(.interval)
    private let schedule: IntervalSchedule
    private let clock: any CaptureClock

    /// Creates a trigger; nil if the interval is shorter than a millisecond.
    ///
    /// The phase follows the wall clock at creation: every minute means on the full minute, after each restart.
    package init?(every interval: Duration, clock: any CaptureClock) {
        let reading = clock.reading()
        let length = max(1, interval.wholeNanoseconds / 1000)
        let elapsed = reading.wall.microsecondsSince1970 % length
        let phase = reading.monotonic.advanced(by: .microseconds(-elapsed))
        guard let schedule = IntervalSchedule(phase: phase, interval: interval) else { return nil }
        self.schedule = schedule
        self.clock = clock
    }

    /// Fires at each slot that is not over, starting after the call.
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

/// Fires at local times of day.
package struct CalendarTrigger: TriggerSource {
    /// The wall clock is checked at least this often, because it may be set.
    static let longestSleep = Duration.seconds(30)
    /// A clock set back further restarts the schedule.
    static let largestCorrection = Duration.seconds(7200)
    /// A moment missed by more, because the clock was set or the box slept, is skipped.
    static let grace = Duration.seconds(90)

    /// The trigger it reports.
    package let trigger = Trigger(.calendar)
    private let schedule: CalendarSchedule
    private let clock: any CaptureClock

    /// A trigger based on a schedule.
    package init(_ schedule: CalendarSchedule, clock: any CaptureClock) {
        self.schedule = schedule
        self.clock = clock
    }

    /// Fires at each moment of the schedule; ends if there will never be one, such as a sunrise at the pole.
    package func run(_ fire: @escaping @Sendable (TriggerEvent) -> Void) async throws {
        var seen = clock.reading().wall
        while true {
            let reading = clock.reading()
            // A clock set back slightly must not repeat a moment; one set back far was wrong before.
            if seen.duration(since: reading.wall) > Self.largestCorrection { seen = reading.wall }
            seen = max(seen, reading.wall.advanced(by: .zero - Self.grace))
            guard let due = schedule.next(after: seen, utcOffset: clock.utcOffsetSeconds(at:)) else {
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
