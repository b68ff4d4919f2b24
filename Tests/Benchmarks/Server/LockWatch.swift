import LibraryLoad
import PostgreSQL

/// Samples whether a transaction holds the lock of a library's row in PostgreSQL, where its changes take turns.
///
/// `pgrowlocks`, an extension that comes with PostgreSQL, reads locks without taking any.
struct LockWatch: Sendable {
    private let pool: ConnectionPool
    private let look: String

    /// Connects to the library's rows.
    init(_ settings: ConnectionSettings) async throws {
        pool = ConnectionPool(settings)
        look = "SELECT count(*) FROM public.pgrowlocks('\(settings.schema).library')"
        try await pool.write(lock: "") { try $0.run("CREATE EXTENSION IF NOT EXISTS pgrowlocks SCHEMA public") }
    }

    /// The share of the time, 0 to 1, during which the lock was held while a body ran.
    func share(while body: () async throws -> Void) async throws -> Double {
        let looking = Task { try await looks() }
        do {
            try await body()
        } catch {
            looking.cancel()
            throw error
        }
        looking.cancel()
        let (held, count) = try await looking.value
        guard count > 0 else { throw LoadError("the library's lock was never looked at") }
        return Double(held) / Double(count)
    }

    /// Looks at random moments until the task is cancelled.
    private func looks() async throws -> (held: Int, count: Int) {
        var (held, count) = (0, 0)
        while !Task.isCancelled {
            do {
                // A transaction each: a snapshot that stays would see old rows only, and hold up vacuum.
                let number = try await pool.read { [look] in try $0.execute(look, isKept: true).value(0, 0) }
                if number != .integer(0) { held += 1 }
                count += 1
                try await Task.sleep(for: .microseconds(Int64.random(in: 2000..<12_000)))
            } catch is CancellationError {
                break
            }
        }
        return (held, count)
    }
}
