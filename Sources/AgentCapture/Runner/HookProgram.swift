import Glibc

/// Runs the administrator's hook programs.
enum HookProgram {
    /// Runs a program to its end, without a shell and with empty standard input; blocks.
    ///
    /// - Parameters:
    ///   - path: the program.
    ///   - arguments: its arguments.
    ///   - limit: the timeout after which it is killed.
    /// - Returns: its exit status, or the number of the signal that ended it plus 128.
    /// - Throws: `failed` if it cannot be started.
    static func run(_ path: String, _ arguments: [String], within limit: Duration) throws -> Int32 {
        let process = try start(path, arguments)
        let deadline = ContinuousClock.now.advanced(by: limit)
        var isKilled = false
        while true {
            var status: Int32 = 0
            let ended = unsafe waitpid(process, &status, isKilled ? 0 : WNOHANG)
            if ended == process {
                let signal = status & 0x7F
                return signal == 0 ? status >> 8 & 0xFF : 128 + signal
            }
            if ended < 0, errno != EINTR { throw AgentError(.failed, "cannot wait for \(path)") }
            if ended == 0 {
                if ContinuousClock.now >= deadline {
                    kill(process, SIGKILL)
                    isKilled = true
                }
                usleep(5000)
            }
        }
    }

    private static func start(_ path: String, _ arguments: [String]) throws -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        // Standard output is reserved for commands' own output.
        unsafe posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO)
        var texts = unsafe ([path] + arguments).map { unsafe strdup($0) } + [nil]
        defer { unsafe texts.forEach { unsafe free($0) } }
        var process: pid_t = 0
        let status = unsafe posix_spawn(&process, path, &actions, nil, &texts, environ)
        guard status == 0 else {
            throw AgentError(.failed, "\(path) cannot be run: \(unsafe String(cString: strerror(status)))")
        }
        return process
    }
}
