import Foundation
import LibraryAPI
import LibraryStore
import PhotoModel
import Synchronization
import Testing

@testable import LibraryServer

/// Work on originals never slows an upload: it is not waited for, and it steps aside.
struct UploadPriorityTests {
    @Test("Uploads go first until they pause, or until work has stood aside for as long as it may")
    func turns() async throws {
        let time = Mutex(Duration.seconds(100))
        let precedence = UploadPriority(longest: .seconds(2), now: { time.withLock { $0 } })
        func turn(after duration: Duration) -> UploadPriority.Turn {
            time.withLock { $0 += duration }
            return precedence.turn()
        }
        #expect(turn(after: .zero) == .everything, "nothing is uploaded")
        await precedence.during {
            #expect(precedence.uploads == 1)
            #expect(turn(after: .seconds(50)) == .awaited)
            #expect(turn(after: .milliseconds(1999)) == .awaited)
            #expect(turn(after: .milliseconds(1)) == .one, "it has stood aside for long enough")
            #expect(turn(after: .zero) == .awaited, "one job, and then again")
        }
        #expect(precedence.uploads == 0)
        #expect(turn(after: .milliseconds(999)) == .awaited, "the next upload may follow at once")
        #expect(turn(after: .milliseconds(1)) == .everything)
        #expect(turn(after: .zero) == .everything)
        let never = UploadPriority(longest: .zero, now: { .zero })
        await never.during { #expect(never.turn() == .one) }
    }

    @Test("What can wait waits while uploads are under way, but neither for ever nor against its will")
    func quiet() async {
        let time = Mutex(Duration.zero)
        let precedence = UploadPriority(longest: .zero) {
            time.withLock { time in
                time += .seconds(1)
                return time
            }
        }
        func askings(longest: Duration, atMost limit: Int) async -> Int {
            var count = 0
            await precedence.quiet(longest: longest) {
                count += 1
                return count <= limit
            }
            return count
        }
        #expect(await askings(longest: .seconds(100), atMost: 9) == 1, "nothing is uploaded")
        await precedence.during {
            #expect(await askings(longest: .seconds(100), atMost: 2) == 3, "it does not want to wait any longer")
            #expect(await askings(longest: .seconds(4), atMost: 9) == 3, "it has waited for long enough")
        }
        #expect(await askings(longest: .seconds(100), atMost: 9) == 1, "the uploads have paused")
    }

    @Test(
        "While an upload is under way a batch rests in its journal and is shown from there; then it becomes plain files"
    )
    func rests() async throws {
        try await held(atMostSeconds: 1) { server, client, first, upload in
            // Another content than the first, which is a JPEG too.
            let photo = try TestPhoto(bytes: try #require(try await MediaSample.all().first).bytes + [0])
            #expect(try await client.sendBatch([photo]).results.map { $0.commit != nil } == [true])
            _ = try await client.waitForPlaceholder(of: photo.manifest.id)
            let path = "/v1/assets/\(photo.manifest.id)/resources/\(photo.manifest.resources[0].id)"
            #expect(try await client.send("GET", path).body == photo.bytes)
            let content = server.environment.store.content
            #expect(content.unsettledByteCount == Int64(photo.bytes.count))
            try await upload.finish()
            try await settled(content)
            #expect(try await client.send("GET", path).body == photo.bytes)
        }
    }

    @Test("An upload that fails is under way no longer")
    func failed() async {
        let precedence = UploadPriority(longest: .seconds(2), now: { .zero })
        await #expect(throws: CancellationError.self) { try await precedence.during { throw CancellationError() } }
        #expect(precedence.uploads == 0)
    }

    @Test("While an upload is under way, only what somebody asked for is made; the rest follows the upload")
    func stepsAside() async throws {
        try await held(atMostSeconds: 3600) { server, client, first, upload in
            let second = try await client.save(try #require(try await MediaSample.all().last))
            #expect(try await client.send("GET", "/v1/assets/\(second.id)/thumbnail").status == 404)
            _ = try await client.waitForPlaceholder(of: second.id)
            let owed = try await server.withOperator { try await $0.send("GET", "/v1/admin/jobs").json(JobPage.self) }
            #expect(owed.jobs.map(\.digest) == [first.resources[0].digest])
            #expect(owed.jobs.map(\.attempts) == [0], "nobody asked for it")
            try await upload.finish()
            _ = try await client.waitForPlaceholder(of: first.id)
        }
    }

    @Test("Work on originals goes on under an upload that never ends")
    func goesOn() async throws {
        try await held(atMostSeconds: 1) { _, client, first, upload in
            _ = try await client.waitForPlaceholder(of: first.id)
            try await upload.finish()
        }
    }

    @Test("A worker that hangs and a long queue hold no upload back: every commit is answered before any job has ended")
    func hangs() async throws {
        let program = Bundle.main.bundleURL.appending(path: "hostile-worker").path
        let flags = ["media.workers=1", "media.program=\(program)", "media.uploadPrioritySeconds=0"]
        try await RunningServer.run(flags: flags) { server in
            let device = try await TestDevice.enroll(at: server)
            func jobs() async throws -> JobPage {
                try await server.withOperator { try await $0.send("GET", "/v1/admin/jobs").json(JobPage.self) }
            }
            try await device.call(server) { client in
                _ = try await client.save(TestPhoto(bytes: Array("hang".utf8)))
                try await eventually { try await jobs().jobs.first?.attempts == 1 }
                let count = 40
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<4 {
                        group.addTask {
                            for _ in 0..<count / 4 { _ = try await client.save(TestPhoto.random(byteCount: 200)) }
                        }
                    }
                    try await group.waitForAll()
                }
                let owed = try await jobs()
                #expect(owed.counts == ["waiting": count + 1])
                #expect(owed.jobs.first?.attempts == 1 && owed.jobs.first?.workerDeaths == 0)
            }
        }
    }

    /// Runs `body` while an upload is under way that goes no further, and a job is owed that nobody asked for.
    private func held(
        atMostSeconds seconds: Int,
        body: (RunningServer, TestClient, _ owed: AssetManifest, HeldUpload) async throws -> Void
    ) async throws {
        let flags = ["media.workers=1", "media.uploadPrioritySeconds=\(seconds)"]
        try await RunningServer.run(flags: flags) { server in
            let device = try await TestDevice.enroll(at: server, maximum: "readWrite")
            _ = try await server.withOperator { try await $0.send("POST", "/v1/admin/jobs/pause") }
            try await device.call(server) { client in
                let owed = try await client.save(try #require(try await MediaSample.all().first))
                let upload = try await HeldUpload(to: server, by: device, client)
                _ = try await server.withOperator { try await $0.send("POST", "/v1/admin/jobs/resume") }
                try await body(server, client, owed, upload)
            }
        }
    }
}

/// An upload of which the last byte is yet to come.
private struct HeldUpload {
    private let connection: RawConnection

    /// Begins an upload, and waits until the server takes it in.
    init(to server: RunningServer, by device: TestDevice, _ client: TestClient) async throws {
        let photo = try TestPhoto(bytes: Array(repeating: UInt8(ascii: "a"), count: 1000))
        let created = try await client.send("POST", "/v1/assets", json: photo.manifest).json(AssetCreationResponse.self)
        let upload = try #require(created.uploads.first)
        let fields = UploadHeaders(offset: 0, isComplete: true).fields.map { "\($0.name): \($0.value)\r\n" }.joined()
        connection = try await RawConnection.open(to: server, as: device)
        try await connection.send(
            "PATCH /v1/uploads/\(upload.id) HTTP/1.1\r\nHost: a\r\nContent-Type: \(UploadHeaders.partialUpload)\r\n"
                + "Content-Length: \(photo.bytes.count)\r\n\(fields)\r\n" + String(repeating: "a", count: 999)
        )
        try await server.withOperator { admin in
            try await eventually {
                try await admin.send("GET", "/metrics").text.contains("tintype_server_active_uploads 1.0")
            }
        }
    }

    /// Sends the last byte.
    func finish() async throws {
        try await connection.send("a")
        #expect(try await connection.waits(for: "HTTP/1.1 204"))
        await connection.close()
    }
}

/// Waits until nothing lies in journals any more.
private func settled(_ content: any ContentStore) async throws {
    let clock = ContinuousClock()
    let deadline = clock.now + .seconds(120)
    while content.unsettledByteCount > 0, clock.now < deadline { try await Task.sleep(for: .milliseconds(20)) }
    #expect(content.unsettledByteCount == 0)
}
