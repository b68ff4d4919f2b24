import BenchmarkSupport
import Foundation
import LibraryAPI
import LibraryClient
import LibraryLoad
import LibraryStore
import Logging
import Persistence
import PhotoModel
import Replication
import TestSupport

/// A library's rows by SQL alone, without the library around them.
protocol BareRows {
    /// Copies the one asset that is there, with other dates, ratings and words.
    func fill(to count: Int) async throws

    /// Milliseconds of each page of a list, documents and albums fetched and not read.
    func pageTimes(_ list: BareList) async throws -> [Double]

    /// Milliseconds of a hundred runs of a statement.
    func spanTimes(_ sql: String) async throws -> [Double]

    func close() throws
}

/// A list in the timeline's order.
enum BareList {
    /// The assets that meet a condition in SQL.
    case condition(String)
    /// The assets with a word that begins like this.
    case word(String)
}

/// What reading costs when a million assets are stored: pages and searches in the store against the bare SQL and the limits,
/// a sync that has nothing to do against the real server, and what that server holds when it is idle.
func storeBenchmark() async throws {
    let folder = try BenchmarkFolder()
    let executable = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        .appending(path: "tintype-server")
    let full = benchmarkNumber("TINTYPE_BENCHMARK_ASSETS") ?? 1_000_000
    for count in [1000, full] {
        let library = folder.url.appending(path: "library-\(count)")
        let rows = try await BenchmarkRows.asked()
        // The zone of a store that is opened here: with another one every capture's day would be looked at again.
        let server = try ServerProgram(executable, library: library, settings: rows.settings + ["library.timeZone=GMT"])
        try server.start()
        let device = try await LoadDevice.enroll(at: server)
        var generator = SeededGenerator(seed: 1)
        let capture = try SampleCapture(sizes: [20_000], &generator)
        _ = try await device.client.batch([capture.batchItem])
        server.stop()
        let bare = try rows.bare(in: library)
        let clock = ContinuousClock()
        let start = clock.now
        try await bare.fill(to: count)
        print("\(count) assets in \(rows.engine), filled in \(decimal((clock.now - start).seconds)) s:")
        if count == full { try await measureReading(library, rows, bare) }
        try bare.close()
        try server.start()
        try await measureNothingNew(server, rows, device)
        server.stop()
    }
}

extension BenchmarkRows {
    fileprivate func bare(in library: URL) throws -> any BareRows {
        guard let connection, let folder else { return try BareSQLite(library) }
        return BarePostgreSQL(connection, folder: folder)
    }
}

private func measureReading(_ library: URL, _ rows: BenchmarkRows, _ bare: any BareRows) async throws {
    let store = try await LibraryStore.open(
        at: Path(library.path),
        metadata: rows.metadata,
        effects: StoreEffects(
            now: { WallTime(microsecondsSince1970: 0) },
            randomBits: { .random(in: .min ... .max) },
            signer: UnsignedReceipts()
        ),
        logger: .init(label: "benchmark")
    )
    defer { store.close() }
    for (unit, column) in [(TimelineUnit.month, "capture_month"), (.day, "day")] {
        var times: [Double] = []
        for _ in 0..<100 {
            let clock = ContinuousClock()
            let start = clock.now
            _ = try await store.metadata.spans(FetchOptions(), by: unit, in: .everything)
            times.append((clock.now - start).seconds * 1000)
        }
        let sql = """
            SELECT \(column) AS span, sum(assets) FROM capture_count
            WHERE is_trashed = 0 AND is_hidden = 0 AND stands_out = 1
            GROUP BY span ORDER BY span DESC LIMIT \(APILimits.timelineSpanCount)
            """
        printTimes("spans by the \(unit.rawValue)", times, bare: try await bare.spanTimes(sql), limit: 10)
    }
    try await measurePages(store, bare)
}

private func measurePages(_ store: LibraryStore, _ bare: any BareRows) async throws {
    let newest = [FetchOptions.SortDescriptor(key: .captureDate, isAscending: false)]
    let keyword = try unwrapped(Keyword("k77"))
    let lists: [(name: String, filter: AssetFilter?, bare: BareList, limit: Double?)] = [
        ("timeline", nil, .condition("TRUE"), 10),
        ("favourites", .kind(.favorites), .condition("is_favorite = 1"), 10),
        ("rating of 5", .rating(atLeast: try unwrapped(Rating(rawValue: 5))), .condition("rating >= 5"), nil),
        (
            "keyword", .keyword(keyword), .condition("key IN (SELECT asset FROM keyword WHERE text = 'k77')"), nil
        ),
        ("text, rare", .text("w4711"), .word("w4711"), 10),
        ("text, 1 %", .text("half"), .word("half"), 25),
        ("text, 5 %", .text("five"), .word("five"), nil),
        ("text, everywhere", .text("north"), .word("north"), nil),
    ]
    for list in lists {
        let options = FetchOptions(filter: list.filter, sortDescriptors: newest)
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
        printTimes(list.name, times, bare: try await bare.pageTimes(list.bare), limit: list.limit)
    }
}

private func printTimes(_ name: String, _ times: [Double], bare: [Double], limit: Double?) {
    let (half, most) = (percentile(times, 0.5), percentile(times, 0.99))
    let share = limit.map { " (\(decimal(most / $0)) of the limit of \(Int($0)) ms)" } ?? ""
    print(
        "  \(name): p50 \(decimal(half)) ms, p99 \(decimal(most)) ms\(share); "
            + "bare SQL p50 \(decimal(percentile(bare, 0.5))) ms, p99 \(decimal(percentile(bare, 0.99))) ms; "
            + "ratio \(decimal(half / percentile(bare, 0.5)))"
    )
}

/// Where a page ends.
private struct PageEnd: Decodable {
    var next: ListCursor?
}

/// The one request of a sync that has nothing to do.
private func measureNothingNew(_ server: ServerProgram, _ rows: BenchmarkRows, _ device: LoadDevice) async throws {
    let idle = try usage(server)
    var contacts = try QuietContacts()
    for _ in 0..<20 { try await contacts.make(by: device) }
    let (before, engine) = (try usage(server), try rows.processorTime())
    let count = 500
    let clock = ContinuousClock()
    let start = clock.now
    for _ in 0..<count { try await contacts.make(by: device) }
    let wall = (clock.now - start).seconds
    let after = try usage(server)
    let processor = (after.processorTime - before.processorTime).seconds
    print(
        "  nothing new: \(decimal(processor * 1000 / Double(count))) ms of server CPU"
            + "\(try rows.processorLine(since: engine, per: count)), "
            + "\(decimal(wall * 1000 / Double(count))) ms; idle \(idle.residentByteCount >> 20) MiB, "
            + "afterwards \(after.residentByteCount >> 20) MiB"
    )
}

/// A device's contacts when there is nothing new.
struct QuietContacts {
    private var request: ContactRequest

    init() throws {
        let history = HistoryChain(of: ReplicaID(rawValue: 19), hash: .sha256)
        request = ContactRequest(
            replica: ContactRequest.Replica(
                incarnation: "\(ReplicaID(rawValue: 19))",
                counter: history.counter,
                chainHash: try unwrapped(ContentDigest(bytes: history.hash.bytes)),
                hostFingerprint: "host"
            ),
            time: WallTime(millisecondsSince1970: Int64(Date().timeIntervalSince1970 * 1000))
        )
    }

    /// Makes one, with the ticket of the one before.
    mutating func make(by device: LoadDevice) async throws {
        let answer = try await device.client.contact(request)
        guard answer.continuity != .suspect else { throw LoadError("the server takes the device for a copy") }
        request.replica.ticket = answer.ticket
    }
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
