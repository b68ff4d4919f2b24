import Foundation
import Settings
import Testing
import Yams

@testable import LibraryServer

/// The samples for containers.
struct ComposeTests {
    private typealias Object = [String: Any]

    private static let folder = URL(filePath: #filePath)
        .deletingLastPathComponent().appending(path: "../../deploy/container")
    private static let libraryFolder = "/var/lib/tintype"

    private static func sample(_ name: String) throws -> Object {
        let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
        return try #require(try Yams.load(yaml: text) as? Object)
    }

    /// The services that run the image of the Containerfile, by name.
    private static func servers(_ sample: Object) throws -> [String: Object] {
        try services(sample).filter { $0.value["image"] as? String == "tintype-server" }
    }

    private static func services(_ sample: Object) throws -> [String: Object] {
        try #require(sample["services"] as? [String: Object])
    }

    private static func settings(_ server: Object) throws -> [String: String] {
        let environment = try #require(server["environment"] as? Object)
        return environment.mapValues { "\($0)".replacing("${PROXY_KEY}", with: String(repeating: "0a", count: 32)) }
    }

    @Test(
        "Every variable is a setting that can be used, beside the file that the package installs",
        arguments: [
            "compose.yaml", "cluster.yaml",
        ]
    )
    func settings(file: String) throws {
        let yaml = try String(
            contentsOf: Self.folder.appending(path: "../../config/server.yaml"),
            encoding: .utf8
        )
        let servers = try Self.servers(Self.sample(file))
        #expect(!servers.isEmpty)
        for (name, server) in servers {
            let environment = try Self.settings(server)
            let read = try ServerSettings(from: SettingsReader(yaml: yaml, environment: environment, flags: []))
            #expect(read.libraryPath == Self.libraryFolder, "\(name)")
        }
    }

    @Test("Every volume, secret and service that is named exists", arguments: ["compose.yaml", "cluster.yaml"])
    func names(file: String) throws {
        let sample = try Self.sample(file)
        let services = try Self.services(sample)
        let volumes = Set((sample["volumes"] as? Object ?? [:]).keys)
        let secrets = Set((sample["secrets"] as? Object ?? [:]).keys)
        for (name, service) in services {
            let mounts = (service["volumes"] as? [String] ?? []).filter { !$0.hasPrefix("./") }
            #expect(volumes.isSuperset(of: mounts.map { $0.prefix { $0 != ":" } }.map(String.init)), "\(name)")
            #expect(secrets.isSuperset(of: service["secrets"] as? [String] ?? []), "\(name)")
            let needed = (service["depends_on"] as? Object ?? [:]).keys
            #expect(Set(services.keys).isSuperset(of: needed), "\(name)")
        }
    }

    @Test("The servers of the cluster have the same settings, a folder and a name each, and one makes the library")
    func cluster() throws {
        let sample = try Self.sample("cluster.yaml")
        let servers = try Self.servers(sample)
        #expect(servers.keys.sorted() == ["server-1", "server-2", "server-3"])
        #expect(Set(try servers.values.map(Self.settings)).count == 1)
        for (name, server) in servers {
            #expect(server["hostname"] as? String == name)
            let mounts = server["volumes"] as? [String] ?? []
            #expect(mounts.contains("\(name):\(Self.libraryFolder)"), "\(mounts)")
            // The others copy the first one's keys, and make no library: without an entry point of their own they would.
            #expect((server["entrypoint"] == nil) == (name == "server-1"))
            #expect(mounts.contains("server-1:/first:ro") == (name != "server-1"))
        }
        let settings = try Self.settings(try #require(servers["server-1"]))
        let folder = try #require(settings["CREDENTIALS_DIRECTORY"])
        #expect(folder == "/run/secrets", "where the engine puts secrets")
        #expect(Set(servers["server-1"]?["secrets"] as? [String] ?? []) == ["postgresql-password", "s3-secret-key"])
        let bucket = try #require(try Self.services(sample)["bucket"]?["entrypoint"] as? [String])
        #expect(bucket.last?.contains("fs.configure -locationPrefix=/buckets/photos/ -fsync -apply") == true)
    }
}
