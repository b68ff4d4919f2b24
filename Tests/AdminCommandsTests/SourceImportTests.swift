import Foundation
import LibraryAPI
import PhotoModel
import Testing

@testable import AdminCommands

/// Imports of what other programs exported, as commands.
struct SourceImportTests {
    private static let photo: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0] + Array(repeating: 1, count: 60) + [0xFF, 0xD9]
    private static let document = """
        {"title": "IMG_1.jpg", "description": "By the lake", "favorited": true, "archived": true,
         "photoTakenTime": {"timestamp": "1690794000"}, "people": [{"name": "Ada"}]}
        """

    private let library = ShelfLibrary()
    private let folder: TestFolder

    init() throws { folder = try TestFolder() }

    private func write(_ name: String, _ bytes: some Sequence<UInt8>) throws {
        let file = folder.url.appending(path: name)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: file)
    }

    /// A Takeout with one photo, in the folder of its year and in an album.
    private func writeTakeout() throws {
        for name in ["Photos from 2023", "Lake"] {
            try write("Takeout/Google Photos/\(name)/IMG_1.jpg", Self.photo)
            try write("Takeout/Google Photos/\(name)/IMG_1.jpg.supplemental-metadata.json", Self.document.utf8)
        }
        try write("Takeout/Google Photos/Lake/metadata.json", #"{"title": "Lake, 2023"}"#.utf8)
    }

    private func run(_ arguments: String...) async -> CommandOutcome {
        await CommandRunner(library: library).run(["import", folder.path] + arguments)
    }

    @Test("a Takeout's photo is one asset with its words and album; the same again changes nothing")
    func takeout() async throws {
        try writeTakeout()
        let first = await run()
        #expect(first.status == 0 && first.output.contains("1 asset,"), "\(first)")
        #expect(first.output.contains("IMG_1.jpg: it was archived in Google Photos"), "\(first.output)")
        let asset = try #require(library.assets.first)
        #expect(library.assets.count == 1 && asset.isFavorite && asset.caption == "By the lake")
        #expect(asset.keywords == [try #require(Keyword("Ada"))])
        #expect(asset.captureDateOverride == WallTime("2023-07-31T09:00:00Z"))
        #expect(library.albums == ["Lake, 2023": [asset.id]])
        let again = await run()
        #expect(again.status == 0 && again.output.contains("New") && again.output.contains("2 assets"), "\(again)")
        #expect(library.assets == [asset] && library.albums == ["Lake, 2023": [asset.id]])
    }

    @Test(
        "a file of which the library says it has more than all is a failure, and nothing worse",
        arguments: [Int64(photo.count) + 1, .max] as [Int64]
    )
    func impossibleOffset(offset: Int64) async throws {
        try writeTakeout()
        let outcome = await CommandRunner(library: ShelfLibrary(offset: offset)).run(["import", folder.path])
        #expect(outcome.status != 0 && "\(outcome)".contains("more bytes than the file"), "\(outcome)")
    }

    @Test(
        "T68: a library that never takes the bytes, or takes them back, fails the file after three answers",
        .timeLimit(.minutes(1)),
        arguments: [[0], [1, 0], [1, 2, 3, 4, 5]] as [[Int64]]
    )
    func noProgress(positions: [Int64]) async throws {
        try writeTakeout()
        let library = ShelfLibrary(positions: positions)
        let outcome = await CommandRunner(library: library).run(["import", folder.path])
        #expect(outcome.status == 1 && "\(outcome)".contains("the library does not take the bytes"), "\(outcome)")
        #expect(library.appendCount == 3)
    }

    @Test("a dry run tells albums and what stays behind, and sends nothing; albums can be left out")
    func options() async throws {
        try writeTakeout()
        let dry = await run("--dry-run", "--json")
        #expect(dry.status == 0 && dry.output.contains(#""Lake, 2023""#), "\(dry)")
        #expect(dry.notes.contains("Left behind:") && library.assets.isEmpty)
        let without = await run("--no-albums")
        #expect(without.status == 0 && library.assets.count == 1 && library.albums.isEmpty, "\(without)")
        let byFolder = await run("--no-albums", "--albums-from-folders")
        #expect(byFolder.status == 0 && Set(library.albums.keys) == ["Photos from 2023", "Lake"], "\(byFolder)")
    }

    @Test("an asset that was purged is told by name, and keeps no other out of the album")
    func purged() async throws {
        try writeTakeout()
        try write("Takeout/Google Photos/Lake/IMG_2.jpg", Self.photo + [2])
        _ = await run("--no-albums")
        library.purge()
        try write("Takeout/Google Photos/Lake/IMG_3.jpg", Self.photo + [3])
        let outcome = await run()
        #expect(outcome.status == 0 && outcome.output.contains("is not added to the album “Lake, 2023”"), "\(outcome)")
        #expect(library.albums.mapValues(\.count) == ["Lake, 2023": 1])
    }
}
