import ArgumentParser
import LibraryAPI
import LibraryClient
import PhotoModel
import Terminal

struct LibraryHistory: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "history",
        "Shows who changed what, oldest first.",
        "The audit has decisions; this has changes of assets and albums. For one asset: tintypectl asset history.",
        examples: ["tintypectl library history", "tintypectl library history --after 1200 --limit 50 --json"]
    )

    @OptionGroup var page: HistoryOptions
    @OptionGroup var common: CommonOptions

    func run() async throws { try await page.show(nil, common) }
}

/// Selects a page of the history.
struct HistoryOptions: ParsableArguments {
    @Option(help: .value("number", "The change to continue after, as printed by the previous page."))
    var after: Int64 = 0

    @Option(help: "Changes per page, 1 to 1000.")
    var limit = 100

    func validate() throws {
        guard 1...APILimits.adminPageCount ~= limit else {
            throw ValidationError("--limit is 1 to \(APILimits.adminPageCount).")
        }
        guard after >= 0 else { throw ValidationError("--after is a number that a page printed.") }
    }

    /// Shows a page of the history, of one asset or of the whole library.
    func show(_ asset: AssetID?, _ common: CommonOptions) async throws {
        let query = HistoryQuery(after: after, limit: limit, asset: asset)
        let page: HistoryPage = try await common.client().call(.adminHistory, query: query.items)
        let now = common.session.now()
        let table = Table(
            columns: [
                .init("CHANGE", isNumeric: true), .init("WHEN"), .init("BY", isFlexible: true),
                .init("WHAT", isFlexible: true),
                .init("OBJECT", isFlexible: true),
            ],
            rows: page.entries.map { entry in
                [
                    Cell("\(entry.number)"), Cell(Wording.relative(entry.time, now: now)), Cell(entry.actor),
                    Cell(entry.what), Cell(entry.entity.words),
                ]
            },
            ifEmpty: "No changes."
        )
        var report = Report(wire: page, identifiers: page.entries.map { "\($0.number)" }, content: .table(table))
        if let next = page.next { report.next = ["the same command with --after \(next)"] }
        try common.show(report)
    }
}

extension EntityReference {
    /// Its name for people.
    var words: String {
        switch self {
        case .asset(let id): "asset \(id)"
        case .album(let id): "album \(id)"
        case .membership(let album, let asset): "asset \(asset) in album \(album)"
        }
    }
}
