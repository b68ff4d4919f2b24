import ArgumentParser
import LibraryAPI
import LibraryClient
import PhotoModel
import Terminal

struct AlbumArgument: ParsableArguments {
    @Argument(help: "The album: its identifier, or its title if that is unique.", completion: .albums)
    var album: String
}

struct AlbumShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "show",
        "Lists an album's assets.",
        "tintypectl asset list --album takes further conditions.",
        examples: ["tintypectl album show Gate", "tintypectl album show Gate --all --quiet"]
    )

    @OptionGroup var album: AlbumArgument

    @OptionGroup var page: AssetPageOptions
    @OptionGroup var common: CommonOptions

    func run() async throws {
        let client = try common.client()
        let options = FetchOptions(filter: .album(try await client.album(named: album.album)))
        try common.show(.assets(try await client.assets(options, page), now: common.session.now()))
    }
}

struct AlbumEditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "edit",
        "Changes an album's title, cover or order.",
        examples: [
            #"tintypectl album edit Gate --title "North gate""#,
            "tintypectl album edit Gate --cover 019a8f6e-3c5b-7d21-9f00-2b6c1d4e5f60 --order newestFirst",
        ]
    )

    @OptionGroup var album: AlbumArgument

    @Option(help: "The new title.")
    var title: String?

    @Option(help: .value("asset", "The asset shown as its cover."), transform: identifier)
    var cover: AssetID?

    @Option(help: "The order of its assets: custom, captureDate or newestFirst.")
    var order: String?

    @OptionGroup var common: CommonOptions

    func validate() throws {
        guard title != nil || cover != nil || order != nil else {
            throw ValidationError("Say what changes: --title, --cover or --order.")
        }
        if let order, !["custom", "captureDate", "newestFirst"].contains(order) {
            throw ValidationError("“\(order)” is not one of custom, captureDate, newestFirst.")
        }
        try requireTitle(title)
    }

    func run() async throws {
        let client = try common.client()
        let edit = AlbumEdit(title: title, coverAssetID: cover, order: order.map(Album.Order.init(rawValue:)))
        let id = try await client.album(named: album.album)
        try common.show(.album(try await client.call(.editAlbum, [id], body: edit)))
    }
}

struct AlbumAdd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "add",
        "Adds assets to an album.",
        examples: [
            "tintypectl album add Gate 019a8f6e-3c5b-7d21-9f00-2b6c1d4e5f60",
            "tintypectl asset list --since 7d --all --quiet |",
            "  xargs tintypectl album add Gate",
        ]
    )

    @OptionGroup var album: AlbumArgument
    @OptionGroup var assets: AssetArguments
    @OptionGroup var common: CommonOptions

    func run() async throws {
        let client = try common.client()
        let id = try await client.album(named: album.album)
        for start in stride(from: 0, to: assets.assets.count, by: APILimits.albumAdditionCount) {
            let part = Array(assets.assets[start...].prefix(APILimits.albumAdditionCount))
            try await client.perform(.addToAlbum, [id], body: AlbumAddition(assets: part))
        }
        try common.show(.changed(assets.assets, "added to the album"))
    }
}

struct AlbumRemove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "remove",
        "Removes assets from an album; they stay in the library.",
        examples: ["tintypectl album remove Gate 019a8f6e-3c5b-7d21-9f00-2b6c1d4e5f60"]
    )

    @OptionGroup var album: AlbumArgument
    @OptionGroup var assets: AssetArguments
    @OptionGroup var common: CommonOptions

    func run() async throws {
        let id = try await common.client().album(named: album.album)
        try await assets.forEach(common, "removed from the album") { client, asset in
            try await client.perform(.removeFromAlbum, [id, asset])
        }
    }
}

struct AlbumDelete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "delete",
        "Deletes an album; its assets stay in the library.",
        examples: ["tintypectl album delete Gate"]
    )

    @OptionGroup var album: AlbumArgument
    @OptionGroup var confirmation: ConfirmationOptions
    @OptionGroup var common: CommonOptions

    func run() async throws {
        let client = try common.client()
        let id = try await client.album(named: album.album)
        try common.session.confirm("Delete the album “\(album.album)”? Its assets stay.", yes: confirmation.yes)
        try await client.perform(.deleteAlbum, [id])
        try common.show(Report(wire: ["album": id], identifiers: [id.description], content: .sentence("Deleted.")))
    }
}

extension Report {
    static func album(_ album: Album) -> Report {
        var fields = [Report.Field("Album", Cell("\(album.id)")), Report.Field("Title", Cell(album.title))]
        if let cover = album.coverAssetID { fields.append(.init("Cover", Cell("\(cover)"))) }
        fields.append(.init("Order", Cell(album.order.rawValue)))
        return Report(wire: album, identifiers: [album.id.description], content: .record(fields))
    }

    /// The result of a change to assets.
    static func changed(_ assets: [AssetID], _ done: String, next: [String] = []) -> Report {
        Report(
            wire: assets,
            identifiers: assets.map(\.description),
            content: .sentence("\(Wording.count(assets.count, "asset")) \(done)."),
            next: next
        )
    }
}
