import LibraryAPI
import PhotoModel
import Testing

@testable import LibraryServer

/// Peers that keep connections busy without getting on are cut, over real TLS.
struct SlowPeerTests {
    // The tests' own honest clients have no more time than the slow ones.
    private static let flags = ["server.slowTimeoutSeconds=3", "server.minimumBytesPerSecond=2000"]

    @Test("T40: a header that drips in, byte by byte, is cut, and the server goes on")
    func drippingHeader() async throws {
        try await RunningServer.run(flags: Self.flags) { server in
            let connection = try await RawConnection.open(to: server)
            try await connection.send("GET /healthz HTTP/1.1\r\nHost: a\r\nX-Slow: ")
            #expect(try await connection.dripUntilClosed())
            #expect(await health(of: server) == 200)
        }
    }

    @Test("T40: a body that drips in is answered with 408 and when to come back")
    func drippingBody() async throws {
        try await RunningServer.run(flags: Self.flags) { server in
            let connection = try await RawConnection.open(to: server)
            try await connection.send(
                "POST /v1/enrollments HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 8000\r\n\r\n"
            )
            async let closed = connection.dripUntilClosed()
            #expect(try await connection.waits(for: "request.too_slow"))
            #expect(connection.text.contains("HTTP/1.1 408"))
            await connection.close()
            #expect(try await closed)
        }
    }

    @Test("T40: a reader that never reads is cut, and what was kept for it is given up")
    func reader() async throws {
        try await RunningServer.run(flags: Self.flags + ["server.slowTimeoutSeconds=20"]) { server in
            let device = try await TestDevice.enroll(at: server, maximum: "readWrite")
            let photo = try TestPhoto(bytes: Array(repeating: 7, count: 24 << 20))
            try await device.call(server) { client in _ = try await client.save(photo) }
            let connection = try await RawConnection.open(to: server, as: device)
            try await connection.send("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await connection.waits(for: "200 OK"))
            try await connection.stopReading()
            let path = "/v1/assets/\(photo.manifest.id)/resources/\(photo.resource.id)"
            // On a busy machine it is cut before it has asked three times.
            for _ in 0..<3 { try? await connection.send("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n") }
            #expect(try await activeRequests(of: server) { $0 > 0 })
            #expect(try await activeRequests(of: server) { $0 == 0 })
            await connection.close()
        }
    }

    @Test("T40, T53: more connections than the server takes wait, and get their turn when the idle ones are cut")
    func crowd() async throws {
        try await RunningServer.run(flags: Self.flags + ["server.maximumConnections=20"]) { server in
            var crowd: [RawConnection] = []
            for _ in 0..<60 { crowd.append(try await RawConnection.open(to: server)) }
            #expect(await health(of: server) == 200)
            for connection in crowd { await connection.close() }
        }
    }

    @Test("a body is measured over the time in which it was waited for, and never for ours")
    func meter() {
        var meter = PaceMeter(pace: BodyPace(bytesPerSecond: 100, span: .seconds(10)))
        let verdicts = [(1, 9), (2000, 2), (999, 9), (0, 1)].map { meter.take($0, after: .seconds($1)) }
        #expect(verdicts == [false, false, false, true])
        var free = PaceMeter(pace: BodyPace(bytesPerSecond: 0, span: .seconds(1)))
        let isTooSlow = free.take(1, after: .seconds(1000))
        #expect(!isTooSlow)
    }

    /// What a new client is answered; one whose turn comes late may itself be taken for a slow one, and asks again.
    private func health(of server: RunningServer) async -> Int? {
        var status: Int?
        for _ in 0..<10 where status == nil {
            status = try? await server.withClient { try await $0.send("GET", "/healthz").status }
        }
        return status
    }

    /// Asks for the metrics until the number of requests of devices that are being answered is as wanted.
    private func activeRequests(of server: RunningServer, _ isWanted: (Double) -> Bool) async throws -> Bool {
        let name = "tintype_server_active_device_requests "
        return try await server.withOperator { admin in
            for _ in 0..<1200 {
                let lines = try await admin.send("GET", "/metrics").text.split(separator: "\n")
                let value = lines.first { $0.hasPrefix(name) }.flatMap { Double($0.dropFirst(name.count)) }
                if let value, isWanted(value) { return true }
                try await Task.sleep(for: .milliseconds(50))
            }
            return false
        }
    }
}
