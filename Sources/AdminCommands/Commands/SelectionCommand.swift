import ArgumentParser
import Authorization
import LibraryAPI
import LibraryClient
import PhotoModel
import Terminal

struct SelectionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "selection",
        "Selects the assets that a limited device sees.",
        """
        A device that was decided “selected” sees its own captures and what is selected here: assets one by one, \
        everything that a rule matches, and albums, which it may also fill. tintypectl request expand answers a \
        device that asks for more.
        """,
        examples: [
            "tintypectl selection show 3f9a2c",
            #"tintypectl selection add 3f9a2c --album Gate --rule '"favorites"'"#,
            "tintypectl selection rule 3f9a2c --type livePhotos --rating 4",
            "tintypectl selection remove 3f9a2c --asset 019a8f6e-3c5b-7d21-9f00-2b6c1d4e5f60",
        ],
        subcommands: [SelectionShow.self, SelectionAdd.self, SelectionRule.self, SelectionRemove.self]
    )
}

struct SelectionShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "show",
        "Shows a device's selection.",
        examples: ["tintypectl selection show 3f9a2c", "tintypectl selection show 3f9a2c --json"]
    )

    @OptionGroup var device: DeviceArgument
    @OptionGroup var common: CommonOptions

    func run() async throws {
        let (client, found) = try await device.find(common)
        try common.show(.selection(try await client.call(.adminSelection, [found.id])))
    }
}

/// Parts of a selection, possibly none.
struct OptionalSelectionParts: ParsableArguments {
    @Option(help: .value("id", "An asset; may be repeated."), transform: identifier)
    var asset: [AssetID] = []

    @Option(help: .value("album", "An album, by identifier or title; may be repeated."), completion: .albums)
    var album: [String] = []

    @Option(
        help: .value("json", "A rule: the API's filter tree; may be repeated."),
        transform: AssetFilter.init(argument:)
    )
    var rule: [AssetFilter] = []

    /// Whether no part is given.
    var isEmpty: Bool { asset.isEmpty && album.isEmpty && rule.isEmpty }

    /// The named parts, with albums resolved by title.
    func selection(_ client: LibraryClient) async throws -> Selection {
        var parts = Selection(assets: Set(asset), rules: rule)
        for name in album { parts.grantedAlbums.insert(try await client.album(named: name)) }
        return parts
    }
}

/// Parts to add to or remove from a selection.
struct SelectionParts: ParsableArguments {
    @OptionGroup var parts: OptionalSelectionParts

    func validate() throws {
        if parts.isEmpty { throw ValidationError("Say what: --asset, --album or --rule.") }
    }

    /// Changes a selection by the named assets, rules and albums.
    func change(
        _ device: DeviceArgument,
        _ common: CommonOptions,
        by change: (inout Selection, Selection) -> Void
    ) async throws {
        let parts = try await parts.selection(common.client())
        try await common.changeSelection(of: device) { change(&$0, parts) }
    }
}

extension CommonOptions {
    /// Reads a device's selection, changes it, and replaces it.
    fileprivate func changeSelection(of device: DeviceArgument, by change: (inout Selection) -> Void) async throws {
        let (client, found) = try await device.find(self)
        var selection: Selection = try await client.call(.adminSelection, [found.id])
        change(&selection)
        var report = Report.selection(try await client.call(.adminSetSelection, [found.id], body: selection))
        if found.authorization.readWrite != .limited {
            report.next = ["tintypectl device decide \(Wording.short(found.keyFingerprint)) --as selected"]
        }
        try show(report)
    }
}

struct SelectionAdd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "add",
        "Adds to what a device sees.",
        examples: [
            "tintypectl selection add 3f9a2c --asset 019a8f6e-3c5b-7d21-9f00-2b6c1d4e5f60",
            #"tintypectl selection add 3f9a2c --album Gate --rule '{"rating": 4}'"#,
        ]
    )

    @OptionGroup var device: DeviceArgument
    @OptionGroup var parts: SelectionParts
    @OptionGroup var common: CommonOptions

    func run() async throws {
        try await parts.change(device, common) { selection, parts in
            selection.assets.formUnion(parts.assets)
            selection.grantedAlbums.formUnion(parts.grantedAlbums)
            selection.rules += parts.rules.filter { !selection.rules.contains($0) }
        }
    }
}

struct SelectionRule: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "rule",
        "Adds a rule: the device sees every asset, now and later, that matches all conditions.",
        """
        The conditions are those of tintypectl asset list, which shows what they match. Relative times are fixed \
        now: --since 7d stays seven days before today.
        """,
        examples: [
            "tintypectl selection rule 3f9a2c --type livePhotos --rating 4",
            "tintypectl selection rule 3f9a2c --keyword family --since 2026-01-01",
        ]
    )

    @OptionGroup var device: DeviceArgument
    @OptionGroup var conditions: AssetConditions
    @OptionGroup var common: CommonOptions

    func run() async throws {
        let client = try common.client()
        guard let rule = try await conditions.filter(client: client, now: common.session.now()) else {
            throw AdminError(
                .usage,
                "A rule without conditions would select everything.",
                next: "the same command with a condition, or tintypectl device decide --as all"
            )
        }
        try await common.changeSelection(of: device) { selection in
            if !selection.rules.contains(rule) { selection.rules.append(rule) }
        }
    }
}

struct SelectionRemove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "remove",
        "Removes assets from a device's view; it drops its cached copies.",
        "A rule is removed by the same tree that selection show prints.",
        examples: [
            "tintypectl selection remove 3f9a2c --album Gate",
            #"tintypectl selection remove 3f9a2c --rule '{"rating": 4}'"#,
        ]
    )

    @OptionGroup var device: DeviceArgument
    @OptionGroup var parts: SelectionParts
    @OptionGroup var common: CommonOptions

    func run() async throws {
        try await parts.change(device, common) { selection, parts in
            selection.assets.subtract(parts.assets)
            selection.grantedAlbums.subtract(parts.grantedAlbums)
            selection.rules.removeAll(where: parts.rules.contains)
        }
    }
}

extension Report {
    /// A device's selection.
    static func selection(_ selection: Selection) -> Report {
        var rows = selection.assets.sorted().map { [Cell("asset"), Cell("\($0)")] }
        rows += selection.grantedAlbums.sorted().map { [Cell("album"), Cell("\($0)")] }
        rows += selection.rules.map { [Cell("rule"), Cell((try? Renderer.compactJSON($0)) ?? "unreadable")] }
        let table = Table(
            columns: [.init("KIND"), .init("SELECTED", isFlexible: true)],
            rows: rows,
            ifEmpty: "Nothing is selected: the device sees its own captures."
        )
        return Report(wire: selection, identifiers: rows.map { $0[1].text.description }, content: .table(table))
    }
}
