import DeviceIdentity
import Foundation
import PhotoModel
import TestSupport
import Testing
import X509

struct CertificateAuthorityTests {
    private let now = WallTime(microsecondsSince1970: 1_790_000_000_000_000)
    private let device = Identity.device(DeviceID(rawValue: 0xABCD))

    private func folder() throws -> String {
        let url = FileManager.default.temporaryDirectory.appending(path: "authority-\(UUID())")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
        return url.path
    }

    @Test("A device's certificate holds its identifier, lives 90 days and is a leaf for clients")
    func deviceCertificate() throws {
        let authority = try CertificateAuthority(rootKey: DeviceKey())
        let key = DeviceKey()
        let certificate = try authority.certificate(for: key.signingRequest(), identity: device, at: now)
        #expect(certificate.identity == device)
        #expect(certificate.keyFingerprint == key.fingerprint)
        #expect(certificate.notAfter == now.advanced(by: .seconds(90 * 86_400)))
        #expect(certificate.notBefore < now)
        let extensions = certificate.certificate.extensions
        #expect(try extensions.basicConstraints == .notCertificateAuthority)
        #expect(try extensions.extendedKeyUsage?.elementsEqual([.clientAuth]) == true)
        #expect(try IdentityCertificate(der: certificate.der) == certificate)
        #expect(try IdentityCertificate(pem: certificate.pem) == certificate)
    }

    @Test("Only what the authority issued for clients is trusted, expired or not")
    func trust() throws {
        let authority = try CertificateAuthority(rootKey: DeviceKey())
        let stranger = try CertificateAuthority(rootKey: DeviceKey())
        let trusted = TrustedAuthorities(intermediates: [authority.intermediate])
        let request = try DeviceKey().signingRequest()
        let own = try authority.certificate(for: request, identity: device, at: now)
        let expired = try authority.certificate(for: request, identity: device, at: .init(microsecondsSince1970: 0))
        #expect(try trusted.identity(of: own) == device)
        #expect(try trusted.identity(of: expired) == device)
        let foreign = try stranger.certificate(for: request, identity: device, at: now)
        let server = try authority.serverCertificate(for: DeviceKey(), hosts: [.name("localhost")])
        for certificate in [foreign, server, authority.intermediate, authority.root] {
            expectFailure(.certificateUntrusted) { try trusted.identity(of: certificate) }
        }
    }

    @Test("A certificate with one changed byte is not trusted")
    func tamperedCertificate() throws {
        let authority = try CertificateAuthority(rootKey: DeviceKey())
        let trusted = TrustedAuthorities(intermediates: [authority.intermediate])
        let der = try authority.certificate(for: DeviceKey().signingRequest(), identity: device, at: now).der
        for position in stride(from: 0, to: der.count, by: 7) {
            var changed = der
            changed[position] ^= 0x10
            #expect(throws: DeviceIdentityError.self) {
                try trusted.identity(of: IdentityCertificate(der: changed))
            }
        }
    }

    @Test("What init keeps in the folder is what serve loads, and a second init touches nothing")
    func folderRoundTrip() throws {
        let path = try folder()
        defer { try? FileManager.default.removeItem(atPath: path) }
        let folder = AuthorityFolder(path: path)
        let made = try folder.create(hosts: [.name("photos.example.net"), .address([127, 0, 0, 1])])
        let loaded = try folder.load()
        #expect(loaded.authority.root == made.authority.root)
        #expect(loaded.serverChain == made.serverChain)
        let hosts = loaded.serverChain.map(\.hosts)
        #expect(hosts == [[.name("photos.example.net"), .address([127, 0, 0, 1])], []])
        #expect(loaded.receiptKey.verificationKey.id == made.receiptKey.verificationKey.id)
        expectFailure(.fileExists) { try folder.create(hosts: [.name("other")]) }
        #expect(try folder.load().authority.root == made.authority.root)
        for name in ["root-key.pem", "intermediate-key.pem", "server-key.pem", "receipt-key.pem"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(path)/\(name)")
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
        }
    }

    @Test("A key that others can read is refused, and so is one of another folder")
    func insecureKey() throws {
        let path = try folder()
        defer { try? FileManager.default.removeItem(atPath: path) }
        let folder = AuthorityFolder(path: path)
        _ = try folder.create(hosts: [.name("localhost")])
        let file = "\(path)/intermediate-key.pem"
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: file)
        expectFailure(.fileInsecure) { try folder.load() }
        try FileManager.default.removeItem(atPath: file)
        _ = try DeviceKey.create(at: file)
        expectFailure(.certificateUntrusted) { try folder.load() }
    }

    @Test("OpenSSL verifies the chains of servers and devices, and reads their names")
    func outsideVerification() throws {
        let path = try folder()
        defer { try? FileManager.default.removeItem(atPath: path) }
        let made = try AuthorityFolder(path: path).create(hosts: [.name("localhost"), .address([127, 0, 0, 1])])
        let leaf = try made.authority.certificate(for: DeviceKey().signingRequest(), identity: device, at: .now())
        try PrivateFile.create("\(path)/device.pem", text: leaf.pem + "\n")
        for (file, purpose) in [("server.pem", "sslserver"), ("device.pem", "sslclient")] {
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/openssl")
            process.arguments = [
                "verify", "-x509_strict", "-purpose", purpose, "-CAfile", "\(path)/root.pem",
                "-untrusted", "\(path)/intermediate.pem", "\(path)/\(file)",
            ]
            process.standardOutput = Pipe()
            try process.runAlone()
            process.waitUntilExit()
            #expect(process.terminationStatus == 0, "\(file)")
        }
    }
}

extension WallTime {
    fileprivate static func now() -> WallTime {
        WallTime(millisecondsSince1970: Int64(Date().timeIntervalSince1970 * 1000))
    }
}
