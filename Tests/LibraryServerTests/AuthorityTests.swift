import DeviceIdentity
import Foundation
import LibraryAPI
import NIOSSL
import Synchronization
import Testing

@testable import LibraryServer

/// A library's authority is replaced while its devices go on, over real TLS.
struct AuthorityTests {
    private let hosts = [HostAddress("localhost"), HostAddress("127.0.0.1")].compactMap(\.self)

    @Test("Intermediate, then root: a device that learned the next root goes on with the certificate that it has")
    func rotation() async throws {
        let folder = try TemporaryFolder()
        let authority = AuthorityFolder(path: "\(folder.path)/library/authority")
        let kept = Mutex<TestDevice?>(nil)
        try await RunningServer.run(in: folder.path) { server in
            let device = try await TestDevice.enroll(at: server)
            kept.withLock { $0 = device }
        }
        let device = try #require(kept.withLock { $0 })
        let old = try authority.rotateIntermediate(hosts: hosts).authority.root
        let next = try #require(try authority.announceRoot().comingRoot)
        try await RunningServer.run(in: folder.path) { server in
            #expect(server.environment.authority.authority.root == old)
            try await device.call(server) { client in
                let answer = try await client.send("GET", "/v1/ca").json(AuthorityResponse.self)
                #expect(answer.certificates == old.pem + "\n" + next.pem + "\n")
                let authorization = try await client.send("GET", "/v1/authorization")
                #expect(authorization.status == 200, "its signer is retired, and trusted")
            }
        }
        _ = try authority.rotateRoot(hosts: hosts)
        try await RunningServer.run(in: folder.path) { server in
            #expect(server.environment.authority.authority.root == next)
            // The client pins what the server's folder says: the new root.
            try await device.call(server) { client in
                let answer = try await client.send("GET", "/v1/ca").json(AuthorityResponse.self)
                #expect(answer.certificates == next.pem + "\n")
                let authorization = try await client.send("GET", "/v1/authorization")
                #expect(authorization.status == 200)
            }
        }
    }
}
