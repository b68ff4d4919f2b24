import FoundationEssentials
import GRDB

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

    func savepoint(_ body: () throws -> Bool) throws {
        try database.inSavepoint { try body() ? .commit : .rollback }
    }
}

private struct SQLiteStatement: SQLStatement {
    let statement: Statement

    func execute(_ arguments: SQLArguments) throws {
        try statement.execute(arguments: arguments.forStatement)
    }

    func cursor(_ arguments: SQLArguments) throws -> any SQLCursor {
        SQLiteCursor(try Row.fetchCursor(statement, arguments: arguments.forStatement))
    }
}

private final class SQLiteCursor: SQLCursor {
    private let rows: RowCursor
    /// The row on which the statement stands; GRDB reads its columns when they are asked for.
    private var row = Row()

    init(_ rows: RowCursor) {
        self.rows = rows
    }

    var columns: [String] { rows._statement.columnNames }

    func next() throws -> Bool {
        guard let next = try rows.next() else { return false }
        row = next
        return true
    }

    func value(at index: Int) -> SQLValue { SQLValue(row[index] as DatabaseValue) }

    func bytes(at index: Int) throws -> [UInt8]? {
        try row.withUnsafeData(atIndex: index) { $0.map(Array.init) }
    }
}

extension SQLArguments {
    fileprivate var forStatement: StatementArguments { StatementArguments(values.lazy.map(\.databaseValue)) }
}

extension SQLValue {
    fileprivate init(_ value: DatabaseValue) {
        self =
            switch value.storage {
            case .null: .null
            case .int64(let value): .integer(value)
            case .double(let value): .real(value)
            case .string(let value): .text(value)
            case .blob(let value): .bytes(value)
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
