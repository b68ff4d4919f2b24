import AgentStore
import Foundation
import LibraryAPI
import LibraryClient
import Persistence
import PhotoLibrary
import PhotoModel
import Synchronization
import Testing

struct LoadingTests {
    private static let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0) }

    private static func resource(_ digest: ContentDigest = ContentHasher.digest(bytes)) -> AssetResource {
        AssetResource(
            id: ResourceID(rawValue: 5),
            type: .photo,
            digest: digest,
            byteCount: 1000,
            contentType: "image/jpeg"
        )
    }

    @Test("004.7: a file comes in pieces with progress, goes on after a cut where it was, and is not loaded twice")
    func resumes() async throws {
        let bench = try LibraryBench { request in
            guard let range = request.fields.first(where: { $0.name == "Range" })?.value else {
                return TransportAnswer(status: 200, fields: [("X-Cut", "1")], body: Array(Self.bytes[..<400]))
            }
            #expect(range == "bytes=400-")
            return TransportAnswer(status: 206, body: Array(Self.bytes[400...]))
        }
        let asset = LibraryBench.asset(1, resources: [Self.resource()])
        try bench.show(asset)
        let seen = Mutex<[Int64]>([])
        let file = try await bench.library.file(of: Self.resource(), in: asset) { progress in
            seen.withLock { $0.append(progress.completedBytes) }
            #expect(progress.totalBytes == 1000)
        }
        #expect(seen.withLock { $0 } == [400, 1000])
        #expect(try PosixFileSystem().readAll(Path(file.path)) == Self.bytes)
        #expect(try await bench.library.file(of: Self.resource(), in: asset) == file)
        #expect(bench.transport.requests.count == 2, "the second time it is here")
    }

    @Test("004.6: bytes that are not the captured ones, and a cut that never ends, are typed errors and leave nothing")
    func failures() async throws {
        let wrong = try LibraryBench { _ in TransportAnswer(status: 200, body: [1, 2, 3]) }
        let asset = LibraryBench.asset(1, resources: [Self.resource()])
        let damaged = await #expect(throws: PhotoLibraryError.self) {
            try await wrong.library.file(of: Self.resource(), in: asset)
        }
        #expect(damaged?.code == .damaged)
        let cut = try LibraryBench { _ throws(TransportError) in throw TransportError(.interrupted, "cut") }
        let lost = await #expect(throws: PhotoLibraryError.self) {
            try await cut.library.file(of: Self.resource(), in: asset)
        }
        #expect(lost?.code == .library && cut.transport.requests.count == 3)
        for bench in [wrong, cut] {
            #expect(try PosixFileSystem().list(bench.store.cache.folder).isEmpty)
        }
    }

    @Test("What leaves the view leaves the cache, and what is beyond the limit goes")
    func cache() async throws {
        let bench = try LibraryBench { _ in TransportAnswer(status: 200, body: Self.bytes) }
        let asset = LibraryBench.asset(1, resources: [Self.resource()])
        try bench.show(asset)
        _ = try await bench.library.file(of: Self.resource(), in: asset)
        let end = ChangeLine.PageEnd(token: ChangeToken(text: "later"), hasMore: false)
        try bench.store.apply(ChangeFeedPage(changes: [EntityChange(.removed, .asset(asset.id))], end: end))
        #expect(try PosixFileSystem().list(bench.store.cache.folder).isEmpty)
        #expect(try await bench.library.fetchAssets().isEmpty)
    }
}
