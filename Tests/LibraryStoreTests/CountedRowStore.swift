import FoundationEssentials
import LibraryAPI
import Persistence
import PhotoModel
import Synchronization

@testable import LibraryStore

/// A statement as it was run.
struct RanStatement: Hashable, Sendable {
    let text: String
    let arguments: [SQLValue]
}

/// Counts statements.
final class StatementCount: Sendable {
    private let count = Mutex(0)
    private let ran = Mutex<[RanStatement]?>(nil)
    private let temporaryTexts = Mutex<[String]>([])

    func add(_ text: String, _ arguments: SQLArguments) {
        count.withLock { $0 += 1 }
        ran.withLock { $0?.append(RanStatement(text: text, arguments: arguments.values)) }
    }

    /// Remembers the statements with their arguments from now on.
    func record() { ran.withLock { $0 = [] } }

    /// The remembered statements; remembers no more.
    func takeRecorded() -> [RanStatement] {
        ran.withLock { ran in
            defer { ran = nil }
            return ran ?? []
        }
    }

    func addTemporary(_ text: String) { temporaryTexts.withLock { $0.append(text) } }

    /// The texts of statements that were prepared for one use, since the last call.
    func takeTemporary() -> [String] {
        temporaryTexts.withLock { texts in
            defer { texts = [] }
            return texts
        }
    }

    /// The number since the last call.
    func take() -> Int {
        count.withLock { count in
            defer { count = 0 }
            return count
        }
    }
}

/// Rows that count the statements of their transactions.
struct CountedRowStore: ForwardingRowStore {
    let rows: any RowStore
    let count: StatementCount

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLSession) throws -> Value
    ) async throws -> Value {
        try await rows.read { [count] in try body(CountedSession(session: $0, count: count)) }
    }

    func write<Value: Sendable>(
        _ locks: [RowLock],
        _ body: @escaping @Sendable (any SQLSession) throws -> Value
    ) async throws -> Value {
        try await rows.write(locks) { [count] in try body(CountedSession(session: $0, count: count)) }
    }

    func writeBlocking<Value>(_ locks: [RowLock], _ body: (any SQLSession) throws -> Value) throws -> Value {
        try rows.writeBlocking(locks) { try body(CountedSession(session: $0, count: count)) }
    }
}

private struct CountedSession: SQLSession {
    let session: any SQLSession
    let count: StatementCount

    var dialect: any SQLDialect { session.dialect }
    var timeZone: TimeZone { session.timeZone }
    var changesCount: Int { get throws { try session.changesCount } }

    func statement(_ sql: String) throws -> any SQLStatement {
        CountedStatement(statement: try session.statement(sql), text: sql, count: count)
    }

    func temporaryStatement(_ sql: String) throws -> any SQLStatement {
        count.addTemporary(sql)
        return CountedStatement(statement: try session.temporaryStatement(sql), text: sql, count: count)
    }

    func note(_ number: ChangeNumber) { session.note(number) }

    func settle() throws { try session.settle() }

    func savepoint(_ body: () throws -> Bool) throws { try session.savepoint(body) }
}

private struct CountedStatement: SQLStatement {
    let statement: any SQLStatement
    let text: String
    let count: StatementCount

    func execute(_ arguments: SQLArguments) throws {
        count.add(text, arguments)
        try statement.execute(arguments)
    }

    func cursor(_ arguments: SQLArguments) throws -> any SQLCursor {
        count.add(text, arguments)
        return try statement.cursor(arguments)
    }

    func firstValue(_ arguments: SQLArguments) throws -> SQLValue? {
        count.add(text, arguments)
        return try statement.firstValue(arguments)
    }
}
