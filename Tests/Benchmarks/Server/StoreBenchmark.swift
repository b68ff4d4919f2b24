import BenchmarkSupport
import Foundation
import GRDB
import LibraryAPI
import LibraryClient
import LibraryLoad
import LibraryStore
import Logging
import Persistence
import PhotoModel
import TestSupport

/// What reading costs when a million assets are stored: pages and searches in the store against the bare SQL, a sync that
/// has nothing to do against the real server, and what that server holds when it is idle.
func storeBenchmark() async throws {
    let folder = try BenchmarkFolder()
    let executable = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        .appending(path: "tintype-server")
    let full = benchmarkNumber("TINTYPE_BENCHMARK_ASSETS") ?? 1_000_000
    for count in [1000, full] {
        let library = folder.url.appending(path: "library-\(count)")
        let server = try ServerProgram(executable, library: library)
        try server.start()
        let device = try await LoadDevice.enroll(at: server)
        var generator = SeededGenerator(seed: 1)
        let capture = try SampleCapture(sizes: [20_000], &generator)
        _ = try await device.client.batch([capture.batchItem])
        server.stop()
        let database = try SQLiteRowStore.opening(Path(library.appending(path: "library.sqlite").path)).open()
        let time = try measure { try fill(database, count: count) }
        print("\(count) assets, filled in \(decimal(time.wall.seconds)) s:")
        if count == full { try await measurePages(library, database) }
        try database.close()
        try server.start()
        try await measureNothingNew(server, device)
        server.stop()
    }
}

/// Copies the one asset that is there, with other dates, ratings and words.
private func fill(_ database: DatabasePool, count: Int) throws {
    // A transaction that finds no room in memory reads its own pages out of a log of a gigabyte.
    try database.writeWithoutTransaction { try $0.execute(sql: "PRAGMA cache_size = -2000000") }
    try database.write { database in
        try database.execute(
            sql: """
                WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
                INSERT INTO asset (
                    id, document, media_type, media_subtypes, playback_style, capture_date, local_date, capture_month,
                    addition_date, rating, is_favorite, is_hidden, is_trashed, in_burst, stands_out
                )
                SELECT randomblob(16), document, media_type, media_subtypes, playback_style,
                    capture_date - i * 60000000, local_date - i * 60000000, capture_month - i / 43200, addition_date - i,
                    i % 6, i % 50 = 0, 0, 0, 0, 1
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

/// A search as plain SQL asks for it.
private func search(_ word: String) -> String {
    "key IN (SELECT rowid & 536870911 FROM asset_word WHERE words MATCH '\(word)*')"
}

private func measurePages(_ library: URL, _ database: DatabasePool) async throws {
    let store = try await LibraryStore.open(
        at: Path(library.path),
        effects: StoreEffects(now: { WallTime(microsecondsSince1970: 0) }, randomBits: { 1 }, signer: NoSigner()),
        logger: .init(label: "benchmark")
    )
    defer { store.close() }
    let newest = [FetchOptions.SortDescriptor(key: .captureDate, isAscending: false)]
    let keyword = try unwrapped(Keyword("k77"))
    let queries: [(name: String, filter: AssetFilter?, sql: String)] = [
        ("timeline", nil, "1"),
        ("favourites", .kind(.favorites), "is_favorite = 1"),
        ("rating of 5", .rating(atLeast: try unwrapped(Rating(rawValue: 5))), "rating >= 5"),
        ("keyword", .keyword(keyword), "key IN (SELECT asset FROM keyword WHERE text = 'k77')"),
        ("text, rare", .text("w4711"), search("w4711")),
        ("text, 1 %", .text("half"), search("half")),
        ("text, 5 %", .text("five"), search("five")),
        ("text, everywhere", .text("north"), search("north")),
    ]
    for unit in [TimelineUnit.month, .day] {
        var times: [Double] = []
        for _ in 0..<100 {
            let clock = ContinuousClock()
            let start = clock.now
            _ = try await store.metadata.spans(FetchOptions(), by: unit, in: .everything)
            times.append((clock.now - start).seconds * 1000)
        }
        let (half, most) = (percentile(times, 0.5), percentile(times, 0.99))
        print("  spans by the \(unit.rawValue): p50 \(decimal(half)) ms, p99 \(decimal(most)) ms")
    }
    for query in queries {
        let options = FetchOptions(filter: query.filter, sortDescriptors: newest)
        var times: [Double] = []
        var cursor: ListCursor?
        for _ in 0..<200 where times.reduce(0, +) < 10_000 {
            let clock = ContinuousClock()
            let start = clock.now
            let page = try await store.metadata.encodedPage(
                AssetQuery(options: options, cursor: cursor),
                in: .everything
            )
            times.append((clock.now - start).seconds * 1000)
            cursor = try JSONDecoder().decode(PageEnd.self, from: Data(page)).next
        }
        let bare = try bareTimes(query.sql, database)
        print(
            "  \(query.name): p50 \(decimal(percentile(times, 0.5))) ms, p99 \(decimal(percentile(times, 0.99))) ms; "
                + "bare SQL p50 \(decimal(percentile(bare, 0.5))) ms, p99 \(decimal(percentile(bare, 0.99))) ms; "
                + "ratio \(decimal(percentile(times, 0.5) / percentile(bare, 0.5)))"
        )
    }
}

/// Where a page ends.
private struct PageEnd: Decodable {
    var next: ListCursor?
}

/// The same pages by SQL alone, documents and albums fetched and not read.
private func bareTimes(_ condition: String, _ database: DatabasePool) throws -> [Double] {
    var times: [Double] = []
    var last = Int64.max
    // A query that takes long is asked less often: ten seconds in all.
    for _ in 0..<200 where times.reduce(0, +) < 10_000 {
        let clock = ContinuousClock()
        let start = clock.now
        let rows = try database.read { database in
            try Row.fetchAll(
                database,
                sql: """
                    SELECT local_date, id, key, document,
                        (SELECT group_concat(hex(album)) FROM album_asset WHERE album_asset.asset = key)
                    FROM asset
                    WHERE is_trashed = 0 AND is_hidden = 0 AND \(condition) AND local_date < ?
                    ORDER BY local_date DESC, id DESC LIMIT 101
                    """,
                arguments: [last]
            )
        }
        times.append((clock.now - start).seconds * 1000)
        last = rows.count > 100 ? rows[99][0] : .max
    }
    return times
}

/// The one request of a sync that has nothing to do.
private func measureNothingNew(_ server: ServerProgram, _ device: LoadDevice) async throws {
    let idle = try usage(server)
    var request = HeartbeatRequest(
        replica: HeartbeatRequest.Replica(
            incarnation: String(repeating: "a1", count: 16),
            counter: 0,
            chainHash: ContentHasher.digest([]),
            hostFingerprint: "host"
        ),
        time: WallTime(millisecondsSince1970: Int64(Date().timeIntervalSince1970 * 1000))
    )
    func contact() async throws {
        // Each contact's ticket is shown at the next.
        request.replica.ticket = try await device.client.heartbeat(request).ticket
    }
    for _ in 0..<20 { try await contact() }
    let before = try usage(server)
    let count = 500
    let clock = ContinuousClock()
    let start = clock.now
    for _ in 0..<count { try await contact() }
    let wall = (clock.now - start).seconds
    let after = try usage(server)
    let processor = (after.processorTime - before.processorTime).seconds
    print(
        "  nothing new: \(decimal(processor * 1000 / Double(count))) ms of server CPU, "
            + "\(decimal(wall * 1000 / Double(count))) ms; idle \(idle.residentByteCount >> 20) MiB, "
            + "afterwards \(after.residentByteCount >> 20) MiB"
    )
}

private func usage(_ server: ServerProgram) throws -> ProcessUsage {
    try unwrapped(server.processIdentifier.flatMap { ProcessUsage(of: $0) })
}

private func unwrapped<Value>(_ value: Value?) throws -> Value {
    guard let value else { throw LoadError("a value of the benchmark is missing") }
    return value
}

private func percentile(_ values: [Double], _ share: Double) -> Double {
    let sorted = values.sorted()
    return sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]
}

/// Signs nothing: the benchmark of reading commits nothing.
private struct NoSigner: ReceiptSigner {
    let keyID = "none"

    func signature(for bytes: [UInt8]) throws -> [UInt8] { [] }
}
