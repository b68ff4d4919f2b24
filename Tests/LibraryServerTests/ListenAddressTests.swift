import Testing

@testable import LibraryServer

/// What whoever starts a server is told of an address that it cannot have.
struct ListenAddressTests {
    @Test("A port that is taken, an address of another machine and an unknown host are told with what to do")
    func refused() async throws {
        try await RunningServer.run { server in
            let error = await #expect(throws: ServerError.self) { try await server.address.probe() }
            #expect(error?.message.contains("\(server.address) is in use") == true)
        }
        for (host, word) in [("192.0.2.1", "has no address"), ("nobody.invalid", "cannot be resolved")] {
            let error = await #expect(throws: ServerError.self) { try await ListenAddress(host: host, port: 1).probe() }
            #expect(error?.message.contains(word) == true && error?.message.contains("server.listen") == true)
        }
    }
}
