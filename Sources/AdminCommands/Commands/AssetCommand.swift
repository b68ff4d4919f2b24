import ArgumentParser
import LibraryAPI
import LibraryClient
import PhotoModel

struct AssetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "asset",
        abstract: "Shows the library's photos and movies.",
        discussion: """
            EXAMPLES
              tintypectl asset list --type livePhotos --since 7d
              tintypectl asset show 019a8f6e-3c5b-7d21-9f00-2b6c1d4e5f60
            """,
        subcommands: [AssetList.self, AssetShow.self]
    )
}

struct AssetList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists assets, newest capture first.",
        discussion: """
            All conditions have to hold. --filter takes the wire's filter tree as JSON for everything else. A list longer
            than --limit names the cursor of its next page; --all follows it to the end.

            EXAMPLES
              tintypectl asset list --type livePhotos --since 7d --device 3f9a2c
              tintypectl asset list --album Gate --sort -rating --limit 20
              tintypectl asset list --filter '{"any": ["screenshots", {"keyword": "receipt"}]}' --json
              tintypectl asset list --text "red car" --all --quiet
            """
    )

    @OptionGroup var conditions: AssetConditions

    @Option(
        help: "captureDate, additionDate or rating; may be repeated; a minus means largest first.",
        transform: FetchOptions.SortDescriptor.init(argument:)
    )
    var sort: [FetchOptions.SortDescriptor] = []

    @Option(help: "Assets on a page, 1 to \(APILimits.pageAssetCount).")
    var limit = APILimits.defaultPageAssetCount

    @Option(help: ArgumentHelp("Where the page begins, as the page before said.", valueName: "cursor"))
    var cursor: String?

    @Flag(help: "Every page, not only one.")
    var all = false

    @Flag(help: "Hidden assets too.")
    var hidden = false

    @Flag(help: "The assets in the trash instead.")
    var trash = false

    @OptionGroup var common: CommonOptions

    func validate() throws {
        guard 1...APILimits.pageAssetCount ~= limit else {
            throw ValidationError("--limit is 1 to \(APILimits.pageAssetCount); --all follows every page.")
        }
    }

    func run() async throws {
        let client = try common.client()
        var options = FetchOptions(
            filter: try await conditions.filter(client: client, now: common.session.now()),
            includesHidden: hidden,
            showsTrash: trash
        )
        if !sort.isEmpty { options.sortDescriptors = sort }
        var query = AssetQuery(options: options, limit: limit, cursor: cursor.map(ListCursor.init(text:)))
        var page = try await client.assets(query)
        while all, let next = page.next {
            query.cursor = next
            let following = try await client.assets(query)
            page.assets += following.assets
            page.next = following.next
        }
        try common.show(.assets(page, now: common.session.now()))
    }
}

struct AssetShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows one asset with its files.",
        discussion: """
            EXAMPLES
              tintypectl asset show 019a8f6e-3c5b-7d21-9f00-2b6c1d4e5f60
              tintypectl asset show $(tintypectl asset list --limit 1 --quiet) --json
            """
    )

    @Argument(help: "The asset's identifier.", transform: identifier)
    var asset: AssetID

    @OptionGroup var common: CommonOptions

    func run() async throws {
        let found: Asset = try await common.client().call(.asset, [asset])
        try common.show(.asset(found, now: common.session.now()))
    }
}

extension LibraryClient {
    /// One page of assets.
    func assets(_ query: AssetQuery) async throws -> AssetPage {
        var items = query.items
        if let filter = query.options.filter { items.append(("filter", try Renderer.compactJSON(filter))) }
        return try await call(.assets, query: items)
    }
}
