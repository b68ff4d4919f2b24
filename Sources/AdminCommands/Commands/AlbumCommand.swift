import ArgumentParser
import LibraryAPI
import LibraryClient
import PhotoModel
import Terminal

struct AlbumCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "album",
        "Shows, creates and changes albums.",
        examples: [
            "tintypectl album list",
            #"tintypectl album create "Gate""#,
            "tintypectl asset list --since 7d --all --quiet |",
            "  xargs tintypectl album add Gate",
        ],
        subcommands: [
            AlbumList.self, AlbumShow.self, AlbumCreate.self, AlbumEditCommand.self, AlbumAdd.self, AlbumRemove.self,
            AlbumDelete.self,
        ]
    )
}

struct AlbumList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "list",
        "Lists albums by title.",
        examples: ["tintypectl album list", "tintypectl album list --json"]
    )

    @OptionGroup var common: CommonOptions

    func run() async throws {
        let albums = try await common.client().albums()
        let table = Table(
            columns: [.init("ALBUM"), .init("ASSETS", isNumeric: true), .init("TITLE", isFlexible: true)],
            rows: albums.map { entry in
                [Cell("\(entry.album.id)"), Cell("\(entry.assetCount)"), Cell(entry.album.title)]
            },
            ifEmpty: "No albums."
        )
        var report = Report(
            wire: AlbumPage(albums: albums),
            identifiers: albums.map(\.album.id.description),
            content: .table(table)
        )
        if albums.isEmpty { report.next = ["tintypectl album create TITLE"] }
        try common.show(report)
    }
}

struct AlbumCreate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "create",
        "Creates an album.",
        examples: [#"tintypectl album create "Gate""#, #"album=$(tintypectl album create "Summer 2026" --quiet)"#]
    )

    @Argument(help: "The title; it need not be unique.")
    var title: String

    @OptionGroup var common: CommonOptions

    func validate() throws { try requireTitle(title) }

    func run() async throws {
        let album: Album = try await common.client().call(.createAlbum, body: AlbumEdit(title: title))
        try common.show(.album(album))
    }
}

extension LibraryClient {
    /// Every album, page after page.
    func albums() async throws -> [AlbumPage.Entry] {
        var albums: [AlbumPage.Entry] = []
        try await followPages(from: nil) { (cursor: ListCursor?) in
            let page: AlbumPage = try await call(.albums, query: ListPageQuery(cursor: cursor).items)
            albums += page.albums
            return page.next
        }
        return albums
    }

    /// Resolves an album, by identifier or by a unique title.
    ///
    /// - Throws: `failed` if none or several have the title.
    func album(named text: String) async throws -> AlbumID {
        if let id = AlbumID(text) { return id }
        let found = try await albums().filter { $0.album.title == text }
        guard let entry = found.first else {
            throw AdminError("No album has the title “\(text)”.", next: "tintypectl album list")
        }
        guard found.count == 1 else {
            throw AdminError(
                "\(found.count) albums have the title “\(text)”.",
                next: "the same command with an identifier from tintypectl album list"
            )
        }
        return entry.album.id
    }
}
