import Authorization
import FoundationEssentials
import GRDB
import LibraryAPI
import LibraryStoreTestSupport
import Persistence
import PersistenceTestSupport
import PhotoModel
import PostgreSQL
import PostgreSQLTestSupport
import TestSupport
import Testing

@testable import LibraryStore

/// The rows in PostgreSQL, held to the contract of the metadata port.
@Suite(.enabled(if: TestServer.isInstalled, "PostgreSQL is not installed"))
struct PostgreSQLStoreTests {
    static func store(
        _ settings: ConnectionSettings,
        isNew: Bool = true,
        limits: StoreLimits = StoreLimits(),
        effects: StoreEffects = ConformanceWorld().effects
    ) async throws -> SQLMetadataStore {
        try await offTheSharedThreads {
            try SQLMetadataStore(
                over: PostgreSQLRowStore(settings, isNew: isNew, timeZone: .gmt),
                library: LibraryID(rawValue: 1),
                isNew: isNew,
                limits: limits,
                effects: effects,
                blocking: BlockingPool(width: 2)
            )
        }
    }

    @Test("the rows' port: PostgreSQL", arguments: RowStoreContract.promises)
    func rows(promise: RowStoreContract) async throws {
        try await TestServer.withSchemas { make in
            try await promise.check(Self.store(make()).store)
        }
    }

    @Test("a write is not waited for: what the server refuses is thrown by whatever waits next")
    func queued() async throws {
        try await TestServer.withSchemas { make in
            let rows = try await Self.store(make()).store
            let insertion = "INSERT INTO record (kind, id, document) VALUES ('k', ?, '1')"
            await #expect {
                try await rows.write([]) { database in
                    for _ in 0..<2 { try database.execute(insertion, [Data([1])]) }
                    let error = #expect(throws: PostgreSQLError.self) { try database.settle() }
                    #expect(error?.code == .uniqueViolation)
                    throw Refusal()
                }
            } throws: { $0 is Refusal }
            #expect(try await rows.read { try $0.value(Int.self, "SELECT count(*) FROM record") } == 0)
        }
    }

    private struct Refusal: Error {}

    @Test("T183: a device whose texts contain NUL, as earlier versions took them, is known and can save")
    func storedNUL() async throws {
        try await TestServer.withSchemas { make in
            let world = ConformanceWorld()
            let store = try await Self.store(make(), effects: world.effects)
            try await world.addDevices(to: store)
            _ = try await store.updateProfile(of: ConformanceWorld.device, closing: [], audit: nil) { profile in
                profile.name = "n\0m"
            }
            let key = try #require(try await store.keys(of: ConformanceWorld.device).first)
            #expect(try await store.device(withKey: key.fingerprint)?.record.device == ConformanceWorld.device)
            try await world.save(to: store)
            try await store.noteUse(of: .readWrite, by: ConformanceWorld.device)
            let row = try #require(try await store.device(ConformanceWorld.device))
            #expect(row.profile.name == "n\0m" && row.profile.lastAdded != nil && row.profile.lastRead != nil)
            #expect(try await store.device(withKey: key.fingerprint)?.lastRead == row.profile.lastRead)
        }
    }

    @Test("the metadata port: PostgreSQL", arguments: MetadataStoreConformance.promises)
    func metadata(promise: MetadataStoreConformance.Promise) async throws {
        try await TestServer.withSchemas { make in
            let suite = MetadataStoreConformance { effects, limits in
                try await Self.store(make(), limits: limits, effects: effects)
            }
            try await promise.check(suite)
        }
    }

    @Test(
        "the metadata port: PostgreSQL behind PgBouncer, which gives each transaction another connection",
        .enabled(if: TestPooler.isInstalled, "PgBouncer is not installed"),
        arguments: MetadataStoreConformance.promises
    )
    func pooled(promise: MetadataStoreConformance.Promise) async throws {
        try await TestServer.withSchemas(through: TestPooler.shared()) { make in
            let suite = MetadataStoreConformance { effects, limits in
                try await Self.store(make(), limits: limits, effects: effects)
            }
            try await promise.check(suite)
        }
    }

    /// What several servers tell each other in tables that both engines have.
    private static let columns: Set = [
        "upload.turn", "upload.copy", "library.authority", "library.closure_number", "job.holder",
        "quarantine.condemned",
    ]

    @Test("both engines have the same tables with the same columns, beside what only servers that share a library need")
    func tables() async throws {
        try await TestServer.withSchemas { make in
            let settings = try make()
            _ = try await Self.store(settings)
            let directory = try TemporaryDirectory()
            let file = try SQLiteRowStore.opening(directory.path.appending("library.sqlite")).open()
            let embedded = try await file.read { database in
                try String.fetchSet(
                    database,
                    sql: """
                        SELECT tables.name || '.' || columns.name FROM sqlite_master AS tables
                        JOIN pragma_table_info(tables.name) AS columns
                        WHERE tables.type = 'table' AND tables.name NOT LIKE 'asset_word%' AND tables.name NOT LIKE 'sqlite_%'
                        """
                )
            }
            let pool = ConnectionPool(settings)
            let served = try await pool.read { connection in
                let rows = try connection.execute(
                    """
                    SELECT table_name || '.' || column_name FROM information_schema.columns
                    WHERE table_schema = current_schema()
                        AND table_name NOT IN ('asset_word', 'album_member', 'written_timeline', 'closure')
                    """
                )
                return Set(
                    try (0..<rows.count).compactMap { row -> String? in
                        if case .text(let name) = try rows.value(row, 0) { name } else { nil }
                    }
                )
            }
            // What several servers tell each other has no place in a file of one.
            let shared = served.subtracting(embedded)
            #expect(embedded.isSubset(of: served))
            #expect(shared.allSatisfy { $0.hasPrefix("server.") || $0.hasPrefix("duty.") || Self.columns.contains($0) })
        }
    }

    @Test("a copy is a library in SQLite with every row, which opens and answers as the original does")
    func copy() async throws {
        try await TestServer.withSchemas { make in
            let world = ConformanceWorld()
            let settings = try make()
            let store = try await Self.store(settings, effects: world.effects)
            try await world.addDevices(to: store)
            let name = try #require(FileName("harbour.jpg"))
            var saved: [AssetID] = []
            for _ in 0..<3 {
                let manifest = world.manifest(filename: name)
                _ = try await world.save(manifest, to: store)
                saved.append(manifest.id)
                world.advance(days: 20)
            }
            let caller = StoreCaller.device(ConformanceWorld.device)
            let album = try await store.createAlbum(AlbumEdit(title: "Ships"), by: caller)
            try await store.add(saved, to: album.id, in: .everything, by: caller)
            let directory = try TemporaryDirectory()
            let layout = LibraryLayout(root: directory.path)
            // A file that an attempt left is replaced.
            try PosixFileSystem().writeAtomically(layout.database, [1])
            try await store.copy(to: layout.database)
            let embedded = try await offTheSharedThreads {
                try SQLMetadataStore(
                    layout,
                    library: LibraryID(rawValue: 1),
                    isNew: false,
                    effects: world.effects,
                    blocking: BlockingPool(width: 1)
                )
            }
            #expect(try await embedded.identity() == store.identity())
            let all = AssetQuery(options: FetchOptions(), limit: 10)
            #expect(try await embedded.page(all, in: .everything) == store.page(all, in: .everything))
            let found = FetchOptions(filter: .text("harb"))
            #expect(try await embedded.count(found, in: .everything) == 3)
            #expect(try await store.count(found, in: .everything) == 3)
            let months = try await embedded.spans(FetchOptions(), by: .month, in: .everything)
            #expect(try await store.spans(FetchOptions(), by: .month, in: .everything) == months && months.count > 1)
            for table in [
                "receipt", "resource", "content", "history", "entity", "device", "album_asset", "job_control",
            ] {
                let sql = "SELECT count(*) FROM \(table)"
                let copied = try await embedded.store.read { try $0.value(Int.self, sql) }
                #expect(try await store.store.read { try $0.value(Int.self, sql) } == copied, "\(table)")
            }
        }
    }

    @Test("a migration may take longer than a request's statement")
    func longMigration() async throws {
        try await TestServer.withSchemas { make in
            let settings = try make()
            let pool = ConnectionPool(settings)
            let limit = try await pool.write(lock: PostgreSQLSchema.lock(settings.schema)) { connection in
                try PostgreSQLSchema.migrate(settings.schema, isNew: true, connection)
                return try connection.execute("SELECT current_setting('statement_timeout')").value(0, 0)
            }
            #expect(limit == .text("0"))
        }
    }

    @Test("an existing library is opened again; a schema in use, a missing one and a newer program's are refused")
    func opening() async throws {
        func refusal(_ settings: ConnectionSettings, isNew: Bool) async -> Persistence.PersistenceError.Code? {
            do {
                _ = try await Self.store(settings, isNew: isNew)
                return nil
            } catch {
                return (error as? Persistence.PersistenceError)?.code
            }
        }
        try await TestServer.withSchemas { make in
            let settings = try make()
            #expect(await refusal(settings, isNew: false) == .notFound)
            #expect(await refusal(settings, isNew: true) == nil)
            #expect(await refusal(settings, isNew: true) == .exists)
            #expect(await refusal(settings, isNew: false) == nil)
            let pool = ConnectionPool(settings)
            try await pool.write(lock: "") { try $0.run("UPDATE library SET id = decode(repeat('02', 16), 'hex')") }
            #expect(await refusal(settings, isNew: false) == .foreign)
            try await pool.write(lock: "") {
                try $0.run("INSERT INTO schema_migrations VALUES (99, 'from a newer program', '')")
            }
            #expect(await refusal(settings, isNew: false) == .foreign)
            try await pool.write(lock: "") {
                try $0.run(
                    "DELETE FROM schema_migrations WHERE number = 99; UPDATE schema_migrations SET fingerprint = ''"
                )
            }
            #expect(await refusal(settings, isNew: false) == .damaged)
        }
    }

    @Test("a statement that is planned for each use leaves no plan behind, others do")
    func replanned() async throws {
        try await TestServer.withSchemas { make in
            let store = try await Self.store(make()).store
            let kept = try await store.read { database in
                for _ in 0..<6 {
                    _ = try database.replannedStatement("SELECT 'each time' AS word WHERE 1 = ?").row([1])
                    _ = try database.statement("SELECT 'once' AS word WHERE 1 = ?").row([1])
                }
                return try database.values(String.self, "SELECT statement FROM pg_prepared_statements")
            }
            #expect(kept.contains { $0.contains("'once'") } && !kept.contains { $0.contains("'each time'") })
        }
    }

    @Test("a page of favourites does not go through the assets between them")
    func favorites() async throws {
        try await TestServer.withSchemas { make in
            let rows = try await Self.store(make()).store
            let newest = [FetchOptions.SortDescriptor(key: .captureDate, isAscending: false)]
            let options = FetchOptions(filter: .kind(.favorites), sortDescriptors: newest)
            let plan = try await rows.write([]) { database in
                let condition = FilterSQL(options, PostgreSQLDialect())
                try database.execute(
                    """
                    INSERT INTO asset (
                        id, document, media_type, media_subtypes, playback_style, capture_date, local_date,
                        capture_month, addition_date, rating, is_favorite, is_hidden, is_trashed, in_burst, stands_out
                    )
                    SELECT decode(md5(CAST(i AS TEXT)), 'hex'), CAST('{}' AS JSON), 1, 0, 1, i, i, 0, i, 0,
                        CASE WHEN i % 50 = 0 THEN 1 ELSE 0 END, 0, 0, 0, 1
                    FROM generate_series(1, 2000) AS i
                    """
                )
                try database.execute("ANALYZE asset")
                // So few are read from end to end.
                try database.execute("SET LOCAL enable_seqscan = off")
                return try database.values(
                    String.self,
                    """
                    EXPLAIN SELECT local_date, id, key FROM asset WHERE \(condition.sql)
                    ORDER BY \(ListOrder(newest).sql) LIMIT 20
                    """,
                    condition.arguments
                )
            }
            #expect(plan.contains { $0.contains("asset_favorite") }, "\(plan)")
        }
    }

    @Test("a schema that an earlier program left is migrated")
    func migration() async throws {
        try await TestServer.withSchemas { make in
            let settings = try make()
            _ = try await Self.store(settings, isNew: true)
            let pool = ConnectionPool(settings)
            try await pool.write(lock: "") {
                try $0.run(
                    """
                    ALTER TABLE resource DROP COLUMN payer; DROP TABLE released;
                    ALTER TABLE view DROP COLUMN stage; ALTER TABLE device DROP COLUMN is_forgetting;
                    DROP INDEX view_member_entity; DROP INDEX receipt_owner; DROP INDEX device_pending;
                    DROP INDEX asset_favorite; ALTER TABLE asset DROP COLUMN burst;
                    ALTER TABLE library DROP COLUMN shows_bursts;
                    DROP VIEW album_member; DROP TABLE unsettled_album;
                    ALTER TABLE album_asset ADD FOREIGN KEY (album) REFERENCES album (id) ON DELETE CASCADE;
                    DELETE FROM schema_migrations WHERE number >= 3
                    """
                )
            }
            _ = try await Self.store(settings, isNew: false)
            let count = try await pool.write(lock: "") { connection in
                try connection.execute("SELECT payer FROM resource").count
                    + connection.execute("SELECT device FROM released").count
            }
            #expect(count == 0)
        }
    }
}
