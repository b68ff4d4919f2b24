/// Sends one HTTP request to one server and returns its response.
///
/// The real one is ``CurlTransport``. Nothing above it knows about sockets, TLS or proxies.
package protocol Transport: Sendable {
    /// Sends a request.
    ///
    /// - Parameter request: the request; cancelling the task ends the transfer.
    /// - Returns: the final response, whatever its status; interim responses (1xx) are dropped, redirects are not
    ///   followed.
    /// - Throws: why there is no response.
    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse
}

/// One HTTP request to a transport's server.
package struct TransportRequest: Sendable {
    /// The method (RFC 9110, section 9).
    package var method: String
    /// Path and query, percent-encoded.
    package var target: String
    /// Header fields, except the connection's and the body's length.
    package var fields: [(name: String, value: String)]
    /// The request body.
    package var body: RequestBody
    /// The maximum size of the response body; longer ones are refused.
    package var answerByteLimit: Int
    /// The time limit of the whole request; nil leaves it to the stall limit.
    package var timeout: Duration?
    /// Whether a connection closed before the answer ends the request; otherwise it may be sent again on another one.
    package var isSentOnce = false
    /// Receives the response body in chunks, on the transport's thread; without it the body is collected.
    package var sink: (@Sendable ([UInt8]) throws -> Void)?
    /// Receives the number of body bytes handed to the connection, on the transport's thread.
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

/// The body of a request.
package enum RequestBody: Sendable {
    /// Nothing.
    case none
    /// Bytes in memory.
    case bytes([UInt8])
    /// Bytes read while sending.
    case source(BodySource)

    /// The total number of bytes.
    package var byteCount: Int64 {
        switch self {
        case .none: 0
        case .bytes(let bytes): Int64(bytes.count)
        case .source(let source): source.byteCount
        }
    }
}

/// Bytes of known length that are read while sending.
package struct BodySource: Sendable {
    /// The total number of bytes.
    package let byteCount: Int64
    /// Reads up to `count` bytes at an offset; blocks, on the transport's own thread; empty only at the end.
    package let read: @Sendable (_ offset: Int64, _ count: Int) throws -> [UInt8]

    /// Describes a source.
    package init(byteCount: Int64, read: @escaping @Sendable (_ offset: Int64, _ count: Int) throws -> [UInt8]) {
        self.byteCount = byteCount
        self.read = read
    }

    /// Concatenates several sources; small ones are read together, since each read costs the transport a TLS record and
    /// a system call, and the server as much.
    package init(joining parts: [BodySource]) {
        var starts: [Int64] = []
        var total: Int64 = 0
        for part in parts {
            starts.append(total)
            total += part.byteCount
        }
        self.init(byteCount: total) { [starts] offset, count in
            guard let first = starts.lastIndex(where: { $0 <= offset }) else { return [] }
            var bytes: [UInt8] = []
            for (part, start) in zip(parts[first...], starts[first...]) where bytes.count < count {
                let within = offset + Int64(bytes.count) - start
                let wanted = Int(min(Int64(count - bytes.count), part.byteCount - within))
                guard wanted > 0 else { continue }
                let read = try part.read(within, wanted)
                bytes += read
                // What is missing here must not be filled with the next source's bytes.
                guard read.count == wanted else { break }
            }
            return bytes
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

/// The response to a request.
package struct TransportResponse: Sendable {
    /// The HTTP status.
    package var status: Int
    /// The header fields as received.
    package var fields: [(name: String, value: String)]
    /// The body; empty if a sink received it.
    package var body: [UInt8]

    package init(status: Int, fields: [(name: String, value: String)] = [], body: [UInt8] = []) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// A field's value, with repeated fields joined by commas; nil if absent.
    ///
    /// Names are case-insensitive.
    package func field(_ name: String) -> String? {
        let name = name.lowercased()
        let values = fields.filter { $0.name.lowercased() == name }.map(\.value)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }
}

/// Why there is no response.
package struct TransportError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of failure.
    package enum Code: String, Hashable, Sendable {
        /// No connection: name, route, refusal, or proxy.
        case unreachable
        /// The server is not the pinned one, or does not accept our certificate; nothing was sent.
        case untrusted
        /// It took too long.
        case timedOut
        /// The connection broke after the request had started.
        case interrupted
        /// The task was cancelled.
        case cancelled
        /// The response exceeds its limit.
        case answerTooLarge
        /// The body could not be read, or the response not be stored, on this side.
        case localFailure
    }

    /// The kind of failure.
    package let code: Code
    /// What happened.
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// Kind and message.
    package var description: String { "\(code.rawValue): \(message)" }
}
