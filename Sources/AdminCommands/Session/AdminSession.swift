package import LibraryClient
package import Persistence
package import PhotoModel
package import Terminal

/// The environment of commands: the library, the clock, the terminal, files.
///
/// The process has one; tests set the task-local value, since ArgumentParser creates the commands.
package struct AdminSession: Sendable {
    /// The session of the current commands.
    @TaskLocal package static var current = AdminSession.process

    /// Opens a library.
    package var connect: @Sendable (LibraryAccess) throws -> LibraryClient
    /// Opens a server that is not a library.
    package var connectForeign: @Sendable (CurlSettings) throws -> any Transport
    /// The wall clock.
    package var now: @Sendable () -> WallTime
    /// The process's environment.
    package var environment: [String: String]
    /// This machine's name: the default address for boxes.
    package var hostName: String
    /// Reads a file.
    package var read: @Sendable (_ path: String) throws -> [UInt8]
    /// Where files are read and written.
    package var fileSystem: any FileSystem
    /// What standard output can show.
    package var terminal: TerminalTraits
    /// Writes to standard output.
    package var output: @Sendable (String) -> Void
    /// Writes to standard error.
    package var note: @Sendable (String) -> Void
    /// Shows a prompt and reads a line; nil if standard input is not a terminal.
    package var ask: (@Sendable (_ question: String) -> String?)?
    /// Waits.
    package var sleep: @Sendable (Duration) async throws -> Void
    /// Replaces this process with another program, found beside this one or in `PATH`.
    package var replaceProcess: @Sendable (_ program: String, _ arguments: [String]) throws -> Void

    package init(
        connect: @escaping @Sendable (LibraryAccess) throws -> LibraryClient,
        connectForeign: @escaping @Sendable (CurlSettings) throws -> any Transport = { try CurlTransport($0) },
        now: @escaping @Sendable () -> WallTime,
        environment: [String: String] = [:],
        hostName: String,
        read: @escaping @Sendable (_ path: String) throws -> [UInt8],
        fileSystem: any FileSystem = PosixFileSystem(),
        terminal: TerminalTraits = TerminalTraits(),
        output: @escaping @Sendable (String) -> Void,
        note: @escaping @Sendable (String) -> Void,
        ask: (@Sendable (_ question: String) -> String?)? = nil,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        replaceProcess: @escaping @Sendable (_ program: String, _ arguments: [String]) throws -> Void
    ) {
        self.sleep = sleep
        self.replaceProcess = replaceProcess
        self.connect = connect
        self.connectForeign = connectForeign
        self.now = now
        self.environment = environment
        self.hostName = hostName
        self.read = read
        self.fileSystem = fileSystem
        self.terminal = terminal
        self.output = output
        self.note = note
        self.ask = ask
    }

    /// The default path of the operators' socket in the server's settings.
    static let defaultSocketPath = "/var/lib/tintype/admin.sock"

    /// The socket: by flag, by environment, by default.
    func socketPath(flag: String?) -> String { flag ?? environment["TINTYPE_SOCKET"] ?? Self.defaultSocketPath }

    /// The operator's contexts.
    var contextFile: ContextFile { ContextFile(environment: environment, fileSystem: fileSystem) }

    /// The library to use: from the flag, the environment, the current context, or the default socket.
    ///
    /// - Throws: `usage` for a missing or incomplete context.
    func access(socket: String?, context: String?) throws -> LibraryAccess {
        if let socket { return .socket(path: socket) }
        if context == nil, let named = environment["TINTYPE_SOCKET"] { return .socket(path: named) }
        let contents = try contextFile.load()
        guard let name = context ?? environment["TINTYPE_CONTEXT"] ?? contents.current else {
            return .socket(path: Self.defaultSocketPath)
        }
        guard let found = contents[name] else { throw AdminError.noContext(name) }
        return try found.access()
    }

    /// Asks for confirmation of something irreversible.
    ///
    /// - Throws: `usage` if nobody can be asked and `--yes` was not given; `failed` if the answer is no.
    func confirm(_ question: String, yes: Bool) throws {
        guard !yes else { return }
        guard let ask else {
            throw AdminError(
                .usage,
                "\(question) Nobody can be asked: standard input is not a terminal.",
                next: "the same command with --yes"
            )
        }
        let answer = ask("\(InertText(question)) [y/N] ")?.lowercased() ?? ""
        guard ["y", "yes"].contains(answer) else {
            throw AdminError(.failed, "Nothing was changed.", next: "the same command, answered with y")
        }
    }
}
