import NIOCore
import NIOEmbedded
import Testing

@testable import LibraryServer

/// How many connections an address may have.
struct AddressConnectionsTests {
    private func connect(_ address: String, _ connections: AddressConnections) throws -> EmbeddedChannel {
        let channel = EmbeddedChannel(handler: AddressConnectionHandler(connections: connections))
        try channel.connect(to: SocketAddress(ipAddress: address, port: 40_000)).wait()
        return channel
    }

    @Test("T53: connections of one address beyond its places are closed, others and this machine's get in")
    func places() throws {
        let connections = AddressConnections(maximumCount: 2)
        let first = try connect("198.51.100.7", connections)
        let second = try connect("198.51.100.7", connections)
        let third = try connect("198.51.100.7", connections)
        #expect(first.isActive && second.isActive && !third.isActive)
        #expect(try connect("198.51.100.8", connections).isActive)
        for _ in 0..<5 { #expect(try connect("127.0.0.1", connections).isActive) }
        _ = try first.finish()
        #expect(try connect("198.51.100.7", connections).isActive)
        #expect(try !connect("198.51.100.7", connections).isActive)
    }
}
