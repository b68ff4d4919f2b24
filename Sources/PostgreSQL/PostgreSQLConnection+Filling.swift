internal import CPostgreSQL

extension PostgreSQLConnection {
    /// The bytes sent per call.
    private static let sentByteCount = 64 << 10

    /// Fills a table with many rows, by `COPY` in its binary format, within the open transaction, and returns their
    /// number.
    ///
    /// See https://www.postgresql.org/docs/current/sql-copy.html. Every value must be of its column's type: nothing is
    /// cast. The table and its columns are as SQL names them; each row has one value per column.
    ///
    /// - Throws: what `next` throws; the server's refusal, or `unavailable` if the connection ended.
    package func fill(_ table: String, _ columns: [String], next: () throws -> [PostgreSQLValue]?) throws -> Int {
        let names = columns.joined(separator: ", ")
        try settle()
        let begun = unsafe PQexec(handle, "COPY \(table) (\(names)) FROM STDIN (FORMAT binary)")
        guard unsafe PQresultStatus(begun) == PGRES_COPY_IN else {
            _ = try unsafe checked(begun)
            throw PostgreSQLError(.failed, "the server accepts no rows into \(table)")
        }
        unsafe PQclear(begun)
        var count = 0
        do {
            // The signature, no flags, and no extension of the header.
            var bytes = Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0] + [UInt8](repeating: 0, count: 8)
            while let row = try next() {
                bytes.append(bigEndian: UInt64(row.count), byteCount: 2)
                for value in row { try Self.append(value, to: &bytes) }
                count += 1
                if bytes.count >= Self.sentByteCount {
                    try send(bytes)
                    bytes.removeAll(keepingCapacity: true)
                }
            }
            // The end marker, in place of a column count.
            try send(bytes + [0xFF, 0xFF])
        } catch {
            _ = unsafe PQputCopyEnd(handle, "given up")
            _ = try? results()
            throw error
        }
        guard unsafe PQputCopyEnd(handle, nil) == 1 else { throw failure() }
        let taken = try results()
        guard taken == count else {
            throw PostgreSQLError(.damaged, "the server stored \(taken) of \(count) rows in \(table)")
        }
        return count
    }

    private static func append(_ value: PostgreSQLValue, to bytes: inout [UInt8]) throws(PostgreSQLError) {
        guard value != .null else { return bytes.append(bigEndian: UInt64(UInt32.max), byteCount: 4) }
        let start = bytes.count
        bytes.append(bigEndian: 0, byteCount: 4)
        try value.encode(into: &bytes)
        let length = UInt32(bytes.count - start - 4)
        for index in 0..<4 { bytes[start + index] = UInt8(truncatingIfNeeded: length >> (24 - 8 * UInt32(index))) }
    }

    private func send(_ bytes: [UInt8]) throws(PostgreSQLError) {
        let isSent = unsafe bytes.withUnsafeBytes { buffer in
            unsafe PQputCopyData(handle, buffer.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(buffer.count))
                == 1
        }
        guard isSent else { throw failure() }
    }

    /// Reads the server's final answer; returns the number of rows stored.
    private func results() throws(PostgreSQLError) -> Int {
        var count = 0
        var problem: PostgreSQLError?
        while let result = unsafe PQgetResult(handle) {
            do throws(PostgreSQLError) {
                count += try unsafe checked(result).affectedCount
            } catch {
                problem = problem ?? error
            }
        }
        if let problem { throw problem }
        return count
    }
}

extension [UInt8] {
    fileprivate mutating func append(bigEndian value: UInt64, byteCount: Int) {
        for place in stride(from: 8 * (byteCount - 1), through: 0, by: -8) {
            append(UInt8(truncatingIfNeeded: value >> UInt64(place)))
        }
    }
}
