import DeviceIdentity
import Foundation
import LibraryAPI
import LibraryStore
import Logging
import ObjectStorage
import ObjectStorageTestSupport
import Observability
import PhotoModel
import Settings
import Synchronization
import Testing

@testable import LibraryServer

/// A server whose originals lie in a bucket.
struct BucketServerTests {
    /// The settings for a bucket, with a file that holds the key's secret.
    private func flags(_ bucket: FakeObjectStore, in folder: String, _ changes: [String] = []) throws -> [String] {
        let secret = "\(folder)/secret"
        if !FileManager.default.fileExists(atPath: secret) { try PrivateFile.create(secret, text: "fake-secret\n") }
        return [
            "library.originals=s3://\(FakeObjectStore.bucket)/library", "s3.endpoint=\(bucket.endpoint)",
            "s3.region=\(FakeObjectStore.region)", "s3.accessKey=fake-key", "s3.secretKeyFile=\(secret)",
        ] + changes
    }

    @Test("Photos are saved into the bucket, served from it, and have thumbnails")
    func serves() async throws {
        try await FakeObjectStore().run { bucket in
            let folder = try TemporaryFolder()
            let flags = try flags(bucket, in: folder.path, ["media.workers=1", "media.uploadPrioritySeconds=0"])
            try await RunningServer.run(flags: flags) { server in
                let device = try await TestDevice.enroll(at: server, maximum: "readWrite")
                try await device.call(server) { client in
                    let sample = try #require(try await MediaSample.all().first)
                    let saved = try await client.save(sample)
                    let path = "/v1/assets/\(saved.id)/resources/\(saved.resources[0].id)"
                    #expect(try await client.send("GET", path).body == sample.bytes)
                    _ = try await client.waitForPlaceholder(of: saved.id)
                    #expect(try await client.send("GET", "/v1/assets/\(saved.id)/thumbnail").status == 200)
                }
                #expect(bucket.keys.contains { $0.hasPrefix("library/originals/") })
            }
        }
    }

    @Test("While the bucket is away the server is not ready, says when to ask again, and lists what it has")
    func away() async throws {
        try await FakeObjectStore().run { bucket in
            let folder = try TemporaryFolder()
            try await RunningServer.run(flags: try flags(bucket, in: folder.path)) { server in
                let device = try await TestDevice.enroll(at: server, maximum: "readWrite")
                try await device.call(server) { client in
                    let photo = try TestPhoto.random(byteCount: 100)
                    _ = try await client.save(photo)
                    #expect(try await client.send("GET", "/readyz").status == 200)
                    bucket.isAway = true
                    #expect(try await client.send("GET", "/readyz").status == 503)
                    let path = "/v1/assets/\(photo.manifest.id)/resources/\(photo.manifest.resources[0].id)"
                    let answer = try await client.send("GET", path)
                    #expect(answer.status == 503)
                    #expect(answer.headers["retry-after"] != nil)
                    #expect(try await client.send("GET", "/v1/assets/\(photo.manifest.id)").status == 200)
                    bucket.isAway = false
                    #expect(try await client.send("GET", path).body == photo.bytes)
                }
            }
        }
    }

    @Test("What is set wrong is refused before anything is served, with the setting's name")
    func refuses() async throws {
        try await FakeObjectStore().run { bucket in
            let folder = try TemporaryFolder()
            let open = "\(folder.path)/open"
            try Data("fake-secret\n".utf8).write(to: URL(filePath: open))
            try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: open)
            for (change, name) in [
                ("s3.region=mars-1", "s3.region"), ("library.originals=s3://other", "library.originals"),
                ("s3.accessKey=stranger", "s3.accessKey"), ("s3.secretKeyFile=/nowhere", "s3.secretKeyFile"),
                ("s3.secretKeyFile=\(open)", "s3.secretKeyFile"),
                ("s3.authorities=/nowhere", "s3.authorities"), ("s3.authorities=\(open)", "s3.authorities"),
            ] {
                let settings = try RunningServer.settings(
                    "\(folder.path)/library",
                    flags: try flags(bucket, in: folder.path, [change])
                )
                let error = await #expect(throws: SettingsError.self) {
                    _ = try await ServerEnvironment.create(settings, logger: RunningServer.silence)
                }
                #expect(error?.description.hasPrefix(name) == true, "\(change): \(String(describing: error))")
                #expect(error?.description.contains("\n") == false, "one line")
            }
            #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/library"), "nothing is made")
        }
    }

    @Test(
        "A store whose certificate nobody vouches for, and a server that is none, are refused with the setting's name"
    )
    func noStores() async throws {
        // Any server with a certificate that this machine does not trust, until it is told whose it is.
        try await RunningServer.run { server in
            let folder = try TemporaryFolder()
            let secret = "\(folder.path)/secret"
            try PrivateFile.create(secret, text: "fake-secret\n")
            let root = server.socketPath.replacing("/admin.sock", with: "/authority/root.pem")
            for (authorities, name) in [("", "s3.authorities"), (root, "s3.endpoint")] {
                let settings = try RunningServer.settings(
                    "\(folder.path)/library",
                    flags: [
                        "library.originals=s3://photos", "s3.endpoint=https://127.0.0.1:\(server.address.port)",
                        "s3.accessKey=fake-key", "s3.secretKeyFile=\(secret)", "s3.authorities=\(authorities)",
                    ]
                )
                let error = await #expect(throws: SettingsError.self) {
                    _ = try await ServerEnvironment.create(settings, logger: RunningServer.silence)
                }
                #expect(error?.description.hasPrefix("\(name): ") == true, "\(String(describing: error))")
            }
            #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/library"), "nothing is made")
        }
    }

    @Test("A store that is away when the server starts is waited for by the service manager, and not given up")
    func awayAtStart() async throws {
        try await FakeObjectStore().run { bucket in
            let folder = try TemporaryFolder()
            let flags = try flags(bucket, in: folder.path)
            let path = "\(folder.path)/library"
            let settings = try RunningServer.settings(path, flags: flags)
            try await ServerEnvironment.create(settings, logger: RunningServer.silence).store.close()
            let nowhere = try RunningServer.settings(path, flags: flags + ["s3.endpoint=http://127.0.0.1:1"])
            for (isAway, settings) in [(true, settings), (false, nowhere)] {
                bucket.isAway = isAway
                let error = await #expect(throws: ServerError.self) {
                    _ = try await ServerEnvironment.open(settings, logger: RunningServer.silence)
                }
                #expect(error?.code == .storeAway && error?.message.hasPrefix("s3.endpoint: ") == true)
            }
            try await ServerEnvironment.open(settings, logger: RunningServer.silence).store.close()
        }
    }

    @Test("A store that confirms before bytes are on disk, unless told otherwise, is named in the log at each start")
    func confirmsEarly() async throws {
        let lines = Mutex<[String]>([])
        let handler = LineLogHandler(
            label: "test",
            format: .text,
            level: .info,
            now: { WallTime.now() },
            sink: { line in lines.withLock { $0.append(line) } }
        )
        let logger = Logger(label: "test") { _ in handler }
        try await FakeObjectStore().run { bucket in
            let folder = try TemporaryFolder()
            for (engine, count) in [("other", 0), ("SeaweedFS 30GB 4.48", 1)] {
                bucket.engine = engine
                let settings = try RunningServer.settings(
                    "\(folder.path)/library",
                    flags: flags(bucket, in: folder.path)
                )
                _ = try await ServerEnvironment.originals(settings, logger: logger)
                let told = lines.withLock { lines in lines.filter { $0.contains("fs.configure has set -fsync") } }
                #expect(told.count == count, "\(told)")
            }
        }
    }

    @Test("A key with another secret, and a bucket of another library, are refused with the setting's name")
    func strangers() async throws {
        try await FakeObjectStore().run { bucket in
            let folder = try TemporaryFolder()
            let settings = try RunningServer.settings("\(folder.path)/library", flags: flags(bucket, in: folder.path))
            // What a store answers to a signature that another secret made.
            bucket.fail(.refuses(403, "SignatureDoesNotMatch"))
            let refused = await #expect(throws: SettingsError.self) {
                _ = try await ServerEnvironment.create(settings, logger: RunningServer.silence)
            }
            let words = refused?.description ?? ""
            #expect(words.hasPrefix("s3.accessKey: ") && words.hasSuffix(": check s3.accessKey and s3.secretKeyFile"))
            #expect(!FileManager.default.fileExists(atPath: settings.libraryPath), "nothing is made")

            try await ServerEnvironment.create(settings, logger: RunningServer.silence).store.close()
            let second = try RunningServer.settings("\(folder.path)/second", flags: flags(bucket, in: folder.path))
            // The command names library.originals before it.
            let foreign = await #expect(throws: ForeignBucketError.self) {
                _ = try await ServerEnvironment.create(second, logger: RunningServer.silence)
            }
            #expect(foreign == .anotherLibrary && foreign?.description.contains(": name another bucket") == true)
        }
    }

    @Test(
        "Settings that cannot be used are refused when they are read, with the setting's name and what to write",
        arguments: [
            (["library.originals=s3:/photos"], "library.originals is \"s3:/photos\": write folder"),
            (["library.originals=s3://photos"], "s3.endpoint is missing: write"),
            (["s3.endpoint=s3.example"], "s3.endpoint cannot be used: write an address"),
            (["s3.endpoint=https://s3.example/photos"], "s3.endpoint cannot be used: write an address without a path"),
            (["s3.endpoint=https://s3.example", "s3.region=mars one"], "s3.region is \"mars one\": write"),
            (["s3.endpoint=https://s3.example", "library.originals=s3://a"], "library.originals is \"s3://a\": write"),
            (["s3.endpoint=https://s3.example"], "s3.accessKey is missing or invalid: write"),
            (["s3.addressing=sideways"], "s3.addressing (--set s3.addressing) is \"sideways\": write path"),
            (["s3.verify=never"], "s3.verify (--set s3.verify) is \"never\": write auto or always"),
        ]
    )
    func unusable(changes: [String], words: String) {
        let flags = ["library.originals=s3://photos"] + changes
        let error = #expect(throws: SettingsError.self) { _ = try RunningServer.settings("/nowhere", flags: flags) }
        #expect(error?.description.hasPrefix(words) == true, "\(String(describing: error))")
        #expect(error?.description.contains("\n") == false, "one line")
    }
}
