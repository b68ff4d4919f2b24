import AgentStore
import Authorization
import BoxIdentity
import LibraryAPI
import LibraryClient
import Persistence
import PhotoModel
import Testing

@testable import AgentService
@testable import SyncEngine

/// A capture in the queue whose bytes the disk can no longer read.
struct UnreadableCaptureTests {
    private static let (bad, good) = (AssetID(rawValue: 1), AssetID(rawValue: 2))

    private let folder: TemporaryFolder
    private let store: AgentStore

    init() throws {
        folder = try TemporaryFolder()
        let now = WallTime(millisecondsSince1970: 0)
        store = try AgentStore(root: folder.path, fileSystem: BadDisk(asset: Self.bad), now: now)
        for asset in [Self.bad, Self.good] {
            let manifest = AssetManifest(
                id: asset,
                mediaType: .image,
                captureTime: CaptureTime(wall: now, source: .deviceClock, isSynchronized: true),
                resources: []
            )
            let bytes = Array(repeating: UInt8(truncatingIfNeeded: asset.rawValue), count: 1000)
            let resource = ResourceID(rawValue: asset.rawValue)
            try store.add(CaptureDraft(photo: manifest, bytes, as: resource, in: store), now: now)
        }
    }

    private var gateway: LibraryGateway {
        let client = LibraryClient(BodyReader())
        let pool = BlockingPool(width: 1)
        return LibraryGateway(
            client: client,
            store: store,
            pool: pool,
            usage: UsageTexts(),
            build: "test",
            metered: MeteredLinks([]),
            reminder: ExpansionReminder(),
            comparisonInterval: nil,
            upkeep: IdentityUpkeep(
                folder: IdentityFolder(in: folder.path),
                store: store,
                client: client,
                pool: pool,
                logger: CaptureBench.logger
            ),
            journal: nil,
            consents: nil,
            refresh: {}
        )
    }

    @Test("T165: of a batch with a photo that the disk cannot read, only that one fails, and it is said why")
    func batch() async throws {
        let results = try await gateway.batch([Self.bad, Self.good])
        #expect(Set(results.keys) == [Self.bad], "the other one is sent without it")
        guard case .failure(.unreadable(let reason))? = results[Self.bad] else {
            return #expect(Bool(false), "\(results)")
        }
        #expect(reason.contains("a bad block"))
        await #expect(throws: SyncFailure.noAnswer("unreachable: no server")) { try await gateway.batch([Self.good]) }
    }

    @Test("T165: a large file that the disk cannot read is told from a failure of the box", arguments: [1000, 900])
    func append(byteCount: Int64) async throws {
        let append = Append(
            assetID: Self.bad,
            resourceID: ResourceID(rawValue: 1),
            uploadID: UploadID(rawValue: 1),
            offset: 0,
            byteCount: byteCount,
            isLast: byteCount == 1000
        )
        let failure = await #expect(throws: SyncFailure.self) { try await gateway.append(append) }
        guard case .unreadable? = failure else { return #expect(Bool(false), "\(String(describing: failure))") }
    }

    @Test("T165: what was given up, since the disk cannot read it or has other bytes, is not intact by its end alone")
    func rejected() throws {
        for entry in try store.entries() {
            #expect(try store.shortfall(of: entry) == nil)
            try store.reject(entry.id, "it was given up")
        }
        let bad = try #require(try store.entry(Self.bad))
        let good = try #require(try store.entry(Self.good))
        let file = store.file(of: good.manifest.resources[0], in: good.id)
        try PosixFileSystem().open(file, .update).write([0], at: 500)
        let failure = #expect(throws: AgentStoreError.self) { try store.shortfall(of: bad) }
        #expect(failure?.isDamage == true)
        #expect(try store.shortfall(of: good)?.contains("its bytes have changed") == true)
    }
}

/// Reads a request's body, as libcurl does, for a server that is not there.
private struct BodyReader: Transport {
    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        if case .source(let source) = request.body {
            var offset: Int64 = 0
            do {
                while offset < source.byteCount { offset += Int64(try source.read(offset, 100).count) }
            } catch {
                throw TransportError(.localFailure, "\(error)")
            }
        }
        throw TransportError(.unreachable, "no server")
    }
}

/// The real disk, except that it cannot read the middle of one asset's files.
private struct BadDisk: LayeredFileSystem {
    let base: any FileSystem = PosixFileSystem()
    let asset: AssetID

    func open(_ path: Path, _ mode: OpenMode) throws(PersistenceError) -> any OpenFile {
        let file = try base.open(path, mode)
        return path.parent.name == asset.description ? BadFile(file: file, path: path) : file
    }

    func status(_ path: Path) throws(PersistenceError) -> FileStatus? { try base.status(path) }
}

private final class BadFile: OpenFile {
    private let file: any OpenFile
    private let path: Path

    init(file: any OpenFile, path: Path) {
        self.file = file
        self.path = path
    }

    func read(_ count: Int, at offset: Int64) throws(PersistenceError) -> [UInt8] {
        guard !(offset..<offset + Int64(count)).contains(500) else {
            throw PersistenceError(.inputOutput, "read", path.text, "a bad block")
        }
        return try file.read(count, at: offset)
    }
    func write(_ bytes: ArraySlice<UInt8>, at offset: Int64) throws(PersistenceError) {
        try file.write(bytes, at: offset)
    }
    func synchronize() throws(PersistenceError) { try file.synchronize() }
    func truncate(to byteCount: Int64) throws(PersistenceError) { try file.truncate(to: byteCount) }
    func byteCount() throws(PersistenceError) -> Int64 { try file.byteCount() }
    func close() throws(PersistenceError) { try file.close() }
}
