import CVideo4Linux
package import Capture
import Glibc
import Host
package import PhotoModel

/// The clocks of this machine: `CLOCK_MONOTONIC`, `CLOCK_REALTIME`, and whether the latter is synchronised.
package struct SystemCaptureClock: CaptureClock {
    /// The running boot, from `/proc/sys/kernel/random/boot_id`; nil if unreadable.
    package let bootID = HostIdentity.bootID()

    /// Reads the boot identifier once.
    package init() {}

    /// Reads both clocks within a microsecond or so of each other.
    package func reading() -> ClockReading {
        let monotonic = tt_nanoseconds(CLOCK_MONOTONIC)
        let wall = tt_nanoseconds(CLOCK_REALTIME)
        var status = timex()
        // TIME_ERROR (5) means that the clock is not synchronised (adjtimex(2)).
        let state = unsafe adjtimex(&status)
        let now = WallTime(microsecondsSince1970: wall / 1000)
        return ClockReading(
            monotonic: MonotonicTime(nanoseconds: monotonic),
            wall: now,
            utcOffsetSeconds: utcOffsetSeconds(at: now),
            isSynchronized: 0..<5 ~= state
        )
    }

    /// The offset of the machine's time zone at an instant.
    package func utcOffsetSeconds(at time: WallTime) -> Int { HostClock.utcOffsetSeconds(at: time) }

    /// Sleeps without blocking a thread.
    package func sleep(until deadline: MonotonicTime) async throws {
        // Swift's suspending clock is CLOCK_MONOTONIC on Linux; waiting for the difference keeps this independent of it.
        let left = deadline.nanoseconds - tt_nanoseconds(CLOCK_MONOTONIC)
        if left > 0 {
            try await Task.sleep(for: .nanoseconds(left), tolerance: .zero)
        } else {
            try Task.checkCancellation()
            await Task.yield()
        }
    }
}
