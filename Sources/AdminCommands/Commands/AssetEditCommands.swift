import ArgumentParser
import LibraryAPI
import LibraryClient
import PhotoModel
import Terminal

struct AssetEditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "edit",
        "Changes titles, captions, keywords, stars, dates and places.",
        """
        An edit is a change like any device's: it merges with theirs and appears in the history. An empty title or \
        caption removes it.
        """,
        examples: [
            #"tintypectl asset edit 019a8f6e-3c5b-7d21-9f00-2b6c1d4e5f60 --title "Red car" --rating 4"#,
            "tintypectl asset edit 019a8f6e-3c5b-7d21-9f00-2b6c1d4e5f60 --date 2026-07-01T12:00:00+02:00",
            #"tintypectl asset list --text "red car" --all --quiet |"#,
            "  xargs tintypectl asset edit --favourite",
        ]
    )

    @OptionGroup var assets: AssetArguments

    @Option(help: "The title.")
    var title: String?

    @Option(help: "The caption.")
    var caption: String?

    @Option(help: "Stars, 0 to 5.")
    var rating: Int?

    @Flag(inversion: .prefixedNo, help: "Whether it is a favourite.")
    var favourite: Bool?

    @Flag(inversion: .prefixedNo, help: "Whether it is hidden.")
    var hidden: Bool?

    @Option(help: .value("word", "A keyword to add; may be repeated."), transform: Keyword.init(argument:))
    var addKeyword: [Keyword] = []

    @Option(help: .value("word", "A keyword to remove; may be repeated."), transform: Keyword.init(argument:))
    var removeKeyword: [Keyword] = []

    @Option(help: .value("time", "Time of capture: a day or local time there, or a time with an offset."))
    var date: TimeArgument?

    @Option(help: .value("lat,lon", "Where it was captured, in degrees north and east."))
    var place: PlaceArgument?

    @OptionGroup var common: CommonOptions

    func validate() throws {
        if let rating, Rating(rawValue: rating) == nil { throw ValidationError("--rating takes 0 to 5 stars.") }
        if edit == AssetEdit(), date == nil {
            throw ValidationError("Say what changes, for example --title or --rating.")
        }
    }

    func run() async throws {
        let date = date?.bound(now: common.session.now())
        try await assets.forEach(common, "changed") { client, asset in
            var edit = edit
            switch date {
            case nil: break
            case .instant(let time): edit.captureDateOverride = time
            case .local(let time):
                // Local time depends on the place.
                let offset = try await client.asset(asset).utcOffsetSeconds
                edit.captureDateOverride = time.instant(utcOffsetSeconds: offset)
            }
            try await client.edit(asset, edit)
        }
    }

    private var edit: AssetEdit {
        var edit = AssetEdit()
        edit.title = title
        edit.caption = caption
        edit.rating = rating.flatMap(Rating.init(rawValue:))
        edit.isFavorite = favourite
        edit.isHidden = hidden
        edit.addedKeywords = addKeyword.isEmpty ? nil : addKeyword
        edit.removedKeywords = removeKeyword.isEmpty ? nil : removeKeyword
        edit.location = place?.location
        return edit
    }
}

struct AssetTrash: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "trash",
        "Moves assets to the trash, where they can be restored until they are purged.",
        examples: ["tintypectl asset trash 019a8f6e-3c5b-7d21-9f00-2b6c1d4e5f60"]
    )

    @OptionGroup var assets: AssetArguments
    @OptionGroup var common: CommonOptions

    func run() async throws {
        try await assets.forEach(common, "moved to the trash", next: ["tintypectl asset restore brings them back"]) {
            client,
            asset in try await client.perform(.trashAsset, [asset])
        }
    }
}

struct AssetRestore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "restore",
        "Restores assets from the trash.",
        examples: [
            "tintypectl asset restore 019a8f6e-3c5b-7d21-9f00-2b6c1d4e5f60",
            "tintypectl asset list --trash --all --quiet | xargs tintypectl asset restore",
        ]
    )

    @OptionGroup var assets: AssetArguments
    @OptionGroup var common: CommonOptions

    func run() async throws {
        var edit = AssetEdit()
        edit.restores = true
        try await assets.forEach(common, "restored") { [edit] client, asset in try await client.edit(asset, edit) }
    }
}

struct AssetPurge: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "purge",
        "Deletes assets from the trash permanently.",
        "Their identifiers are never reused; their bytes stay in quarantine for its retention time.",
        examples: [
            "tintypectl asset purge 019a8f6e-3c5b-7d21-9f00-2b6c1d4e5f60",
            "tintypectl asset list --trash --all --quiet |",
            "  xargs tintypectl asset purge --yes",
        ]
    )

    @OptionGroup var assets: AssetArguments
    @OptionGroup var confirmation: ConfirmationOptions
    @OptionGroup var common: CommonOptions

    func run() async throws {
        try common.session.confirm(
            "Delete \(Wording.count(assets.assets.count, "asset")) permanently?",
            yes: confirmation.yes
        )
        try await assets.forEach(common, "purged") { client, asset in try await client.perform(.purgeAsset, [asset]) }
    }
}

struct AssetArguments: ParsableArguments {
    @Argument(help: .value("asset", "The assets' identifiers."), transform: identifier)
    var assets: [AssetID]

    /// Applies a change to each asset, and reports how many were changed, even if a later one is refused.
    func forEach(
        _ common: CommonOptions,
        _ done: String,
        next: [String] = [],
        _ body: (LibraryClient, AssetID) async throws -> Void
    ) async throws {
        let client = try common.client()
        for (index, asset) in assets.enumerated() {
            do {
                try await body(client, asset)
            } catch {
                if index > 0 { common.session.note("\(Wording.count(index, "asset")) \(done) before it failed.\n") }
                throw error
            }
        }
        try common.show(.changed(assets, done, next: next))
    }
}

/// A place on the command line: degrees north and east, separated by a comma.
struct PlaceArgument: ExpressibleByArgument, Hashable {
    let location: Location

    init?(argument: String) {
        let numbers = argument.split(separator: ",", omittingEmptySubsequences: false)
            .map { Double($0.filter { $0 != " " }) }
        guard numbers.count == 2, let latitude = numbers[0], let longitude = numbers[1],
            let location = Location(latitude: latitude, longitude: longitude)
        else { return nil }
        self.location = location
    }
}

extension Keyword {
    /// Reads a keyword.
    ///
    /// - Throws: the expected format, for people.
    init(argument: String) throws {
        guard let keyword = Keyword(argument) else {
            throw ValidationError("“\(argument)” is not a keyword: one line of 1 to \(Self.maximumByteCount) bytes.")
        }
        self = keyword
    }
}

extension LibraryClient {
    /// Changes fields of an asset.
    func edit(_ asset: AssetID, _ edit: AssetEdit) async throws {
        _ = try await call(.editAsset, [asset], body: edit, as: Asset.self)
    }
}
