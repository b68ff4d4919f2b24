import AgentStore
import Foundation
import Immich
import ImmichTestSupport
import LibraryAPI
import LibraryClient
import Persistence
import PhotoModel
import Synchronization
import TestSupport
import Testing

@testable import AgentCapture
@testable import AgentCommands

/// Imports from an Immich server into a box's queue.
struct ImmichIntakeTests {
    private let bench: CaptureBench
    private let folder: TemporaryFolder

    init() throws {
        bench = try CaptureBench()
        folder = try TemporaryFolder()
    }

    private func run(
        _ immich: any Transport,
        key: String = FakeImmich.key,
        isDryRun: Bool = false,
        limits: SpaceLimits = SpaceLimits(),
        mustStop: @escaping @Sendable () -> Bool = { false }
    ) async throws -> Importer.Outcome {
        var options = Importer.Options()
        options.transfer = .moveOrCopy
        options.isDryRun = isDryRun
        let importer = Importer(
            store: bench.store,
            limits: limits,
            album: "Box",
            options: options,
            mustStop: mustStop
        )
        let origin = try #require(ServerOrigin.foreign("http://immich.example:2283")).origin
        let library = try ImmichLibrary(immich, origin, key: key, in: folder.path)
        return try await ImmichIntake.run(library, importer, on: BlockingPool(width: 2))
    }

    private func files() throws -> [String] { try PosixFileSystem().list(folder.path) }

    @Test("words, the first album and Live Photos come along, the trash stays; again, nothing is fetched")
    func all() async throws {
        let immich = FakeImmich.sample()
        let first = try await run(immich)
        #expect(first.obstacle == nil && first.report.failed.isEmpty)
        #expect(first.report.added == 2 && first.report.livePhotos == 1)
        let told = first.report.leftBehind.joined(separator: "\n")
        #expect(told.contains("IMG_3.jpg (t): it lies in the trash of Immich, and is not taken"), "\(told)")
        #expect(told.contains("it is also in the album “Lake”"), "\(told)")
        let entries = try bench.store.entries()
        let pair = try #require(entries.first { $0.manifest.mediaSubtypes.contains(.photoLive) }?.manifest)
        #expect(pair.resources.map { $0.originalFilename?.displayText } == ["IMG_1.jpg", "IMG_1.MP4"])
        #expect(pair.caption == "By the lake" && pair.isFavorite == true && pair.desiredAlbum == .title("Best"))
        #expect(pair.captureTime.wall == WallTime("2023-07-31T09:00:00Z"))
        #expect(entries.count == 2 && entries.contains { $0.manifest.desiredAlbum == .title("Lake") })
        for entry in entries { #expect(try bench.store.shortfall(of: entry) == nil) }
        #expect(immich.downloads == ["a", "m", "b"])
        let again = try await run(immich)
        #expect(again.report.added == 0 && again.report.known == 2 && immich.downloads == ["a", "m", "b"])
        let left = try files()
        #expect(left.count == 2 && left.allSatisfy { $0.hasSuffix(".jsonl") || $0.hasSuffix(".lock") }, "\(left)")
    }

    @Test("two albums with one title, a person's own and another person's, count as one")
    func sameTitle() async throws {
        let immich = FakeImmich()
        let fields = #""type": "IMAGE", "originalFileName": "IMG_1.jpg""#
        immich.add(.init(id: "a", fields: fields, bytes: FakeImmich.photo))
        immich.addAlbum("Lake", ["a"])
        immich.addAlbum("Lake", ["a"], isOthers: true)
        let report = try await run(immich).report
        #expect(report.added == 1 && report.leftBehind.isEmpty, "\(report.leftBehind)")
        #expect(try bench.store.entries().map(\.manifest.desiredAlbum) == [.title("Lake")])
    }

    @Test("a run that broke, or was stopped, goes on where it was")
    func resumption() async throws {
        let immich = FakeImmich.sample()
        immich.breakDownload(of: "b")
        let error = await #expect(throws: ImmichError.self) { _ = try await run(immich) }
        #expect(error?.code == .unreachable)
        #expect(try !files().contains("immich-files"), "what was fetched is deleted")
        immich.breakDownload(of: nil)
        let asked = Atomic(0)
        // Asked once before each asset: the first one is known, the second is not taken any more.
        let stopped = try await run(immich) { asked.add(1, ordering: .relaxed).newValue > 1 }
        #expect(stopped.isStopped && stopped.report.known == 1 && stopped.report.added == 0)
        let whole = try await run(immich)
        #expect(!whole.isStopped && whole.report.added == 1 && immich.downloads == ["a", "m", "b", "b", "b"])
    }

    @Test("a full queue ends it; what is no photo, and bytes that are not Immich's, are told and stepped over")
    func refusals() async throws {
        let immich = FakeImmich()
        let fields = #""type": "IMAGE", "originalFileName": "IMG_1.jpg""#
        let wrong = Data(repeating: 7, count: 20).base64EncodedString()
        immich.add(.init(id: "a", fields: fields, bytes: FakeImmich.photo, checksum: wrong))
        immich.add(.init(id: "../b", fields: fields, bytes: Array("no photo".utf8)))
        immich.add(.init(id: "c", fields: fields, bytes: FakeImmich.photo))
        let full = try await run(immich, limits: SpaceLimits(maximumByteCount: 10))
        #expect(full.obstacle?.code == .full && full.report.added == 0)
        let failed = full.report.failed.joined(separator: "\n")
        #expect(failed.contains("other bytes than it has") && failed.contains("not a photo or movie"), "\(failed)")
        #expect(try await run(immich).report.added == 1)
    }

    @Test("a dry run fetches nothing; a wrong key, and none, are told with what to do")
    func keys() async throws {
        let immich = FakeImmich.sample()
        let dry = try await run(immich, isDryRun: true)
        #expect(dry.report.added == 2 && dry.report.livePhotos == 1 && immich.downloads.isEmpty)
        #expect(try bench.store.entries().isEmpty)
        let wrong = await #expect(throws: ImmichError.self) { _ = try await run(immich, key: "another") }
        #expect(wrong.map { AgentError($0).exit } == .notAllowed && wrong?.next.contains("asset.download") == true)
        let none = await #expect(throws: ImmichError.self) { _ = try await run(immich, key: " \n") }
        #expect(none.map { AgentError($0).exit } == .usage && none?.next.contains("--key-file") == true)
    }

    @Test("T108: what Immich sends without end ends where captures need the room, and leaves nothing")
    func endlessBytes() async throws {
        let immich = FakeImmich()
        let fields = #""type": "VIDEO", "originalFileName": "IMG_1.MP4""#
        immich.add(.init(id: "a", fields: fields, bytes: [UInt8](repeating: 0, count: 17 << 20), checksum: ""))
        let full = try await run(immich, limits: SpaceLimits(reserveByteCount: .max))
        #expect(full.obstacle?.code == .full && full.report.failed.isEmpty)
        #expect(try !files().contains("immich-files"))
    }

    @Test("T108: pages without assets, each of which names a next one, come to an end")
    func endlessPages() async throws {
        let immich = EmptyPages()
        #expect(try await run(immich).report.added == 0)
        #expect(immich.searches == 2, "the timeline, and the archive")
    }

    /// An Immich whose search never ends.
    private final class EmptyPages: Transport {
        private let count = Mutex(0)

        var searches: Int { count.withLock(\.self) }

        func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
            guard request.method == "POST" else { return TransportResponse(status: 200, body: Array("[]".utf8)) }
            let next = count.withLock { count in
                count += 1
                return count + 1
            }
            let page = #"{"assets": {"items": [], "nextPage": "\#(next)"}}"#
            return TransportResponse(status: 200, body: Array(page.utf8))
        }
    }
}
