import Authorization
import GRDB
import LibraryAPI
import LibraryStoreTestSupport
import Persistence
import PersistenceTestSupport
import PhotoModel
import Replication
import TestSupport
import Testing

@testable import LibraryStore

/// Libraries that programs of earlier versions left: what they hold is taken along to the newest schema.
struct MigrationTests {
    private struct Filled {
        let store: LibraryStore
        let replica: TestReplica
        let trashed: AssetID
    }

    private let caller = StoreCaller.device(StoreFixture.device)
    private let other = StoreCaller.device(StoreFixture.otherDevice)
    private let administrator = StoreCaller.administrator("ana")

    @Test(
        "a library of an earlier version keeps what it has, and what it has is counted as if it had always been",
        // Before the third step there were no devices, and nobody who could have filled a library.
        arguments: 3..<LibrarySchema.schema.migrations.count
    )
    func takesAlong(version: Int) async throws {
        let fixture = try StoreFixture(seed: UInt64(version))
        let library = try await filled(fixture)
        let old = LibraryLayout(root: fixture.directory.path.appending("old"))
        try PosixFileSystem().createDirectories(old.root)
        let known = try Self.copy(fixture.layout.database, to: old.database, version: version)
        let migrated = try open(old, library.store.id, fixture)
        let before = try Self.rows(fixture.layout.database)
        let after = try Self.rows(old.database)
        #expect(Set(after.keys) == Set(before.keys))
        // Who changed what and which work is owed was not written down then, and nothing tells of it.
        for (table, rows) in before where known.contains(table) || !["history", "job"].contains(table) {
            #expect(after[table] == rows, "\(table)")
        }
        // Versions before the 24th had the date that a device told, and its days begin again.
        let month = fixture.clock.now.advanced(by: .seconds(31 * 86_400))
        let due = version < 24 ? [] : [library.trashed]
        #expect(try await migrated.trashed(before: month, behind: nil, limit: 9) == due)
        #expect(try await migrated.trashed(before: .latest, behind: nil, limit: 9) == [library.trashed])
        let usage = try Self.usage(of: StoreFixture.device, old.database)
        #expect(usage == DeviceUsage(assets: 2, bytes: 300 + 200 + 70))

        let query = AssetQuery(options: FetchOptions(filter: .text("snow")))
        let page = try await migrated.page(query, in: .everything)
        let expected = try await library.store.metadata.page(query, in: .everything)
        #expect(page == expected && page.assets.count == 2)
        #expect(try await migrated.fillJobs() == (known.contains("job") ? 0 : 3))
        let ticket = library.replica.ticket
        let answer = try await migrated.contact(library.replica.contact(), ticket: ticket, by: caller)
        #expect(answer.verdict.remedy == .proceed)
        // The device has as much as it may, until one of what it had before goes.
        #expect(await errorCode { try await save(by: caller, fixture, to: migrated) } == .quotaExceeded)
        try await save(by: other, fixture, to: migrated)
        _ = try await migrated.purge(library.trashed, by: administrator)
        try await save(by: caller, fixture, to: migrated)
    }

    private func open(_ layout: LibraryLayout, _ id: LibraryID, _ fixture: StoreFixture) throws -> SQLMetadataStore {
        var limits = StoreLimits()
        limits.assets = 2
        return try SQLMetadataStore(
            layout,
            library: id,
            isNew: false,
            limits: limits,
            effects: fixture.effects,
            blocking: BlockingPool(width: 1)
        )
    }

    private func save(by caller: StoreCaller, _ fixture: StoreFixture, to store: SQLMetadataStore) async throws {
        let request = CommitRequest(manifest: fixture.capture().manifest, caller: caller, needsCreation: false)
        for result in await store.commit([request]) { _ = try result.get() }
    }

    /// A library with something of all that an early version could hold.
    private func filled(_ fixture: StoreFixture) async throws -> Filled {
        let store = try await fixture.create()
        var (first, bytes) = fixture.capture(sizes: [300, 200], album: .title("Gate"))
        first.keywords = ["snow"].compactMap { Keyword($0) }
        first.location = Location(latitude: 50, longitude: 8)
        try await fixture.save(first, bytes, to: store)
        // The same bytes from another device: an asset more, and no content.
        var twin = first
        twin.id = AssetID(rawValue: 99)
        try await fixture.save(twin, bytes, by: other, to: store)
        let (trashed, trashedBytes) = fixture.capture(sizes: [70])
        let (purged, purgedBytes) = fixture.capture(sizes: [80])
        for (manifest, bytes) in [(trashed, trashedBytes), (purged, purgedBytes)] {
            try await fixture.save(manifest, bytes, to: store)
            _ = try await store.metadata.trash(manifest.id, in: .everything, by: caller)
        }
        try await store.purge(purged.id, by: administrator)
        let (imported, importedBytes) = fixture.capture(sizes: [90])
        try await fixture.save(imported, importedBytes, by: administrator, to: store)
        var edit = AssetEdit()
        edit.title = "Café"
        _ = try await store.metadata.edit(first.id, edit, in: .everything, by: caller)
        // Half a second before 1970, and captures of centuries that a clock which nobody set may tell.
        let times: [(AssetID, Int64)] = [
            (first.id, -500_000), (twin.id, -13_000_000_000_000_000), (imported.id, .max / 500),
        ]
        for (id, microseconds) in times {
            var edit = AssetEdit()
            edit.captureDateOverride = WallTime(microsecondsSince1970: microseconds)
            _ = try await store.metadata.edit(id, edit, in: .everything, by: administrator)
        }
        _ = try await store.create(fixture.capture().manifest, by: caller)
        let time = UInt64(fixture.clock.now.millisecondsSince1970)
        var replica = TestReplica(0xABC, device: StoreFixture.device, milliseconds: time)
        let answer = try await store.metadata.contact(replica.contact(), ticket: nil, by: caller)
        replica.ticket = answer.ticket
        return Filled(store: store, replica: replica, trashed: trashed.id)
    }

    /// Makes a database as a program of an earlier version would have it, as far as it knew of the rows.
    ///
    /// - Parameters:
    ///   - path: a database of the newest version.
    ///   - old: where the earlier one is to be.
    ///   - version: its version.
    /// - Returns: the tables that it knew.
    /// - Throws: what SQLite says.
    private static func copy(_ path: Path, to old: Path, version: Int) throws -> Set<String> {
        let newest = SQLiteRowStore.opening(path)
        let opening = DatabaseOpening(old, schema: newest.schema.prefix(version), prepare: newest.prepare)
        return try opening.open().writeWithoutTransaction { database in
            try database.execute(sql: "ATTACH DATABASE ? AS newest", arguments: [path.text])
            let known = try tables(database)
            for table in known {
                // Words had the numbers of their assets before they had an order.
                if table == "asset_text" {
                    let words = "SELECT rowid & \(WordTable.keyMask), words FROM newest.asset_word"
                    try database.execute(sql: "INSERT INTO asset_text (rowid, words) \(words)")
                    continue
                }
                let names = try columns(of: table, database).joined(separator: ", ")
                try database.execute(
                    sql: """
                        INSERT OR REPLACE INTO main."\(table)" (\(names)) SELECT \(names) FROM newest."\(table)"
                        """
                )
            }
            try database.execute(sql: "DETACH DATABASE newest")
            return Set(known)
        }
    }

    /// The rows of every table, as text, without the times from which the days in the trash are counted.
    private static func rows(_ path: Path) throws -> [String: [String]] {
        try SQLiteRowStore.opening(path).open().read { database in
            var rows: [String: [String]] = [:]
            for table in try tables(database) {
                let names = try columns(of: table, database).filter { $0 != "trashed_at" }
                let values = names.map { "quote(\($0))" }.joined(separator: " || ' ' || ")
                rows[table] = try String.fetchAll(database, sql: "SELECT \(values) FROM main.\"\(table)\" ORDER BY 1")
            }
            return rows
        }
    }

    /// The tables, those before that others refer to; not those in which SQLite keeps the words of another one.
    private static func tables(_ database: Database) throws -> [String] {
        try String.fetchAll(
            database,
            sql: """
                SELECT name FROM main.sqlite_master
                WHERE type = 'table' AND name <> 'schema_migrations'
                    AND name NOT LIKE 'sqlite!_%' ESCAPE '!' AND name NOT LIKE 'asset!_text!_%' ESCAPE '!'
                    AND name NOT LIKE 'asset!_word!_%' ESCAPE '!'
                ORDER BY rowid
                """
        )
    }

    private static func columns(of table: String, _ database: Database) throws -> [String] {
        guard !["asset_text", "asset_word"].contains(table) else { return ["rowid", "words"] }
        return try String.fetchAll(database, sql: "SELECT name FROM pragma_table_info(?, 'main')", arguments: [table])
    }

    private static func usage(of device: DeviceID, _ path: Path) throws -> DeviceUsage {
        try SQLiteRowStore.opening(path).open().read { try UsageTable.usage(of: device, SQLiteSession(database: $0)) }
    }
}
