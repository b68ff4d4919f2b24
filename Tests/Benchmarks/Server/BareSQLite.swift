import BenchmarkSupport
import Foundation
import GRDB
import LibraryStore
import Persistence

/// A library's file by SQL alone.
struct BareSQLite: BareRows {
    private let database: DatabasePool

    /// Opens the file in a library's folder.
    init(_ library: URL) throws {
        database = try SQLiteRowStore.opening(Path(library.appending(path: "library.sqlite").path)).open()
    }

    func fill(to count: Int) async throws {
        // A transaction that finds no room in memory reads its own pages out of a log of a gigabyte.
        try await database.writeWithoutTransaction { try $0.execute(sql: "PRAGMA cache_size = -2000000") }
        try await database.write { database in
            try database.execute(
                sql: """
                    WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
                    INSERT INTO asset (
                        id, document, media_type, media_subtypes, playback_style, capture_date, local_date, capture_month,
                        addition_date, rating, is_favorite, is_hidden, is_trashed, in_burst, stands_out
                    )
                    SELECT randomblob(16), document, media_type, media_subtypes, playback_style,
                        capture_date - i * 60000000, local_date - i * 60000000, capture_month - i / 43200,
                        addition_date - i, i % 6, i % 50 = 0, 0, 0, 0, 1
                    FROM n, (SELECT * FROM asset LIMIT 1)
                    """,
                arguments: [count]
            )
            try database.execute(sql: "INSERT INTO keyword (asset, text) SELECT key, 'k' || (key % 1000) FROM asset")
            try database.execute(
                sql: """
                    INSERT INTO asset_word (rowid, words)
                    SELECT local_date / 1000000 * 536870912 + key AS number, 'gate w' || (key % 5000) || ' north'
                        || iif(key % 100 = 7, ' half', '') || iif(key % 20 = 3, ' five', '') FROM asset ORDER BY number
                    """
            )
            try database.execute(sql: "ANALYZE")
        }
    }

    func pageTimes(_ list: BareList) async throws -> [Double] {
        let condition =
            switch list {
            case .condition(let sql): sql
            case .word(let word): "key IN (SELECT rowid & 536870911 FROM asset_word WHERE words MATCH '\(word)*')"
            }
        let sql = """
            SELECT local_date, id, key, document,
                (SELECT group_concat(hex(album)) FROM album_asset WHERE album_asset.asset = key)
            FROM asset
            WHERE is_trashed = 0 AND is_hidden = 0 AND \(condition) AND local_date < ?
            ORDER BY local_date DESC, id DESC LIMIT 101
            """
        var times: [Double] = []
        var last = Int64.max
        // A query that takes long is asked less often: ten seconds in all.
        for _ in 0..<200 where times.reduce(0, +) < 10_000 {
            let clock = ContinuousClock()
            let start = clock.now
            let rows = try database.read { try Row.fetchAll($0, sql: sql, arguments: [last]) }
            times.append((clock.now - start).seconds * 1000)
            last = rows.count > 100 ? rows[99][0] : .max
        }
        return times
    }

    func spanTimes(_ sql: String) async throws -> [Double] {
        var times: [Double] = []
        for _ in 0..<100 {
            let clock = ContinuousClock()
            let start = clock.now
            _ = try database.read { try Row.fetchAll($0, sql: sql) }
            times.append((clock.now - start).seconds * 1000)
        }
        return times
    }

    /// Rows of all tables; the parts of the words' index count as one.
    func rowCount() throws -> Int {
        try database.read { database in
            let tables = try String.fetchAll(
                database,
                sql: """
                    SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
                        AND name NOT LIKE 'asset\\_word\\_%' ESCAPE '\\'
                    """
            )
            return try tables.reduce(0) { count, table in
                count + (try Int.fetchOne(database, sql: "SELECT count(*) FROM \"\(table)\"") ?? 0)
            }
        }
    }

    /// Seconds in which SQLite alone writes all rows into another file.
    func copySeconds(to file: URL) throws -> Double {
        let clock = ContinuousClock()
        let start = clock.now
        try database.writeWithoutTransaction { try $0.execute(sql: "VACUUM INTO ?", arguments: [file.path]) }
        return (clock.now - start).seconds
    }

    func close() throws { try database.close() }
}
