internal import CPostgreSQL

/// The result of a statement: its rows, all in memory, decoded on access.
///
/// It never changes, so any thread may read it.
@safe package final class PostgreSQLRows: @unchecked Sendable {
    // Freed by `deinit` and nowhere else; libpq only reads it after it was created.
    private let result: OpaquePointer
    /// The number of rows.
    package let count: Int

    /// Takes ownership of libpq's result.
    init(_ result: OpaquePointer) {
        unsafe self.result = result
        count = Int(unsafe PQntuples(result))
    }

    deinit { unsafe PQclear(result) }

    /// Rows inserted, updated or deleted; for a query, its rows.
    package var affectedCount: Int { Int(unsafe String(cString: PQcmdTuples(result))) ?? 0 }

    /// The command that the server ran, for example `COMMIT`.
    var command: String { unsafe String(cString: PQcmdStatus(result)) }

    /// The number of columns.
    package var columnCount: Int { Int(unsafe PQnfields(result)) }

    /// A column's name.
    package func name(ofColumn column: Int) -> String {
        guard 0..<columnCount ~= column, let name = unsafe PQfname(result, Int32(column)) else { return "" }
        return unsafe String(cString: name)
    }

    /// A value.
    ///
    /// - Throws: `damaged` or `failed` if it cannot be decoded.
    package func value(_ row: Int, _ column: Int) throws(PostgreSQLError) -> PostgreSQLValue {
        var value: Result<PostgreSQLValue, PostgreSQLError> = .success(.null)
        withBytes(row, column) { bytes, type in
            value = Result { () throws(PostgreSQLError) in try PostgreSQLValue(type: type, bytes) }
        }
        return try value.get()
    }

    /// Passes a value's bytes and its type's number; does not call the body for null.
    ///
    /// Text is UTF-8; everything else is in PostgreSQL's binary format.
    package func withBytes(_ row: Int, _ column: Int, _ body: (RawSpan, UInt32) -> Void) {
        precondition(0..<count ~= row && 0..<columnCount ~= column, "a place within the result")
        let (row, column) = (Int32(row), Int32(column))
        guard unsafe PQgetisnull(result, row, column) == 0, let value = unsafe PQgetvalue(result, row, column) else {
            return
        }
        let bytes = unsafe UnsafeRawBufferPointer(start: value, count: Int(PQgetlength(result, row, column)))
        unsafe body(bytes.bytes, PQftype(result, column))
    }
}
