import LibraryAPI
package import LibraryClient
import Synchronization

/// A transport that takes up a new certificate without a restart, whoever on this box has stored it.
package final class RenewingTransport: Transport {
    private struct State {
        var transport: any Transport
        var version: String?
    }

    private let version: @Sendable () throws -> String?
    private let make: @Sendable () throws -> any Transport
    private let state: Mutex<State>

    /// A transport over the one that a closure makes.
    ///
    /// - Parameters:
    ///   - version: what is stored now, such as the certificates.
    ///   - make: makes a transport of what is stored now.
    /// - Throws: what the closures throw.
    package init(
        version: @escaping @Sendable () throws -> String?,
        make: @escaping @Sendable () throws -> any Transport
    ) throws {
        self.version = version
        self.make = make
        // Read first: what is stored in between is then taken up once more, rather than never.
        let read = try version()
        state = Mutex(State(transport: try make(), version: read))
    }

    /// Sends a request over the newest transport; those that are under way end over theirs.
    package func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        let transport = state.withLock { $0.transport }
        return try await transport.send(request)
    }

    /// Takes up what is stored now, where it is something else; blocks.
    package func renew() throws {
        let stored = try version()
        guard state.withLock({ $0.version != stored }) else { return }
        let fresh = try make()
        state.withLock { $0 = State(transport: fresh, version: stored) }
    }
}
