import LibraryAPI
package import LibraryClient
import Synchronization

/// A transport that takes up a new certificate without a restart.
package final class RenewingTransport: Transport {
    private let make: @Sendable () throws -> any Transport
    private let current: Mutex<any Transport>

    /// A transport over the one that a closure makes.
    ///
    /// - Parameter make: makes a transport of what is stored now.
    /// - Throws: what the closure throws.
    package init(_ make: @escaping @Sendable () throws -> any Transport) throws {
        self.make = make
        current = Mutex(try make())
    }

    /// Sends a request over the newest transport; those that are under way end over theirs.
    package func send(_ request: TransportRequest) async throws(TransportError) -> TransportAnswer {
        let transport = current.withLock { $0 }
        return try await transport.send(request)
    }

    /// Takes up what is stored now.
    package func renew() throws {
        let fresh = try make()
        current.withLock { $0 = fresh }
    }
}
