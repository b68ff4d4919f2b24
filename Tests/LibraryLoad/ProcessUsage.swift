import Foundation
import Glibc

/// What a process holds and has used, as the kernel tells it (proc(5)).
package struct ProcessUsage: Sendable {
    /// Resident memory now, in bytes (`VmRSS`).
    package let residentByteCount: Int64
    /// The most resident memory that it ever had, in bytes (`VmHWM`).
    package let peakByteCount: Int64
    /// CPU time, of the user and the system, since it began.
    package let processorTime: Duration
    /// CPU time of its children that have ended.
    private let endedChildrenTime: Duration

    /// Reads `/proc/<process>/status` and `/proc/<process>/stat`; nil when there is no such process.
    package init?(of process: Int32) {
        guard let status = Self.read("/proc/\(process)/status"), let stat = Self.read("/proc/\(process)/stat") else {
            return nil
        }
        residentByteCount = Self.kibibytes("VmRSS", in: status) << 10
        peakByteCount = Self.kibibytes("VmHWM", in: status) << 10
        // The program's name, which may hold anything, stands in parentheses before the numbers; utime, stime, cutime and
        // cstime are the 14th to 17th of all fields.
        let fields = stat.components(separatedBy: ") ").last?.split(separator: " ") ?? []
        let ticks = fields.dropFirst(11).prefix(4).compactMap { Int64($0) }
        guard ticks.count == 4 else { return nil }
        let ticksPerSecond = Int64(sysconf(Int32(_SC_CLK_TCK)))
        processorTime = .milliseconds((ticks[0] + ticks[1]) * 1000 / ticksPerSecond)
        endedChildrenTime = .milliseconds((ticks[2] + ticks[3]) * 1000 / ticksPerSecond)
    }

    /// CPU time of a process and its children, running or ended; nil if there is no such process.
    package static func processorTime(withChildrenOf process: Int32) -> Duration? {
        guard let parent = Self(of: process),
            let children = read("/proc/\(process)/task/\(process)/children")
        else { return nil }
        return children.split(separator: " ").compactMap { Int32($0).flatMap { Self(of: $0) } }
            .reduce(parent.processorTime + parent.endedChildrenTime) { $0 + $1.processorTime }
    }

    /// When a process began, in ticks since the machine started; nil when there is no such process.
    static func beginning(of process: Int32) -> String? {
        let fields = read("/proc/\(process)/stat")?.components(separatedBy: ") ").last?.split(separator: " ") ?? []
        return fields.count > 19 ? String(fields[19]) : nil
    }

    private static func read(_ path: String) -> String? {
        guard let file = FileHandle(forReadingAtPath: path), let data = try? file.readToEnd() else { return nil }
        return String(decoding: data, as: UTF8.self)
    }

    private static func kibibytes(_ name: String, in status: String) -> Int64 {
        let line = status.split(separator: "\n").first { $0.hasPrefix("\(name):") }
        return line.flatMap { $0.split(whereSeparator: \.isWhitespace).dropFirst().first }.flatMap { Int64($0) } ?? 0
    }
}
