import FoundationEssentials
import GRDB
import LibraryAPI

/// A session on one of GRDB's connections.
struct SQLiteSession: SQLSession {
    let database: Database
    var timeZone = TimeZone.gmt

    var dialect: any SQLDialect { SQLiteDialect() }

    var changesCount: Int { database.changesCount }

    func statement(_ sql: String) throws -> any SQLStatement {
        SQLiteStatement(statement: try database.cachedStatement(sql: sql))
    }

    func temporaryStatement(_ sql: String) throws -> any SQLStatement {
        SQLiteStatement(statement: try database.makeStatement(sql: sql))
    }

    /// Does nothing: announced changes are in the file.
    func note(_ number: ChangeNumber) {}

    /// Does nothing: every statement runs at once.
    func settle() {}

    func savepoint(_ body: () throws -> Bool) throws {
        try database.inSavepoint { try body() ? .commit : .rollback }
    }
}

private struct SQLiteStatement: SQLStatement {
    let statement: Statement

    func execute(_ arguments: SQLArguments) throws { try statement.execute(arguments: arguments.forStatement) }

    func cursor(_ arguments: SQLArguments) throws -> any SQLCursor {
        SQLiteCursor(try Row.fetchCursor(statement, arguments: arguments.forStatement))
    }

    // Without creating a row, which takes half the time of a lookup by key.
    func firstValue(_ arguments: SQLArguments) throws -> SQLValue? {
        try DatabaseValue.fetchOne(statement, arguments: arguments.forStatement).map(SQLValue.init)
    }
}

private final class SQLiteCursor: SQLCursor {
    private let rows: RowCursor
    /// The statement's current row; GRDB reads its columns on demand.
    private var row: Row?

    init(_ rows: RowCursor) { self.rows = rows }

    var columns: [String] { rows._statement.columnNames }

    func next() throws -> Bool {
        row = try rows.next()
        return row != nil
    }

    func value(at index: Int) -> SQLValue { row.map { SQLValue($0[index] as DatabaseValue) } ?? .null }

    func bytes(at index: Int) throws -> [UInt8]? {
        try row?.withUnsafeData(atIndex: index) { $0.map(Array.init) }
    }
}

extension SQLArguments {
    fileprivate var forStatement: StatementArguments { StatementArguments(values.map(\.argument)) }
}

extension SQLValue {
    init(_ value: DatabaseValue) {
        self =
            switch value.storage {
            case .null: .null
            case .int64(let value): .integer(value)
            case .double(let value): .real(value)
            case .string(let value): .text(value)
            case .blob(let value): .bytes(value)
            }
    }

    // As values of their own types, for which GRDB is fastest.
    fileprivate var argument: (any DatabaseValueConvertible)? {
        switch self {
        case .null: nil
        case .integer(let value): value
        case .real(let value): value
        case .text(let value): value
        case .bytes(let value): value
        }
    }

    var databaseValue: DatabaseValue {
        switch self {
        case .null: .null
        case .integer(let value): value.databaseValue
        case .real(let value): value.databaseValue
        case .text(let value): value.databaseValue
        case .bytes(let value): value.databaseValue
        }
    }
}
