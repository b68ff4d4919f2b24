import ArgumentParser
import Authorization
import DeviceIdentity
import LibraryAPI
import LibraryClient
import PhotoModel
import Terminal

struct AuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "audit",
        "Shows and verifies who decided what.",
        "Every entry is chained to the one before it, so none can be changed or removed unnoticed.",
        examples: ["tintypectl audit tail", "tintypectl audit verify", "tintypectl audit export > audit.jsonl"],
        subcommands: [AuditTail.self, AuditHeadCommand.self, AuditVerify.self, AuditExport.self]
    )
}

struct AuditTail: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "tail",
        "Shows the newest entries, oldest first.",
        examples: [
            "tintypectl audit tail",
            "tintypectl audit tail --device 3f9a2c --count 100",
            "tintypectl audit tail --json > audit.json",
        ]
    )

    @Option(name: [.customShort("n"), .long], help: "How many entries, 1 to 100000.")
    var count = 20

    @Option(help: .device, completion: .devices, transform: DeviceReference.init(argument:))
    var device: DeviceReference?

    @OptionGroup var common: CommonOptions

    func validate() throws {
        guard 1...100_000 ~= count else { throw ValidationError("--count is 1 to 100000.") }
    }

    func run() async throws {
        var entries: [AuditEntry] = []
        try await common.client().audit(of: device) { page in entries = (entries + page).suffix(count) }
        let now = common.session.now()
        let table = Table(
            columns: [
                .init("SEQ", isNumeric: true), .init("WHEN"), .init("EVENT"), .init("BY", isFlexible: true),
                .init("DEVICE", isFlexible: true, isOptional: true), .init("CHANGE", isFlexible: true),
                .init("REASON", isFlexible: true, isOptional: true),
            ],
            rows: entries.map { entry in
                let content = entry.content
                return [
                    Cell("\(entry.sequence)"), Cell(Wording.relative(entry.time, now: now)),
                    Cell(content.event.rawValue), Cell(content.actor), Cell(content.device ?? ""),
                    Cell(ChangeWording(old: content.old, new: content.new).text),
                    Cell(content.reason ?? ""),
                ]
            },
            ifEmpty: "No entries."
        )
        try common.show(
            Report(
                wire: AuditPage(entries: entries),
                identifiers: entries.map { "\($0.sequence)" },
                content: .table(table)
            )
        )
    }
}

struct AuditVerify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "verify",
        "Verifies the audit from its first entry; exits with 1 if it was tampered with.",
        """
        The printed head covers the whole audit so far. Kept elsewhere and passed to --expect later, it also \
        proves that nothing was cut off or rewritten.
        """,
        examples: [
            "tintypectl audit verify",
            "tintypectl audit verify --quiet > head.txt",
            #"tintypectl audit verify --expect "$(cat head.txt)""#,
        ]
    )

    @Option(help: .value("sequence:digest", "A head printed earlier."), transform: AuditHead.init(argument:))
    var expect: AuditHead?

    @OptionGroup var common: CommonOptions

    func run() async throws {
        let client = try common.client()
        // The server checks its daily signed heads; the rest does not trust it.
        let server: AuditVerification = try await client.call(.adminVerifyAudit)
        if let problem = server.problem {
            throw AdminError("The server finds: \(problem).", next: "compare with a backup of the library")
        }
        let chain = AuditChain { Fingerprint(hashing: $0).digest }
        var head = AuditHead.start
        var hasMet = expect?.sequence == 0
        do {
            try await client.audit(of: nil) { page in
                let signed = expect.map { [$0] } ?? []
                let within = signed.filter { expected in page.contains { $0.sequence == expected.sequence } }
                head = try chain.verify(page, after: head, signedHeads: within)
                hasMet = hasMet || !within.isEmpty
            }
            if let expect, !hasMet { throw AuditProblem.truncated(sequence: expect.sequence) }
        } catch let problem as AuditProblem {
            throw AdminError(problem.words, next: "compare with a backup of the library: tintypectl audit tail")
        }
        let text = "\(head.sequence):\(head.digest?.description ?? "")"
        let fields = [
            Report.Field("Audit", Cell("unbroken", .good)),
            Report.Field("Entries", Cell("\(head.sequence)")),
            Report.Field("Signed heads", Cell("\(server.signedHeadCount), all valid")),
            Report.Field("Head", Cell(text)),
        ]
        try common.show(Report(wire: head, identifiers: [text], content: .record(fields)))
    }
}

struct AuditHeadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "head",
        "Prints the audit's head with the server's signature, to be kept elsewhere.",
        "A kept head proves later that nothing before it was removed: tintypectl audit verify --expect.",
        examples: ["tintypectl audit head --json > head.json", "tintypectl audit head --quiet"]
    )

    @OptionGroup var common: CommonOptions

    func run() async throws {
        let head: SignedAuditHead = try await common.client().call(.adminAuditHead)
        let text = "\(head.sequence):\(head.digest)"
        let fields = [
            Report.Field("Head", Cell(text)), Report.Field("Signed", Cell("\(head.time)")),
            Report.Field("Key", Cell(head.keyID)),
        ]
        try common.show(Report(wire: head, identifiers: [text], content: .record(fields)))
    }
}

struct AuditExport: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "export",
        "Writes the audit as JSON lines, oldest entry first.",
        examples: ["tintypectl audit export > audit.jsonl", "tintypectl audit export --device 3f9a2c --after 1200"]
    )

    @Option(help: .device, completion: .devices, transform: DeviceReference.init(argument:))
    var device: DeviceReference?

    @Option(help: .value("sequence", "Only entries after this one."))
    var after: UInt64 = 0

    @OptionGroup var common: CommonOptions

    func run() async throws {
        try await common.client().audit(of: device, after: after) { page in
            for entry in page { common.session.output(try Renderer.line(entry) + "\n") }
        }
    }
}

extension LibraryClient {
    /// Reads the audit of a device, or all of it, page after page.
    func audit(of reference: DeviceReference?, after: UInt64 = 0, _ body: ([AuditEntry]) throws -> Void) async throws {
        var device: DeviceID?
        if let reference { device = try await self.device(reference).id }
        try await followPages(from: after) { start in
            let query = AuditQuery(after: start ?? after, limit: APILimits.adminPageCount, device: device)
            let page: AuditPage = try await call(.adminAudit, query: query.items)
            try body(page.entries)
            return page.next
        }
    }
}

extension AuditHead {
    /// Parses `sequence:digest`, as printed by `audit verify`.
    ///
    /// - Throws: the expected format, for people.
    init(argument: String) throws {
        let parts = argument.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, let sequence = UInt64(parts[0]), sequence == 0 || ContentDigest(parts[1]) != nil else {
            throw ValidationError("“\(argument)” is not a head: pass what audit verify --quiet printed.")
        }
        self.init(sequence: sequence, digest: ContentDigest(parts[1]))
    }
}

extension AuditProblem {
    /// The problem, for people.
    var words: String {
        switch self {
        case .outOfOrder(let expected, let found):
            "Entry \(found) is where \(expected) should be: entries were removed, duplicated or moved."
        case .broken(let sequence): "Entry \(sequence) is not linked to the one before it."
        case .tampered(let sequence): "Entry \(sequence) was changed."
        case .truncated(let sequence): "Entry \(sequence) is missing: the audit was cut off."
        case .headMismatch(let sequence): "Entry \(sequence) is not the expected one: the audit was rewritten."
        }
    }
}
