import NIOCore
import Synchronization

/// Connections that were accepted and that nobody serves yet.
///
/// NIO ends the process for an asynchronous channel that is dropped instead of served or closed, and drops those that it
/// accepted while the listener was being closed. So each is kept here from its making until it is taken.
final class AcceptedConnections<Connection: Sendable>: Sendable {
    private struct State {
        var waiting: [ObjectIdentifier: Connection] = [:]
        var isClosed = false
    }

    private let state = Mutex(State())

    /// Makes a connection and keeps it.
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

    /// Hands a connection over to whoever serves it.
    func take(_ channel: any Channel) {
        state.withLock { state in _ = state.waiting.removeValue(forKey: ObjectIdentifier(channel)) }
    }

    /// Takes no more in, and hands over what nobody took.
    func close() -> [Connection] {
        state.withLock { state in
            defer { state.waiting = [:] }
            state.isClosed = true
            return Array(state.waiting.values)
        }
    }
}
