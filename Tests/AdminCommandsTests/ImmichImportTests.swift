import Foundation
import ImmichTestSupport
import LibraryAPI
import PhotoModel
import Testing

@testable import AdminCommands

/// Imports from an Immich server into a library.
struct ImmichImportTests {
    private let library = ShelfLibrary()
    private let folder: TestFolder

    init() throws { folder = try TestFolder() }

    private func run(_ immich: FakeImmich, _ arguments: String..., key: String = FakeImmich.key) async -> CommandOutcome
    {
        var runner = CommandRunner(library: library, foreign: immich)
        runner.environment = ["IMMICH_API_KEY": key, "XDG_STATE_HOME": folder.path]
        return await runner.run(["import", "http://immich.example:2283"] + arguments)
    }

    @Test(
        "words, albums, Live Photos and the archive come along, the trash stays; again, nothing is fetched",
        arguments: FakeImmich.Version.allCases
    )
    func all(version: FakeImmich.Version) async throws {
        let immich = FakeImmich.sample(version)
        let first = await run(immich)
        #expect(first.status == 0, "\(first)")
        #expect(
            first.output.contains("IMG_3.jpg (t): it lies in the trash of Immich, and is not taken"),
            "\(first.output)"
        )
        #expect(first.output.contains("IMG_1.jpg (a): it was archived in Immich"), "\(first.output)")
        let pair = try #require(library.assets.first { $0.isLivePhoto })
        #expect(library.assets.count == 2, "\(first)")
        #expect(pair.resources.map { $0.originalFilename?.displayText } == ["IMG_1.jpg", "IMG_1.MP4"])
        #expect(pair.caption == "By the lake" && pair.isFavorite && pair.rating.rawValue == 4)
        #expect(pair.keywords == Set(["Ada", "Lakes"].compactMap { Keyword($0) }))
        #expect(pair.location == Location(latitude: 48.5, longitude: 9.25))
        #expect(pair.captureDateOverride == WallTime("2023-07-31T09:00:00Z"))
        #expect(library.albums["Lake"]?.count == 2 && library.albums["Best"] == [pair.id])
        #expect(library.albums["Empty"]?.isEmpty ?? true)
        #expect(library.albums["Outing"]?.count == 1, "another person's album, with what is one's own")
        #expect(immich.downloads.sorted() == ["a", "b", "m"])
        let again = await run(immich)
        #expect(again.status == 0 && again.output.contains("2 assets"), "\(again)")
        #expect(immich.downloads.count == 3 && library.assets.count == 2)
        let left = try folder.files()
        #expect(left.allSatisfy { $0.hasSuffix(".jsonl") || $0.hasSuffix(".lock") }, "\(left)")
    }

    @Test("a run that broke goes on where it was; what was purged from the library since is fetched again")
    func resumption() async throws {
        let immich = FakeImmich.sample()
        immich.breakDownload(of: "b")
        let broken = await run(immich)
        #expect(broken.status == 69 && broken.notes.contains("it resumes") && library.assets.count == 1, "\(broken)")
        immich.breakDownload(of: nil)
        let second = await run(immich)
        #expect(second.status == 0 && immich.downloads == ["a", "m", "b", "b"], "\(second)")
        #expect(library.albums["Lake"]?.count == 2)
    }

    @Test("titles that no album can have are told, the first time and again, and keep nothing from its albums")
    func impossibleTitles() async throws {
        let immich = FakeImmich()
        immich.add(.init(id: "a", fields: #""type": "IMAGE", "originalFileName": "a.jpg""#, bytes: FakeImmich.photo))
        for title in [String(repeating: "x", count: 600), "", "Lake"] { immich.addAlbum(title, ["a"]) }
        let first = await run(immich)
        #expect(first.status == 0 && library.albums.keys.sorted() == ["Lake"], "\(first)")
        immich.addAlbum("Best", ["a"])
        let again = await run(immich)
        #expect(again.status == 0 && again.output.contains("2 of its albums have titles"), "\(again)")
        #expect(library.albums["Best"]?.count == 1 && library.albums.count == 2 && immich.downloads == ["a"])
    }

    @Test("bytes that are not those that Immich has the checksum of are not taken")
    func damage() async throws {
        let immich = FakeImmich()
        let fields = #""type": "IMAGE", "originalFileName": "IMG_1.jpg""#
        immich.add(
            .init(
                id: "a",
                fields: fields,
                bytes: FakeImmich.photo,
                checksum: Data(repeating: 7, count: 20).base64EncodedString()
            )
        )
        immich.add(.init(id: "../b", fields: fields, bytes: Array("no photo".utf8), checksum: ""))
        let outcome = await run(immich)
        #expect(outcome.status == 1 && library.assets.isEmpty, "\(outcome)")
        #expect(outcome.output.contains("other bytes than it has") && outcome.output.contains("not a photo or movie"))
    }

    @Test("no more bytes are kept than Immich says that a file has, and the rest is imported")
    func endless() async throws {
        let immich = FakeImmich()
        func add(_ id: String, byteCount: Int) {
            let size = #""exifInfo": {"fileSizeInByte": \#(byteCount)}"#
            let fields = #""type": "IMAGE", "originalFileName": "\#(id).jpg", \#(size)"#
            immich.add(.init(id: id, fields: fields, bytes: FakeImmich.photo, checksum: ""))
        }
        add("a", byteCount: FakeImmich.photo.count - 1)
        add("b", byteCount: -1)
        add("c", byteCount: FakeImmich.photo.count)
        let outcome = await run(immich)
        #expect(outcome.status == 1 && library.assets.count == 1, "\(outcome)")
        #expect(outcome.output.contains("a.jpg") && outcome.output.contains("b.jpg"), "\(outcome)")
        #expect(outcome.output.components(separatedBy: "other bytes than it has").count == 3)
    }

    @Test("a dry run fetches no picture; a wrong key, and none, are told with what to do")
    func refusals() async throws {
        let immich = FakeImmich.sample()
        let dry = await run(immich, "--dry-run", "--json")
        #expect(dry.status == 0 && dry.output.contains("Best") && dry.output.contains("live photo"), "\(dry)")
        #expect(dry.notes.contains("trash of Immich") && immich.downloads.isEmpty && library.assets.isEmpty)
        let wrong = await run(immich, key: "another")
        #expect(wrong.status == 77 && wrong.notes.contains("asset.download"), "\(wrong)")
        let none = await run(immich, key: "")
        #expect(none.status == 64 && none.notes.contains("--key-file"), "\(none)")
        let both = await run(immich, folder.path)
        #expect(both.status == 64, "\(both)")
    }
}
