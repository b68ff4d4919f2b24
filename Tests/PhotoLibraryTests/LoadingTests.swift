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

    private static func resource(byteCount: Int64 = 1000) -> AssetResource {
        AssetResource(
            id: ResourceID(rawValue: 5),
            type: .photo,
            digest: ContentHasher.digest(bytes),
            byteCount: byteCount,
            contentType: "image/jpeg"
        )
    }

    @Test("004.7: a file comes in pieces with progress, goes on after a cut where it was, and is not loaded twice")
    func resumes() async throws {
        let bench = try LibraryBench { request in
            guard let range = request.fields.first(where: { $0.name == "Range" })?.value else {
                return TransportResponse(status: 200, fields: [("X-Cut", "1")], body: Array(Self.bytes[..<400]))
            }
            #expect(range == "bytes=400-")
            return TransportResponse(status: 206, body: Array(Self.bytes[400...]))
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
        let wrong = try LibraryBench { _ in TransportResponse(status: 200, body: [1, 2, 3]) }
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

    @Test("004.7: cancelled half way, a load ends as that and leaves nothing; asked for again, the file comes whole")
    func cancelled() async throws {
        let requests = Mutex(0)
        let bench = try LibraryBench { _ in
            let number = requests.withLock { count in
                count += 1
                return count
            }
            guard number == 1 else { return TransportResponse(status: 200, body: Self.bytes) }
            return TransportResponse(status: 200, fields: [("X-Stall", "1")], body: Array(Self.bytes[..<400]))
        }
        let library = bench.library
        let asset = LibraryBench.asset(1, resources: [Self.resource()])
        let (pieces, piece) = AsyncStream<Void>.makeStream()
        let load = Task {
            defer { piece.finish() }
            return try await library.file(of: Self.resource(), in: asset) { _ in piece.yield() }
        }
        for await _ in pieces { break }
        let half = try Self.names(in: bench)
        #expect(half.count == 1 && half.allSatisfy { $0.hasPrefix(".") }, "what has come has no name yet: \(half)")
        load.cancel()
        await #expect(throws: CancellationError.self) { try await load.value }
        #expect(try Self.names(in: bench).isEmpty)
        let file = try await library.file(of: Self.resource(), in: asset)
        #expect(try PosixFileSystem().readAll(Path(file.path)) == Self.bytes)
        #expect(bench.transport.requests.count == 2)
    }

    @Test("T102: a file of which more comes than it has, a thumbnail without end, and room that captures need")
    func endless() async throws {
        let body = Self.bytes + [0]
        let long = try LibraryBench { _ in TransportResponse(status: 200, body: body) }
        let asset = LibraryBench.asset(1, resources: [Self.resource()])
        let tooLong = await #expect(throws: PhotoLibraryError.self) {
            try await long.library.file(of: Self.resource(), in: asset) { _ in Issue.record("it was written") }
        }
        #expect(tooLong?.code == .damaged)
        let (large, full) = try (Self.largeBench(), Self.largeBench(SpaceLimits(reserveByteCount: .max)))
        let thumbnail = await #expect(throws: PhotoLibraryError.self) {
            try await large.library.thumbnail(of: asset.id)
        }
        #expect(thumbnail?.code == .damaged)
        let movie = Self.resource(byteCount: Int64(Self.largeByteCount))
        let noRoom = await #expect(throws: PhotoLibraryError.self) {
            try await full.library.file(of: movie, in: asset) { _ in Issue.record("it was written") }
        }
        #expect(noRoom?.code == .storage)
        for bench in [long, large, full] { #expect(try Self.names(in: bench).isEmpty) }
    }

    private static let largeByteCount = 17 << 20

    private static func largeBench(_ limits: SpaceLimits = SpaceLimits()) throws -> LibraryBench {
        try LibraryBench(limits: limits) { _ in
            TransportResponse(status: 200, body: [UInt8](repeating: 0, count: largeByteCount))
        }
    }

    @Test("What leaves the view leaves the cache")
    func cache() async throws {
        let bench = try LibraryBench { _ in TransportResponse(status: 200, body: Self.bytes) }
        let asset = LibraryBench.asset(1, resources: [Self.resource()])
        try bench.show(asset)
        _ = try await bench.library.file(of: Self.resource(), in: asset)
        let end = ChangeLine.PageEnd(token: ChangeToken(text: "later"), hasMore: false)
        try bench.store.apply(ChangeFeedPage(changes: [EntityChange(.removed, .asset(asset.id))], end: end))
        #expect(try PosixFileSystem().list(bench.store.cache.folder).isEmpty)
        #expect(try await bench.library.fetchAssets().isEmpty)
    }

    @Test("Beyond the limit goes what was not used for longest; what is within it stays")
    func limit() async throws {
        let bench = try LibraryBench(cacheByteLimit: 2000) { _ in TransportResponse(status: 200, body: Self.bytes) }
        let assets = (1...3).map { LibraryBench.asset($0, resources: [Self.resource()]) }
        let first = try await bench.library.file(of: Self.resource(), in: assets[0])
        let second = try await bench.library.file(of: Self.resource(), in: assets[1])
        #expect(try Self.names(in: bench) == [first, second].map(\.lastPathComponent), "as much as the limit may stay")
        // Used so long ago, the first one before the second.
        for (file, seconds) in [(first, 1000.0), (second, 2000.0)] {
            let date = Date(timeIntervalSince1970: seconds)
            try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: file.path)
        }
        #expect(try await bench.library.file(of: Self.resource(), in: assets[0]) == first, "used now")
        let third = try await bench.library.file(of: Self.resource(), in: assets[2])
        #expect(try Self.names(in: bench) == [first, third].map(\.lastPathComponent))
        #expect(bench.transport.requests.count == 3)
    }

    @Test("A file that is larger than the whole limit is there until the next one comes")
    func beyondLimit() async throws {
        let bench = try LibraryBench(cacheByteLimit: 500) { _ in TransportResponse(status: 200, body: Self.bytes) }
        for number: UInt128 in 1...2 {
            let asset = LibraryBench.asset(number, resources: [Self.resource()])
            let file = try await bench.library.file(of: Self.resource(), in: asset)
            #expect(try Self.names(in: bench) == [file.lastPathComponent])
        }
    }

    /// What lies in the cache, also what is hidden.
    private static func names(in bench: LibraryBench) throws -> [String] {
        try PosixFileSystem().list(bench.store.cache.folder)
    }
}
