import DeviceIdentity
import Foundation
import LibraryServer
import Logging
import Observability
import Settings
import Testing

struct SettingsTests {
    private func settings(
        _ yaml: String = "",
        environment: [String: String] = [:],
        flags: [String] = []
    ) throws -> ServerSettings {
        try ServerSettings(from: SettingsReader(yaml: yaml, environment: environment, flags: flags))
    }

    @Test("The sample in config/ holds every key with its default")
    func sample() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../config")
        let yaml = try String(contentsOf: folder.appending(path: "server.yaml"), encoding: .utf8)
        #expect(try "\(settings(yaml))" == "\(settings())")
    }

    @Test("D4: the library's time zone is a name of the time zone database, or this machine's")
    func timeZone() throws {
        #expect(try settings().timeZone == .current)
        let set = try settings("library:\n  timeZone: Pacific/Auckland\n")
        #expect(set.timeZone.identifier == "Pacific/Auckland")
        #expect(throws: SettingsError.self) { try settings("library:\n  timeZone: Middle-earth\n") }
    }

    @Test("Flags win over the environment, the environment over the file, the file over the default")
    func layers() throws {
        let yaml = "log:\n  level: debug\nserver:\n  idleTimeoutSeconds: 5\n  headerByteCount: 8192\n"
        let variables = ["TINTYPE_LOG_LEVEL": "warning", "TINTYPE_SERVER_IDLE_TIMEOUT_SECONDS": "6", "HOME": "/"]
        let read = try settings(yaml, environment: variables, flags: ["log.level=error"])
        #expect(read.logLevel == .error)
        #expect(read.idleTimeout == .seconds(6))
        #expect(read.headerByteCount == 8192)
        #expect(read.shutdownGrace == .seconds(20))
    }

    @Test(
        "Boxes are told an address that works: the port that is set, and a name for those who can connect",
        arguments: [
            ("127.0.0.1:24817", "https://localhost:24817"), ("0.0.0.0:8443", "https://photos.example:8443"),
            ("[::]:9443", "https://photos.example:9443"), ("0.0.0.0:0", nil),
        ]
    )
    func deviceAddress(listen: String, address: String?) throws {
        let names = try ["localhost", "127.0.0.1", "photos.example"].map { try #require(HostAddress($0)) }
        #expect(try settings(flags: ["server.listen=\(listen)"]).deviceAddress(among: names) == address)
    }

    @Test("The socket lies in the library's folder unless it is set, and lists are read from every layer")
    func derived() throws {
        #expect(try settings(flags: ["library.path=/srv/photos"]).socketPath == "/srv/photos/admin.sock")
        let hosts = try settings(environment: ["TINTYPE_SERVER_HOSTS": "a.example,10.0.0.1"]).hosts
        #expect(hosts == [.name("a.example"), .address([10, 0, 0, 1])])
        #expect(try settings("server: {hosts: [b.example]}").hosts == [.name("b.example")])
    }

    @Test("What is exported for the agent or tintypectl does not stop the server, and a misspelt name does")
    func namesOfOthers() throws {
        let others = [
            "TINTYPE_CONTEXT": "home", "TINTYPE_CONFIG": "/x", "TINTYPE_AGENT_PATH": "/y", "TINTYPE_QUEUE_X": "1",
        ]
        #expect(try settings(environment: others).libraryPath == settings().libraryPath)
        for name in ["TINTYPE_CONTEXTS", "TINTYPE_AGNET_PATH", "TINTYPE_SERVER_LISTN", "TINTYPE_LIBRARY_ALBUM"] {
            #expect(throws: SettingsError.self) { try settings(environment: [name: "x"]) }
        }
    }

    @Test(
        "An unknown key is an error that names the nearest known one",
        arguments: [
            ("server:\n  listn: x", [:], [], "server.listen"),
            ("", ["TINTYPE_LOG_LEVL": "info"], [], "TINTYPE_LOG_LEVEL"),
            ("", [:], ["enrolment.open=true"], "enrollment.open"),
        ] as [(String, [String: String], [String], String)]
    )
    func unknownKeys(yaml: String, environment: [String: String], flags: [String], nearest: String) {
        let error = #expect(throws: SettingsError.self) {
            try settings(yaml, environment: environment, flags: flags)
        }
        #expect(error?.code == .unknownKey)
        #expect(error?.description.hasSuffix(nearest) == true, "\(String(describing: error))")
    }

    @Test(
        "Values that a setting does not take are refused with what it takes",
        arguments: [
            "server.listen=nowhere", "server.listen=a b:1", "server.listen=x:65536", "log.format=xml",
            "server.headerByteCount=1", "server.idleTimeoutSeconds=soon", "enrollment.open=yes", "server.hosts=a b",
            "server.hosts=", "log.level=loud",
        ]
    )
    func invalidValues(flag: String) {
        let error = #expect(throws: SettingsError.self) { try settings(flags: [flag]) }
        #expect(error?.code == .invalidValue)
    }

    @Test(
        "Text that is no mapping of texts and lists is refused",
        arguments: ["- a", "x", "a: [[b]]", "{", "a: {1: [{}]}"]
    )
    func brokenFiles(yaml: String) {
        let error = #expect(throws: SettingsError.self) { try settings(yaml) }
        #expect(error?.code == .fileUnreadable)
    }
}
