import BenchmarkSupport
import Foundation
import LibraryLoad
import PhotoModel
import PostgreSQL
import PostgreSQLTestSupport
import TestSupport

/// What 100,000 devices that call once an hour, and 1,000 that save a photo of 340 kB each second, ask of a server and of its
/// database: the cost of one contact and of one photo measured here, multiplied.
///
/// Costs of one device after another: devices that save at once share transactions, which costs less.
func sizingBenchmark() async throws {
    let folder = try BenchmarkFolder()
    let rows = try await BenchmarkRows.asked()
    let counters = try await StatementCounters(rows)
    let programs = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    let server = try ServerProgram(
        programs.appending(path: "tintype-server"),
        library: folder.url.appending(path: "sizing"),
        settings: rows.settings + ["media.workers=0"]
    )
    try server.start()
    let device = try await LoadDevice.enroll(at: server)
    var contacts = try QuietContacts()
    let corpus = try Corpus(folder.url.appending(path: "photos"), count: 300, byteCount: 340_000, seed: 34)
    let saving = SavingBenchmark(corpus: corpus, folder: folder.url)
    // The first calls of a connection and a process cost more.
    for index in 0..<20 {
        try await contacts.make(by: device)
        try await saving.upload(index, by: device)
    }
    let contact = try await counters.cost(at: server, rows, count: 500) { _ in try await contacts.make(by: device) }
    let photo = try await counters.cost(at: server, rows, count: 280) { index in
        try await saving.upload(index + 20, by: device)
    }
    server.stop()
    print("rows in \(rows.engine), each second:")
    print("| | requests | statements | MB received | MB of log | server cores | database cores |")
    print(contact.line("a contact an hour, 100,000 devices", perSecond: 100_000 / 3600.0, requests: 1))
    print(photo.line("a photo a second, 1,000 devices", perSecond: 1000, requests: 3, byteCount: 340_000))
}

/// What one call cost.
private struct CallCost {
    /// SQL statements; nil where nobody counts them.
    let statements: Double?
    /// Bytes of PostgreSQL's log; nil for SQLite.
    let logByteCount: Double?
    let serverSeconds: Double
    let databaseSeconds: Double

    /// A row of a table: what so many calls a second take each second.
    func line(_ name: String, perSecond: Double, requests: Double, byteCount: Double = 0) -> String {
        let figures = [
            decimal(requests * perSecond), statements.map { decimal($0 * perSecond) } ?? "-",
            decimal(byteCount * perSecond / 1e6), logByteCount.map { decimal($0 * perSecond / 1e6) } ?? "-",
            decimal(serverSeconds * perSecond), decimal(databaseSeconds * perSecond),
        ]
        return "| \(name) | \(figures.joined(separator: " | ")) |"
    }
}

/// PostgreSQL's own counters of statements, and of bytes in its log; nothing for SQLite.
private struct StatementCounters {
    private let pool: ConnectionPool?

    /// Has PostgreSQL count statements, which takes a restart.
    init(_ rows: BenchmarkRows) async throws {
        guard let connection = rows.connection, let folder = rows.folder else {
            pool = nil
            return
        }
        try BenchmarkRows.runAlone("ALTER SYSTEM SET shared_preload_libraries = pg_stat_statements", in: folder)
        try await TestServer.shared().control("restart -m fast")
        try BenchmarkRows.runAlone("CREATE EXTENSION IF NOT EXISTS pg_stat_statements SCHEMA public", in: folder)
        pool = ConnectionPool(connection)
    }

    /// What a call costs on average.
    func cost(
        at server: ServerProgram,
        _ rows: BenchmarkRows,
        count: Int,
        _ call: (Int) async throws -> Void
    ) async throws -> CallCost {
        let (before, serverBefore, databaseBefore) = (try await read(), try usage(server), try rows.processorTime())
        for index in 0..<count { try await call(index) }
        let (after, serverAfter, databaseAfter) = (try await read(), try usage(server), try rows.processorTime())
        func each(_ value: Double) -> Double { value / Double(count) }
        var counted: (statements: Double, logByteCount: Double)?
        if let before, let after {
            counted = (each(after.statements - before.statements), each(after.logByteCount - before.logByteCount))
        }
        return CallCost(
            statements: counted?.statements,
            logByteCount: counted?.logByteCount,
            serverSeconds: each((serverAfter - serverBefore).seconds),
            databaseSeconds: each((databaseAfter - databaseBefore).seconds)
        )
    }

    private func read() async throws -> (statements: Double, logByteCount: Double)? {
        guard let pool else { return nil }
        return try await pool.read { connection in
            let rows = try connection.execute(
                """
                SELECT (SELECT sum(calls) FROM public.pg_stat_statements),
                    trunc(pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0'))
                """
            )
            guard case .integer(let statements) = try rows.value(0, 0), case .integer(let bytes) = try rows.value(0, 1)
            else { throw LoadError("PostgreSQL counts no statements") }
            return (Double(statements), Double(bytes))
        }
    }

    private func usage(_ server: ServerProgram) throws -> Duration {
        guard let usage = server.processIdentifier.flatMap({ ProcessUsage(of: $0) }) else {
            throw LoadError("the server's process is gone")
        }
        return usage.processorTime
    }
}
