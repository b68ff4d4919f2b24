/// Carries one HTTP request to one server and brings its answer back.
///
/// The real one is ``CurlTransport``. Nothing above it knows about sockets, TLS or proxies.
package protocol Transport: Sendable {
    /// Sends a request.
    ///
    /// - Parameter request: what to send; cancelling the task ends the transfer.
    /// - Returns: the final answer, whatever its status; interim answers (1xx) are dropped, redirects are not followed.
    /// - Throws: why there is no answer.
    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse
}

/// One HTTP request to the server that a transport leads to.
package struct TransportRequest: Sendable {
    /// The method (RFC 9110, section 9).
    package var method: String
    /// Path and query, percent-encoded.
    package var target: String
    /// Header fields, without those of the connection and the body's length.
    package var fields: [(name: String, value: String)]
    /// What is sent after the header.
    package var body: RequestBody
    /// A longer answer is refused; bytes of the body.
    package var answerByteLimit: Int
    /// The whole request ends after so long; nil leaves it to the stall limit.
    package var timeout: Duration?
    /// Takes the answer's body piece by piece, on the transport's thread; without it the body is collected.
    package var sink: (@Sendable ([UInt8]) throws -> Void)?
    /// Told how many bytes of the body have been handed to the connection, on the transport's thread.
    package var progress: (@Sendable (Int64) -> Void)?

    /// A request without a body.
    package init(
        _ method: String,
        _ target: String,
        fields: [(name: String, value: String)] = [],
        body: RequestBody = .none,
        answerByteLimit: Int = 8 << 20
    ) {
        self.method = method
        self.target = target
        self.fields = fields
        self.body = body
        self.answerByteLimit = answerByteLimit
    }
}

/// What is sent after a request's header.
package enum RequestBody: Sendable {
    /// Nothing.
    case none
    /// Bytes in memory.
    case bytes([UInt8])
    /// Bytes read while they are sent.
    case source(BodySource)

    /// Bytes in all.
    package var byteCount: Int64 {
        switch self {
        case .none: 0
        case .bytes(let bytes): Int64(bytes.count)
        case .source(let source): source.byteCount
        }
    }
}

/// Bytes of a known length that are read while they are sent.
package struct BodySource: Sendable {
    /// Bytes in all.
    package let byteCount: Int64
    /// Reads up to so many bytes at an offset; blocks, on the transport's own thread; empty only at the end.
    package let read: @Sendable (_ offset: Int64, _ count: Int) throws -> [UInt8]

    /// Describes a source.
    package init(byteCount: Int64, read: @escaping @Sendable (_ offset: Int64, _ count: Int) throws -> [UInt8]) {
        self.byteCount = byteCount
        self.read = read
    }

    /// Several sources one after the other.
    package init(joining parts: [BodySource]) {
        var starts: [Int64] = []
        var total: Int64 = 0
        for part in parts {
            starts.append(total)
            total += part.byteCount
        }
        self.init(byteCount: total) { [starts] offset, count in
            guard let index = starts.lastIndex(where: { $0 <= offset }) else { return [] }
            let within = offset - starts[index]
            let room = Int(min(Int64(count), parts[index].byteCount - within))
            return room > 0 ? try parts[index].read(within, room) : []
        }
    }

    /// Bytes in memory.
    package init(_ bytes: [UInt8]) {
        self.init(byteCount: Int64(bytes.count)) { offset, count in
            let start = Int(min(max(0, offset), Int64(bytes.count)))
            return Array(bytes[start..<min(bytes.count, start + count)])
        }
    }
}

/// The answer to a request.
package struct TransportResponse: Sendable {
    /// The HTTP status.
    package var status: Int
    /// Header fields as they came.
    package var fields: [(name: String, value: String)]
    /// The body; empty when a sink took it.
    package var body: [UInt8]

    package init(status: Int, fields: [(name: String, value: String)] = [], body: [UInt8] = []) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// A field's value, several of one name joined by commas; nil for none.
    ///
    /// Names are compared without case.
    package func field(_ name: String) -> String? {
        let name = name.lowercased()
        let values = fields.filter { $0.name.lowercased() == name }.map(\.value)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }
}

/// Why there is no answer.
package struct TransportError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of failure.
    package enum Code: String, Hashable, Sendable {
        /// No connection: name, route, refusal, or proxy.
        case unreachable
        /// The server is not the one that was pinned, or does not take our certificate; nothing was sent.
        case untrusted
        /// It took too long.
        case timedOut
        /// The connection broke after the request had begun.
        case interrupted
        /// The task was cancelled.
        case cancelled
        /// The answer is beyond its limit.
        case answerTooLarge
        /// The body could not be read, or the answer not be taken, on this side.
        case localFailure
    }

    /// The kind of failure.
    package let code: Code
    /// What happened.
    package let message: String

    /// Describes a failure.
    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// Kind and message.
    package var description: String { "\(code.rawValue): \(message)" }
}
