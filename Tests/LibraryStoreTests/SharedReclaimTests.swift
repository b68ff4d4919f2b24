import LibraryAPI
import ObjectStorageTestSupport
import PhotoModel
import PostgreSQLTestSupport
import Synchronization
import Testing

@testable import LibraryStore

/// Deletion of objects in a bucket that several servers share.
@Suite(.enabled(if: TestServer.isInstalled, "PostgreSQL is not installed"))
struct SharedReclaimTests {
    private static let caller = StoreCaller.device(StoreFixture.device)
    private static let administrator = StoreCaller.administrator("ana")
    private static let day = "86400000000"

    /// A batch to the first server whose first object is in the bucket, and which is not committed: what a slow server does.
    private static func slowBatch(
        _ capture: (manifest: AssetManifest, bytes: [[UInt8]]),
        _ library: SharedLibrary
    ) async throws -> BatchReceiver {
        let receiver = try await library.first.receiveBatch(by: caller)
        // What is received is handed on with each MiB.
        let second = library.fixture.capture(sizes: [1 << 20])
        for (manifest, bytes) in [capture, second] {
            await receiver.add(manifest)
            try await receiver.beginResource(byteCount: Int64(bytes[0].count))
            try await receiver.append(bytes[0])
            if manifest.id == capture.manifest.id { await receiver.endResource() }
        }
        while library.bucket.contents.isEmpty { await Task.yield() }
        return receiver
    }

    private static func read(_ manifest: AssetManifest, from store: LibraryStore) async throws -> [UInt8] {
        let open = try await store.open(manifest.resources[0].id, of: manifest.id, in: .everything)
        return try await open.read(1000, at: 0)
    }

    @Test("what one server's sweep marks while another's batch brings it is named by the row, and stays")
    func marksComeOff() async throws {
        try await SharedLibrary.run { library in
            let (manifest, bytes) = library.fixture.capture(sizes: [50])
            let receiver = try await Self.slowBatch((manifest, bytes), library)
            #expect(try await library.second.quarantineUnreferenced() == 1)
            #expect(try await library.second.quarantineUnreferenced() == 0, "a mark is made once")
            #expect(await receiver.finish().results.map { $0.commit != nil } == [true, false])
            try await library.change("UPDATE quarantine SET since = since - 40 * \(Self.day)")
            #expect(try await library.second.collect(by: Self.administrator).deleted == 0)
            #expect(try await Self.read(manifest, from: library.second) == bytes[0])
        }
    }

    @Test("an object is deleted after its mark's time, and what is condemned or long received is named by no row")
    func condemned() async throws {
        try await SharedLibrary.run { library in
            let late = try await Self.slowBatch(library.fixture.capture(sizes: [50]), library)
            #expect(try await library.second.quarantineUnreferenced() == 1)
            #expect(try await library.second.collect(by: Self.administrator).deleted == 0)
            try await library.change("UPDATE quarantine SET since = since - 40 * \(Self.day)")
            #expect(try await library.second.metadata.expiredQuarantine(after: .zero).count == 1)
            #expect(await late.finish().results.first?.problem?.code == .unavailable)
            #expect(try await library.first.collect(by: Self.administrator).deleted == 1)
            #expect(library.bucket.contents == [])
            #expect(try await library.second.metadata.expiredQuarantine(after: .zero).isEmpty)
        }
    }

    @Test("many marks are condemned in many turns of the writer; one made anew before its turn keeps its time")
    func condemnedInTurns() async throws {
        try await SharedLibrary.run { library in
            try await library.change(
                """
                INSERT INTO quarantine (digest, file_name, reason, since)
                SELECT decode(lpad(to_hex(number), 64, '0'), 'hex'), lpad(to_hex(number), 64, '0') || '.jpg', 'test',
                    number - 40 * \(Self.day) + \(PostgreSQLDialect.now)
                FROM generate_series(1, 10) AS number
                """
            )
            let metadata = try #require(library.second.metadata as? SQLMetadataStore)
            let counts = Mutex<[Int]>([])
            let watched = try await metadata.watched(library.fixture) {
                let count = try await metadata.store.read { database in
                    try database.value(Int.self, "SELECT count(*) FROM quarantine WHERE condemned IS NOT NULL")
                }
                counts.withLock { $0.append(count ?? 0) }
                try await library.change(
                    "UPDATE quarantine SET since = \(PostgreSQLDialect.now) WHERE file_name LIKE '%a.jpg'"
                )
            }
            #expect(try await watched.expiredQuarantine(after: .zero).count == 9)
            #expect(counts.withLock(\.self) == [4, 8, 9])
            #expect(try await metadata.expiredQuarantine(after: .zero).count == 9)
        }
    }

    @Test(
        "purged bytes are kept for their time; sent again meanwhile, they are other objects, and a mark of an hour ago stays"
    )
    func purged() async throws {
        try await SharedLibrary.run { library in
            let (manifest, bytes) = library.fixture.capture(sizes: [10])
            try await library.fixture.save(manifest, bytes, to: library.first)
            _ = try await library.second.metadata.trash(manifest.id, in: .everything, by: Self.caller)
            try await library.second.purge(manifest.id, by: Self.administrator)
            var again = manifest
            again.id = AssetID(rawValue: 98)
            try await library.fixture.save(again, bytes, to: library.first)
            #expect(library.bucket.contents.count == 2)
            #expect(try await library.first.metadata.expiredQuarantine(after: .zero).isEmpty, "a day at least")
            try await library.change("UPDATE quarantine SET since = since - 31 * \(Self.day)")
            #expect(try await library.second.collect(by: Self.administrator).deleted == 1)
            #expect(try await Self.read(again, from: library.second) == bytes[0])
            #expect(try await library.first.verify(.init(isHashing: true, isRepairing: true)).findings == [])
        }
    }

    @Test(
        "an upload's object stays while the upload is there, however long its commit takes; a cancelled one's is swept"
    )
    func uploads() async throws {
        try await SharedLibrary.run { library in
            let (kept, dropped) = (library.fixture.capture(sizes: [50]), library.fixture.capture(sizes: [60]))
            for (manifest, bytes) in [kept, dropped] {
                let upload = try await library.first.create(manifest, by: Self.caller).uploads[0]
                try await library.fixture.send(bytes[0], to: upload, by: Self.caller, library.first)
            }
            #expect(try await library.second.quarantineUnreferenced() == 0)
            let status = try await library.first.create(dropped.manifest, by: Self.caller).uploads[0]
            try await library.second.cancel(status.id, by: Self.caller)
            #expect(try await library.second.quarantineUnreferenced() == 1)
            _ = try await library.second.commit(kept.manifest.id, by: Self.caller)
            try await library.change("UPDATE quarantine SET since = since - 40 * \(Self.day)")
            #expect(try await library.first.collect(by: Self.administrator).deleted == 1)
            #expect(try await Self.read(kept.manifest, from: library.first) == kept.bytes[0])
        }
    }

    @Test(
        "damaged bytes are hidden and kept; sent again to another server they heal, and only then can the old ones go"
    )
    func heals() async throws {
        try await SharedLibrary.run { library in
            let (manifest, bytes) = library.fixture.capture(sizes: [10])
            try await library.fixture.save(manifest, bytes, to: library.first)
            let key = try #require(library.bucket.contents.first)
            library.bucket.change(key) { $0?[3] ^= 1 }
            let report = try await library.second.verify(.init(isHashing: true, isRepairing: true))
            #expect(report.findings.map(\.kind) == [.wrongDigest])
            try await library.change("UPDATE quarantine SET since = since - 40 * \(Self.day)")
            #expect(try await library.first.collect(by: Self.administrator).deleted == 0, "the row still names them")
            try await library.fixture.save(manifest, bytes, to: library.first)
            #expect(try await Self.read(manifest, from: library.second) == bytes[0])
            #expect(try await library.first.collect(by: Self.administrator).deleted == 1)
            #expect(library.bucket.contents.count == 1 && !library.bucket.contents.contains(key))
        }
    }
}
