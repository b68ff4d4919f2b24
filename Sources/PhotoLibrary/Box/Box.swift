import Glibc
import MediaFiles
package import PhotoModel

/// The machine that the agent runs on: its clocks, boot and names.
package enum Box {
    /// The wall clock.
    package static func now() -> WallTime {
        LocalClock.now()
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

    /// The kernel's identifier of this boot.
    package static func bootID() -> BootID? {
        line(of: "/proc/sys/kernel/random/boot_id").flatMap { BootID($0) }
    }

    /// The host's name.
    package static func hostName() -> String {
        line(of: "/proc/sys/kernel/hostname") ?? "camera"
    }

    /// What distinguishes this machine from a copy of its disk: the machine id and the board's serial number, if
    /// readable.
    package static func hardwareText() -> String {
        ["/etc/machine-id", "/sys/class/dmi/id/product_uuid", "/proc/device-tree/serial-number"]
            .compactMap(line).joined(separator: "\n")
    }

    private static func nanoseconds(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// The beginning of a kernel file, which has no length until it is read; nil if unreadable.
    ///
    /// - Parameters:
    ///   - path: the file, for example below `/proc`.
    ///   - limit: the most bytes.
    /// - Returns: its text.
    package static func text(of path: String, limit: Int) -> String? {
        guard let file = unsafe fopen(path, "re") else { return nil }
        defer { unsafe fclose(file) }
        var buffer = [UInt8](repeating: 0, count: limit)
        let count = unsafe fread(&buffer, 1, buffer.count, file)
        return String(decoding: buffer[..<count], as: UTF8.self)
    }

    private static func line(of path: String) -> String? {
        let line = text(of: path, limit: 256)?.unicodeScalars.prefix { $0.value >= 0x20 }
        return line.flatMap { $0.isEmpty ? nil : String($0) }
    }
}
