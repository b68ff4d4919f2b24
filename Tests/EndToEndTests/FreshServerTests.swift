import Foundation
import TestSupport
import Testing

/// `tintype-server init && tintype-server serve`, as somebody does it who has only read the first line of the manual.
@Suite(.serialized)
struct FreshServerTests {
    private let program = Bundle.main.bundleURL.appending(path: "tintype-server").path

    @Test("init and serve give a working library, and say where, its fingerprint, and what to do next")
    func fresh() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tt-\(UUID().uuidString.prefix(8))")
        defer { try? FileManager.default.removeItem(at: folder) }
        let clock = ContinuousClock()
        let start = clock.now
        let settings = ["--set", "library.path=\(folder.path)", "--set", "server.listen=127.0.0.1:0"]
        // Whatever the shell's umask lets others do, the library's files are private.
        let made = try ChildProcess.run("/bin/sh", ["-c", #"umask 0; exec "$0" "$@""#, program, "init"] + settings)
        #expect(made.status == 0, "\(made.errors)")
        #expect(made.text.contains("Next: tintype-server serve \(settings.joined(separator: " "))\n"))
        let fingerprint = try #require(made.text.firstMatch(of: /SHA-256 ([0-9a-f]{64})/)?.output.1)

        let server = Process()
        // From a shell that hides nothing and allows few open files.
        server.executableURL = URL(filePath: "/bin/sh")
        server.arguments = ["-c", #"umask 0; ulimit -Sn 200; exec "$0" "$@""#, program, "serve"] + settings
        let output = Pipe()
        server.standardOutput = output
        server.standardError = FileHandle.nullDevice
        try server.runAlone()
        defer {
            server.terminate()
            server.waitUntilExit()
        }
        var said = ""
        while !said.contains("tintypectl web login") {
            let data = output.fileHandleForReading.availableData
            try #require(!data.isEmpty, "the server ended: \(said)")
            said += String(decoding: data, as: UTF8.self)
        }
        let address = try #require(said.firstMatch(of: /devices +(https:\/\/127.0.0.1:[0-9]+)\n/)?.output.1)
        let socket = folder.appending(path: "admin.sock").path
        #expect(said.contains("SHA-256 \(fingerprint)\n"))
        #expect(said.contains("tintypectl enrollment-token create --max addOnly --socket \(socket)\n"))
        for (name, mode) in [("", 0o700), ("library.sqlite", 0o600), ("authority", 0o700), ("admin.sock", 0o600)] {
            let path = folder.appending(path: name).path
            let found = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(found == mode, "\(name) has \(String(found ?? 0, radix: 8))")
        }
        let pinned = ["-s", "-m", "10", "--cacert", folder.appending(path: "authority/root.pem").path]
        let health = try ChildProcess.run("/usr/bin/curl", pinned + ["-w", " %{http_code}", "\(address)/readyz"])
        #expect(health.text.hasSuffix(" 200"), "\(health.text)")
        let limits = try String(contentsOfFile: "/proc/\(server.processIdentifier)/limits", encoding: .utf8)
        let files = try #require(limits.firstMatch(of: /Max open files +([0-9]+) +([0-9]+)/)?.output)
        #expect(files.1 == files.2 && files.1 != "200", "as many connections as the system allows")
        print("    init and serve: a working library after \((clock.now - start) / .seconds(1)) s")
        let again = try ChildProcess.run(program, ["init"] + settings)
        #expect(again.status == 1 && again.errors.contains("is not empty"), "a second one touches nothing")
    }

    @Test(
        "a wrong setting of a database or store ends the server with 78 and one line, a database that is away with 69",
        arguments: [
            ("library.metadata=mysql://db.example/photos", 78, "library.metadata: write sqlite"),
            ("library.originals=s3://photos", 78, "s3.endpoint is missing: write"),
            ("library.metadata=postgres://tintype@127.0.0.1:1/photos", 69, "library.metadata: the database photos on"),
        ] as [(String, Int32, String)]
    )
    func wrongSettings(setting: String, status: Int32, words: String) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tt-\(UUID().uuidString.prefix(8))").path
        let settings = ["--set", "library.path=\(folder)", "--set", setting]
        let outcome = try ChildProcess.run(program, ["init"] + settings)
        #expect(outcome.status == status && outcome.output.isEmpty, "\(outcome.errors)")
        let lines = outcome.errors.split(separator: "\n")
        #expect(lines.count == 1 && lines.first?.hasPrefix("tintype-server: \(words)") == true, "\(outcome.errors)")
        #expect(!FileManager.default.fileExists(atPath: folder), "nothing is made")
    }
}
