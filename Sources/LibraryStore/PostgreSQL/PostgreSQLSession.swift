import FoundationEssentials
import LibraryAPI
import PostgreSQL

/// A session on one connection, for one transaction.
final class PostgreSQLSession: SQLSession {
    let connection: PostgreSQLConnection
    let timeZone: TimeZone
    /// The highest number read or assigned.
    private(set) var number: Int64?

    init(_ connection: PostgreSQLConnection, timeZone: TimeZone) {
        self.connection = connection
        self.timeZone = timeZone
    }

    var dialect: any SQLDialect { PostgreSQLDialect() }

    var changesCount: Int {
        get throws {
            try connection.settle()
            return connection.affectedCount
        }
    }

    func statement(_ sql: String) throws -> any SQLStatement {
        PostgreSQLStatement(session: self, sql: sql, isKept: true)
    }

    func temporaryStatement(_ sql: String) throws -> any SQLStatement {
        PostgreSQLStatement(session: self, sql: sql, isKept: false)
    }

    func note(_ number: ChangeNumber) { self.number = max(self.number ?? 0, number.rawValue) }

    func settle() throws { try connection.settle() }

    func savepoint(_ body: () throws -> Bool) throws { try connection.savepoint(body) }
}

private struct PostgreSQLStatement: SQLStatement {
    let session: PostgreSQLSession
    let sql: String
    let isKept: Bool

    func execute(_ arguments: SQLArguments) throws {
        try session.connection.queue(sql, arguments.values.map(PostgreSQLValue.init), isKept: isKept)
    }

    func cursor(_ arguments: SQLArguments) throws -> any SQLCursor {
        let values = arguments.values.map(PostgreSQLValue.init)
        return PostgreSQLCursor(try session.connection.execute(sql, values, isKept: isKept))
    }
}

/// Iterates over a result, which is entirely in memory: lists are read page by page.
private final class PostgreSQLCursor: SQLCursor {
    private let rows: PostgreSQLRows
    private var row = -1
    private(set) lazy var columns = (0..<rows.columnCount).map(rows.name(ofColumn:))

    init(_ rows: PostgreSQLRows) { self.rows = rows }

    func next() throws -> Bool {
        guard row + 1 < rows.count else { return false }
        row += 1
        return true
    }

    /// A column; one that cannot be decoded is returned as raw bytes, which do not decode as a number or text.
    func value(at index: Int) -> SQLValue {
        if let value = try? rows.value(row, index) { return SQLValue(value) }
        var raw = Data()
        rows.withBytes(row, index) { bytes, _ in raw = Data(bytes.copied) }
        return .bytes(raw)
    }

    func bytes(at index: Int) throws -> [UInt8]? {
        var copy: [UInt8]?
        rows.withBytes(row, index) { bytes, _ in copy = bytes.copied }
        return copy
    }
}

extension PostgreSQLValue {
    init(_ value: SQLValue) {
        self =
            switch value {
            case .null: .null
            case .integer(let value): .integer(value)
            case .real(let value): .real(value)
            case .text(let value): .text(value)
            case .bytes(let value): .blob(Array(value))
            }
    }
}

extension SQLValue {
    init(_ value: PostgreSQLValue) {
        self =
            switch value {
            case .null: .null
            case .integer(let value): .integer(value)
            case .real(let value): .real(value)
            case .text(let value): .text(value)
            case .blob(let value): .bytes(Data(value))
            case .boolean(let value): .integer(value ? 1 : 0)
            }
    }
}
