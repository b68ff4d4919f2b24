import LibraryAPI
package import LibraryClient
import Synchronization

/// A transport that picks up a new certificate without a restart, whichever program on this box stored it.
package final class RenewingTransport: Transport {
    private struct State {
        var transport: any Transport
        var version: String?
    }

    private let version: @Sendable () throws -> String?
    private let make: @Sendable () throws -> any Transport
    private let state: Mutex<State>

    /// Wraps the transport that a closure makes from the stored state, such as the certificates, again for each
    /// `version`.
    package init(
        version: @escaping @Sendable () throws -> String?,
        make: @escaping @Sendable () throws -> any Transport
    ) throws {
        self.version = version
        self.make = make
        // Read first: a change in between is then picked up twice rather than never.
        let read = try version()
        state = Mutex(State(transport: try make(), version: read))
    }

    /// Sends a request over the newest transport; running ones finish over theirs.
    package func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        let transport = state.withLock { $0.transport }
        return try await transport.send(request)
    }

    /// Picks up the stored state if it has changed; blocks.
    package func renew() throws {
        let stored = try version()
        guard state.withLock({ $0.version != stored }) else { return }
        let fresh = try make()
        state.withLock { $0 = State(transport: fresh, version: stored) }
    }
}
