import Glibc
package import PhotoModel

/// This machine's clocks and time zone.
package enum HostClock {
    /// The wall clock.
    package static func now() -> WallTime {
        WallTime(microsecondsSince1970: nanoseconds(CLOCK_REALTIME) / 1000)
    }

    /// Nanoseconds since the boot (`CLOCK_MONOTONIC`).
    package static func monotonicNanoseconds() -> UInt64 {
        UInt64(clamping: nanoseconds(CLOCK_MONOTONIC))
    }

    /// The minute of the local day, 0 to 1439.
    package static func minuteOfDay() -> Int {
        var seconds = time_t(nanoseconds(CLOCK_REALTIME) / 1_000_000_000)
        var parts = unsafe tm()
        unsafe localtime_r(&seconds, &parts)
        return unsafe Int(parts.tm_hour) * 60 + Int(parts.tm_min)
    }

    /// The machine's UTC offset at an instant, in seconds east.
    package static func utcOffsetSeconds(at time: WallTime) -> Int {
        var seconds = time_t(time.microsecondsSince1970 / 1_000_000)
        var parts = unsafe tm()
        guard unsafe localtime_r(&seconds, &parts) != nil else { return 0 }
        return unsafe parts.tm_gmtoff
    }

    private static func nanoseconds(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
