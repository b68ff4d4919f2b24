/// A row, with its columns' names.
struct SQLRow: Sendable {
    /// The names, shared by all rows of a result.
    private let columns: [String]
    private let values: [SQLValue]

    /// Copies a statement's current row.
    init(_ cursor: some SQLCursor) {
        columns = cursor.columns
        values = columns.indices.map(cursor.value(at:))
    }

    /// A column's value, by name.
    ///
    /// - Throws: `RowDamage` if the row has no such column, or the value is of another type.
    subscript<Value: SQLDecodable>(_ column: String) -> Value {
        get throws {
            guard let index = columns.firstIndex(of: column) else { throw RowDamage("a row without \(column)") }
            return try self[index]
        }
    }

    /// A column's value, by index.
    ///
    /// - Throws: `RowDamage` if the value is of another type.
    subscript<Value: SQLDecodable>(_ index: Int) -> Value {
        get throws {
            guard let value = Value(sqlValue: values[index]) else {
                throw RowDamage("a \(columns[index]) that is no \(Value.self)")
            }
            return value
        }
    }
}
