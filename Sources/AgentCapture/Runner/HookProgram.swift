import Capture
import CaptureLinux

/// Runs the administrator's hook programs.
enum HookProgram {
    /// Runs a program to its end, without a shell and with empty standard input; blocks.
    ///
    /// - Parameters:
    ///   - path: the program.
    ///   - arguments: its arguments.
    ///   - limit: the timeout after which it is killed with what it started.
    /// - Returns: its exit status, or the number of the signal that ended it plus 128.
    /// - Throws: `failed` if it cannot be started.
    static func run(_ path: String, _ arguments: [String], within limit: Duration) throws -> Int32 {
        do throws(CaptureError) {
            return try ChildProgram.run([path] + arguments, within: limit)
        } catch {
            let reason = error.cause.map { ": \($0)" } ?? ""
            throw AgentError(.failed, error.message + reason)
        }
    }
}
