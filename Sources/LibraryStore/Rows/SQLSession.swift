import FoundationEssentials
import LibraryAPI

/// The connection to the rows during one transaction or one consistent read.
///
/// SQL is written once, in the common subset of SQLite 3.40 and PostgreSQL 15; differences are in `dialect`. Parameters
/// are `?`, taken in order, or `?1`, `?2` and so on, which may repeat; a text never mixes them, and has no `?` in a
/// literal.
protocol SQLSession {
    /// The engine's SQL outside the common subset.
    var dialect: any SQLDialect { get }
    /// The time zone assumed for captures without their own UTC offset.
    var timeZone: TimeZone { get }
    /// The rows that the last statement inserted, updated or deleted.
    var changesCount: Int { get throws }

    /// Prepares a statement that runs often, or returns the prepared one.
    ///
    /// A statement that is still being read must not run a second time.
    func statement(_ sql: String) throws -> any SQLStatement

    /// Prepares a statement that is not kept.
    func temporaryStatement(_ sql: String) throws -> any SQLStatement

    /// Records a change number that was read or assigned and may be announced.
    func note(_ number: ChangeNumber)

    /// Waits until every statement has run, so that what the engine refuses is thrown here.
    func settle() throws

    /// Rolls back what a body did if it returns false or throws; rethrows its error.
    func savepoint(_ body: () throws -> Bool) throws
}

/// A prepared statement of one session.
protocol SQLStatement {
    /// Runs it, ignoring its rows.
    ///
    /// An engine may run it later, but before any later statement and before the transaction or savepoint ends; what it
    /// refuses is then thrown by one of those, or by ``SQLSession/settle()``.
    func execute(_ arguments: SQLArguments) throws

    /// Runs it row by row.
    ///
    /// - Returns: the result, before its first row.
    func cursor(_ arguments: SQLArguments) throws -> any SQLCursor

    /// The first column of the result's first row; nil without rows.
    func firstValue(_ arguments: SQLArguments) throws -> SQLValue?
}

/// A result that is read row by row; rows are valid until the next one is read.
protocol SQLCursor {
    /// The names of the columns.
    var columns: [String] { get }

    /// Advances to the next row; false after the last.
    func next() throws -> Bool

    /// A column of the current row.
    func value(at index: Int) -> SQLValue

    /// The bytes of a text or blob in the current row, without creating a string; nil for null.
    func bytes(at index: Int) throws -> [UInt8]?
}

extension SQLStatement {
    /// The result's first row; nil without rows.
    func row(_ arguments: SQLArguments = []) throws -> SQLRow? {
        let cursor = try cursor(arguments)
        return try cursor.next() ? SQLRow(cursor) : nil
    }

    /// All rows of the result.
    func rows(_ arguments: SQLArguments = []) throws -> [SQLRow] {
        let cursor = try cursor(arguments)
        var rows: [SQLRow] = []
        while try cursor.next() { rows.append(SQLRow(cursor)) }
        return rows
    }

    /// The first column of the first row; nil without rows, and for null.
    func value<Value: SQLDecodable>(_: Value.Type, _ arguments: SQLArguments = []) throws -> Value? {
        guard let value = try firstValue(arguments) else { return nil }
        if case .null = value { return nil }
        guard let decoded = Value(sqlValue: value) else { throw RowDamage("a value that is no \(Value.self)") }
        return decoded
    }

    func firstValue(_ arguments: SQLArguments) throws -> SQLValue? {
        let cursor = try cursor(arguments)
        return try cursor.next() ? cursor.value(at: 0) : nil
    }

    /// The first column of all rows.
    func values<Value: SQLDecodable>(_: Value.Type, _ arguments: SQLArguments = []) throws -> [Value] {
        let cursor = try cursor(arguments)
        var values: [Value] = []
        while try cursor.next() { values.append(try cursor[0]) }
        return values
    }
}

extension SQLCursor {
    /// A column of the current row, by index: looking up names costs time.
    ///
    /// - Throws: `RowDamage` if the value is of another type.
    subscript<Value: SQLDecodable>(_ index: Int) -> Value {
        get throws {
            guard let value = Value(sqlValue: value(at: index)) else {
                throw RowDamage("a \(columns[index]) that is no \(Value.self)")
            }
            return value
        }
    }
}

// The same for texts that run rarely, or have many forms.
extension SQLSession {
    /// Prepares a statement that runs often, but joins tables that may have grown since its last use.
    func replannedStatement(_ sql: String) throws -> any SQLStatement {
        try dialect.keepsPlans ? temporaryStatement(sql) : statement(sql)
    }

    /// Deletes the first rows that meet a condition: one turn of a long deletion.
    ///
    /// - Parameters:
    ///   - count: the most rows; more only if several have the last one's value.
    ///   - table: the table.
    ///   - condition: the condition in SQL.
    ///   - arguments: the condition's arguments.
    ///   - column: the rows' order, by an index.
    /// - Returns: whether others may be left; `changesCount` has the number of deleted rows.
    /// - Throws: the database's errors.
    func deleteFirst(
        _ count: Int,
        from table: String,
        where condition: String,
        _ arguments: SQLArguments,
        by column: String
    ) throws -> Bool {
        let last = try value(
            SQLValue.self,
            "SELECT \(column) FROM \(table) WHERE \(condition) ORDER BY \(column) LIMIT 1 OFFSET ?",
            arguments + [count - 1]
        )
        guard let last else {
            try execute("DELETE FROM \(table) WHERE \(condition)", arguments)
            return false
        }
        try execute("DELETE FROM \(table) WHERE \(condition) AND \(column) <= ?", arguments + [last])
        return true
    }

    func execute(_ sql: String, _ arguments: SQLArguments = []) throws {
        try temporaryStatement(sql).execute(arguments)
    }

    func cursor(_ sql: String, _ arguments: SQLArguments = []) throws -> any SQLCursor {
        try temporaryStatement(sql).cursor(arguments)
    }

    func row(_ sql: String, _ arguments: SQLArguments = []) throws -> SQLRow? {
        try temporaryStatement(sql).row(arguments)
    }

    func rows(_ sql: String, _ arguments: SQLArguments = []) throws -> [SQLRow] {
        try temporaryStatement(sql).rows(arguments)
    }

    func value<Value: SQLDecodable>(
        _ type: Value.Type,
        _ sql: String,
        _ arguments: SQLArguments = []
    ) throws -> Value? {
        try temporaryStatement(sql).value(type, arguments)
    }

    func values<Value: SQLDecodable>(
        _ type: Value.Type,
        _ sql: String,
        _ arguments: SQLArguments = []
    ) throws -> [Value] {
        try temporaryStatement(sql).values(type, arguments)
    }
}
