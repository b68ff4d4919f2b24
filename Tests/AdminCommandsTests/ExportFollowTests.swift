import Foundation
import Glibc
import LibraryAPI
import PhotoModel
import Synchronization
import Testing

@testable import AdminCommands

/// A folder that follows the library by its change feed.
struct ExportFollowTests {
    private let library = StubLibrary()
    private let folder: TestFolder
    private var photo = Samples.livePhoto()

    init() throws {
        folder = try TestFolder()
        try library.answer("GET /v1/admin/devices", with: DevicePage(devices: [Samples.device(1, name: "gate")]))
        try library.answer("GET /v1/albums", with: AlbumPage(albums: []))
        for (resource, bytes) in zip(photo.asset.resources, photo.files) {
            library.answer("GET /v1/assets/\(photo.asset.id)/resources/\(resource.id)", bytes: bytes)
        }
    }

    private static let pair = ["gate/IMG_1.JPG", "gate/IMG_1.MOV"]

    /// The next page of the feed.
    private func feed(_ since: String?, _ changes: [EntityChange], next: String, hasMore: Bool = false) throws {
        library.answer(Self.line(since), bytes: try Self.page(changes, next: next, hasMore: hasMore))
    }

    private static func page(_ changes: [EntityChange], next: String, hasMore: Bool = false) throws -> [UInt8] {
        let encoder = JSONEncoder()
        var lines = try changes.map { try encoder.encode(ChangeLine.change($0)) }
        lines.append(try encoder.encode(ChangeLine.end(.init(token: ChangeToken(text: next), hasMore: hasMore))))
        return lines.flatMap { Array($0) + Array("\n".utf8) }
    }

    private static func line(_ since: String?) -> String {
        "GET /v1/changes?limit=\(APILimits.changePageCount)&wait=0" + (since.map { "&since=\($0)" } ?? "")
    }

    private func inserted(_ asset: Asset) -> EntityChange { EntityChange(.inserted, .asset(asset.id), asset: asset) }

    private func follow(_ words: String...) async -> CommandOutcome {
        await CommandRunner(library: library).run(
            ["export", folder.path, "--template", "{device}/{name}", "--follow", "--once"] + words
        )
    }

    /// The mirror's files, without what it keeps for itself.
    private func files() throws -> [String] { try folder.files().filter { !$0.hasPrefix(".tintype-export") } }

    @Test("changes come as they happened, from where the last run was; what leaves goes with --delete, else stays")
    func following() async throws {
        try feed(nil, [inserted(photo.asset)], next: "t1", hasMore: true)
        try feed("t1", [], next: "t2")
        let first = await follow()
        #expect(first.status == 0 && first.output.contains("2 files"), "\(first)")
        #expect(try files() == Self.pair)
        var changed = photo.asset
        changed.title = "Gate"
        try feed("t2", [EntityChange(.updated, .asset(changed.id), asset: changed)], next: "t3")
        #expect(await follow("--json").status == 0)
        #expect(try files() == Self.pair[...0] + ["gate/IMG_1.JPG.xmp", Self.pair[1]])
        try feed("t3", [EntityChange(.removed, .asset(changed.id))], next: "t4")
        #expect(await follow().status == 0)
        #expect(try files().count == 3, "files stay unless deleting was asked for")
        try feed("t4", [inserted(changed), EntityChange(.removed, .asset(changed.id))], next: "t5")
        let last = await follow("--delete")
        #expect(last.status == 0 && last.output.contains("Deleted"), "\(last)")
        #expect(try files().isEmpty && !FileManager.default.fileExists(atPath: folder.path + "/gate"))
    }

    /// The photo with an edit of these bytes, which the library serves.
    private func edited(_ text: String) -> Asset {
        let (asset, edit) = Samples.edited(photo.asset, text)
        library.answer("GET /v1/assets/\(asset.id)/resources/\(edit.id)", bytes: Array(text.utf8))
        return asset
    }

    private func updated(_ asset: Asset) -> EntityChange { EntityChange(.updated, .asset(asset.id), asset: asset) }

    private static let edit = "gate/IMG_1-edited.jpg"

    @Test("an edit takes the place of the one before, and goes with --delete when it is reverted, else stays")
    func edits() async throws {
        try feed(nil, [inserted(edited("one"))], next: "t1")
        #expect(await follow().status == 0)
        let before = try folder.text(".tintype-export.jsonl")
        try feed("t1", [updated(edited("two"))], next: "t2")
        let second = await follow("--json")
        #expect(second.status == 0 && second.output.contains(#""updated" : 1"#), "\(second)")
        #expect(try folder.text(Self.edit) == "two")
        // A power cut before the ledger knew.
        try folder.write(".tintype-export.jsonl", before)
        try feed("t2", [updated(edited("two"))], next: "t3")
        #expect(await follow().status == 0)
        try feed("t3", [updated(edited("the third"))], next: "t4")
        #expect(await follow().status == 0)
        #expect(try folder.text(Self.edit) == "the third")
        try feed("t4", [updated(photo.asset)], next: "t5")
        #expect(await follow().status == 0)
        #expect(try files().count == 3, "files stay unless deleting was asked for")
        try feed("t5", [updated(photo.asset)], next: "t6")
        let reverted = await follow("--delete")
        #expect(reverted.status == 0 && reverted.output.contains("Deleted"), "\(reverted)")
        #expect(try files() == Self.pair)
    }

    @Test("an edit that somebody changed is theirs: neither the next edit nor a revert touches it")
    func foreignEdit() async throws {
        try feed(nil, [inserted(edited("one"))], next: "t1")
        #expect(await follow("--delete").status == 0)
        try folder.write(Self.edit, "own")
        try feed("t1", [updated(edited("two"))], next: "t2")
        let outcome = await follow("--delete")
        #expect(outcome.status == 1 && outcome.output.contains("something else is there"), "\(outcome)")
        try library.answer("GET /v1/assets/\(photo.asset.id)", with: photo.asset)
        try feed("t2", [], next: "t3")
        #expect(await follow("--delete").status == 0)
        #expect(try files().count == 3 && folder.text(Self.edit) == "own")
    }

    @Test("what somebody changed is theirs, and stays; it comes back beside it when the asset does")
    func foreign() async throws {
        try feed(nil, [inserted(photo.asset)], next: "t1")
        #expect(await follow("--delete").status == 0)
        try folder.write("gate/IMG_1.JPG", "mine")
        try feed("t1", [EntityChange(.removed, .asset(photo.asset.id))], next: "t2")
        #expect(await follow("--delete").status == 0)
        #expect(try files() == ["gate/IMG_1.JPG"] && folder.text("gate/IMG_1.JPG") == "mine")
        try feed("t2", [inserted(photo.asset)], next: "t3")
        #expect(await follow("--delete").status == 0)
        #expect(try files().count == 3 && folder.text("gate/IMG_1.JPG") == "mine")
    }

    @Test("T33: a mirror deletes nothing where a link in place of a subfolder leads")
    func linkedRemoval() async throws {
        try feed(nil, [inserted(photo.asset)], next: "t1")
        #expect(await follow("--delete").status == 0)
        let outside = try TestFolder()
        try FileManager.default.moveItem(atPath: folder.path + "/gate", toPath: outside.path + "/gate")
        #expect(unsafe symlink(outside.path + "/gate", folder.path + "/gate") == 0)
        try feed("t1", [EntityChange(.removed, .asset(photo.asset.id))], next: "t2")
        let outcome = await follow("--delete")
        #expect(outcome.status == 1 && outcome.output.contains("not a folder"), "\(outcome)")
        #expect(try outside.files() == Self.pair)
    }

    @Test("T33: a mirror deletes nothing beside it, whatever its ledger names")
    func hostileLedger() async throws {
        try feed(nil, [inserted(photo.asset)], next: "t1")
        #expect(await follow("--delete").status == 0)
        let beside = folder.path + "/../IMG_1.JPG-\(UUID())"
        try FileManager.default.moveItem(atPath: folder.path + "/gate/IMG_1.JPG", toPath: beside)
        defer { try? FileManager.default.removeItem(atPath: beside) }
        let (ledger, name) = (".tintype-export.jsonl", URL(filePath: beside).lastPathComponent)
        let entries = try folder.text(ledger).replacing("gate", with: "..").replacing("IMG_1.JPG", with: name)
        try folder.write(ledger, entries)
        try feed("t1", [EntityChange(.removed, .asset(photo.asset.id))], next: "t2")
        let outcome = await follow("--delete")
        #expect(outcome.status == 1 && outcome.output.contains("it is no path in the export"), "\(outcome)")
        #expect(FileManager.default.fileExists(atPath: beside))
    }

    @Test("a token that expired, and another question, look at everything again, and delete what is not met")
    func anew() async throws {
        try feed(nil, [inserted(photo.asset)], next: "t1")
        #expect(await follow("--delete").status == 0)
        library.refuse(Self.line("t1"), ProblemDetails(.tokenExpired, "Enumerate again."))
        try feed(nil, [], next: "t9")
        #expect(await follow("--delete").status == 0)
        #expect(try files().isEmpty)
        try feed(nil, [inserted(photo.asset)], next: "t1")
        let images = await follow("--delete", "--type", "images")
        #expect(images.status == 0, "\(images)")
        #expect(try files() == Self.pair, "another question begins anew")
    }

    @Test("an enumeration that is interrupted between pages starts over, so that what left is deleted all the same")
    func interrupted() async throws {
        let other = Samples.livePhoto(8, name: "IMG_2")
        for (resource, bytes) in zip(other.asset.resources, other.files) {
            library.answer("GET /v1/assets/\(other.asset.id)/resources/\(resource.id)", bytes: bytes)
        }
        try feed(nil, [inserted(photo.asset), inserted(other.asset)], next: "t1")
        #expect(await follow("--delete").status == 0)
        #expect(try files().count == 4)
        // The other one was purged, and the library no longer knows when.
        library.refuse(Self.line("t1"), ProblemDetails(.tokenExpired, "Enumerate again."))
        try feed(nil, [inserted(photo.asset)], next: "p1", hasMore: true)
        library.refuse(Self.line("p1"), ProblemDetails(.unavailable, "The server is stopping."))
        #expect(await follow("--delete").status != 0)
        try feed("p1", [], next: "t2")
        #expect(await follow("--delete").status == 0)
        #expect(try files() == Self.pair)
        try feed("t2", [EntityChange(.removed, .asset(photo.asset.id))], next: "t3")
        #expect(await follow("--delete").status == 0)
        #expect(try files().isEmpty, "it follows from the enumeration's end")
    }

    @Test("a file that could not be fetched is told, and fetched the next time")
    func failure() async throws {
        let movie = try #require(photo.asset.resources.last)
        let line = "GET /v1/assets/\(photo.asset.id)/resources/\(movie.id)"
        library.refuse(line, ProblemDetails(.notFound, "Not now."))
        try feed(nil, [inserted(photo.asset)], next: "t1")
        let first = await follow()
        #expect(first.status == 1, "\(first)")
        #expect(try files() == [Self.pair[0]])
        library.answer(line, bytes: try #require(photo.files.last))
        try library.answer("GET /v1/assets/\(photo.asset.id)", with: photo.asset)
        try feed("t1", [], next: "t2")
        #expect(await follow().status == 0)
        #expect(try files() == Self.pair)
    }

    @Test(
        "a server that is stopping, or asks for patience, is asked again, not before it wants; another refusal ends it",
        arguments: [(nil, 10), (2, 10), (90, 90)] as [(Int?, Int)]
    )
    func patience(wanted: Int?, pause: Int) async throws {
        let problem = ProblemDetails(.unavailable, "The server is stopping: ask again.", retryAfterSeconds: wanted)
        library.refuse(Self.line(nil), problem)
        let page = try Self.page([inserted(photo.asset)], next: "t1")
        let pauses = Mutex<[Duration]>([])
        var runner = CommandRunner(library: library)
        runner.sleep = { [library] pause in
            pauses.withLock { $0.append(pause) }
            library.answer(Self.line(nil), bytes: page)
        }
        // What follows the first page is refused for good: there is no such answer.
        let outcome = await runner.run(["export", folder.path, "--template", "{device}/{name}", "--follow"])
        #expect(outcome.status == 1 && outcome.notes.contains("stopping: ask again. Retrying."), "\(outcome)")
        #expect(pauses.withLock(\.self) == [.seconds(pause)])
        #expect(try files() == Self.pair)
    }

    @Test(
        "--once and --delete go with --follow, which goes with names of its own",
        arguments: [
            ["--once"], ["--delete"], ["--follow", "--own-names"],
        ]
    )
    func usage(words: [String]) async {
        #expect(await CommandRunner(library: library).run(["export", folder.path] + words).status == 64)
    }
}
