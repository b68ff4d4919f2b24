import CCameraProgram
package import Capture
import Glibc
import SystemPackage

/// A running program and its pipes, in its own process group and a reduced environment (``ProgramEnvironment``); the
/// owner must end it exactly once.
package struct ChildProgram: Sendable {
    /// The pipes of a program.
    enum Pipes: Int32 {
        /// None: what it writes goes to the agent's standard error.
        case none = 0
        /// One for its standard output and one for its standard error.
        case outputs = 2
        /// A third for its descriptor 3.
        case outputsAndMetadata = 3
    }

    /// Its process ID, also its process group's.
    let process: pid_t
    /// Its standard output; negative if it has no pipe.
    let output: Int32
    /// Its standard error; negative if it has no pipe.
    let errors: Int32
    /// Its descriptor 3; negative if it has none.
    let metadata: Int32

    /// Starts a program without a shell, with empty standard input.
    ///
    /// The corresponding C function is `posix_spawn`.
    ///
    /// - Parameters:
    ///   - command: the program's path and its arguments.
    ///   - pipes: its pipes, which the agent reads.
    /// - Returns: the running program.
    /// - Throws: `deviceFailed` if it cannot be started.
    static func start(_ command: [String], pipes: Pipes = .outputs) throws(CaptureError) -> ChildProgram {
        var texts = unsafe command.map { unsafe strdup($0) } + [nil]
        defer { unsafe texts.forEach { unsafe free($0) } }
        var environment = unsafe ProgramEnvironment.current().map { unsafe strdup($0) } + [nil]
        defer { unsafe environment.forEach { unsafe free($0) } }
        var ends: [Int32] = [-1, -1, -1]
        var process: pid_t = 0
        let status = unsafe tt_start_program(command[0], &texts, &environment, pipes.rawValue, &ends, &process)
        guard status == 0 else {
            throw CaptureError(.deviceFailed, "\(command[0]) cannot be run", cause: Errno(rawValue: status))
        }
        return ChildProgram(process: process, output: ends[0], errors: ends[1], metadata: ends[2])
    }

    /// Runs a program without pipes to its end; blocks.
    ///
    /// What it started and left behind when it ended by itself keeps running.
    ///
    /// - Parameters:
    ///   - command: the program's path and its arguments.
    ///   - limit: the timeout after which it is killed with its process group.
    /// - Returns: its exit status, or the number of the signal that ended it plus 128.
    /// - Throws: `deviceFailed` if it cannot be started.
    package static func run(_ command: [String], within limit: Duration) throws(CaptureError) -> Int32 {
        let child = try start(command, pipes: .none)
        // It is not reaped yet, so its ID still names its own process group.
        if !child.hasEnded(within: limit) { tt_signal_program(child.process, SIGKILL) }
        let status = tt_forget_program(child.process)
        return status < 0 ? 128 - status : status
    }

    /// Ends it with all its children, and closes the pipes; blocks.
    ///
    /// - Parameter patience: how long to wait between SIGTERM and SIGKILL.
    /// - Returns: its exit status, or the negative number of the signal that ended it.
    func end(patience: Duration) -> Int32 {
        if !hasEnded(within: .zero) {
            tt_signal_program(process, SIGTERM)
            _ = hasEnded(within: patience)
        }
        // The process ID is not reused before it is reaped below, so this reaches only its own children.
        tt_signal_program(process, SIGKILL)
        for descriptor in [output, errors, metadata] where descriptor >= 0 { close(descriptor) }
        return tt_forget_program(process)
    }

    /// Blocks until it has ended; false if it is still running after the limit.
    func hasEnded(within limit: Duration) -> Bool {
        let deadline = ContinuousClock.now.advanced(by: limit)
        while tt_has_program_ended(process) == 0 {
            guard ContinuousClock.now < deadline else { return false }
            usleep(5000)
        }
        return true
    }
}

/// The last line of a program's standard error, for a message.
struct LastLine {
    private static let longest = 300

    private var bytes: [UInt8] = []
    private var isOver = false

    /// Consumes the next bytes.
    mutating func append(_ more: some Sequence<UInt8>) {
        for byte in more {
            if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") {
                isOver = true
            } else {
                if isOver { bytes.removeAll(keepingCapacity: true) }
                isOver = false
                if bytes.count < Self.longest { bytes.append(byte) }
            }
        }
    }

    /// The line, without anything between `://` and `@`, which may be a password.
    var text: String {
        let text = String(decoding: bytes, as: UTF8.self)
        return text.replacing(/:\/\/[^\/\s@]*@/) { _ in "://" }
    }
}
