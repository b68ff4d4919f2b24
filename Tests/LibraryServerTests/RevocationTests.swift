import Foundation
import LibraryAPI
import PhotoModel
import Testing

@testable import LibraryServer

/// What a revoked device can still do: nothing.
struct RevocationTests {
    @Test("T17: a revocation closes the device's thousand streams within 5 s, and refuses its next request")
    func thousandStreams() async throws {
        let count = 1000
        // Both ends of every connection are in this process.
        try #require(OpenFileLimit.raise() >= 2 * count + 500, "the system's limit of open files is too low")
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server, maximum: "readWrite")
            try await device.call(server, connections: count + 1) { client in
                let clock = ContinuousClock()
                let begin = clock.now
                let (opened, continuation) = AsyncStream.makeStream(of: Void.self)
                var openings = opened.makeAsyncIterator()
                try await withThrowingTaskGroup(of: Bool.self) { group in
                    for index in 0..<count {
                        group.addTask {
                            do {
                                return try await client.streamEnds(at: "/v1/changes/stream") { continuation.yield() }
                            } catch {
                                continuation.finish()
                                throw error
                            }
                        }
                        // A few handshakes at a time, since each has its own time.
                        if index >= 16 { await openings.next() }
                    }
                    try await waitForStreams(count, at: server)
                    let opening = clock.now - begin
                    try await revoke("\(device.id)", at: server)
                    let answered = clock.now
                    for try await ended in group { #expect(ended) }
                    // Both ends are here: a machine that opens the streams slowly also sees their ends late.
                    #expect(clock.now - answered < min(max(.seconds(5), opening * 2), .seconds(60)))
                }
                let next = try await untilAnswered { try await client.send("GET", "/v1/assets") }
                #expect(try next.json(ProblemDetails.self).code == .identityRevoked)
                let state = try await client.send("GET", "/v1/identity/state").json(IdentityState.self)
                #expect(state.state == .revoked)
            }
        }
    }

    @Test("T17: of the requests that a device makes all the time, none that begins after its revocation is let in")
    func requestsMeanwhile() async throws {
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server, maximum: "readWrite")
            try await device.call(server) { client in
                let (letIn, continuation) = AsyncStream.makeStream(of: Void.self)
                try await withThrowingTaskGroup(of: Bool.self) { group in
                    for _ in 0..<8 {
                        group.addTask {
                            for _ in 0..<100_000 {
                                // A connection that is closed under its request is a refusal too.
                                let status = try? await client.send("GET", "/v1/assets").status
                                guard status == 200 else { return true }
                                continuation.yield()
                            }
                            return false
                        }
                    }
                    for await _ in letIn.prefix(20) {}
                    try await revoke("\(device.id)", at: server)
                    // The promise is 1 s; the decision is read with every request, so that it holds at once.
                    for _ in 0..<40 {
                        let answer = try await untilAnswered { try await client.send("GET", "/v1/assets") }
                        #expect(try answer.json(ProblemDetails.self).code == .identityRevoked)
                    }
                    for try await isRefused in group { #expect(isRefused) }
                }
            }
        }
    }

    private func revoke(_ device: String, at server: RunningServer) async throws {
        let revoked = try await server.withOperator { admin in
            let path = "/v1/admin/devices/\(device)/revoke"
            return try await admin.send("POST", path, json: StateChangeRequest(reason: "stolen"))
        }
        #expect(revoked.status == 200, "\(revoked.text)")
    }

    /// Asks for the metrics until so many requests of devices are being answered.
    private func waitForStreams(_ count: Int, at server: RunningServer) async throws {
        try await server.withOperator { admin in
            for _ in 0..<20_000 {
                let text = try await admin.send("GET", "/metrics").text
                if text.contains("tintype_server_active_device_requests \(count).0") { return }
            }
            Issue.record("the streams did not open")
        }
    }
}
