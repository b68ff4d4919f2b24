import ArgumentParser
import DeviceIdentity
import FoundationEssentials
import LibraryAPI
import LibraryClient
import Persistence
import Terminal

struct ContextCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "context",
        "Manages the libraries that you administer, local and remote.",
        """
        A context is a socket on this machine, or a server with your operator certificate. Order of precedence: \
        --socket, --context, TINTYPE_SOCKET, TINTYPE_CONTEXT, the context in use, the default socket. Contexts \
        are stored in tintype/contexts.json in your configuration folder (XDG_CONFIG_HOME), readable by you alone; \
        TINTYPE_CONFIG names another file.
        """,
        examples: [
            "tintypectl context request ada > ada.csr",
            "tintypectl context add home --from ada.json --use",
            "tintypectl context add here --socket /var/lib/tintype/admin.sock",
            "tintypectl context list",
        ],
        subcommands: [ContextList.self, ContextUse.self, ContextAdd.self, ContextRequest.self, ContextRemove.self]
    )
}

/// The options of context commands, which need no library.
struct ContextOptions: ParsableArguments {
    @OptionGroup var output: OutputOptions

    var session: AdminSession { AdminSession.current }
    var file: ContextFile { session.contextFile }

    /// Shows all contexts, marking the current one.
    func show(_ contents: ContextFile.Contents, next: [String] = []) throws {
        let table = Table(
            columns: [.init("USED"), .init("CONTEXT"), .init("LIBRARY", isFlexible: true), .init("CERTIFICATE ENDS")],
            rows: contents.contexts.map { context in
                [
                    Cell(context.name == contents.current ? "*" : ""), Cell(context.name), Cell(context.address),
                    Self.ending(of: context, session),
                ]
            },
            ifEmpty: "No contexts: commands go to \(session.socketPath(flag: nil))."
        )
        let wire = ContextFile.Contents(current: contents.current, contexts: contents.contexts.map(\.withoutKey))
        try output.show(
            Report(wire: wire, identifiers: contents.contexts.map(\.name), content: .table(table), next: next)
        )
    }

    private static func ending(of context: AccessContext, _ session: AdminSession) -> Cell {
        guard context.server != nil || context.key != nil else { return "" }
        guard let pem = context.certificate, let certificate = try? IdentityCertificate(pem: pem.firstCertificate)
        else { return Cell("none yet", .warning) }
        let now = session.now()
        let style: Cell.Style = certificate.notAfter < now ? .bad : .plain
        return Cell(Wording.relative(certificate.notAfter, now: now), style)
    }
}

extension String {
    /// The first certificate of a chain in PEM (RFC 7468).
    var firstCertificate: String {
        let end = "-----END CERTIFICATE-----"
        guard let range = firstRange(of: end) else { return self }
        return self[..<range.upperBound] + "\n"
    }
}

struct ContextList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "list",
        "Lists contexts, and marks the current one.",
        examples: ["tintypectl context list", "tintypectl context list --json"]
    )

    @OptionGroup var options: ContextOptions

    func run() async throws {
        let contents = try options.file.load()
        try options.show(
            contents,
            next: contents.contexts.isEmpty ? ["tintypectl context add NAME --from FILE, or --socket PATH"] : []
        )
    }
}

struct ContextUse: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "use",
        "Selects the context that commands use from now on.",
        examples: ["tintypectl context use home"]
    )

    @Argument(help: "The context's name.", completion: .contexts)
    var name: String

    @OptionGroup var options: ContextOptions

    func run() async throws {
        var contents = try options.file.load()
        guard contents[name] != nil else { throw AdminError.noContext(name) }
        contents.current = name
        try options.file.save(contents)
        try options.show(contents)
    }
}

struct ContextRemove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "remove",
        "Deletes a context and its key; the certificate stays valid until it is revoked.",
        examples: ["tintypectl context remove home"]
    )

    @Argument(help: "The context's name.", completion: .contexts)
    var name: String

    @OptionGroup var confirmation: ConfirmationOptions
    @OptionGroup var options: ContextOptions

    func run() async throws {
        var contents = try options.file.load()
        guard let context = contents[name] else { throw AdminError.noContext(name) }
        if context.key != nil {
            try options.session.confirm("Forget the key of the context “\(name)”?", yes: confirmation.yes)
        }
        contents.contexts.removeAll { $0.name == name }
        if contents.current == name { contents.current = nil }
        try options.file.save(contents)
        let next = context.certificate == nil ? [] : ["tintypectl operator list shows the certificate to revoke"]
        try options.show(contents, next: next)
    }
}

struct ContextRequest: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "request",
        "Creates a key that stays here, and prints the request for the server's operator to sign.",
        "Send the request; it is not secret. With the answer, tintypectl context add completes the context.",
        examples: ["tintypectl context request home > ada.csr"]
    )

    @Argument(help: "The context's name.")
    var name: String

    @OptionGroup var options: ContextOptions

    func run() async throws {
        var contents = try options.file.load()
        var context = contents[name] ?? AccessContext(name: name)
        guard context.certificate == nil, context.socket == nil else {
            throw AdminError(
                .usage,
                "The context “\(name)” is complete.",
                next: "tintypectl context request with another name, or tintypectl context remove \(name)"
            )
        }
        // Repeating it uses the same key: the request may have been lost in transit.
        let key = try context.key.map { try DeviceKey(pem: $0) } ?? DeviceKey()
        context.key = key.pem
        contents.set(context)
        try options.file.save(contents)
        let request = try key.signingRequest().pem
        options.session.output(
            options.output.json ? try Renderer.json(["certificateRequest": request]) + "\n" : request
        )
        options.session.note("next: on the server's machine, tintypectl operator add NAME --request FILE\n")
    }
}

struct ContextAdd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "add",
        "Adds a library: a socket on this machine, or a file from tintypectl operator add.",
        examples: [
            "tintypectl context add home --from ada.json --use",
            "tintypectl context add here --socket /var/lib/tintype/admin.sock",
        ]
    )

    @Argument(help: "Your name for it.")
    var name: String

    @Option(help: .value("file", "The file that tintypectl operator add wrote."), completion: .file())
    var from: String?

    @Option(help: .value("path", "The operators' socket."), completion: .file())
    var socket: String?

    @Option(help: .value("url", "How this machine reaches the server, instead of the file's address."))
    var server: String?

    @Flag(help: "Makes it the current context.")
    var use = false

    @OptionGroup var options: ContextOptions

    func validate() throws {
        guard 1...64 ~= name.utf8.count, name.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else {
            throw ValidationError("A context's name has 1 to 64 visible ASCII characters.")
        }
        guard (from == nil) != (socket == nil) else { throw ValidationError("Say either --from or --socket.") }
        try requireAddress(server)
    }

    func run() async throws {
        var contents = try options.file.load()
        var context = AccessContext(name: name)
        if let from {
            context = try read(from)
            context.name = name
            // If the request was made here, the key never left this machine.
            context.key = context.key ?? contents[name]?.key
            if let server { context.server = server }
        }
        context.socket = socket
        _ = try context.access()
        try check(context)
        contents.set(context)
        if use || contents.current == nil { contents.current = name }
        try options.file.save(contents)
        try options.show(contents, next: contents.current == name ? [] : ["tintypectl context use \(name)"])
    }

    private func read(_ path: String) throws -> AccessContext {
        do {
            return try JSONDecoder().decode(AccessContext.self, from: Data(try options.session.read(path)))
        } catch is DecodingError {
            throw AdminError("\(path) is not a context.", next: "pass the file that tintypectl operator add wrote")
        } catch {
            throw AdminError("\(path) cannot be read.", next: "name a file that you may read")
        }
    }

    /// The server would refuse a certificate for another key without saying why.
    private func check(_ context: AccessContext) throws {
        guard let pem = context.certificate, let key = context.key else { return }
        let certificate = try IdentityCertificate(pem: pem.firstCertificate)
        guard try DeviceKey(pem: key).signingRequest().keyFingerprint == certificate.keyFingerprint else {
            throw AdminError(
                .usage,
                "The certificate does not match the key of the context “\(name)”.",
                next: "add it under the name that tintypectl context request was given"
            )
        }
    }
}

extension AdminError {
    static func noContext(_ name: String) -> AdminError {
        AdminError(.usage, "There is no context “\(name)”.", next: "tintypectl context list")
    }
}

extension CompletionKind {
    static var contexts: CompletionKind { .shellCommand("tintypectl context list --quiet 2>/dev/null") }
    /// Prefixes of devices' fingerprints.
    static var devices: CompletionKind { .shellCommand("tintypectl device list --quiet 2>/dev/null") }
    /// Album titles are not unique, so their identifiers are offered.
    static var albums: CompletionKind { .shellCommand("tintypectl album list --quiet 2>/dev/null") }
}
