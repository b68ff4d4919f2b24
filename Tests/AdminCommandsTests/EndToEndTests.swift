import DeviceIdentity
import Foundation
import LibraryAPI
import LibraryClient
import PhotoModel
import TestSupport
import Testing

@testable import AdminCommands

/// The real `tintypectl` against the real `tintype-server`, both as processes.
struct EndToEndTests {
    @Test("an administrator's day: tokens, approval by fingerprint, albums, selection, revocation, audit")
    func wholeDay() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tt-\(UInt32.random(in: 0 ... .max))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        let server = try await offTheSharedThreads { try ServerProcess(folder: folder) }
        defer { server.stop() }

        let invited = try await enrollByToken(server)
        let waiting = try await approveWaiting(server)
        try await shareAlbum(server, with: waiting)
        try await revoke(server, invited)
        try await audit(server)

        server.stop()
        let unreachable = try await server.control("device", "list")
        #expect(unreachable.status == AdminExit.unreachable.rawValue)
        #expect(unreachable.errors.contains("next: start tintype-server serve"))
    }

    /// A box with a token is a device at once.
    private func enrollByToken(_ server: ServerProcess) async throws -> DeviceSummary {
        let made = try await server.control("enrollment-token", "create", "--max", "add-only", "--uses", "1", "--json")
        #expect(made.status == 0, "\(made.errors)")
        let token = try JSONDecoder().decode(EnrollmentTokenResponse.self, from: made.output)
        let answer = try await server.enroll(DeviceKey(), name: "yard", token: token.token)
        #expect(answer.state == .active)
        let listed = try await server.control("enrollment-token", "list")
        #expect(listed.text.contains("0/1"))
        #expect(!listed.text.contains(token.token))
        #expect(try await server.control("enrollment-token", "revoke", "\(token.summary.id)").status == 0)
        let shown = try await server.control("device", "show", "\(try #require(answer.deviceID))", "--json")
        return try JSONDecoder().decode(DeviceSummary.self, from: shown.output)
    }

    /// A box without a token waits, and is approved by its fingerprint when the codes agree.
    private func approveWaiting(_ server: ServerProcess) async throws -> String {
        let key = DeviceKey()
        let name = "gate\u{1B}[2J"
        let answer = try await server.enroll(key, name: name, token: nil)
        #expect(answer.state == .pending)
        let code = try #require(answer.verificationCode)
        let prefix = String(try key.signingRequest().keyFingerprint.description.prefix(12))

        let listed = try await server.control("device", "list", "--state", "pending")
        #expect(listed.text.contains(prefix))
        #expect(listed.text.contains("shows \(code)"))
        #expect(!listed.text.contains("\u{1B}"))
        let approval = ["device", "approve", prefix, "--as", "add-only"]
        let unasked = try await server.control(approval)
        #expect(unasked.status == AdminExit.usage.rawValue)
        let wrong = try await server.control(approval + ["--expect-code", "BBBB-BBBB"])
        #expect(wrong.status == AdminExit.failed.rawValue)
        #expect(wrong.errors.contains("a different code"))
        let right = try await server.control(approval + ["--expect-code", code])
        #expect(right.status == 0, "\(right.errors)")
        #expect(right.text.contains("add only"))
        #expect(try await server.client().enrollment(answer.id).state == .active)
        return prefix
    }

    private func shareAlbum(_ server: ServerProcess, with prefix: String) async throws {
        #expect(try await server.control("album", "create", "Gate").status == 0)
        #expect(try await server.control("album", "list").text.contains("Gate"))
        #expect(try await server.control("device", "decide", prefix, "--as", "selected").status == 0)
        let added = try await server.control("selection", "add", prefix, "--album", "Gate", "--rule", "\"favorites\"")
        #expect(added.status == 0, "\(added.errors)")
        #expect(try await server.control("selection", "show", prefix).text.contains("\"favorites\""))
        let listed = try await server.control("asset", "list", "--album", "Gate", "--since", "7d")
        #expect(listed.text == "No assets.\n", "\(listed.errors)")
        #expect(try await server.control("request", "list").text == "No open requests.\n")
        #expect(try await server.control("library", "stats").text.contains("Devices:        2"))
        #expect(try await server.control("library", "verify", "--hash").text.hasPrefix("All is well"))
    }

    private func revoke(_ server: ServerProcess, _ device: DeviceSummary) async throws {
        let prefix = String(device.keyFingerprint.description.prefix(8))
        #expect(try await server.control("device", "revoke", prefix).status == AdminExit.usage.rawValue)
        #expect(try await server.control("device", "list", "--state", "revoked", "--quiet").text.isEmpty)
        let revoked = try await server.control("device", "revoke", prefix, "--yes", "--reason", "sold")
        #expect(revoked.status == 0, "\(revoked.errors)")
        #expect(try await server.control("device", "list", "--state", "revoked", "--quiet").text == "\(device.id)\n")
    }

    private func audit(_ server: ServerProcess) async throws {
        let head = try await server.control("audit", "verify", "--quiet")
        #expect(head.status == 0, "\(head.errors)")
        let tail = try await server.control("audit", "tail")
        for word in ["enrol", "decide", "revoke", "sold"] { #expect(tail.text.contains(word), "no \(word)") }
        #expect(!tail.text.contains("\u{1B}"))
        let expected = head.text.filter { $0 != "\n" }
        #expect(try await server.control("audit", "verify", "--expect", expected).status == 0)
        let forged = try await server.control("audit", "verify", "--expect", "100000\(expected.drop { $0 != ":" })")
        #expect(forged.status == AdminExit.failed.rawValue)
    }
}

/// A `tintype-server` over a new library, on loopback.
private struct ServerProcess {
    private let process = Process()
    private let origin: ServerOrigin
    private let socket: String

    init(folder: URL) throws {
        let library = folder.appending(path: "library").path
        let settings = ["library.path=\(library)", "server.listen=127.0.0.1:0", "enrollment.open=true"]
        let flags = settings.flatMap { ["--set", $0] }
        let made = try ChildProcess.run(Self.binary("tintype-server"), ["init"] + flags)
        try #require(made.status == 0, "\(made.errors)")
        socket = "\(library)/admin.sock"
        let log = Pipe()
        process.executableURL = URL(filePath: Self.binary("tintype-server"))
        process.arguments = ["serve"] + flags
        process.standardOutput = log
        process.standardError = log
        process.standardInput = FileHandle.nullDevice
        try process.runAlone()
        origin = try Self.origin(in: log.fileHandleForReading)
    }

    func stop() {
        guard process.isRunning else { return }
        process.terminate()
        process.waitUntilExit()
    }

    /// Runs `tintypectl` against the server.
    func control(_ arguments: String...) async throws -> ChildProcess.Outcome { try await control(arguments) }

    func control(_ arguments: [String]) async throws -> ChildProcess.Outcome {
        try await offTheSharedThreads { [socket] in
            try ChildProcess.run(Self.binary("tintypectl"), arguments + ["--socket", socket])
        }
    }

    /// Enrols a box, as its agent does.
    func enroll(_ key: DeviceKey, name: String, token: String?) async throws -> EnrollmentResponse {
        try await client().enroll(
            EnrollmentRequest(
                certificateRequest: try key.signingRequest().der,
                token: token,
                name: name,
                build: "test",
                usage: UsageTexts(add: "Saves what passes the gate.", readWrite: "Shows it at the desk."),
                levels: ["addOnly", "readWrite"]
            )
        )
    }

    /// The library as a box sees it that has pinned the authority and is no device yet.
    func client() async throws -> LibraryClient {
        let unknown = LibraryClient(try CurlTransport(CurlSettings(origin: origin, trust: .anybody)))
        let authority = try await unknown.authority().certificates
        return LibraryClient(try CurlTransport(CurlSettings(origin: origin, trust: .pinned(authority))))
    }

    /// Programs lie beside the tests.
    private static func binary(_ name: String) -> String { Bundle.main.bundleURL.appending(path: name).path }

    /// Reads the log up to the line that says where the server listens; later lines are read and dropped.
    private static func origin(in log: FileHandle) throws -> ServerOrigin {
        var text = ""
        while true {
            let bytes = log.availableData
            guard !bytes.isEmpty else { throw ServerEnded(log: text) }
            text += String(decoding: bytes, as: UTF8.self)
            guard let port = text.firstMatch(of: /address=\S*127\.0\.0\.1:(\d+)[^\n]*\n/)?.1 else { continue }
            log.readabilityHandler = { _ = $0.availableData }
            return try #require(ServerOrigin("https://127.0.0.1:\(port)"))
        }
    }

    private struct ServerEnded: Error {
        let log: String
    }
}
