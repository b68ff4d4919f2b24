import ArgumentParser
import LibraryAPI
import LibraryClient

struct LibraryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "library",
        abstract: "Counts and checks the library.",
        discussion: """
            EXAMPLES
              tintypectl library stats
              tintypectl library verify --hash
            """,
        subcommands: [LibraryStats.self, LibraryVerify.self]
    )
}

struct LibraryStats: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats",
        abstract: "Shows counts and sizes.",
        discussion: """
            EXAMPLES
              tintypectl library stats
              tintypectl library stats --json
            """
    )

    @OptionGroup var common: CommonOptions

    func run() async throws {
        let counts: StatisticsAnswer = try await common.client().call(.adminStatistics)
        let quarantined = Cell("\(counts.quarantined)", counts.quarantined > 0 ? .warning : .plain)
        let fields = [
            Report.Field("Assets", Cell("\(counts.assets)")),
            Report.Field("In the trash", Cell("\(counts.trashed)")),
            Report.Field("Albums", Cell("\(counts.albums)")),
            Report.Field("Contents", Cell("\(counts.contents), \(Wording.byteCount(counts.contentBytes))")),
            Report.Field("Uploads", Cell("\(counts.uploads)")),
            Report.Field("In quarantine", quarantined),
            Report.Field("Devices", Cell("\(counts.devices)")),
            Report.Field("Last change", Cell("\(counts.lastChange)")),
        ]
        try common.show(Report(wire: counts, identifiers: ["\(counts.assets)"], content: .record(fields)))
    }
}

struct LibraryVerify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Compares rows, files and, with --hash, digests; exits with 1 where something is wrong.",
        discussion: """
            Nothing is deleted. --repair moves bytes that nothing names into quarantine.

            EXAMPLES
              tintypectl library verify
              tintypectl library verify --hash --json
              tintypectl library verify --repair --yes
            """
    )

    @Flag(help: "Reads and hashes every file, which takes as long as reading the disk.")
    var hash = false

    @Flag(help: "Moves what nothing names into quarantine.")
    var repair = false

    @OptionGroup var confirmation: ConfirmationOptions
    @OptionGroup var common: CommonOptions

    func run() async throws {
        if repair {
            try common.session.confirm("Move what nothing names into quarantine?", yes: confirmation.yes)
        }
        var client = try common.client()
        client.timeout = .seconds(24 * 3600)
        let query = [(name: "hash", value: "\(hash)"), (name: "repair", value: "\(repair)")]
        let answer: VerificationAnswer = try await client.call(.adminVerify, query: query)
        let checked = "\(Wording.count(answer.checkedContents, "content")), \(Wording.byteCount(answer.checkedBytes))"
        let table = Table(
            columns: [.init("FINDING"), .init("OBJECT"), .init("QUARANTINED")],
            rows: answer.findings.map { finding in
                [Cell(finding.kind, .bad), Cell(finding.object), Cell(finding.isQuarantined ? "yes" : "no")]
            },
            ifEmpty: "All is well: \(checked)\(answer.hasHashed ? ", every digest computed" : "")."
        )
        try common.show(
            Report(wire: answer, identifiers: answer.findings.map(\.object), content: .table(table))
        )
        let open = answer.findings.filter { !$0.isQuarantined }
        guard open.isEmpty else {
            throw AdminError(
                "\(Wording.count(open.count, "thing is", plural: "things are")) not as it should be.",
                next: repair
                    ? "restore what is damaged from a backup"
                    : "tintypectl library verify --repair moves leftovers away"
            )
        }
    }
}
