import ArgumentParser
import LibraryAPI
import LibraryClient
import PhotoModel
import Terminal

struct WebCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "web",
        "Manages logins to the web page.",
        examples: [
            "tintypectl web login",
            "tintypectl web login --name ada --server https://photos.example:8443",
            "tintypectl web list",
        ],
        subcommands: [WebLogin.self, WebList.self, WebRevoke.self, WebPassword.self]
    )
}

struct WebLogin: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "login",
        "Creates a link that logs an operator in once.",
        """
        The first to open the link becomes the operator, so it is a secret; it is valid for ten minutes. --quiet \
        prints the link alone.
        """,
        examples: ["tintypectl web login", "xdg-open $(tintypectl web login --quiet)"]
    )

    @Option(help: .value("name", "The operator's name in the audit. Default: your own name."))
    var name: String?

    @Option(help: .value("url", "How browsers reach it. Default: the context's, else https://<this machine>:8443."))
    var server: String?

    @OptionGroup var common: CommonOptions

    func validate() throws { try requireAddress(server) }

    func run() async throws {
        let request = WebLinkRequest(name: name)
        let answer: WebLinkResponse = try await common.client().call(.adminCreateWebLogin, body: request)
        let address = try server ?? common.publicAddress()
        let link = (address.hasSuffix("/") ? String(address.dropLast()) : address) + answer.uri
        let fields = [
            Report.Field("Link", Cell(link)),
            Report.Field("Expires", Cell(Wording.relative(answer.expires, now: common.session.now()))),
        ]
        try common.show(Report(wire: answer, identifiers: [link], content: .record(fields)))
    }
}

struct WebList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "list",
        "Lists valid logins on the web page.",
        examples: ["tintypectl web list"]
    )

    @OptionGroup var common: CommonOptions

    func run() async throws {
        let page: WebSessionPage = try await common.client().call(.adminWebLogins)
        try common.show(.webLogins(page, now: common.session.now()))
    }
}

struct WebRevoke: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "revoke",
        "Ends logins on the web page, and their open requests.",
        examples: [
            "tintypectl web revoke 019a8f6e-3c5b-7d21-9f00-2b6c1d4e5f60",
            "tintypectl web list --quiet | xargs tintypectl web revoke",
        ]
    )

    @Argument(help: "The logins, from tintypectl web list.", transform: identifier)
    var logins: [WebSessionID]

    @OptionGroup var common: CommonOptions

    func run() async throws { try await common.end(logins, .adminEndWebLogin, "Ended", "login") }
}

struct WebPassword: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "password",
        "Sets or removes the password of an operator's web login.",
        """
        The password is read from a file or standard input (-), never from the command line, which others can see. \
        Without a password an operator logs in only by links. Logins by the password before end.
        """,
        examples: ["tintypectl web password ada --from - < password.txt", "tintypectl web password ada --remove"]
    )

    @Argument(help: "The operator's name.")
    var name: String

    @Option(help: .value("file", "The file with the password in its first line."), completion: .file())
    var from: String?

    @Flag(help: "Removes the password.")
    var remove = false

    @OptionGroup var common: CommonOptions

    func validate() throws {
        guard (from != nil) != remove else { throw ValidationError("Use either --from FILE or --remove.") }
    }

    func run() async throws {
        var password: String?
        if let from {
            let bytes = try common.session.read(from == "-" ? "/dev/stdin" : from)
            password = String(decoding: bytes.prefix { $0 != 0x0A && $0 != 0x0D }, as: UTF8.self)
        }
        try await common.client().perform(.adminSetPassword, [name], body: OperatorPassword(password: password))
        try common.show(
            Report(
                wire: ["name": name],
                identifiers: [name],
                content: .sentence(password == nil ? "\(name) has no password." : "\(name) has a new password.")
            )
        )
    }
}

extension Report {
    fileprivate static func webLogins(_ page: WebSessionPage, now: WallTime) -> Report {
        let table = Table(
            columns: [
                .init("LOGIN"), .init("OPERATOR", isFlexible: true), .init("FROM", isOptional: true),
                .init("SINCE", isOptional: true), .init("ENDS"),
            ],
            rows: page.sessions.map { session in
                [
                    Cell("\(session.id)"), Cell(session.name), Cell(session.address ?? ""),
                    Cell(Wording.relative(session.created, now: now)),
                    Cell(Wording.relative(session.expires, now: now)),
                ]
            },
            ifEmpty: "Nobody is logged in."
        )
        return Report(wire: page, identifiers: page.sessions.map(\.id.description), content: .table(table))
    }
}
