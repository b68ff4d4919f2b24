import AsyncHTTPClient
import DeviceIdentity
import Foundation
import LibraryStore
import NIOHTTP1
import ObjectStorageTestSupport
import Persistence
import PhotoModel
import PostgreSQL
import PostgreSQLTestSupport
import Settings
import TestSupport
import Testing

@testable import LibraryAPI
@testable import LibraryServer

/// Two servers of one library: rows in PostgreSQL, originals in a bucket.
@Suite(.enabled(if: TestServer.isInstalled, "PostgreSQL is not installed"))
struct SharedServerTests {
    private typealias Body =
        @Sendable (_ first: RunningServer, _ second: RunningServer, _ flags: [String]) async throws
        -> Void

    private static func flags(
        _ bucket: FakeObjectStore,
        secret: String,
        database: String,
        schema: String
    ) -> [String] {
        [
            "library.metadata=postgres:///postgres?host=\(database)&user=tintype&connect_timeout=300",
            "library.schema=\(schema)",
            "library.originals=s3://\(FakeObjectStore.bucket)/library", "s3.endpoint=\(bucket.endpoint)",
            "s3.region=\(FakeObjectStore.region)", "s3.accessKey=fake-key", "s3.secretKeyFile=\(secret)",
        ]
    }

    /// Runs a test against two servers of a new library.
    private static func run(_ changes: [String] = [], _ body: @escaping Body) async throws {
        let database = try await TestServer.shared()
        try await TestServer.withSchemas { make in
            let schema = try make().schema
            try await FakeObjectStore().run { bucket in
                let one = try TemporaryFolder()
                let two = try TemporaryFolder()
                let secret = "\(one.path)/secret"
                try PrivateFile.create(secret, text: "fake-secret\n")
                let flags =
                    Self.flags(bucket, secret: secret, database: database.folder, schema: schema) + changes
                let settings = try RunningServer.settings("\(one.path)/library", flags: flags)
                try await ServerEnvironment.create(settings, logger: RunningServer.silence).store.close()
                // What an administrator does: the first server's folder, on another machine.
                try FileManager.default.copyItem(atPath: "\(one.path)/library", toPath: "\(two.path)/library")
                let other = two.path
                try await RunningServer.run(in: one.path, flags: flags) { first in
                    try await RunningServer.run(in: other, flags: flags) { second in
                        try await body(first, second, flags)
                    }
                }
            }
        }
    }

    @Test("a box's requests go to either server: one upload's pieces, its commit, its receipt and its bytes")
    func requests() async throws {
        try await Self.run { first, second, _ in
            let device = try await TestDevice.enroll(at: first, maximum: "readWrite")
            try await device.call(first) { one in
                try await device.call(second) { two in
                    let photo = try TestPhoto.random(byteCount: 1000)
                    let created = try await one.send("POST", "/v1/assets", json: photo.manifest)
                    let upload = try #require(try created.json(AssetCreationResponse.self).uploads.first)
                    for (index, client) in [two, one, two, one].enumerated() {
                        let piece = Array(photo.bytes[(index * 250)..<(index * 250 + 250)])
                        let sent = try await client.append(
                            piece,
                            to: upload.id,
                            at: Int64(index * 250),
                            isComplete: index == 3
                        )
                        #expect(sent.status == 204, "\(sent.text)")
                    }
                    let commit = "/v1/assets/\(photo.manifest.id)/commit"
                    let receipts = [try await two.send("POST", commit), try await one.send("POST", commit)]
                    #expect(receipts.map(\.status) == [200, 200])
                    #expect(receipts[0].body == receipts[1].body)
                    let path = "/v1/assets/\(photo.manifest.id)/resources/\(photo.resource.id)"
                    for client in [one, two] {
                        #expect(try await client.send("GET", path).body == photo.bytes)
                        #expect(try await client.send("GET", "/readyz").status == 200)
                    }
                }
            }
            let servers = try await first.environment.store.metadata.duties.servers()
            #expect(servers.count == 2)
        }
    }

    @Test("an operator at either server sees both: versions, when they were seen, clocks and duties; nobody else does")
    func presence() async throws {
        try await Self.run { first, second, _ in
            let path = "/v1/admin/library/statistics"
            for server in [first, second] {
                // What a beat measures is told by the next one.
                for _ in 0..<2 { _ = try await server.environment.store.metadata.duties.beat() }
            }
            #expect(try await first.environment.store.metadata.duties.take(.maintenance))
            for server in [first, second] {
                let counts = try await server.withOperator {
                    try await $0.send("GET", path).json(LibraryStatistics.self)
                }
                let servers = try #require(counts.servers)
                #expect(Set(servers.map(\.id)).count == 2)
                #expect(servers.map(\.version) == [Release.version, Release.version])
                let folders = [first, second].map { $0.socketPath.replacing("/admin.sock", with: "") }
                #expect(Set(servers.map(\.folder)) == Set(folders))
                #expect(servers.allSatisfy { $0.clockAheadMilliseconds != nil && !$0.host.isEmpty })
                let holders = servers.filter { $0.duties?.contains("maintenance") == true }
                #expect(holders.count == 1)
            }
            let device = try await TestDevice.enroll(at: first, maximum: "readWrite")
            let answer = try await device.call(first) { try await $0.send("GET", path) }
            #expect(answer.status == 403 && !answer.text.contains("clockAhead"), "\(answer.text)")
        }
    }

    @Test("a task that one server runs is known to the other, which refuses a second one meanwhile and cancels it")
    func tasks() async throws {
        try await Self.run { first, second, _ in
            let device = try await TestDevice.enroll(at: first)
            try await device.call(first) { client in
                for _ in 0..<3 { _ = try await client.save(try TestPhoto.random(byteCount: 1000)) }
            }
            try await first.withOperator { one in
                try await second.withOperator { two in
                    let path = "/v1/admin/library/tasks"
                    var choice = MaintenanceTask.Verification(isHashing: true, isRepairing: false)
                    // It waits a quarter of an hour after the first photo.
                    choice.bytesPerSecond = 1
                    let started = try await one.send("POST", path, json: MaintenanceTask.Request.verify(choice: choice))
                    #expect(started.status == 202, "\(started.text)")
                    let task = try started.json(MaintenanceTask.self)
                    try await eventually {
                        try await two.send("GET", "\(path)/\(task.id)").json(MaintenanceTask.self).state == .running
                    }
                    let list = try await two.send("GET", path).json([MaintenanceTask].self)
                    #expect(list.map(\.id) == [task.id])
                    // A server that a busy machine kept silent for long would have lost the task.
                    _ = try await first.environment.store.metadata.duties.beat()
                    let again = try await two.send("POST", path, json: MaintenanceTask.Request.collect)
                    #expect(again.status == 412, "\(again.text)")
                    _ = try await two.send("DELETE", "\(path)/\(task.id)")
                    try await eventually {
                        try await two.send("GET", "\(path)/\(task.id)").json(MaintenanceTask.self).state == .cancelled
                    }
                    try await eventually {
                        try await two.send("POST", path, json: MaintenanceTask.Request.collect).status == 202
                    }
                }
            }
        }
    }

    @Test(
        "T65: five wrong passwords on any servers are five in all; a right one is not counted, and a new one begins anew"
    )
    func passwords() async throws {
        try await Self.run { first, second, _ in
            func login(_ password: String, _ server: RunningServer) async throws -> Int {
                try await server.withClient { client in
                    try await client.send("POST", "/login", json: WebLoginRequest(name: "ana", password: password))
                        .status
                }
            }
            func set(_ password: String) async throws {
                let path = "/v1/admin/operators/passwords/ana"
                let answer = try await first.withOperator { client in
                    try await client.send("PUT", path, json: OperatorPassword(password: password))
                }
                #expect(answer.status < 300, "\(answer.text)")
            }
            try await set("correct horse battery")
            #expect(try await login("correct horse battery", first) < 300)
            for server in [first, second, first, second, first] {
                #expect(try await login("wrong horse battery", server) == 401)
            }
            for server in [first, second] { #expect(try await login("correct horse battery", server) == 429) }
            try await set("another horse battery")
            #expect(try await login("another horse battery", second) < 300)
        }
    }

    @Test("a thumbnail that one server made is made again by the other, and stays made")
    func thumbnails() async throws {
        try await Self.run(["media.workers=1", "media.uploadPrioritySeconds=0"]) { first, second, _ in
            let device = try await TestDevice.enroll(at: first, maximum: "readWrite")
            try await device.call(first) { one in
                try await device.call(second) { two in
                    let sample = try #require(try await MediaSample.all().first)
                    let saved = try await one.save(sample)
                    _ = try await one.waitForPlaceholder(of: saved.id)
                    let path = "/v1/assets/\(saved.id)/thumbnail"
                    for client in [one, two, one, two] { #expect(try await client.send("GET", path).status == 200) }
                    let large = try await two.send("GET", "\(path)?size=1024")
                    #expect(large.status == 200 && large.headers["content-type"] == "image/jpeg")
                }
            }
        }
    }

    @Test("T135: a device that keeps as many workers busy as it may gets no thumbnail of another server made meanwhile")
    func thumbnailPlaces() async throws {
        let flags = ["media.workers=1", "media.uploadPrioritySeconds=0", "server.slowTimeoutSeconds=3600"]
        try await Self.run(flags) { first, second, _ in
            let device = try await TestDevice.enroll(at: first, maximum: "readWrite")
            let photo = try MadeFileTests.livePhoto()
            let sample = try #require(try await MediaSample.all().first)
            let saved = try await device.call(first) { one in
                _ = try await one.save(photo)
                let saved = try await one.save(sample)
                _ = try await one.waitForPlaceholder(of: saved.id)
                return saved
            }
            // Either server's worker takes the job.
            let root = Path(second.socketPath.replacing("/admin.sock", with: ""))
            try DerivativeStore(LibraryLayout(root: root), in: PosixFileSystem()).remove(saved.resources[0].digest)
            let thumbnail = "/v1/assets/\(saved.id)/thumbnail"
            let pair = "/v1/assets/\(photo.manifest.id)/live-photo.zip"
            try await device.call(second) { two in
                var bodies: [HTTPClientResponse.Body] = []
                for _ in 0..<APILimits.madeFilesPerDevice {
                    let request = HTTPClientRequest(url: two.base + pair)
                    let answer = try await two.client.execute(request, timeout: TestClient.patience)
                    #expect(answer.status == .ok)
                    bodies.append(answer.body)
                }
                let waiting = try await two.send("GET", thumbnail)
                #expect(try waiting.json(ProblemDetails.self).code == .derivativePending, "\(waiting.text)")
                #expect(waiting.headers["retry-after"] != nil)
                #expect(bodies.count == APILimits.madeFilesPerDevice)
                bodies = []
                try await eventually { try await two.send("GET", thumbnail).status == 200 }
                #expect(bodies.isEmpty)
            }
        }
    }

    @Test("a thumbnail goes from every server's folder once nothing has its original")
    func forgottenThumbnails() async throws {
        try await Self.run(["media.workers=1", "media.uploadPrioritySeconds=0"]) { first, second, _ in
            let device = try await TestDevice.enroll(at: first, maximum: "readWrite")
            let sample = try #require(try await MediaSample.all().first)
            let saved = try await device.call(first) { one in
                let saved = try await one.save(sample)
                _ = try await one.waitForPlaceholder(of: saved.id)
                return saved
            }
            try await device.call(second) { two in
                let answer = try await two.send("GET", "/v1/assets/\(saved.id)/thumbnail")
                #expect(answer.status == 200, "\(answer.text)")
            }
            let store = second.environment.store
            let path = Path(second.socketPath.replacing("/admin.sock", with: ""))
            let derivatives = DerivativeStore(LibraryLayout(root: path), in: PosixFileSystem())
            let digest = saved.resources[0].digest
            func kept() throws -> Bool { try derivatives.digests(beginning: digest.bytes[0]).contains(digest) }
            let generator = DerivativeGenerator(store: store, derivatives: derivatives, pool: nil)
            #expect(try await generator.removeForgotten() == 0)
            #expect(try kept())
            let administrator = StoreCaller.administrator("ana")
            _ = try await store.metadata.trash(saved.id, in: .everything, by: administrator)
            try await store.purge(saved.id, by: administrator)
            // The first server forgets the row, and its own files.
            try await store.metadata.removeDerivatives([digest])
            #expect(try await generator.removeForgotten() == 1)
            #expect(try kept() == false)
        }
    }

    @Test(
        "a server that sees only the bucket or only the database is not ready, writes nothing, and goes on afterwards"
    )
    func halves() async throws {
        let database = try await offTheSharedThreads { try TestServer() }
        try await FakeObjectStore().run { bucket in
            let folder = try TemporaryFolder()
            let secret = "\(folder.path)/secret"
            try PrivateFile.create(secret, text: "fake-secret\n")
            let flags = Self.flags(bucket, secret: secret, database: database.folder, schema: "photos")
            try await RunningServer.run(in: folder.path, flags: flags) { server in
                let device = try await TestDevice.enroll(at: server, maximum: "readWrite")
                try await device.call(server) { client in
                    let photo = try TestPhoto.random(byteCount: 100)
                    let created = try await client.send("POST", "/v1/assets", json: photo.manifest)
                    let upload = try #require(try created.json(AssetCreationResponse.self).uploads.first)
                    func send() async throws -> TestClient.Answer {
                        try await client.append(photo.bytes, to: upload.id, at: 0, isComplete: true)
                    }
                    func expectRefusal() async throws {
                        let answer = try await send()
                        #expect(answer.status == 503 && answer.headers["retry-after"] != nil, "\(answer.text)")
                    }
                    func readiness() async throws -> Int { try await client.send("GET", "/readyz").status }
                    let keys = bucket.keys
                    try await database.control("stop -m immediate")
                    try await expectRefusal()
                    #expect(try await readiness() == 503)
                    #expect(bucket.keys == keys, "nothing is written")
                    try await database.control("start")
                    bucket.isAway = true
                    try await expectRefusal()
                    #expect(try await readiness() == 503)
                    let path = "/v1/uploads/\(upload.id)"
                    #expect(try await client.send("HEAD", path).headers["upload-offset"] == "0", "nothing is promised")
                    bucket.isAway = false
                    #expect(try await readiness() == 200)
                    #expect(try await send().status == 204)
                    #expect(try await client.send("POST", "/v1/assets/\(photo.manifest.id)/commit").status == 200)
                }
            }
        }
    }

    @Test("a server with other keys is refused with the setting's name")
    func foreignAuthority() async throws {
        try await Self.run { first, _, flags in
            let folder = try TemporaryFolder()
            let settings = try RunningServer.settings("\(folder.path)/library", flags: flags)
            let own = first.socketPath.replacing("/admin.sock", with: "")
            try FileManager.default.createDirectory(atPath: settings.authorityPath, withIntermediateDirectories: true)
            for name in ["tintype-library", "staging", "derivatives"] {
                try FileManager.default.copyItem(atPath: "\(own)/\(name)", toPath: "\(settings.libraryPath)/\(name)")
            }
            _ = try AuthorityFolder(path: settings.authorityPath).create(hosts: settings.hosts)
            let error = await #expect(throws: SettingsError.self) {
                _ = try await ServerEnvironment.open(settings, logger: RunningServer.silence)
            }
            #expect(error?.description.hasPrefix("library.path: ") == true, "\(String(describing: error))")
            #expect(try await first.environment.store.metadata.duties.servers().count == 2)
        }
    }
}
