import Authorization
import DeviceIdentity
import Foundation
import LibraryAPI
import Logging
import NIOSSL
import Observability
import PhotoModel
import Synchronization
import Testing

@testable import LibraryServer

struct TransportTests {
    @Test("Anybody reaches the authority over TLS 1.3, with and without a certificate of ours")
    func handshake() async throws {
        try await RunningServer.run { server in
            let answer = try await server.withClient { try await $0.send("GET", "/v1/ca") }
            #expect(answer.status == 200)
            #expect(answer.headers["x-content-type-options"] == "nosniff")
            #expect(answer.headers["request-id"]?.isEmpty == false)
            let authority = try answer.json(AuthorityResponse.self)
            #expect(try IdentityCertificate(pem: authority.certificates) == server.environment.authority.authority.root)
            let key = DeviceKey()
            let expired = try server.environment.authority.authority.certificate(
                for: key.signingRequest(),
                identity: .device(DeviceID(rawValue: 1)),
                at: WallTime(microsecondsSince1970: 0)
            )
            let late = try await server.withClient(key: key, certificate: expired) {
                try await $0.send("GET", "/healthz")
            }
            #expect(late.status == 200, "an expired certificate must get through the handshake")
        }
    }

    @Test("Nobody is answered who speaks no TLS 1.3")
    func olderVersion() async throws {
        try await RunningServer.run { server in
            for (version, isAnswered) in [(TLSVersion.tlsv12, false), (.tlsv13, true)] {
                let connection = try await RawConnection.open(to: server, newest: version)
                // It fails where the handshake has failed before.
                try? await connection.send("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(try await connection.waits(for: "HTTP/1.1 200") == isAnswered, "\(version)")
                await connection.close()
            }
        }
    }

    @Test("T9, T11: a certificate of another authority, or with another key, ends the handshake")
    func foreignCertificate() async throws {
        let key = DeviceKey()
        let foreign = try CertificateAuthority(rootKey: DeviceKey()).certificate(
            for: key.signingRequest(),
            identity: .device(DeviceID(rawValue: 1)),
            at: .now()
        )
        try await RunningServer.run { server in
            await #expect(throws: (any Error).self) {
                try await server.withClient(key: key, certificate: foreign) { try await $0.send("GET", "/healthz") }
            }
            let answer = try await server.withClient { try await $0.send("GET", "/healthz") }
            #expect(answer.status == 200)
        }
    }

    @Test("T12: header fields that name a certificate are ignored")
    func spoofedHeaders() async throws {
        try await RunningServer.run { server in
            let leaf = try server.environment.authority.authority.certificate(
                for: DeviceKey().signingRequest(),
                identity: .operator(try #require(OperatorName("root"))),
                at: .now()
            )
            let oneLine = leaf.pem.filter { $0 != "\n" }
            try await server.withClient { client in
                for name in ["X-SSL-Client-Cert", "X-Client-Cert", "Client-Cert", "X-Forwarded-Client-Cert"] {
                    let answer = try await client.send("GET", "/metrics", headers: [(name, oneLine)])
                    #expect(answer.status == 401, "\(name)")
                }
            }
        }
    }

    @Test("The operators' socket has mode 0600, needs no credential, and lets metrics be read")
    func operatorSocket() async throws {
        try await RunningServer.run { server in
            let attributes = try FileManager.default.attributesOfItem(atPath: server.socketPath)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            let answer = try await server.withOperator { try await $0.send("GET", "/metrics") }
            #expect(answer.status == 200)
            #expect(answer.text.contains("tintype_server_active_device_requests 0.0"))
            #expect(
                try FileManager.default.contentsOfDirectory(
                    atPath: String(server.socketPath.dropLast("/admin.sock".count))
                ).contains {
                    $0.hasPrefix("admin.sock.")
                } == false
            )
        }
    }

    @Test("The operators' socket is gone when the server has stopped")
    func socketGoes() async throws {
        let folder = try TemporaryFolder()
        var path = ""
        try await RunningServer.run(in: folder.path) { server in
            path = server.socketPath
            #expect(FileManager.default.fileExists(atPath: path))
        }
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test("The identifier that an answer carries is in the line of the log about it")
    func requestIdentifier() async throws {
        let lines = Mutex<[String]>([])
        let handler = LineLogHandler(
            label: "test",
            format: .text,
            level: .debug,
            now: { WallTime.now() },
            sink: { line in lines.withLock { $0.append(line) } }
        )
        try await RunningServer.run(logger: Logger(label: "test") { _ in handler }) { server in
            let answer = try await server.withClient { try await $0.send("GET", "/healthz") }
            let id = try #require(answer.headers["request-id"])
            let told = lines.withLock { lines in lines.filter { $0.contains(" request.id=\(id) ") } }
            #expect(told.contains { $0.contains("request answered") && $0.contains(" status=200") }, "\(told)")
        }
    }

    @Test("004.3: an unknown route, method or version of the protocol is answered with where to read of them")
    func unknownRoutes() async throws {
        try await RunningServer.run { server in
            try await server.withClient { client in
                let unknown = [
                    ("GET", "/v1/nothing"), ("GET", "/v1/../etc/passwd"), ("PUT", "/v1/ca"),
                    ("POST", "/v0/picker/sessions"), ("POST", "/v2/picker/sessions"), ("POST", "/picker/sessions"),
                ]
                for (method, path) in unknown {
                    let answer = try await client.send(method, path)
                    #expect(answer.status == 404)
                    #expect(answer.headers["content-type"] == ProblemDetails.contentType)
                    let problem = try answer.json(ProblemDetails.self)
                    #expect(problem.code == .notFound && problem.detail.contains("see /v1/openapi.yaml"))
                    #expect(problem.instance == answer.headers["request-id"])
                }
                #expect(try await client.send("GET", "/v1/openapi.yaml").status == 200)
            }
        }
    }
}
