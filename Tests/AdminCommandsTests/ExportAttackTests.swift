import Foundation
import Glibc
import LibraryAPI
import LibraryClient
import PhotoModel
import Synchronization
import Testing

@testable import AdminCommands

/// Exports into a folder that somebody else changes, and from a library that lies.
struct ExportAttackTests {
    /// A library that does something when it is asked for one file, before it sends the file.
    private struct Meddler: Transport {
        let library: StubLibrary
        let line: String
        let meddle: @Sendable (TransportRequest) throws -> Void

        func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
            if "\(request.method) \(request.target)" == line {
                do { try meddle(request) } catch { throw TransportError(.localFailure, "\(error)") }
            }
            return try await library.send(request)
        }
    }

    private let library = StubLibrary()
    private let folder: TestFolder
    private let outside: TestFolder
    private let photo = Samples.livePhoto()

    init() throws {
        (folder, outside) = (try TestFolder(), try TestFolder())
        try library.answer("GET /v1/admin/devices", with: DevicePage(devices: [Samples.device(1, name: "gate")]))
        try library.answer("GET /v1/albums", with: AlbumPage(albums: []))
        try hold(photo.asset)
        for (resource, bytes) in zip(photo.asset.resources, photo.files) {
            library.answer(Self.line(photo.asset, resource), bytes: bytes)
        }
    }

    private func hold(_ asset: Asset) throws {
        let query = PercentEncoding.query([("sort", "captureDate"), ("limit", "500"), ("bursts", "all")])
        try library.answer("GET /v1/assets?\(query)", with: AssetPage(assets: [asset]))
    }

    private static func line(_ asset: Asset, _ resource: AssetResource) -> String {
        "GET /v1/assets/\(asset.id)/resources/\(resource.id)"
    }

    private func export(_ options: [String] = [], from transport: (any Transport)? = nil) async -> CommandOutcome {
        await CommandRunner(library: transport ?? library).run(
            ["export", folder.path, "--template", "{device}/{name}"] + options
        )
    }

    @Test(
        "T33: a link that takes a subfolder's place while a file is fetched leads nothing out of the export",
        arguments: [[], ["--own-names"]]
    )
    func linkDuringExport(options: [String]) async throws {
        let movie = try #require(photo.asset.resources.last)
        let (inner, target, asset) = (folder.path, outside.path, "\(photo.asset.id)")
        // The first file of the pair is written by then, so that its folder is known.
        let meddler = Meddler(library: library, line: Self.line(photo.asset, movie)) { _ in
            #expect(unsafe rename(inner + "/gate", inner + "/before") == 0)
            #expect(unsafe mkdir(target + "/" + asset, 0o750) == 0)
            #expect(unsafe symlink(target, inner + "/gate") == 0)
        }
        let outcome = await export(options, from: meddler)
        #expect(outcome.status == 1 && outcome.output.contains("not a folder"), "\(outcome)")
        #expect(try outside.files() == [])
    }

    @Test("an edit that somebody changes while the next one is fetched is theirs, and stays")
    func changeDuringExport() async throws {
        func edit(_ text: String) throws -> String {
            let (edited, edit) = Samples.edited(photo.asset, text)
            try hold(edited)
            library.answer(Self.line(edited, edit), bytes: Array(text.utf8))
            return Self.line(edited, edit)
        }
        _ = try edit("one")
        #expect(await export().status == 0)
        let place = URL(filePath: folder.path + "/gate/IMG_1-edited.jpg")
        let meddler = Meddler(library: library, line: try edit("two")) { _ in try Data("own".utf8).write(to: place) }
        let outcome = await export(from: meddler)
        #expect(outcome.status == 1 && outcome.output.contains("something else is there"), "\(outcome)")
        #expect(try String(contentsOf: place, encoding: .utf8) == "own")
    }

    @Test("a library that sends more than it promised is stopped there, and the rest is written")
    func endless() async throws {
        let still = try #require(photo.asset.resources.first)
        let sent = Mutex(0)
        let meddler = Meddler(library: library, line: Self.line(photo.asset, still)) { request in
            for _ in 0..<1000 {
                sent.withLock { $0 += 1000 }
                try request.sink?([UInt8](repeating: 1, count: 1000))
            }
        }
        let outcome = await export(from: meddler)
        #expect(sent.withLock { $0 } == 3000, "2500 bytes were promised")
        #expect(outcome.status == 1 && outcome.output.contains("not those that the library promised"), "\(outcome)")
        #expect(try folder.files() == [".tintype-export.jsonl", "gate/IMG_1.MOV"])
    }

    @Test("a library that names a device or an album twice ends no export")
    func twins() async throws {
        let device = Samples.device(1, name: "gate")
        try library.answer("GET /v1/admin/devices", with: DevicePage(devices: [device, device]))
        let outcome = await export()
        #expect(outcome.status == 0, "\(outcome)")
        #expect(try folder.files().contains("gate/IMG_1.JPG"))
    }

    @Test("T33: names that begin with a combining mark are names, and hide no slash")
    func combiningMarks() async throws {
        let marked = Samples.livePhoto(8, name: "\u{301}x")
        try library.answer("GET /v1/admin/devices", with: DevicePage(devices: [Samples.device(1, name: "\u{301}g")]))
        try hold(marked.asset)
        for (resource, bytes) in zip(marked.asset.resources, marked.files) {
            library.answer(Self.line(marked.asset, resource), bytes: bytes)
        }
        for (options, fileCount) in [([], 2), (["--own-names"], 4)] {
            let outcome = await export(options)
            #expect(outcome.status == 0, "\(outcome)")
            #expect(try folder.files().count == fileCount + 1, "and the ledger")
        }
    }

    @Test("a FIFO in place of a sidecar is not waited for, and stays")
    func fifo() async throws {
        var titled = photo.asset
        titled.title = "Gate"
        try hold(titled)
        #expect(await export().status == 0)
        let sidecar = folder.path + "/gate/IMG_1.JPG.xmp"
        #expect(unsafe unlink(sidecar) == 0 && mkfifo(sidecar, 0o600) == 0)
        let outcome = await export()
        #expect(outcome.status == 1 && outcome.output.contains("somebody changed the sidecar"), "\(outcome)")
    }
}
