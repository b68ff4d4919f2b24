import FoundationEssentials
import LibraryAPI
import PhotoModel
import Terminal
import Testing

@testable import AdminCommands

struct AssetCommandTests {
    private let library = StubLibrary()

    private func bodies(_ prefix: String) -> [String] {
        library.requests.filter { $0.line.hasPrefix(prefix) }.map(\.body)
    }

    @Test("an edit sends what was said and nothing else; saying nothing is a mistake")
    func edit() async throws {
        let asset = Samples.livePhoto().asset
        try library.answer("PATCH /v1/assets/\(asset.id)", with: asset)
        let runner = CommandRunner(library: library)
        let words = ["asset", "edit", "\(asset.id)"]
        let outcome = await runner.run(
            words + ["--title", "", "--rating", "4", "--no-favourite", "--add-keyword", "car", "--place", "48.1,-11.5"]
        )
        #expect(outcome.status == 0 && outcome.output == "1 asset changed.\n", "\(outcome.notes)")
        #expect(
            bodies("PATCH").last
                == #"{"addedKeywords":["car"],"isFavorite":false,"location":{"latitude":48.1,"longitude":-11.5},"#
                + #""rating":4,"title":""}"#
        )
        #expect(await runner.run(words).status == 64)
        #expect(await runner.run(words + ["--rating", "6"]).status == 64)
        #expect(await runner.run(words + ["--place", "91,0"]).status == 64)
        #expect(await runner.run(words + ["--add-keyword", "a\u{7}b"]).status == 64)
    }

    @Test("003.21: a Live Photo whose movie never came is called so, in lists and by itself")
    func incompleteLivePhoto() async throws {
        var asset = Samples.livePhoto().asset
        try library.answer("GET /v1/assets/\(asset.id)", with: asset)
        let runner = CommandRunner(library: library)
        let whole = await runner.run(["asset", "show", "\(asset.id)"])
        #expect(whole.output.contains("live photo\n"), "\(whole.output)")
        asset.resources.removeLast()
        asset.mediaSubtypes.remove(.photoLive)
        asset.captureFacts = CaptureFacts(isLivePhotoIncomplete: true)
        try library.answer("GET /v1/assets/\(asset.id)", with: asset)
        let incomplete = await runner.run(["asset", "show", "\(asset.id)"])
        #expect(incomplete.output.contains("live photo without movie\n"), "\(incomplete.output)")
        let list = try Renderer(format: .people, terminal: TerminalTraits(columnCount: 140))
            .text(of: .assets(AssetPage(assets: [asset]), now: Samples.now))
        #expect(list.contains("live photo without movie"), "\(list)")
    }

    @Test(
        "004.23-004.27: what a photo or movie is in particular is its kind",
        arguments: [
            (MediaType.image, MediaSubtypes.photoPanorama, "panorama"), (.image, .photoScreenshot, "screenshot"),
            (.video, .videoHighFrameRate, "slow motion"), (.video, .videoTimelapse, "time-lapse"),
            (.video, .videoScreenRecording, "screen recording"), (.video, .videoCinematic, "cinematic video"),
            (.image, .photoHDR, "image"), (.video, [], "video"), (.image, [.photoLive, .photoPanorama], "live photo"),
        ] as [(MediaType, MediaSubtypes, String)]
    )
    func kinds(type: MediaType, subtypes: MediaSubtypes, name: String) async throws {
        var asset = Samples.livePhoto().asset
        (asset.mediaType, asset.mediaSubtypes) = (type, subtypes)
        try library.answer("GET /v1/assets/\(asset.id)", with: asset)
        let outcome = await CommandRunner(library: library).run(["asset", "show", "\(asset.id)"])
        #expect(outcome.output.contains(" \(name)\n"), "\(outcome.output)")
    }

    @Test("what fails in the middle says how much was done before")
    func partly() async throws {
        library.accept("DELETE /v1/assets/\(AssetID(rawValue: 1))")
        let outcome = await CommandRunner(library: library)
            .run(["asset", "trash", "\(AssetID(rawValue: 1))", "\(AssetID(rawValue: 2))"])
        #expect(outcome.status == 1)
        #expect(outcome.notes.contains("1 asset moved to the trash before it failed."))
    }

    @Test("purging asks; restoring is an edit")
    func trash() async throws {
        let asset = Samples.livePhoto().asset
        library.accept("DELETE /v1/trash/\(asset.id)")
        try library.answer("PATCH /v1/assets/\(asset.id)", with: asset)
        let runner = CommandRunner(library: library)
        #expect(await runner.run(["asset", "purge", "\(asset.id)"]).status == 64)
        #expect(library.requests.isEmpty)
        #expect(await runner.run(["asset", "purge", "\(asset.id)", "--yes"]).status == 0)
        #expect(await runner.run(["asset", "restore", "\(asset.id)"]).status == 0)
        #expect(bodies("PATCH") == [#"{"restores":true}"#])
    }

    @Test("keywords are counted over every page, and renamed wherever they are")
    func keywords() async throws {
        var assets = (1...3).map { Samples.livePhoto(UInt128($0)).asset }
        let (car, gate) = (try #require(Keyword("car")), try #require(Keyword("gate\u{202E}")))
        for index in assets.indices { assets[index].keywords = index == 0 ? [car, gate] : [car] }
        let query = [("sort", "-captureDate"), ("limit", "500")]
        let rest = [("hidden", "true")]
        try library.answer(
            "GET /v1/assets?\(PercentEncoding.query(query + rest))",
            with: AssetPage(assets: Array(assets[..<2]), next: ListCursor(text: "c"))
        )
        try library.answer(
            "GET /v1/assets?\(PercentEncoding.query(query + [("cursor", "c")] + rest))",
            with: AssetPage(assets: [assets[2]])
        )
        let runner = CommandRunner(library: library)
        let listed = await runner.run(["keyword", "list"])
        #expect(listed.output == "ASSETS  KEYWORD\n     3  car\n     1  gate\\u{202E}\n")

        try library.answer(
            "GET /v1/assets?\(PercentEncoding.query(query + rest + [("filter", #"{"keyword":"car"}"#)]))",
            with: AssetPage(assets: assets)
        )
        for asset in assets { try library.answer("PATCH /v1/assets/\(asset.id)", with: asset) }
        #expect(await runner.run(["keyword", "rename", "car", "car"]).status == 64)
        #expect(await runner.run(["keyword", "rename", "car", "red car"]).status == 64, "nobody was asked")
        #expect(bodies("PATCH").isEmpty)
        let renamed = await runner.run(["keyword", "rename", "car", "red car", "--yes"])
        #expect(renamed.output == "3 assets changed.\n", "\(renamed.notes)")
        #expect(Set(bodies("PATCH")) == [#"{"addedKeywords":["red car"],"removedKeywords":["car"]}"#])
    }

    @Test("albums are named by their titles; adding goes in portions that the library takes")
    func albums() async throws {
        let album = Album(id: AlbumID(rawValue: 6), title: "Gate")
        try library.answer("GET /v1/albums", with: AlbumPage(albums: [.init(album: album, assetCount: 0)]))
        library.accept("POST /v1/albums/\(album.id)/assets")
        library.accept("DELETE /v1/albums/\(album.id)")
        try library.answer("PATCH /v1/albums/\(album.id)", with: album)
        let runner = CommandRunner(library: library)
        let assets = (1...1500).map { "\(AssetID(rawValue: UInt128($0)))" }
        #expect(await runner.run(["album", "add", "Gate"] + assets).output == "1500 assets added to the album.\n")
        #expect(bodies("POST").count == 2)
        #expect(await runner.run(["album", "edit", "Gate", "--order", "newestFirst"]).status == 0)
        #expect(bodies("PATCH") == [#"{"order":"newestFirst"}"#])
        #expect(await runner.run(["album", "delete", "Gate"]).status == 64)
        #expect(await runner.run(["album", "delete", "Gate", "--yes"]).output == "Deleted.\n")
        #expect(await runner.run(["album", "delete", "Hall", "--yes"]).status == 1)
    }

    @Test("the history of an asset is its own, by page")
    func history() async throws {
        let entry = HistoryEntry(
            number: ChangeNumber(rawValue: 5),
            time: Samples.now,
            actor: "gate\u{1B}]0;x\u{7}",
            entity: .asset(Samples.asset),
            what: "title"
        )
        let query = [("after", "0"), ("limit", "100"), ("asset", "\(Samples.asset)")]
        try library.answer(
            "GET /v1/admin/library/history?\(PercentEncoding.query(query))",
            with: HistoryPage(entries: [entry], next: entry.number)
        )
        let outcome = await CommandRunner(library: library).run(["asset", "history", "\(Samples.asset)"])
        #expect(outcome.output.contains("title") && !outcome.output.contains("\u{1B}"))
        #expect(outcome.notes == "next: the same command with --after 5\n")
    }
}
