import ArgumentParser
import LibraryAPI
import LibraryClient
import PhotoModel
import Terminal

struct OutputOptions: ParsableArguments {
    @Flag(help: "Prints JSON, for programs: the shapes of the API, as described by /v1/openapi.yaml.")
    var json = false

    @Flag(name: [.short, .long], help: "Prints only identifiers, one per line.")
    var quiet = false

    @Flag(help: "Explains an error code: its name, whether to retry, and who can change it.")
    var explain = false

    func validate() throws {
        if json, quiet { throw ValidationError("--json and --quiet exclude each other: choose one.") }
    }

    var format: OutputFormat { json ? .json : quiet ? .identifiers : .people }

    /// Writes a report in the requested format; next steps are only for people.
    func show(_ report: Report) throws {
        let session = AdminSession.current
        session.output(try Renderer(format: format, terminal: session.terminal).text(of: report))
        guard format == .people else { return }
        for line in report.next { session.note("next: \(InertText(line))\n") }
    }
}

/// The options of every command that talks to a library: its address, and the output format.
struct CommonOptions: ParsableArguments {
    @Option(
        help: .value(
            "path",
            "The operators' socket; default: TINTYPE_SOCKET, else the context, else \(AdminSession.defaultSocketPath)."
        ),
        completion: .file()
    )
    var socket: String?

    @Option(help: .value("name", "The context; default: TINTYPE_CONTEXT, else the current one."), completion: .contexts)
    var context: String?

    @OptionGroup var output: OutputOptions

    func validate() throws {
        if socket != nil, context != nil {
            throw ValidationError("--socket and --context exclude each other: choose one.")
        }
    }

    /// The command's session.
    var session: AdminSession { AdminSession.current }

    /// The library.
    ///
    /// - Throws: `unreachable` if no server is listening, `notAllowed` if the socket may not be opened.
    func client() throws -> LibraryClient {
        let session = session
        return try session.connect(session.access(socket: socket, context: context))
    }

    /// The library's address for others: a remote context's, else the server's own claim, else this machine's name.
    func publicAddress(asToldByServer told: String? = nil) throws -> String {
        if case .remote(let remote) = try session.access(socket: socket, context: context) {
            return remote.origin.description
        }
        return told ?? "https://\(session.hostName):8443"
    }

    /// Writes a report in the requested format; next steps are only for people.
    func show(_ report: Report) throws { try output.show(report) }

    /// Ends things one by one, and says how many, as in `Revoked: 2 tokens`.
    func end(_ things: [some UniqueIdentifier], _ endpoint: Endpoint, _ done: String, _ noun: String) async throws {
        let client = try client()
        for thing in things { try await client.perform(endpoint, [thing]) }
        let sentence = "\(done): \(Wording.count(things.count, noun))."
        try show(Report(wire: things, identifiers: things.map(\.description), content: .sentence(sentence)))
    }
}

/// For commands that ask for confirmation.
struct ConfirmationOptions: ParsableArguments {
    @Flag(name: [.short, .long], help: "Does not ask for confirmation.")
    var yes = false
}
