import Glibc
package import PhotoModel

/// This machine's wall clock and time zone.
package enum LocalClock {
    /// The wall clock.
    package static func now() -> WallTime {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return WallTime(microsecondsSince1970: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
    }

    /// The machine's UTC offset at an instant, in seconds east.
    package static func utcOffsetSeconds(at time: WallTime) -> Int {
        var seconds = time_t(time.microsecondsSince1970 / 1_000_000)
        var parts = unsafe tm()
        guard unsafe localtime_r(&seconds, &parts) != nil else { return 0 }
        return unsafe parts.tm_gmtoff
    }
}
