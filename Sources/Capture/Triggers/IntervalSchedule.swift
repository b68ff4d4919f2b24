/// Shots at a fixed interval and phase: errors never accumulate, and a missed slot is skipped, not made up for.
package struct IntervalSchedule: Hashable, Sendable {
    /// One scheduled time.
    package struct Slot: Hashable, Sendable {
        /// The slot's number, 0 for the first.
        package let number: Int64
        /// When it is due.
        package let time: MonotonicTime
        /// How many slots were skipped before it.
        package let skipped: Int64
    }

    /// The shortest interval.
    package static let shortest = Duration.milliseconds(1)

    private let phase: MonotonicTime
    private let intervalNanoseconds: Int64
    private var nextNumber: Int64 = 0

    /// Creates a schedule with slot 0 at the phase; nil if the interval is shorter than a millisecond.
    package init?(phase: MonotonicTime, interval: Duration) {
        guard interval >= Self.shortest else { return nil }
        self.phase = phase
        intervalNanoseconds = interval.wholeNanoseconds
    }

    /// Consumes every slot due by a time, without counting them as skipped.
    package mutating func skip(through now: MonotonicTime) {
        let elapsed = now.duration(since: phase).wholeNanoseconds
        if elapsed >= 0 { nextNumber = max(nextNumber, elapsed / intervalNanoseconds + 1) }
    }

    /// Consumes and returns the next slot that is not over, which may be due already.
    ///
    /// A slot is over when the next one is due; a slightly late wake-up still gets its slot.
    package mutating func next(after now: MonotonicTime) -> Slot {
        let elapsed = now.duration(since: phase).wholeNanoseconds
        let current = elapsed < 0 ? 0 : elapsed / intervalNanoseconds
        let number = max(nextNumber, current)
        defer { nextNumber = number + 1 }
        let offset = number.multipliedReportingOverflow(by: intervalNanoseconds)
        return Slot(
            number: number,
            time: phase.advanced(by: .nanoseconds(offset.overflow ? .max : offset.partialValue)),
            skipped: number - nextNumber
        )
    }
}
