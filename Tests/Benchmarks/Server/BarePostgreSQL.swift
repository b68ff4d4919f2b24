import BenchmarkSupport
import Foundation
import LibraryLoad
import PostgreSQL

/// A library's schema by SQL alone: prepared statements over one connection of libpq, within one transaction.
struct BarePostgreSQL: BareRows {
    private let pool: ConnectionPool
    private let schema: String
    private let folder: String

    /// Connects.
    init(_ settings: ConnectionSettings, folder: String) {
        var settings = settings
        settings.connectionCount = 2
        settings.statementSeconds = 3600
        pool = ConnectionPool(settings)
        schema = settings.schema
        self.folder = folder
    }

    func fill(to count: Int) async throws {
        try await pool.write(lock: "") { connection in
            // No triggers and no checks of references, which would take longer than the rows.
            try connection.run("SET LOCAL session_replication_role = replica; SET LOCAL maintenance_work_mem = '512MB'")
            let rows = try connection.execute(
                """
                SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = current_schema()
                    AND tablename IN ('asset', 'keyword', 'asset_word') AND indexdef NOT LIKE 'CREATE UNIQUE%'
                """
            )
            var definitions: [String] = []
            for row in 0..<rows.count {
                guard case .text(let name) = try rows.value(row, 0), case .text(let definition) = try rows.value(row, 1)
                else { throw LoadError("an index has no name") }
                try connection.run("DROP INDEX \"\(name)\"")
                definitions.append(definition)
            }
            try Self.insert(count, connection)
            for definition in definitions { try connection.run(definition) }
        }
        // As autovacuum does some minutes later; not possible within a transaction.
        let tables = ["asset", "keyword", "asset_word", "capture_count"].map { "\(schema).\($0)" }
        try BenchmarkRows.runAlone("VACUUM ANALYZE \(tables.joined(separator: ", "))", in: folder)
    }

    private static func insert(_ count: Int, _ connection: PostgreSQLConnection) throws {
        try connection.execute(
            """
            INSERT INTO asset (
                id, document, media_type, media_subtypes, playback_style, capture_date, local_date, capture_month,
                addition_date, rating, is_favorite, is_hidden, is_trashed, in_burst, stands_out
            )
            SELECT decode(md5(CAST(i AS TEXT)), 'hex'), document, media_type, media_subtypes, playback_style,
                capture_date - i * 60000000, local_date - i * 60000000, capture_month - i / 43200, addition_date - i,
                i % 6, CASE WHEN i % 50 = 0 THEN 1 ELSE 0 END, 0, 0, 0, 1
            FROM (SELECT * FROM asset LIMIT 1) AS template, generate_series(CAST(2 AS BIGINT), ?) AS i
            """,
            [.integer(Int64(count))]
        )
        try connection.run(
            """
            INSERT INTO keyword (asset, text) SELECT key, 'k' || (key % 1000) FROM asset;
            INSERT INTO asset_word (number, words)
            SELECT local_date / 1000000 * 536870912 + key AS number, array_to_tsvector(array_remove(ARRAY[
                'gate', 'w' || (key % 5000), 'north', CASE WHEN key % 100 = 7 THEN 'half' END,
                CASE WHEN key % 20 = 3 THEN 'five' END
            ], NULL)) FROM asset ORDER BY number;
            DELETE FROM capture_count;
            INSERT INTO capture_count (is_trashed, day, capture_month, is_hidden, stands_out, assets)
            SELECT is_trashed, tintype_day(local_date), capture_month, is_hidden, stands_out, count(*)
            FROM asset GROUP BY 1, 2, 3, 4, 5
            """
        )
    }

    func pageTimes(_ list: BareList) async throws -> [Double] {
        let (source, position, condition, order) =
            switch list {
            case .condition(let sql): ("asset", "local_date", sql, "local_date DESC, id DESC")
            // The words' rows are numbered in the list's order.
            case .word(let word):
                (
                    "asset_word JOIN asset ON asset.key = number & 536870911", "number",
                    "words @@ CAST('''\(word)'':*' AS TSQUERY)", "number DESC"
                )
            }
        let sql = """
            SELECT \(position), id, key, document,
                (SELECT string_agg(upper(encode(album, 'hex')), ',') FROM album_asset WHERE album_asset.asset = key)
            FROM \(source)
            WHERE is_trashed = 0 AND is_hidden = 0 AND \(condition) AND \(position) < ?
            ORDER BY \(order) LIMIT 101
            """
        return try await pool.read { connection in
            var times: [Double] = []
            var last = Int64.max
            // A query that takes long is asked less often: ten seconds in all.
            for _ in 0..<200 where times.reduce(0, +) < 10_000 {
                let clock = ContinuousClock()
                let start = clock.now
                let rows = try connection.execute(sql, [.integer(last)], isKept: true)
                times.append((clock.now - start).seconds * 1000)
                last = .max
                if rows.count > 100, case .integer(let position) = try rows.value(99, 0) { last = position }
            }
            return times
        }
    }

    func spanTimes(_ sql: String) async throws -> [Double] {
        try await pool.read { connection in
            var times: [Double] = []
            for _ in 0..<100 {
                let clock = ContinuousClock()
                let start = clock.now
                _ = try connection.execute(sql, isKept: true)
                times.append((clock.now - start).seconds * 1000)
            }
            return times
        }
    }

    func close() {}
}
