import BoxIdentity
import DeviceIdentity
import Foundation
import Persistence
import PhotoModel
import TestSupport
import Testing

/// What becomes of a box's sealed key when its certificate or the key itself is changed.
struct SealedKeyTests {
    private let root = FileManager.default.temporaryDirectory.appending(path: "tt-sealed-\(UUID().uuidString)")

    /// A box whose TPM is a stand-in that turns letters around.
    private func box() throws -> IdentityFolder {
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
        let program = root.appending(path: "creds")
        let script = """
            #!/bin/sh
            case "$1" in
                encrypt) base64 | rev ;;
                decrypt) rev | base64 -d ;;
            esac
            """
        try ExecutableFile.write(script, to: program.path)
        let device = root.appending(path: "tpm")
        try Data().write(to: device)
        let box = Path(root.appending(path: "box").path)
        return IdentityFolder(in: box, seal: SecretSeal(program: program.path, device: device.path))
    }

    @Test("A new key that replaces a sealed one is sealed at once, and one that replaces a plain one stays plain")
    func rotation() throws {
        let box = try box()
        let authority = try CertificateAuthority(rootKey: DeviceKey())
        let id = DeviceID(rawValue: 0xABCD)
        let now = WallTime(microsecondsSince1970: 1_790_000_000_000_000)
        func certificates(_ request: [UInt8]) throws -> String {
            let request = try SigningRequest(der: request)
            return try authority.certificate(for: request, identity: .device(id), at: now).pem
        }
        try box.setDevice(.init(id: id, certificateChain: certificates(box.signingRequest())))
        try box.replaceCertificates(certificates(box.nextSigningRequest().request))
        #expect(box.sealing.identityKey == .fileMode)
        #expect(try box.sealSecrets().identityKey == .hardware)
        let sealed = try box.key()
        try box.replaceCertificates(certificates(box.nextSigningRequest().request))
        #expect(box.sealing.identityKey == .hardware)
        let changed = try box.key()
        #expect(changed != sealed && changed.contains("PRIVATE KEY"))
        // A renewal for the same key leaves it as it is.
        try box.replaceCertificates(certificates(box.signingRequest()))
        #expect(try box.sealing.identityKey == .hardware && box.key() == changed)
    }
}
