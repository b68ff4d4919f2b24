import Authorization
import Crypto
import Foundation
import LibraryAPI
import LibraryStore
import Logging
import Persistence
import PersistenceTestSupport
import PhotoModel
import PostgreSQLTestSupport
import Synchronization
import TestSupport
import Testing

/// A clock that goes on by one millisecond each time it is read, or as far as it is pushed.
final class TestClock: Sendable {
    private let microseconds = Mutex<Int64>(1_750_000_000_000_000)

    var now: WallTime {
        microseconds.withLock { time in
            time += 1000
            return WallTime(microsecondsSince1970: time)
        }
    }

    func advance(days: Int64) { microseconds.withLock { $0 += days * 86_400_000_000 } }
}

/// Signs by hashing with a name: enough to see that a receipt is the same, or another.
struct TestSigner: ReceiptSigner {
    let keyID = "test"

    func signature(for bytes: [UInt8]) throws -> [UInt8] {
        ContentHasher.digest(Array("key".utf8) + bytes).bytes
    }
}

/// The engines that a library's rows can be in.
enum RowEngine: String, CaseIterable, CustomTestStringConvertible {
    case sqlite, postgreSQL

    /// Those that are installed here; SQLite always is.
    static var installed: [RowEngine] { TestServer.isInstalled ? allCases : [.sqlite] }

    var testDescription: String { rawValue }

    /// A place for a new library's rows.
    fileprivate func place() async throws -> MetadataLocation {
        switch self {
        case .sqlite: .folder
        case .postgreSQL: .postgresql(try await TestServer.shared().settings())
        }
    }
}

/// A library in a temporary directory whose content lies in a simulated file system.
final class StoreFixture: Sendable {
    static let device = DeviceID(rawValue: 0xD1)
    static let otherDevice = DeviceID(rawValue: 0xD2)

    let directory: TemporaryDirectory
    let files: SimulatedFileSystem
    let clock = TestClock()
    private let generator: Mutex<SeededGenerator>
    private let engine: RowEngine

    init(seed: UInt64 = 1, in engine: RowEngine = .sqlite) throws {
        self.engine = engine
        directory = try TemporaryDirectory()
        files = SimulatedFileSystem(seed: seed)
        generator = Mutex(SeededGenerator(seed: seed))
    }

    var root: Path { directory.path.appending("library") }

    var layout: LibraryLayout { LibraryLayout(root: root) }

    var effects: StoreEffects {
        StoreEffects(
            now: { self.clock.now },
            randomBits: { self.generator.withLock { UInt128($0.next()) << 64 | UInt128($0.next()) } },
            signer: TestSigner()
        )
    }

    func randomBytes(_ count: Int) -> [UInt8] {
        generator.withLock { generator in
            var bytes: [UInt8] = []
            bytes.reserveCapacity(count + 8)
            // Eight at a time: some contents are of megabytes.
            while bytes.count < count {
                let word = generator.next()
                unsafe withUnsafeBytes(of: word) { unsafe bytes.append(contentsOf: $0) }
            }
            return Array(bytes.prefix(count))
        }
    }

    /// A new library with two devices that may do everything.
    func create(settings: LibraryStore.Settings = .init()) async throws -> LibraryStore {
        // The rows lie on the real file system, at the same path.
        try FileManager.default.createDirectory(atPath: root.text, withIntermediateDirectories: true)
        let store = try await LibraryStore.create(
            at: root,
            in: files,
            metadata: engine.place(),
            effects: effects,
            settings: settings,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
        for device in [Self.device, Self.otherDevice] { try await addDevice(device, to: store) }
        return store
    }

    /// A library that lies on the real disk as a whole, with the same two devices.
    func createOnDisk(_ name: String = "on-disk") async throws -> LibraryStore {
        let store = try await LibraryStore.create(
            at: directory.path.appending(name),
            effects: effects,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
        for device in [Self.device, Self.otherDevice] { try await addDevice(device, to: store) }
        return store
    }

    /// The library as another process finds it.
    func reopen() async throws -> LibraryStore {
        try await LibraryStore.open(
            at: root,
            in: files,
            effects: effects,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
    }

    func addDevice(_ id: DeviceID, answer: AccessDecision.Answer? = .all, to store: LibraryStore) async throws {
        _ = try await store.metadata.addDevice(
            id,
            profile: DeviceProfile(name: "box", build: "1", usage: UsageTexts(add: "x"), enrolled: clock.now),
            key: DeviceKeyRecord(
                fingerprint: ContentHasher.digest(id.description.utf8),
                certificateExpires: clock.now,
                isCurrent: true
            ),
            ceiling: { _, _ in .unlimited },
            pendingLimit: .max,
            audit: AuditEntry.Content(.enrol, by: "test")
        )
        let administrator = Actor.administrator("ana")
        _ = try await store.metadata.decide(id, .state(.approved), by: administrator, reason: "", audit: AuditContext())
        guard let answer else { return }
        try await decide(id, answer, in: store)
    }

    @discardableResult
    func decide(_ id: DeviceID, _ answer: AccessDecision.Answer, in store: LibraryStore) async throws -> DecisionRecord
    {
        try await store.metadata.decide(
            id,
            .answer(answer, for: Set(AccessLevel.allCases)),
            by: .administrator("ana"),
            reason: "test",
            audit: AuditContext()
        )
    }

    /// An edit whose two parts have so many bytes each.
    func adjustment(byteCount: Int) -> AdjustmentRequest {
        let types: [AssetResourceType] = [.adjustmentData, .fullSizePhoto]
        return AdjustmentRequest(
            adjustment: Adjustment(formatIdentifier: "org.example", formatVersion: "1"),
            resources: types.map { type in
                AssetResource(
                    id: ResourceID(rawValue: effects.randomBits()),
                    type: type,
                    digest: ContentHasher.digest(randomBytes(byteCount)),
                    byteCount: Int64(byteCount),
                    contentType: type == .fullSizePhoto ? "image/jpeg" : "application/octet-stream"
                )
            }
        )
    }

    /// A manifest with the bytes of its resources, a Live Photo when it has two.
    func capture(
        sizes: [Int] = [100],
        id: AssetID? = nil,
        album: DesiredAlbum? = nil
    ) -> (manifest: AssetManifest, bytes: [[UInt8]]) {
        let bytes = sizes.map { randomBytes($0) }
        let types: [AssetResourceType] = [.photo, .pairedVideo, .alternatePhoto]
        let resources = bytes.enumerated().map { index, bytes in
            AssetResource(
                id: ResourceID(rawValue: effects.randomBits()),
                type: types[index],
                digest: ContentHasher.digest(bytes),
                byteCount: Int64(bytes.count),
                contentType: index == 1 ? "video/quicktime" : "image/jpeg"
            )
        }
        let manifest = AssetManifest(
            id: id ?? effects.identifier(AssetID.self),
            mediaType: .image,
            captureTime: CaptureTime(wall: clock.now, source: .deviceClock, isSynchronized: true),
            desiredAlbum: album,
            resources: resources
        )
        return (manifest, bytes)
    }

    /// Sends every resource in pieces and commits, as a device does that never met an error.
    @discardableResult
    func save(
        _ manifest: AssetManifest,
        _ bytes: [[UInt8]],
        pieces: Int = 1,
        by caller: StoreCaller = .device(device),
        to store: LibraryStore
    ) async throws -> CommitResponse {
        let answer = try await store.create(manifest, by: caller)
        for (upload, bytes) in zip(answer.uploads, bytes) where !upload.isComplete {
            try await send(bytes, to: upload, pieces: pieces, by: caller, store)
        }
        return try await store.commit(manifest.id, by: caller)
    }

    func send(
        _ bytes: [UInt8],
        to upload: UploadStatus,
        pieces: Int = 1,
        by caller: StoreCaller,
        _ store: LibraryStore
    ) async throws {
        var offset = Int(upload.offset)
        let step = max(1, (bytes.count + pieces - 1) / pieces)
        repeat {
            let end = min(offset + step, bytes.count)
            let status = try await store.append(
                to: upload.id,
                at: Int64(offset),
                isLast: end == bytes.count,
                content: Pieces([Array(bytes[offset..<end])]),
                by: caller
            )
            offset = Int(status.offset)
        } while offset < bytes.count
    }
}

/// Pieces of a body, one after the other, and then perhaps an error.
struct Pieces: AsyncSequence, Sendable {
    let pieces: [[UInt8]]
    var failure: (any Error & Sendable)?

    init(_ pieces: [[UInt8]], failure: (any Error & Sendable)? = nil) {
        self.pieces = pieces
        self.failure = failure
    }

    struct Iterator: AsyncIteratorProtocol {
        var rest: ArraySlice<[UInt8]>
        let failure: (any Error)?

        mutating func next() async throws -> [UInt8]? {
            if rest.isEmpty, let failure { throw failure }
            return rest.popFirst()
        }
    }

    func makeAsyncIterator() -> Iterator { Iterator(rest: pieces[...], failure: failure) }
}

extension LibraryPlace {
    /// Rows in SQLite and originals in the folder.
    static func embedded(_ root: Path) -> LibraryPlace {
        LibraryPlace(root: root, metadata: .folder, originals: .folder, description: root.text)
    }
}

/// The code of what a body throws; nil when it throws nothing.
func errorCode(_ body: () async throws -> Void) async -> ErrorCode? {
    do {
        try await body()
        return nil
    } catch {
        return StoreError.wrapping(error).code
    }
}
