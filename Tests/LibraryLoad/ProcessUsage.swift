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

    /// Reads `/proc/<process>/status` and `/proc/<process>/stat`; nil when there is no such process.
    package init?(of process: Int32) {
        guard let status = Self.read("/proc/\(process)/status"), let stat = Self.read("/proc/\(process)/stat") else {
            return nil
        }
        residentByteCount = Self.kibibytes("VmRSS", in: status) << 10
        peakByteCount = Self.kibibytes("VmHWM", in: status) << 10
        // The program's name, which may hold anything, stands in parentheses before the numbers; utime and stime are the
        // 14th and 15th of all fields.
        let fields = stat.components(separatedBy: ") ").last?.split(separator: " ") ?? []
        guard fields.count > 12, let user = Int64(fields[11]), let system = Int64(fields[12]) else { return nil }
        processorTime = .milliseconds((user + system) * 1000 / Int64(sysconf(Int32(_SC_CLK_TCK))))
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
