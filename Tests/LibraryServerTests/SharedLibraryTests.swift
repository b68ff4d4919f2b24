import AsyncHTTPClient
import DeviceIdentity
import Foundation
import LibraryStore
import NIOCore
import NIOHTTP1
import ObjectStorageTestSupport
import PhotoModel
import PostgreSQL
import PostgreSQLTestSupport
import Testing

@testable import LibraryAPI
@testable import LibraryServer

/// Two servers of one library, with rows in PostgreSQL and originals in a bucket: what happens on one is seen on the other.
@Suite(.enabled(if: TestServer.isInstalled, "PostgreSQL is not installed"))
struct SharedLibraryTests {
    /// Runs `body` with two servers of a new library; `notices` is the setting of both.
    static func withServers(notices: String, _ body: @Sendable (RunningServer, RunningServer) async throws -> Void)
        async throws
    {
        let database = try await TestServer.shared()
        try await TestServer.withSchemas { make in
            let schema = try make().schema
            try await FakeObjectStore().run { bucket in
                let one = try TemporaryFolder()
                let other = try TemporaryFolder()
                let secret = "\(one.path)/secret"
                try PrivateFile.create(secret, text: "fake-secret\n")
                let flags = [
                    "library.metadata=postgres:///postgres?host=\(database.folder)&user=tintype&connect_timeout=300",
                    "library.schema=\(schema)", "library.notices=\(notices)",
                    "library.originals=s3://\(FakeObjectStore.bucket)/library", "s3.endpoint=\(bucket.endpoint)",
                    "s3.region=\(FakeObjectStore.region)", "s3.accessKey=fake-key", "s3.secretKeyFile=\(secret)",
                ]
                let settings = try RunningServer.settings("\(one.path)/library", flags: flags)
                try await ServerEnvironment.create(settings, logger: RunningServer.silence).store.close()
                // The other machine has the same keys.
                try FileManager.default.copyItem(
                    atPath: "\(one.path)/library",
                    toPath: "\(other.path)/library"
                )
                let interval = TestClient.patientInterval
                try await RunningServer.run(in: one.path, flags: flags, streamInterval: interval) { first in
                    try await RunningServer.run(in: other.path, flags: flags, streamInterval: interval) { second in
                        try await body(first, second)
                    }
                }
            }
        }
    }

    /// Whether a decision on another server closes a stream on this one before the stream would look at its rights by
    /// itself, which it does with its second sign of life: an older stream gives that earlier.
    private static func closesStream(
        of client: TestClient,
        _ headers: [(String, String)] = [],
        on server: RunningServer,
        decision: () async throws -> Void
    ) async throws -> Bool {
        let path = "/v1/changes/stream"
        return try await withThrowingTaskGroup(of: Bool.self) { group in
            let (olderIsOpen, older) = AsyncStream.makeStream(of: Void.self)
            group.addTask {
                try await server.withOperator { try await $0.streamEndsSilently(at: path) { older.finish() } }
            }
            for await _ in olderIsOpen {}
            let (isOpen, opened) = AsyncStream.makeStream(of: Void.self)
            group.addTask {
                try await client.streamEnds(at: path, headers: headers) { opened.finish() }
            }
            for await _ in isOpen {}
            try await decision()
            let isClosed = try await group.next()
            group.cancelAll()
            return isClosed == true
        }
    }

    /// Polls until something comes: a busy machine may save it later than one poll waits.
    private static func news(since token: String, _ client: TestClient) async throws -> Set<EntityReference> {
        var page = try await client.feed("wait=55&since=\(token)")
        for _ in 0..<10 where page.entities.isEmpty { page = try await client.feed("wait=55&since=\(page.token)") }
        return page.entities
    }

    @Test("What is saved on one server wakes a stream and a poll on the other", arguments: ["", "off"])
    func events(notices: String) async throws {
        try await Self.withServers(notices: notices) { first, second in
            let camera = try await TestDevice.enroll(at: first)
            let reader = try await TestDevice.enroll(at: second, maximum: "readWrite")
            let photo = try TestPhoto.random(byteCount: 100)
            try await reader.call(second) { client in
                let end = try await client.feed("limit=50")
                async let polled = Self.news(since: end.token, client)
                let request = HTTPClientRequest(url: client.base + "/v1/changes/stream")
                let answer = try await client.client.execute(request, timeout: TestClient.patience)
                var text = ""
                for try await buffer in answer.body {
                    // The first sign says that the stream waits.
                    if text.isEmpty { try await camera.call(first) { _ = try await $0.save(photo) } }
                    text += String(buffer: buffer)
                    if text.contains(photo.manifest.id.description) { break }
                }
                #expect(text.contains(photo.manifest.id.description))
                #expect(try await polled == [.asset(photo.manifest.id)])
            }
        }
    }

    @Test(
        "T67: a device that is revoked on one server loses its streams on the other, and is refused there",
        arguments: ["", "off"]
    )
    func revocation(notices: String) async throws {
        try await Self.withServers(notices: notices) { first, second in
            let device = try await TestDevice.enroll(at: first, maximum: "readWrite")
            try await device.call(second) { client in
                let isClosed = try await Self.closesStream(of: client, on: second) {
                    let revoked = try await first.withOperator { admin in
                        let path = "/v1/admin/devices/\(device.id)/revoke"
                        return try await admin.send("POST", path, json: StateChangeRequest(reason: "stolen"))
                    }
                    #expect(revoked.status == 200, "\(revoked.text)")
                    // The decision is read with every request.
                    let next = try await untilAnswered { try await client.send("GET", "/v1/assets") }
                    #expect(try next.json(ProblemDetails.self).code == .identityRevoked)
                }
                #expect(isClosed)
            }
        }
    }

    @Test(
        "T67: a login on the page that is ended on one server loses its streams on the other",
        arguments: ["", "off"]
    )
    func endedLogin(notices: String) async throws {
        try await Self.withServers(notices: notices) { first, second in
            let link = try await first.withOperator { admin in
                try await admin.send("POST", "/v1/admin/web-logins", json: WebLinkRequest(name: "ana"))
                    .json(WebLinkResponse.self)
            }
            let secret = try #require(link.uri.split(separator: "#").last)
            try await second.withClient { client in
                let login = try await client.send("POST", "/login", json: WebLoginRequest(secret: String(secret)))
                let cookie = try #require(login.headers["set-cookie"]?.split(separator: ";").first)
                let isClosed = try await Self.closesStream(of: client, [("Cookie", String(cookie))], on: second) {
                    try await first.withOperator { admin in
                        let open = try await admin.send("GET", "/v1/admin/web-logins").json(WebSessionPage.self)
                        let id = try #require(open.sessions.first?.id)
                        let gone = try await admin.send("DELETE", "/v1/admin/web-logins/\(id)")
                        #expect(gone.status == 204, "\(gone.text)")
                    }
                }
                #expect(isClosed)
            }
        }
    }
}
