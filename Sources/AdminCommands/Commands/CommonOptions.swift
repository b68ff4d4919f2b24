import ArgumentParser
import LibraryClient

/// What every command takes: where the server is, and in which form to answer.
struct CommonOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The operators' socket.",
            discussion: "Default: TINTYPE_SOCKET, else \(AdminSession.defaultSocketPath).",
            valueName: "path"
        )
    )
    var socket: String?

    @Flag(help: "Answers with the wire's JSON, for programs.")
    var json = false

    @Flag(name: [.short, .long], help: "Answers with identifiers alone, one a line.")
    var quiet = false

    func validate() throws {
        if json, quiet { throw ValidationError("--json and --quiet exclude each other: choose one.") }
    }

    /// The session that the command runs in.
    var session: AdminSession { AdminSession.current }

    /// The library.
    ///
    /// - Throws: `unreachable` where no server listens, `notAllowed` where the socket may not be opened.
    func client() throws -> LibraryClient {
        let session = session
        return try session.connect(session.socketPath(flag: socket))
    }

    /// Writes a report in the form that was asked for; what comes next is only for people.
    func show(_ report: Report) throws {
        let format: OutputFormat = json ? .json : quiet ? .identifiers : .people
        session.output(try Renderer(format: format, terminal: session.terminal).text(of: report))
        guard format == .people else { return }
        for line in report.next { session.note("next: \(InertText(line))\n") }
    }
}

/// For commands that ask before they act.
struct ConfirmationOptions: ParsableArguments {
    @Flag(name: [.short, .long], help: "Does not ask.")
    var yes = false
}
