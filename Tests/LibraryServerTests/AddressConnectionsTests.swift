import NIOCore
import NIOEmbedded
import PhotoModel
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
        for address in ["127.0.0.1", "::1", "::ffff:127.0.0.1"] {
            for _ in 0..<5 { #expect(try connect(address, connections).isActive, "\(address)") }
        }
        _ = try first.finish()
        #expect(try connect("198.51.100.7", connections).isActive)
        #expect(try !connect("198.51.100.7", connections).isActive)
    }

    @Test("T77: addresses of an IPv6 network of 64 bits share its places; an IPv4 address within IPv6 is itself")
    func networks() throws {
        let connections = AddressConnections(maximumCount: 2)
        let channels = try ["2001:db8:1:2::1", "2001:db8:1:2:ffff::9", "2001:db8:1:2:3:4:5:6"].map {
            try connect($0, connections)
        }
        #expect(channels.map(\.isActive) == [true, true, false])
        #expect(try connect("2001:db8:1:3::1", connections).isActive)
        _ = try channels[0].finish()
        #expect(try connect("2001:db8:1:2::7", connections).isActive, "its place is the network's")
        let mapped = try ["::ffff:198.51.100.7", "198.51.100.7", "::ffff:198.51.100.7"].map {
            try connect($0, connections)
        }
        #expect(mapped.map(\.isActive) == [true, true, false])
        #expect(try connect("::ffff:198.51.100.8", connections).isActive)
    }

    @Test("T77: all addresses of an IPv6 network of 64 bits share the requests that a stranger may send")
    func networkRequests() {
        let limit = AddressLimit(perMinute: 2)
        let start = WallTime(millisecondsSince1970: 1_000_000)
        let waits = ["2001:db8::1", "2001:db8::2:3:4:5", "2001:db8::9"].map { limit.wait(for: $0, at: start) }
        #expect(waits == [nil, nil, 30])
        #expect(limit.wait(for: "2001:db8:0:1::1", at: start) == nil)
        let mapped = ["198.51.100.7", "::ffff:198.51.100.7", "198.51.100.7"].map { limit.wait(for: $0, at: start) }
        #expect(mapped == [nil, nil, 30])
        for host in 0..<20_000 { _ = limit.wait(for: "2001:db8:7::\(String(host, radix: 16))", at: start) }
        #expect(limit.wait(for: "2001:db8:8::1", at: start) == nil, "one network does not fill the buckets")
    }

    /// This machine's own address on a network, whose connections are counted as another machine's.
    private static let ownAddress: String? = {
        let addresses = (try? System.enumerateDevices().compactMap(\.address)) ?? []
        return addresses.first { $0.protocol == .inet && $0.ipAddress?.hasPrefix("127.") == false }?.ipAddress
    }()

    @Test(
        "T53: the server itself serves no more connections of an address than are set",
        .enabled(if: ownAddress != nil, "this machine is on no network")
    )
    func served() async throws {
        let address = try #require(Self.ownAddress)
        let flags = ["server.listen=0.0.0.0:0", "server.hosts=127.0.0.1,\(address)", "server.connectionsPerAddress=1"]
        try await RunningServer.run(flags: flags) { server in
            let request = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"
            let first = try await RawConnection.open(to: server, at: address)
            try await first.send(request)
            #expect(try await first.waits(for: "200 OK"))
            let second = try await RawConnection.open(to: server, at: address)
            try? await second.send(request)
            #expect(try await !second.waits(for: "200 OK"), "a second connection is served")
            await first.close()
            await second.close()
        }
    }
}
