import DeviceIdentity
import Foundation
import PhotoModel
import Testing

/// A new signing certificate under the same root, with the earlier one still trusted.
struct AuthorityRotationTests {
    private let now = WallTime(microsecondsSince1970: 1_790_000_000_000_000)
    private let hosts = [HostAddress("localhost")].compactMap(\.self)

    private func made() throws -> AuthorityFolder {
        let url = FileManager.default.temporaryDirectory.appending(path: "authority-\(UUID())")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
        let folder = AuthorityFolder(path: url.path)
        _ = try folder.create(hosts: hosts)
        return folder
    }

    private func device(_ authority: CertificateAuthority) throws -> IdentityCertificate {
        let request = try DeviceKey().signingRequest()
        return try authority.certificate(for: request, identity: .device(DeviceID(rawValue: 7)), at: now)
    }

    @Test("After a rotation devices of both signing certificates are known, until the earlier one is forgotten")
    func overlap() throws {
        let folder = try made()
        let before = try folder.load()
        let old = try device(before.authority)
        let after = try folder.rotateIntermediate(hosts: hosts)
        #expect(after.authority.root == before.authority.root, "devices pin the root")
        #expect(after.authority.intermediate != before.authority.intermediate)
        #expect(after.serverKey.fingerprint == before.serverKey.fingerprint)
        #expect(after.serverChain[1] == after.authority.intermediate)
        let new = try device(after.authority)
        let both = TrustedAuthorities(intermediates: [after.authority.intermediate] + after.retired)
        for certificate in [old, new] { #expect(try both.identity(of: certificate) == .device(DeviceID(rawValue: 7))) }
        #expect(try folder.rotateIntermediate(hosts: hosts).retired.count == 2)
        try folder.forgetRetired()
        let last = try folder.load()
        let one = TrustedAuthorities(intermediates: [last.authority.intermediate] + last.retired)
        #expect(throws: DeviceIdentityError.self) { try one.identity(of: old) }
    }

    @Test("A rotation that a crash interrupted is undone before its word, and finished after it")
    func interrupted() throws {
        let folder = try made()
        let before = try folder.load().authority.intermediate
        let half = "\(folder.path)/next-intermediate.pem"
        try Data("half".utf8).write(to: URL(filePath: half))
        #expect(try folder.load().authority.intermediate == before)
        let after = try folder.rotateIntermediate(hosts: hosts).authority.intermediate
        // As if the process had ended after the first of the names.
        let files = FileManager.default
        for name in ["intermediate.pem", "server.pem", "intermediate-key.pem"] {
            try files.moveItem(atPath: "\(folder.path)/\(name)", toPath: "\(folder.path)/next-\(name)")
        }
        try Data().write(to: URL(filePath: "\(folder.path)/next-ready"))
        #expect(try folder.load().authority.intermediate == after)
        #expect(!files.fileExists(atPath: "\(folder.path)/next-ready"))
    }

    @Test("A root is announced first and takes its place then; whoever learned it goes on, and devices stay known")
    func root() throws {
        let folder = try made()
        let before = try folder.load()
        let old = try device(before.authority)
        #expect(throws: DeviceIdentityError.self, "nobody could have learned it") {
            try folder.rotateRoot(hosts: hosts)
        }
        let announced = try folder.announceRoot()
        let coming = try #require(announced.comingRoot)
        #expect(announced.authority.root == before.authority.root && announced.serverChain == before.serverChain)
        #expect(try folder.announceRoot().comingRoot == coming, "once announced it stays")
        #expect(try folder.rotateIntermediate(hosts: hosts).comingRoot == coming)
        let after = try folder.rotateRoot(hosts: hosts)
        #expect(after.authority.root == coming && after.comingRoot == nil)
        #expect(after.serverChain[1] == after.authority.intermediate && after.retired.count == 2)
        let known = TrustedAuthorities(intermediates: [after.authority.intermediate] + after.retired)
        #expect(try known.identity(of: old) == .device(DeviceID(rawValue: 7)))
        #expect(try folder.rotateIntermediate(hosts: hosts).authority.root == coming, "its key came along")
        #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/coming-root-key.pem"))
    }

    @Test("Without the root's key nothing is rotated")
    func offlineRoot() throws {
        let folder = try made()
        try FileManager.default.removeItem(atPath: "\(folder.path)/root-key.pem")
        #expect(throws: DeviceIdentityError.self) { try folder.rotateIntermediate(hosts: hosts) }
        _ = try folder.load()
    }
}
