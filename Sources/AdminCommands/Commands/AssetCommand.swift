import ArgumentParser
import LibraryAPI
import LibraryClient
import PhotoModel
import Terminal

struct AssetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "asset",
        "Shows and changes the library's photos and movies.",
        examples: [
            "tintypectl asset list --type livePhotos --since 7d",
            "tintypectl asset show 019a8f6e-3c5b-7d21-9f00-2b6c1d4e5f60",
            "tintypectl asset list --album Gate --all --quiet |",
            "  xargs tintypectl asset edit --add-keyword gate",
        ],
        subcommands: [
            AssetList.self, AssetShow.self, AssetHistory.self, AssetEditCommand.self, AssetTrash.self,
            AssetRestore.self, AssetPurge.self, AssetExport.self,
        ]
    )
}

struct AssetList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "list",
        "Lists assets, newest capture first.",
        """
        All conditions must hold. --filter takes the API's filter tree as JSON for everything else. A list \
        longer than --limit names the cursor of its next page; --all follows it to the end.
        """,
        examples: [
            "tintypectl asset list --type livePhotos --since 7d --device 3f9a2c",
            "tintypectl asset list --album Gate --sort -rating --limit 20",
            #"tintypectl asset list --filter '{"any": ["screenshots", {"keyword": "receipt"}]}' --json"#,
            #"tintypectl asset list --text "red car" --all --quiet"#,
        ]
    )

    @OptionGroup var conditions: AssetConditions

    @Option(
        help: "captureDate, additionDate or rating; may be repeated; a minus means largest first.",
        transform: FetchOptions.SortDescriptor.init(argument:)
    )
    var sort: [FetchOptions.SortDescriptor] = []

    @OptionGroup var page: AssetPageOptions

    @Flag(help: "Includes hidden assets.")
    var hidden = false

    @Flag(help: "Lists the trash instead.")
    var trash = false

    @OptionGroup var common: CommonOptions

    func run() async throws {
        let client = try common.client()
        var options = FetchOptions(
            filter: try await conditions.filter(client: client, now: common.session.now()),
            includesHidden: hidden,
            showsTrash: trash
        )
        if !sort.isEmpty { options.sortDescriptors = sort }
        try common.show(.assets(try await client.assets(options, page), now: common.session.now()))
    }
}

struct AssetShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "show",
        "Shows one asset with its files.",
        examples: [
            "tintypectl asset show 019a8f6e-3c5b-7d21-9f00-2b6c1d4e5f60",
            "tintypectl asset show $(tintypectl asset list --limit 1 --quiet) --json",
        ]
    )

    @Argument(help: "The asset's identifier.", transform: identifier)
    var asset: AssetID

    @OptionGroup var common: CommonOptions

    func run() async throws {
        try common.show(.asset(try await common.client().asset(asset), now: common.session.now()))
    }
}

struct AssetHistory: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "history",
        "Shows who changed an asset, and when.",
        examples: ["tintypectl asset history 019a8f6e-3c5b-7d21-9f00-2b6c1d4e5f60"]
    )

    @Argument(help: "The asset's identifier.", transform: identifier)
    var asset: AssetID

    @OptionGroup var page: HistoryOptions
    @OptionGroup var common: CommonOptions

    func run() async throws { try await page.show(asset, common) }
}

extension LibraryClient {
    func assets(_ query: AssetQuery) async throws -> AssetPage {
        var items = query.items
        if let filter = query.options.filter { items.append(("filter", try Renderer.compactJSON(filter))) }
        return try await call(.assets, query: items)
    }

    /// One page of assets, or all pages from there.
    func assets(_ options: FetchOptions, _ wanted: AssetPageOptions) async throws -> AssetPage {
        let cursor = wanted.cursor.map(ListCursor.init(text:))
        var query = AssetQuery(options: options, limit: wanted.limit, cursor: cursor)
        var page = try await assets(query)
        guard wanted.all, page.next != nil else { return page }
        query.cursor = page.next
        try await pages(of: query) { page.assets += $0 }
        page.next = nil
        return page
    }

    /// Iterates over a list from the query's cursor, page by page.
    func pages(of query: AssetQuery, _ body: ([Asset]) async throws -> Void) async throws {
        try await followPages(from: query.cursor) { cursor in
            var query = query
            query.cursor = cursor
            let page = try await assets(query)
            try await body(page.assets)
            return page.next
        }
    }
}
