import Dispatch
import Glibc

/// A dedicated connection that listens for notices on one channel, and sends them.
///
/// Notices are hints: one is lost whenever a connection ends, and any session of the database may send one.
package final class NoticeListener: @unchecked Sendable {
    // Guarded by `queue`: the source's handlers and `notify` run there, and nothing else uses the connection after `init`.
    private let connection: PostgreSQLConnection
    private let queue = DispatchQueue(label: "tintype.notices")
    private let source: any DispatchSourceRead
    private let channel: String
    private let continuation: AsyncStream<String>.Continuation
    /// Payloads from other sessions, as they arrive; ends with the connection.
    ///
    /// For a single reader; at most the newest 1,024 are buffered.
    package let notices: AsyncStream<String>
    private static let maximumWaitingCount = 1024
    /// PostgreSQL's limit for the bytes of a name.
    private static let maximumNameByteCount = 63

    /// Connects and listens to a channel, of whose ASCII name only the first 63 bytes count; not through a pooler that
    /// gives each transaction another connection.
    ///
    /// Blocks.
    ///
    /// - Throws: `denied` if the server refuses, `unavailable` if it cannot be reached.
    package init(_ settings: ConnectionSettings, channel: String) throws(PostgreSQLError) {
        self.channel = String(channel.prefix(Self.maximumNameByteCount))
        let connection = try PostgreSQLConnection(settings)
        // Lets administrators find the session by name.
        try connection.run("SET application_name = \"\(self.channel)\"; LISTEN \"\(self.channel)\"")
        self.connection = connection
        (notices, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(Self.maximumWaitingCount))
        // A duplicate: libpq closes its descriptor when the connection ends, and the number could then be reused.
        let descriptor = dup(connection.socket)
        guard descriptor >= 0 else {
            throw PostgreSQLError(.unavailable, "no descriptor is left to watch a connection")
        }
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setEventHandler { [weak self] in self?.receive() }
        source.setCancelHandler { _ = Glibc.close(descriptor) }
        source.resume()
    }

    deinit { close() }

    /// Sends a payload of at most 7,999 bytes to all listeners on the channel, in its own transaction.
    ///
    /// - Throws: `unavailable` if the connection has ended.
    package func notify(_ payload: String) async throws {
        _ = try await withCheckedThrowingContinuation { continuation in
            queue.async { [self] in
                continuation.resume(
                    with: Result {
                        try connection.execute("SELECT pg_notify(?, ?)", [.text(channel), .text(payload)])
                    }
                )
                // Notices that arrived with the response no longer make the descriptor readable.
                receive()
            }
        }
    }

    /// Ends the notices; the connection ends with the listener.
    package func close() {
        source.cancel()
        continuation.finish()
    }

    private func receive() {
        do {
            for payload in try connection.arrivedNotices() { continuation.yield(payload) }
        } catch {
            close()
        }
    }
}
