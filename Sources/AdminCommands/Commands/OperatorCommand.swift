import ArgumentParser
import DeviceIdentity
import LibraryAPI
import LibraryClient
import Persistence
import PhotoModel
import Terminal

struct OperatorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "operator",
        "Issues and revokes operators' certificates for other machines.",
        """
        Anyone who may open the server's socket is an operator and needs no certificate. From elsewhere an \
        operator needs one: the request is made there and signed here, and its key never travels.
        """,
        examples: [
            "tintypectl operator add ada --request ada.csr --server https://photos.example:8443 > ada.json",
            "tintypectl operator list",
            "tintypectl operator revoke 0190c2d4-e5f6-7071-8293-a4b5c6d7e8f9",
        ],
        subcommands: [OperatorAdd.self, OperatorList.self, OperatorRevoke.self]
    )
}

struct OperatorAdd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "add",
        "Issues a certificate, and writes the context that the operator adds.",
        """
        With --request it signs what tintypectl context request printed, and writes no secret. Without, it makes \
        the key too, and --output names the private file for both; transfer that file safely and delete it.
        """,
        examples: [
            "tintypectl operator add ada --request ada.csr --server https://photos.example:8443 > ada.json",
            #"tintypectl operator add ada --output ada.json --days 30 --reason "holiday""#,
        ]
    )

    @Argument(help: "The operator's name in the audit: lower-case letters, digits, dots, dashes, underscores.")
    var name: String

    @Option(help: .value("file", "The request that the operator sent."), completion: .file())
    var request: String?

    @Option(help: .value("file", "The file to write; required without a request."))
    var output: String?

    @Option(
        help: .value(
            "url",
            "How the operator reaches the server. Default: the context's, else https://<this machine>:8443."
        )
    )
    var server: String?

    @Option(help: "Days until the certificate ends, 1 to 366. Default: 90.")
    var days: Int?

    @Option(help: .reason)
    var reason: String?

    @OptionGroup var common: CommonOptions

    func validate() throws {
        guard OperatorName(name) != nil else {
            throw ValidationError("An operator's name has lower-case letters, digits, dots, dashes and underscores.")
        }
        guard request != nil || output != nil else {
            throw ValidationError("Use --request FILE, or --output FILE for a key made here.")
        }
        if let days, !(1...366).contains(days) { throw ValidationError("--days takes 1 to 366.") }
        try requireAddress(server)
    }

    func run() async throws {
        let client = try common.client()
        let key = request == nil ? DeviceKey() : nil
        let body = OperatorRequest(
            name: name,
            certificateRequest: try signingRequest(key).der,
            days: days,
            reason: reason
        )
        if let output, try common.session.fileSystem.status(Path(output)) != nil {
            throw AdminError(.usage, "\(output) already exists.", next: "name another file, or move it away")
        }
        let answer: OperatorResponse = try await client.call(.adminIssueOperator, body: body)
        var context = AccessContext(name: name)
        context.server = try server ?? common.publicAddress()
        context.authority = try await client.authority().certificates
        context.certificate = answer.certificateChain
        context.key = key?.pem
        guard let output else { return common.session.output(try Renderer.json(context) + "\n") }
        try ContextFile.write(context, to: Path(output), in: common.session.fileSystem)
        var report = Report.operators(OperatorPage(operators: [answer.summary]), now: common.session.now())
        report.next = ["tintypectl context add NAME --from \(output) on the operator's machine"]
        try common.show(report)
    }

    private func signingRequest(_ key: DeviceKey?) throws -> SigningRequest {
        if let key { return try key.signingRequest() }
        do {
            let text = String(decoding: try common.session.read(request ?? ""), as: UTF8.self)
            return try SigningRequest(pem: text)
        } catch {
            throw AdminError(
                .usage,
                "\(request ?? "") is not a certificate request.",
                next: "tintypectl context request NAME > FILE makes one on the operator's machine"
            )
        }
    }
}

struct OperatorList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "list",
        "Lists operators' valid certificates.",
        examples: ["tintypectl operator list"]
    )

    @OptionGroup var common: CommonOptions

    func run() async throws {
        let page: OperatorPage = try await common.client().call(.adminOperators)
        try common.show(.operators(page, now: common.session.now()))
    }
}

struct OperatorRevoke: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "revoke",
        "Revokes a certificate; its open requests end at once.",
        examples: ["tintypectl operator revoke 0190c2d4-e5f6-7071-8293-a4b5c6d7e8f9"]
    )

    @Argument(help: "The certificate, from tintypectl operator list.", transform: identifier)
    var certificate: OperatorCertificateID

    @OptionGroup var confirmation: ConfirmationOptions
    @OptionGroup var common: CommonOptions

    func run() async throws {
        let client = try common.client()
        let all: OperatorPage = try await client.call(.adminOperators)
        guard let found = all.operators.first(where: { $0.id == certificate }) else {
            throw AdminError("There is no such valid certificate.", next: "tintypectl operator list")
        }
        try common.session.confirm("Revoke the certificate of \(found.name)?", yes: confirmation.yes)
        try await client.perform(.adminRevokeOperator, [certificate])
        let rest = OperatorPage(operators: all.operators.filter { $0.id != certificate })
        try common.show(.operators(rest, now: common.session.now()))
    }
}

extension Report {
    static func operators(_ page: OperatorPage, now: WallTime) -> Report {
        let table = Table(
            columns: [
                .init("CERTIFICATE"), .init("OPERATOR"), .init("KEY", isOptional: true), .init("ENDS"),
                .init("ISSUED", isOptional: true),
                .init("BY", isFlexible: true),
            ],
            rows: page.operators.map { entry in
                [
                    Cell("\(entry.id)"), Cell(entry.name), Cell(Wording.short(entry.keyFingerprint)),
                    Cell(Wording.relative(entry.expires, now: now), entry.expires < now ? .bad : .plain),
                    Cell(Wording.relative(entry.created, now: now)), Cell(entry.createdBy),
                ]
            },
            ifEmpty: "No operator has a certificate."
        )
        return Report(wire: page, identifiers: page.operators.map(\.id.description), content: .table(table))
    }
}
