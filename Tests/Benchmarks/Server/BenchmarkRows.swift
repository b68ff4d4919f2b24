import BenchmarkSupport
import Foundation
import LibraryLoad
import LibraryStore
import PostgreSQL
import PostgreSQLTestSupport
import TestSupport

/// Where a benchmark keeps the rows of a new library.
///
/// SQLite, or with `--metadata postgresql` on the command line a schema of a PostgreSQL server that ends with the program.
struct BenchmarkRows: Sendable {
    /// The engine's name.
    let engine: String
    /// The location for a store in this process.
    let metadata: MetadataLocation
    /// The same for a server, as `key=value`.
    let settings: [String]
    /// How to connect; nil for SQLite.
    let connection: ConnectionSettings?
    /// The folder of the PostgreSQL server; nil for SQLite.
    let folder: String?

    /// Whether the command line asks for PostgreSQL.
    static var arePostgreSQL: Bool {
        zip(CommandLine.arguments, CommandLine.arguments.dropFirst()).contains { $0 == ("--metadata", "postgresql") }
    }

    /// The place that the command line asks for, with nothing in it.
    static func asked() async throws -> BenchmarkRows {
        if arePostgreSQL { return try await postgreSQL() }
        return BenchmarkRows(engine: "SQLite", metadata: .folder, settings: [], connection: nil, folder: nil)
    }

    /// A new schema in PostgreSQL, which is started if it does not run.
    static func postgreSQL() async throws -> BenchmarkRows {
        let server = try await TestServer.shared()
        let connection = try server.settings()
        return BenchmarkRows(
            engine: "PostgreSQL",
            metadata: .postgresql(connection),
            settings: [
                "library.metadata=postgres:///postgres?host=\(server.folder)&user=tintype",
                "library.schema=\(connection.schema)",
            ],
            connection: connection,
            folder: server.folder
        )
    }

    /// Runs a statement that no transaction may hold, in the PostgreSQL server of a folder.
    static func runAlone(_ statement: String, in folder: String) throws {
        let outcome = try ChildProcess.run(
            "\(TestServer.programs ?? "")/psql",
            ["-X", "-q", "-h", folder, "-U", "tintype", "-d", "postgres", "-c", statement]
        )
        guard outcome.status == 0 else { throw LoadError("\(statement): \(outcome.errors)") }
    }

    /// CPU time of PostgreSQL's processes so far; zero for SQLite, which works in the server's own process.
    func processorTime() throws -> Duration {
        guard let folder else { return .zero }
        // The first line is the number of PostgreSQL's first process, the parent of all others.
        let file = try String(contentsOfFile: "\(folder)/data/postmaster.pid", encoding: .utf8)
        guard let process = file.split(separator: "\n").first.flatMap({ Int32($0) }),
            let time = ProcessUsage.processorTime(withChildrenOf: process)
        else { throw LoadError("PostgreSQL's processes cannot be measured") }
        return time
    }

    /// PostgreSQL's CPU time since an earlier moment, for a line of figures; empty for SQLite.
    ///
    /// - Parameters:
    ///   - before: the CPU time then.
    ///   - count: how many it was spent on.
    /// - Returns: the milliseconds for each.
    /// - Throws: `LoadError` if PostgreSQL does not run.
    func processorLine(since before: Duration, per count: Int) throws -> String {
        guard folder != nil else { return "" }
        let milliseconds = (try processorTime() - before).seconds * 1000 / Double(count)
        return ", \(decimal(milliseconds)) ms of PostgreSQL's"
    }
}
