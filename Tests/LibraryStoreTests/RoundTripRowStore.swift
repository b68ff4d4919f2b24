import FoundationEssentials
import LibraryAPI
import Persistence
import Synchronization

@testable import LibraryStore

/// The statements for whose results each writing transaction waited.
final class RoundTrips: Sendable {
    private let counts = Mutex<[Int]>([])

    /// One number per transaction, in their order.
    var all: [Int] { counts.withLock(\.self) }

    fileprivate func begin() { counts.withLock { $0.append(0) } }

    fileprivate func count() {
        counts.withLock { counts in
            if !counts.isEmpty { counts[counts.count - 1] += 1 }
        }
    }
}

/// Rows that count the statements for whose results a transaction waits: each costs a round trip to a database server.
struct RoundTripRowStore: ForwardingRowStore {
    let rows: any RowStore
    let trips: RoundTrips

    func write<Value: Sendable>(
        _ locks: [RowLock],
        _ body: @escaping @Sendable (any SQLSession) throws -> Value
    ) async throws -> Value {
        let trips = trips
        return try await rows.write(locks) { session in
            trips.begin()
            return try body(RoundTripSession(session: session, trips: trips))
        }
    }
}

private struct RoundTripSession: SQLSession {
    let session: any SQLSession
    let trips: RoundTrips

    var dialect: any SQLDialect { session.dialect }
    var timeZone: TimeZone { session.timeZone }

    var changesCount: Int {
        get throws {
            trips.count()
            return try session.changesCount
        }
    }

    func statement(_ sql: String) throws -> any SQLStatement {
        RoundTripStatement(statement: try session.statement(sql), trips: trips)
    }

    func temporaryStatement(_ sql: String) throws -> any SQLStatement {
        RoundTripStatement(statement: try session.temporaryStatement(sql), trips: trips)
    }

    func note(_ number: ChangeNumber) { session.note(number) }

    func settle() throws {
        trips.count()
        try session.settle()
    }

    func savepoint(_ body: () throws -> Bool) throws { try session.savepoint(body) }
}

private struct RoundTripStatement: SQLStatement {
    let statement: any SQLStatement
    let trips: RoundTrips

    func execute(_ arguments: SQLArguments) throws { try statement.execute(arguments) }

    func cursor(_ arguments: SQLArguments) throws -> any SQLCursor {
        trips.count()
        return try statement.cursor(arguments)
    }

    func firstValue(_ arguments: SQLArguments) throws -> SQLValue? {
        trips.count()
        return try statement.firstValue(arguments)
    }
}
