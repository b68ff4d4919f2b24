import DeviceIdentity
import Foundation
import LibraryAPI
import LibraryClient
import Persistence
import PhotoModel
import Terminal
import Testing

@testable import AdminCommands

/// A folder that is gone after the test.
final class TestFolder {
    let url = FileManager.default.temporaryDirectory.appending(path: "tt-\(UUID().uuidString.prefix(8))")

    init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(at: url) }

    var path: String { url.path }

    func text(_ name: String) throws -> String { try String(contentsOf: url.appending(path: name), encoding: .utf8) }

    func write(_ name: String, _ text: String) throws {
        try Data(text.utf8).write(to: url.appending(path: name))
    }

    /// Every file below, by its path.
    func files() throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: path).filter { name in
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(path)/\(name)")
            return attributes[.type] as? FileAttributeType == .typeRegular
        }.sorted()
    }
}

struct ContextTests {
    private let folder: TestFolder
    private let runner: CommandRunner

    init() throws {
        folder = try TestFolder()
        runner = CommandRunner(library: StubLibrary(), environment: ["XDG_CONFIG_HOME": folder.path])
    }

    private func session(_ environment: [String: String]) -> AdminSession {
        var session = AdminSession.process
        session.environment = environment.merging(["XDG_CONFIG_HOME": folder.path]) { $1 }
        return session
    }

    private func socket(_ session: AdminSession, socket: String? = nil, context: String? = nil) throws -> String {
        guard case .socket(let path) = try session.access(socket: socket, context: context) else { return "remote" }
        return path
    }

    @Test("what is said nearest counts: --socket, --context, TINTYPE_SOCKET, TINTYPE_CONTEXT, the one in use, default")
    func precedence() async throws {
        #expect(try socket(session([:])) == AdminSession.defaultSocketPath)
        for name in ["a", "b"] {
            let added = await runner.run(["context", "add", name, "--socket", "/run/\(name).sock"])
            #expect(added.status == 0, "\(added.notes)")
        }
        #expect(try socket(session([:])) == "/run/a.sock", "the first is in use")
        #expect(await runner.run(["context", "use", "b"]).output.contains("*     b"))
        #expect(try socket(session([:])) == "/run/b.sock")
        #expect(try socket(session(["TINTYPE_CONTEXT": "a"])) == "/run/a.sock")
        let both = session(["TINTYPE_CONTEXT": "a", "TINTYPE_SOCKET": "/s"])
        #expect(try socket(both) == "/s")
        #expect(try socket(both, context: "b") == "/run/b.sock")
        #expect(try socket(both, socket: "/x") == "/x")
        #expect(throws: AdminError.self) { try socket(session(["TINTYPE_CONTEXT": "none"])) }
    }

    @Test("a context with a key lies in a file for its owner alone, and its key is shown to nobody")
    func secrecy() async throws {
        let request = await runner.run(["context", "request", "home"])
        #expect(request.output.contains("BEGIN CERTIFICATE REQUEST"))
        let again = await runner.run(["context", "request", "home"])
        #expect(
            try SigningRequest(pem: again.output).keyFingerprint == SigningRequest(pem: request.output).keyFingerprint
        )
        let file = folder.url.appending(path: "tintype/contexts.json").path
        #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)
        for format in [[], ["--json"], ["--quiet"]] {
            #expect(!(await runner.run(["context", "list"] + format)).output.contains("PRIVATE"))
        }
        let incomplete = await runner.run(["device", "list", "--context", "home"])
        #expect(incomplete.status == 64 && incomplete.notes.contains("is incomplete"))
        let removed = await runner.run(["context", "remove", "home"])
        #expect(removed.status == 64 && removed.notes.contains("--yes"))
        #expect(await runner.run(["context", "remove", "home", "--yes"]).status == 0)
        #expect(!(try folder.text("tintype/contexts.json")).contains("PRIVATE"))
    }

    @Test("what an operator was issued becomes a context; a certificate for another key does not")
    func issued() async throws {
        let key = DeviceKey()
        let authority = try CertificateAuthority(rootKey: DeviceKey())
        let certificate = try authority.certificate(
            for: key.signingRequest(),
            identity: .operator(try #require(OperatorName("ada"))),
            at: CommandRunner.now,
            lifetime: .seconds(90 * 86_400)
        )
        var context = AccessContext(name: "ada")
        context.server = "https://photos:8443"
        context.authority = authority.root.pem
        context.certificate = certificate.pem
        context.key = DeviceKey().pem
        var with = runner
        with.files = ["ada.json": Array(try Renderer.json(context).utf8)]
        let wrong = await with.run(["context", "add", "home", "--from", "ada.json"])
        #expect(wrong.status == 64 && wrong.notes.contains("does not match the key"))
        context.key = key.pem
        with.files = ["ada.json": Array(try Renderer.json(context).utf8), "junk": [1]]
        let added = await with.run(["context", "add", "home", "--from", "ada.json"])
        #expect(added.status == 0 && added.output.contains("https://photos:8443"), "\(added.notes)")
        guard case .remote(let access) = try session([:]).access(socket: nil, context: nil) else {
            Issue.record("it is remote")
            return
        }
        #expect(access.origin.description == "https://photos:8443" && access.identity.key == key.pem)
        #expect(await with.run(["context", "add", "x", "--from", "junk"]).status == 1)
        #expect(await with.run(["context", "use", "gone"]).notes.contains("tintypectl context list"))
    }

    @Test("a file that holds no contexts is named, and stays as it is")
    func damaged() async throws {
        try FileManager.default.createDirectory(
            at: folder.url.appending(path: "tintype"),
            withIntermediateDirectories: true
        )
        try folder.write("tintype/contexts.json", "{")
        let outcome = await runner.run(["context", "list"])
        #expect(outcome.status == 1 && outcome.notes.contains("is not a contexts file"))
        #expect(try folder.text("tintype/contexts.json") == "{")
    }
}
