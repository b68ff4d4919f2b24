import BenchmarkSupport
import Foundation
import SystemPackage

/// What waiting for a shutter costs: a running ring, beside `ffmpeg -c copy` on the same feed, the least that reading
/// and dropping frames can cost.
///
/// Both run in a process of their own, once short and once long: the difference is the steady state, without the start.
func idleBenchmark(_ feed: RecordedFeed, in folder: FilePath) throws {
    let path = folder.appending("feed.mjpeg").string
    try Data(feed.frames.joined()).write(to: URL(fileURLWithPath: path))
    defer { try? FileManager.default.removeItem(atPath: path) }
    // SwiftPM puts all programs of a package into one folder.
    let program = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().path + "/idle-ring"
    let ring = try IdleCost { [program, path, String($0)] }
    let peer = try IdleCost { seconds in
        [
            "ffmpeg", "-v", "error", "-re", "-framerate", "30", "-stream_loop", "-1", "-f", "mjpeg", "-i", path,
            "-t", String(seconds), "-c", "copy", "-f", "null", "-",
        ]
    }
    print("idle ring: \(ring); limits 5 % and 60 MB")
    print("ffmpeg -c copy of the same feed: \(peer)")
    print("ratio of processor time: \(String(format: "%.2f", ring.share / max(0.000_1, peer.share)))")
}

/// The steady state of a program that does the same each second.
private struct IdleCost: CustomStringConvertible {
    private static let (short, long) = (3, 13)

    /// Of one core, 0 to 1.
    let share: Double
    /// The most memory it had.
    let residentByteCount: Int

    init(_ command: (_ seconds: Int) -> [String]) throws {
        let start = try ChildCost(command(Self.short))
        let whole = try ChildCost(command(Self.long))
        share = (whole.processor - start.processor).seconds / Double(Self.long - Self.short)
        residentByteCount = whole.residentByteCount
    }

    var description: String {
        String(format: "%.1f %% of a core, %.1f MB at most", share * 100, Double(residentByteCount) / 1_000_000)
    }
}

/// What a child process used from its start to its end, as the kernel counted it.
private struct ChildCost {
    let processor: Duration
    let residentByteCount: Int

    init(_ command: [String]) throws {
        var pid: pid_t = 0
        var arguments: [UnsafeMutablePointer<CChar>?] = unsafe command.map { unsafe strdup($0) } + [nil]
        defer { unsafe arguments.forEach { unsafe free($0) } }
        let status = unsafe posix_spawnp(&pid, command[0], nil, nil, &arguments, environ)
        guard status == 0 else { throw Errno(rawValue: status) }
        var usage = rusage()
        var exit: Int32 = 0
        var highest = 0
        var ended: pid_t = 0
        // The memory that `wait4` tells is that of whoever started the program, where that had more.
        while ended == 0 {
            highest = max(highest, Self.highestResidentByteCount(of: pid))
            usleep(20_000)
            ended = unsafe wait4(pid, &exit, WNOHANG, &usage)
        }
        guard ended == pid else { throw Errno(rawValue: errno) }
        residentByteCount = highest
        processor = [usage.ru_utime, usage.ru_stime].reduce(.zero) {
            $0 + .seconds($1.tv_sec) + .microseconds($1.tv_usec)
        }
    }

    /// `VmHWM` of `/proc/PID/status`, which Linux tells in kibibytes; 0 when the program has ended.
    private static func highestResidentByteCount(of pid: pid_t) -> Int {
        guard let status = try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8) else { return 0 }
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return (line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0) << 10
    }
}
