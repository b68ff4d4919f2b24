import NIOCore
import Synchronization

/// Accepted connections that nobody serves yet.
///
/// NIO ends the process if an asynchronous channel is dropped instead of served or closed, and drops those accepted
/// while the listener is closing. So each is kept here from its creation until it is taken.
final class AcceptedConnections<Connection: Sendable>: Sendable {
    private struct State {
        var waiting: [ObjectIdentifier: Connection] = [:]
        var isClosed = false
    }

    private let state = Mutex(State())

    /// Creates a connection and keeps it.
    ///
    /// - Throws: `ChannelError.eof` after ``close()``, and what `make` throws.
    func add(_ channel: any Channel, _ make: () throws -> Connection) throws -> Connection {
        try state.withLock { state in
            guard !state.isClosed else { throw ChannelError.eof }
            let connection = try make()
            state.waiting[ObjectIdentifier(channel)] = connection
            return connection
        }
    }

    /// Hands over a connection to be served.
    func take(_ channel: any Channel) {
        state.withLock { state in _ = state.waiting.removeValue(forKey: ObjectIdentifier(channel)) }
    }

    /// Stops accepting, and hands over the untaken ones.
    func close() -> [Connection] {
        state.withLock { state in
            defer { state.waiting = [:] }
            state.isClosed = true
            return Array(state.waiting.values)
        }
    }
}
