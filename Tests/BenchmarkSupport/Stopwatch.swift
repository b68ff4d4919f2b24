// Owns the C structures of time in a program that links Foundation.
import CoreFoundation
import Glibc

/// What one piece of work took: wall time and the process's own CPU time.
package struct Measurement {
    /// By the clock.
    package let wall: Duration
    /// On all processors together.
    package let cpu: Duration
}

/// Runs work and measures it.
package func measure(_ work: () throws -> Void) rethrows -> Measurement {
    let clock = ContinuousClock()
    let cpuBefore = processorTime()
    let wall = try clock.measure(work)
    return Measurement(wall: wall, cpu: processorTime() - cpuBefore)
}

/// The CPU time this process has used, user and system.
package func processorTime() -> Duration {
    var time = timespec()
    unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}

/// The resident memory of this process in bytes (`/proc/self/statm`, second field, in pages).
package func residentBytes() -> Int {
    guard let file = unsafe fopen("/proc/self/statm", "r") else { return 0 }
    defer { unsafe fclose(file) }
    var line = [CChar](repeating: 0, count: 128)
    guard unsafe fgets(&line, 128, file) != nil else { return 0 }
    let characters = line.prefix { $0 != 0 }.map { Character(Unicode.Scalar(UInt8(truncatingIfNeeded: $0))) }
    let fields = characters.split(separator: " ")
    return fields.count > 1 ? (Int(String(fields[1])) ?? 0) * Int(getpagesize()) : 0
}

extension Duration {
    /// The length in seconds.
    package var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
