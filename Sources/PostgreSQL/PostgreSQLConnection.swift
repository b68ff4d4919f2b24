internal import CPostgreSQL

/// One connection.
///
/// All calls block; one thread at a time may use it.
@safe package final class PostgreSQLConnection {
    // Closed by `deinit` and nowhere else.
    let handle: OpaquePointer
    private let preparesStatements: Bool
    /// The names of prepared statements, by text and types of the arguments.
    private var names: [StatementKey: String] = [:]
    private var statementCount = 0
    /// The most prepared statements; beyond that all are dropped, because lists come in many forms.
    private static let maximumStatementCount = 512
    /// The statements without an answer, see ``queue(_:_:isKept:)``.
    var queuedCount = 0
    /// Those of them that libpq has not sent yet.
    var unsentCount = 0
    var unsentByteCount = 0
    /// The marks behind those that were sent.
    var markCount = 0
    /// Whether the last of them ends a transaction, see ``endReading()``.
    var hasUnreadEnd = false
    /// The part of the transaction that the first of them releases, see ``savepoint(_:)``; nil for none.
    var queuedRelease: String?
    /// The parts of the transaction that are open.
    var partDepth = 0
    /// The rows that the last answered statement inserted, updated, deleted or returned.
    package internal(set) var affectedCount = 0

    private struct StatementKey: Hashable {
        let text: String
        let types: [UInt32]
    }

    /// Connects, and applies the session's settings.
    ///
    /// - Throws: `denied` if the server refuses, `untrusted` if this side does, otherwise `unavailable`.
    init(_ settings: ConnectionSettings) throws(PostgreSQLError) {
        let parameters = CStrings(settings.parameters.map(\.keyword))
        let values = CStrings(settings.parameters.map(\.value))
        guard let handle = unsafe PQconnectdbParams(parameters.pointer, values.pointer, 1) else {
            throw PostgreSQLError(.unavailable, "libpq has no memory")
        }
        guard unsafe PQstatus(handle) == CONNECTION_OK else {
            let message = unsafe Self.line(PQerrorMessage(handle))
            unsafe PQfinish(handle)
            let isDenied =
                unsafe !Self.isPassing(message) && PQpingParams(parameters.pointer, values.pointer, 1) == PQPING_OK
            let code = Self.isAboutCertificates(message) ? PostgreSQLError.Code.untrusted : .unavailable
            throw PostgreSQLError(isDenied ? .denied : code, message)
        }
        unsafe self.handle = handle
        preparesStatements = settings.keepsSession
        // Otherwise notices would go to standard error.
        _ = unsafe PQsetNoticeProcessor(handle, { _, _ in }, nil)
        if settings.keepsSession { _ = try run(settings.assignments("SET")) }
    }

    deinit { unsafe PQfinish(handle) }

    /// Whether a connection failed because of certificates, at every address that was tried.
    static func isAboutCertificates(_ message: String) -> Bool {
        let attempts = message.split(separator: "connection to server at")
        return !attempts.isEmpty && attempts.allSatisfy { $0.contains("certificate") }
    }

    /// Whether a connection failed for a temporary reason: a busy server, or one with no connections left.
    ///
    /// libpq provides no SQLSTATE (53300 here) for a failed connection, only its message.
    private static func isPassing(_ message: String) -> Bool {
        ["timeout expired", "too many", "connection slots"].contains { message.contains($0) }
    }

    /// The server's timeline when the connection was opened; a different one means that a standby took over.
    package internal(set) var timeline = ""
    /// Whether commits wait for a standby, so that a failover loses none.
    package internal(set) var hasSynchronousStandbys = false

    /// Whether the connection has ended.
    var isLost: Bool { unsafe PQstatus(handle) != CONNECTION_OK }

    /// Whether no transaction is open; false also while the answer to the end of one is unread.
    var isIdle: Bool { unsafe PQtransactionStatus(handle) == PQTRANS_IDLE }

    /// Runs one statement with `?` or `?1` for its arguments; it is kept if it runs often, so that preparing it is
    /// worth a round trip.
    ///
    /// - Throws: the server's refusal, or `unavailable` if the connection ended.
    @discardableResult
    package func execute(
        _ sql: String,
        _ arguments: [PostgreSQLValue] = [],
        isKept: Bool = false
    ) throws(PostgreSQLError) -> PostgreSQLRows {
        if let rows = try executeQueued(sql, arguments, isKept: isKept) { return rows }
        let name = try preparedName(sql, arguments, isKept: isKept)
        let encoded = try EncodedArguments(arguments)
        let result = unsafe encoded.withPointers { values, lengths, formats in
            let count = Int32(arguments.count)
            if let name { return unsafe PQexecPrepared(handle, name, count, values, lengths, formats, 1) }
            let types = arguments.map(\.typeNumber)
            return unsafe PQexecParams(handle, StatementText.numbered(sql), count, types, values, lengths, formats, 1)
        }
        let rows = try unsafe checked(result)
        affectedCount = rows.affectedCount
        return rows
    }

    /// Runs several statements without arguments, separated by `;`, in one round trip, and returns the rows of the
    /// last, in PostgreSQL's text format.
    ///
    /// - Throws: the first refusal, or `unavailable` if the connection ended.
    @discardableResult
    package func run(_ script: String) throws(PostgreSQLError) -> PostgreSQLRows {
        try settle()
        return try unsafe checked(PQexec(handle, script))
    }

    /// The name of a prepared statement; nil if the statement is not prepared.
    func preparedName(_ sql: String, _ arguments: [PostgreSQLValue], isKept: Bool) throws(PostgreSQLError) -> String? {
        guard arguments.count <= UInt16.max else {
            throw PostgreSQLError(.failed, "\(arguments.count) arguments: at most \(UInt16.max)")
        }
        return isKept && preparesStatements ? try prepared(sql, arguments.map(\.typeNumber)) : nil
    }

    private func prepared(_ sql: String, _ types: [UInt32]) throws(PostgreSQLError) -> String {
        let key = StatementKey(text: sql, types: types)
        if let name = names[key] { return name }
        try settle()
        if names.count >= Self.maximumStatementCount {
            try run("DEALLOCATE ALL")
            names.removeAll(keepingCapacity: true)
        }
        statementCount += 1
        let name = "s\(statementCount)"
        _ = try unsafe checked(PQprepare(handle, name, StatementText.numbered(sql), Int32(types.count), types))
        names[key] = name
        return name
    }

    func failure() -> PostgreSQLError {
        PostgreSQLError(isLost ? .unavailable : .failed, unsafe Self.line(PQerrorMessage(handle)))
    }

    func checked(_ result: OpaquePointer?) throws(PostgreSQLError) -> PostgreSQLRows {
        guard let result = unsafe result else { throw failure() }
        let rows = unsafe PostgreSQLRows(result)
        switch unsafe PQresultStatus(result) {
        case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY: return rows
        default:
            let state = unsafe Self.line(PQresultErrorField(result, Int32(UInt8(ascii: "C"))))
            let code = isLost || state.isEmpty ? PostgreSQLError.Code.unavailable : PostgreSQLError.code(ofState: state)
            let primary = unsafe Self.line(PQresultErrorField(result, Int32(UInt8(ascii: "M"))))
            throw PostgreSQLError(
                code,
                state: state,
                primary.isEmpty ? unsafe Self.line(PQerrorMessage(handle)) : primary
            )
        }
    }

    /// A text from libpq, on one line.
    static func line(_ text: UnsafePointer<CChar>?) -> String {
        guard let text = unsafe text else { return "" }
        return unsafe String(cString: text).split(separator: "\n").map { $0.trimmingPrefix { $0 == "\t" } }
            .joined(separator: "; ")
    }
}

/// C strings for libpq: an array of pointers that ends with null.
@safe private final class CStrings {
    let pointer: UnsafePointer<UnsafePointer<CChar>?>
    private let count: Int

    init(_ texts: [String]) {
        count = texts.count
        let pointers = UnsafeMutablePointer<UnsafePointer<CChar>?>.allocate(capacity: texts.count + 1)
        for (index, text) in texts.enumerated() {
            let bytes = text.utf8CString
            let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
            for (place, byte) in bytes.enumerated() { unsafe copy[place] = byte }
            unsafe pointers[index] = UnsafePointer(copy)
        }
        unsafe pointers[texts.count] = nil
        unsafe pointer = UnsafePointer(pointers)
    }

    deinit {
        for index in 0..<count { unsafe pointer[index]?.deallocate() }
        unsafe pointer.deallocate()
    }
}

/// Arguments in binary, concatenated.
struct EncodedArguments {
    private var bytes: [UInt8] = []
    /// The arguments' ranges; nil for null.
    private var places: [Range<Int>?] = []

    init(_ arguments: [PostgreSQLValue]) throws(PostgreSQLError) {
        for argument in arguments {
            let start = bytes.count
            try argument.encode(into: &bytes)
            places.append(argument == .null ? nil : start..<bytes.count)
        }
        // Even an empty argument needs an address: a null pointer means NULL.
        bytes.append(0)
    }

    /// The bytes of all arguments.
    var byteCount: Int { bytes.count }

    /// Passes libpq's three arrays: addresses, lengths and formats.
    func withPointers<Value>(
        _ body: (UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<Int32>?, UnsafePointer<Int32>?) -> Value
    ) -> Value {
        unsafe bytes.withUnsafeBytes { buffer in
            let base = unsafe buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
            let values: [UnsafePointer<CChar>?] = unsafe places.map { place in
                guard let place, let base = unsafe base else { return nil }
                return unsafe base + place.lowerBound
            }
            let lengths = places.map { Int32($0?.count ?? 0) }
            let formats = [Int32](repeating: 1, count: places.count)
            return unsafe values.withUnsafeBufferPointer { values in
                unsafe lengths.withUnsafeBufferPointer { lengths in
                    unsafe formats.withUnsafeBufferPointer { formats in
                        unsafe body(values.baseAddress, lengths.baseAddress, formats.baseAddress)
                    }
                }
            }
        }
    }
}
