import ArgumentParser
import Authorization
import LibraryAPI
import LibraryClient
import PhotoModel
import Terminal

struct EnrollmentTokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "enrollment-token",
        "Creates and revokes the tokens that admit boxes.",
        """
        A box with a valid token becomes a device at once, with the rights that the token grants. A token is a \
        secret; it also names the authority that the box pins.
        """,
        examples: [
            "tintypectl enrollment-token create --max addOnly --album Gate",
            "tintypectl enrollment-token list",
        ],
        subcommands: [EnrollmentTokenCreate.self, EnrollmentTokenList.self, EnrollmentTokenRevoke.self]
    )
}

struct EnrollmentTokenCreate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "create",
        "Creates a token, and prints the command to run on the box.",
        "The token's secret is shown only once; --quiet prints the token alone.",
        examples: [
            "tintypectl enrollment-token create",
            "tintypectl enrollment-token create --max addOnly --album Gate --uses 20 --expires 7d",
            "token=$(tintypectl enrollment-token create --quiet)",
        ]
    )

    @Option(
        name: .customLong("max"),
        help: "The most that its devices may do, also granted to them: addOnly (default), limited or readWrite.",
        transform: choice
    )
    var maximum: Ceiling.Limit = .addOnly

    @Option(help: .value("title", "The album that their assets go to."))
    var album: String?

    @Option(help: "How many devices it admits, 1 to 10000.")
    var uses = 1

    @Option(help: .value("time", "How long it is valid: 30m, 24h, 7d; at most 90d."))
    var expires = TimeSpan(seconds: 86_400)

    @Option(help: .reason)
    var reason: String?

    @Option(help: .value("url", "The address for boxes. Default: the context's, else the one the server reports."))
    var server: String?

    @OptionGroup var common: CommonOptions

    func validate() throws {
        guard 1...10_000 ~= uses else { throw ValidationError("--uses is 1 to 10000.") }
        guard maximum != .none else { throw ValidationError("A token for nothing admits nobody: --max addOnly.") }
        try requireAddress(server)
    }

    func run() async throws {
        let request = EnrollmentTokenRequest(
            maximum: maximum.rawValue,
            album: album,
            uses: uses,
            expiresSeconds: expires.seconds,
            reason: reason
        )
        let answer: EnrollmentTokenResponse = try await common.client().call(.adminCreateEnrollmentToken, body: request)
        let summary = answer.summary
        let address = try server ?? common.publicAddress(asToldByServer: answer.address)
        var fields = [
            Report.Field("Token", Cell(answer.token)),
            Report.Field("Identifier", Cell("\(summary.id)")),
            Report.Field("Allows", Cell(summary.maximum)),
        ]
        if let album = summary.album { fields.append(Report.Field("Album", Cell(album))) }
        fields += [
            Report.Field("Admits", Cell(Wording.count(summary.uses, "device"))),
            Report.Field("Expires", Cell(Wording.relative(summary.expires, now: common.session.now()))),
            Report.Field("On the box", Cell("tintype-agent enroll \(address) --token \(answer.token)")),
        ]
        try common.show(Report(wire: answer, identifiers: [answer.token], content: .record(fields)))
    }
}

struct EnrollmentTokenList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "list",
        "Lists valid tokens, without their secrets.",
        examples: ["tintypectl enrollment-token list", "tintypectl enrollment-token list --json"]
    )

    @OptionGroup var common: CommonOptions

    func run() async throws {
        let page: EnrollmentTokenPage = try await common.client().call(.adminEnrollmentTokens)
        let now = common.session.now()
        let table = Table(
            columns: [
                .init("TOKEN"), .init("ALLOWS"), .init("ALBUM", isFlexible: true), .init("LEFT", isNumeric: true),
                .init("EXPIRES"), .init("BY", isFlexible: true, isOptional: true),
                .init("REASON", isFlexible: true, isOptional: true),
            ],
            rows: page.tokens.map { token in
                [
                    Cell("\(token.id)"), Cell(token.maximum), Cell(token.album ?? ""),
                    Cell("\(token.usesLeft)/\(token.uses)", token.usesLeft > 0 ? .plain : .warning),
                    Cell(Wording.relative(token.expires, now: now), token.expires > now ? .plain : .warning),
                    Cell(token.createdBy), Cell(token.reason),
                ]
            },
            ifEmpty: "No tokens."
        )
        var report = Report(wire: page, identifiers: page.tokens.map { "\($0.id)" }, content: .table(table))
        if page.tokens.isEmpty { report.next = ["tintypectl enrollment-token create"] }
        try common.show(report)
    }
}

struct EnrollmentTokenRevoke: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "revoke",
        "Revokes tokens; devices that they admitted stay.",
        examples: [
            "tintypectl enrollment-token revoke 019a8f6e-3c5b-7d21-9f00-2b6c1d4e5f60",
            "tintypectl enrollment-token list --quiet |",
            "  xargs tintypectl enrollment-token revoke",
        ]
    )

    @Argument(help: "The tokens' identifiers, from list; no secrets.", transform: identifier)
    var tokens: [EnrollmentTokenID]

    @OptionGroup var common: CommonOptions

    func run() async throws { try await common.end(tokens, .adminDeleteEnrollmentToken, "Revoked", "token") }
}
