import Authorization
import DeviceIdentity
import Foundation
import LibraryAPI
import LibraryStore
import PhotoModel
import Synchronization
import Testing

@testable import LibraryServer

/// What a revoked device can still do: nothing.
struct RevocationTests {
    @Test("T56: a stream ends by itself with the certificate that opened it, not with its next sign of life")
    func expiredStream() async throws {
        let folder = try TemporaryFolder()
        var enrolled: TestDevice?
        try await RunningServer.run(in: folder.path) { server in
            enrolled = try await TestDevice.enroll(at: server, maximum: "readWrite")
        }
        let device = try #require(enrolled)
        // The server's clock stands a second before the certificate's end: no check of the time ends the stream.
        let time = device.certificate.notAfter.advanced(by: .seconds(-1))
        let interval = TestClient.patientInterval
        try await RunningServer.run(in: folder.path, streamInterval: interval, now: { time }) { server in
            let (opened, continuation) = AsyncStream.makeStream(of: Void.self)
            try await withThrowingTaskGroup(of: Bool.self) { group in
                // One that has no end, and is older, gives its second sign before the other one could.
                group.addTask {
                    try await server.withOperator { admin in
                        try await admin.streamEndsSilently(at: "/v1/changes/stream") { continuation.finish() }
                    }
                }
                for await _ in opened {}
                group.addTask {
                    try await device.call(server) { try await $0.streamEndsSilently(at: "/v1/changes/stream") }
                }
                let hasEnded = try await group.next()
                #expect(hasEnded == true)
                group.cancelAll()
            }
        }
    }

    @Test("T186: a wait ends with the certificate that opened it, with 401")
    func expiredWait() async throws {
        let folder = try TemporaryFolder()
        var enrolled: TestDevice?
        var version: UInt64 = 0
        try await RunningServer.run(in: folder.path) { server in
            let device = try await TestDevice.enroll(at: server, maximum: "readWrite")
            version = try await device.call(server) { client in
                try await client.send("GET", "/v1/authorization").json(AuthorizationResponse.self).grantVersion
            }
            enrolled = device
        }
        let device = try #require(enrolled)
        let ahead = device.certificate.notAfter.duration(since: ServerEnvironment.systemTime()) - .seconds(3)
        let path = "/v1/authorization?after=\(version)&wait=\(APILimits.changeWaitSeconds)"
        let now: @Sendable () -> WallTime = { ServerEnvironment.systemTime().advanced(by: ahead) }
        try await RunningServer.run(in: folder.path, now: now) { server in
            let answer = try await device.call(server) { try await $0.send("GET", path) }
            #expect(answer.status == 401, "\(answer.text)")
            #expect(try answer.json(ProblemDetails.self).code == .identityExpired)
        }
    }

    @Test("T56: a download ends when its certificate expires")
    func expiredDownload() async throws {
        let folder = try TemporaryFolder()
        let photo = try TestPhoto(bytes: Array(repeating: 7, count: 32 << 20))
        var enrolled: TestDevice?
        try await RunningServer.run(in: folder.path) { server in
            let device = try await TestDevice.enroll(at: server, maximum: "readWrite")
            _ = try await device.call(server) { try await $0.save(photo) }
            enrolled = device
        }
        let device = try #require(enrolled)
        let clock = Mutex(ServerEnvironment.systemTime())
        try await RunningServer.run(in: folder.path, now: { clock.withLock(\.self) }) { server in
            let path = "/v1/assets/\(photo.manifest.id)/resources/\(photo.resource.id)"
            let count = try await device.call(server) { client in
                try await client.received(at: path) {
                    clock.withLock { $0 = device.certificate.notAfter.advanced(by: .seconds(1)) }
                }
            }
            #expect(count < photo.bytes.count)
        }
    }

    @Test("T17, T55: a revocation closes all streams that a device may have within 5 s, and refuses its next request")
    func allStreams() async throws {
        let count = APILimits.waitsPerDevice
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server, maximum: "readWrite")
            try await device.call(server, connections: count + 1) { client in
                let clock = ContinuousClock()
                let begin = clock.now
                let (opened, continuation) = AsyncStream.makeStream(of: Void.self)
                try await withThrowingTaskGroup(of: Bool.self) { group in
                    for _ in 0..<count {
                        group.addTask {
                            do {
                                return try await client.streamEnds(at: "/v1/changes/stream") { continuation.yield() }
                            } catch {
                                continuation.finish()
                                throw error
                            }
                        }
                    }
                    for await _ in opened.prefix(count) {}
                    try await waitForStreams(count, at: server)
                    let surplus = try await client.send("GET", "/v1/changes/stream")
                    #expect(try surplus.json(ProblemDetails.self).code == .slowDown)
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
                    for _ in 0..<APILimits.listsPerDevice / 2 {
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

    @Test("T67: a stream whose device was revoked ends at a later look, although no server closed it")
    func unheardDecision() async throws {
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server, maximum: "readWrite")
            let camera = try await TestDevice.enroll(at: server)
            try await device.call(server) { client in
                let (opened, continuation) = AsyncStream.makeStream(of: Void.self)
                try await withThrowingTaskGroup(of: Bool.self) { group in
                    group.addTask {
                        try await client.streamEnds(at: "/v1/changes/stream") { continuation.finish() }
                    }
                    for await _ in opened {}
                    // As on another server whose closure is lost.
                    _ = try await server.environment.store.metadata.decide(
                        device.id,
                        .state(.revoked(wipe: false)),
                        by: .administrator("ana"),
                        reason: "stolen",
                        audit: AuditContext()
                    )
                    // A judgement counts for a second, in which a look may find it good.
                    group.addTask {
                        try await camera.call(server) { camera in
                            for _ in 0..<20_000 { _ = try await camera.save(try TestPhoto.random(byteCount: 60)) }
                            return false
                        }
                    }
                    let hasEnded = try await group.next()
                    #expect(hasEnded == true)
                    group.cancelAll()
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
