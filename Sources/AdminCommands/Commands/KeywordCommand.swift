import ArgumentParser
import LibraryAPI
import LibraryClient
import PhotoModel
import Terminal

struct KeywordCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "keyword",
        "Shows and changes assets' keywords.",
        examples: [
            "tintypectl keyword list",
            "tintypectl keyword add car 019a8f6e-3c5b-7d21-9f00-2b6c1d4e5f60",
            #"tintypectl keyword rename car "red car""#,
        ],
        subcommands: [KeywordList.self, KeywordAdd.self, KeywordRemove.self, KeywordRename.self]
    )
}

/// How often a keyword is used.
struct KeywordCount: Hashable, Encodable {
    let keyword: Keyword
    let assetCount: Int
}

struct KeywordList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "list",
        "Lists keywords with their number of assets, most used first.",
        "It reads the whole library, including hidden assets but not the trash.",
        examples: ["tintypectl keyword list", "tintypectl keyword list --quiet"]
    )

    @OptionGroup var common: CommonOptions

    func run() async throws {
        var counts: [Keyword: Int] = [:]
        let query = AssetQuery(options: FetchOptions(includesHidden: true), limit: APILimits.pageAssetCount)
        try await common.client().pages(of: query) { assets in
            for keyword in assets.flatMap(\.keywords) { counts[keyword, default: 0] += 1 }
        }
        let sorted = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
            .map { KeywordCount(keyword: $0.key, assetCount: $0.value) }
        let table = Table(
            columns: [.init("ASSETS", isNumeric: true), .init("KEYWORD", isFlexible: true)],
            rows: sorted.map { [Cell("\($0.assetCount)"), Cell($0.keyword.text)] },
            ifEmpty: "No keywords."
        )
        try common.show(Report(wire: sorted, identifiers: sorted.map(\.keyword.text), content: .table(table)))
    }
}

struct KeywordAdd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "add",
        "Puts a keyword on assets.",
        examples: [
            "tintypectl keyword add car 019a8f6e-3c5b-7d21-9f00-2b6c1d4e5f60",
            "tintypectl asset list --album Gate --all --quiet |",
            "  xargs tintypectl keyword add gate",
        ]
    )

    @Argument(help: "The word or phrase.", transform: Keyword.init(argument:))
    var keyword: Keyword

    @OptionGroup var assets: AssetArguments
    @OptionGroup var common: CommonOptions

    func run() async throws {
        var edit = AssetEdit()
        edit.addedKeywords = [keyword]
        try await assets.forEach(common, "now “\(keyword)”") { [edit] in try await $0.edit($1, edit) }
    }
}

struct KeywordRemove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "remove",
        "Removes a keyword from assets, or from all that have it.",
        examples: [
            "tintypectl keyword remove car 019a8f6e-3c5b-7d21-9f00-2b6c1d4e5f60",
            "tintypectl keyword remove car --everywhere",
        ]
    )

    @Argument(help: "The word or phrase.", transform: Keyword.init(argument:))
    var keyword: Keyword

    @Argument(help: .value("asset", "The assets' identifiers."), transform: identifier)
    var assets: [AssetID] = []

    @Flag(help: "From every asset that has it.")
    var everywhere = false

    @OptionGroup var confirmation: ConfirmationOptions
    @OptionGroup var common: CommonOptions

    func validate() throws {
        guard assets.isEmpty == everywhere else { throw ValidationError("Name assets, or use --everywhere.") }
    }

    func run() async throws {
        var edit = AssetEdit()
        edit.removedKeywords = [keyword]
        try await common.edit(everywhere ? nil : assets, having: keyword, edit, confirmation)
    }
}

struct KeywordRename: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "rename",
        "Renames a keyword.",
        examples: [#"tintypectl keyword rename car "red car""#]
    )

    @Argument(help: "The current word or phrase.", transform: Keyword.init(argument:))
    var old: Keyword

    @Argument(help: "The keyword to use instead.", transform: Keyword.init(argument:))
    var new: Keyword

    @OptionGroup var confirmation: ConfirmationOptions
    @OptionGroup var common: CommonOptions

    func validate() throws {
        // Adding and removing one word in a single edit would leave the outcome to the merge.
        guard old != new else { throw ValidationError("Both are the same keyword.") }
    }

    func run() async throws {
        var edit = AssetEdit()
        edit.addedKeywords = [new]
        edit.removedKeywords = [old]
        try await common.edit(nil, having: old, edit, confirmation)
    }
}

extension CommonOptions {
    /// Edits assets: the named ones, or every one with a keyword.
    fileprivate func edit(
        _ named: [AssetID]?,
        having keyword: Keyword,
        _ edit: AssetEdit,
        _ confirmation: ConfirmationOptions
    ) async throws {
        let client = try client()
        var assets = named ?? []
        if named == nil {
            let options = FetchOptions(filter: .keyword(keyword), includesHidden: true)
            // Read completely first: an edit removes the asset from the list being read.
            try await client.pages(of: AssetQuery(options: options, limit: APILimits.pageAssetCount)) {
                assets += $0.map(\.id)
            }
            guard !assets.isEmpty else {
                throw AdminError("No asset has the keyword “\(keyword)”.", next: "tintypectl keyword list")
            }
            try session.confirm("Change \(Wording.count(assets.count, "asset"))?", yes: confirmation.yes)
        }
        for asset in assets { try await client.edit(asset, edit) }
        try show(.changed(assets, "changed"))
    }
}
