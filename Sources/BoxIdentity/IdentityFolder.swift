package import DeviceIdentity
import FoundationEssentials
package import LibraryAPI
package import LibraryClient
package import Persistence
package import PhotoModel

/// The box's identity and trust: `identity/` in the agent's folder.
///
/// `key.pem` (0600, or sealed by the box's TPM) is created here and never leaves; `key.next.pem` exists during a key
/// change, and the stored certificate determines which of the two is valid; `pinned.json` is written once the authority
/// matched its fingerprint; `device.json` once the library made the box a device; `queue.key`, which may be sealed too,
/// if the queue is encrypted, with its digest beside it, by which a lost key is noticed. Each is replaced atomically.
package struct IdentityFolder: Sendable {
    /// The pinned library.
    package struct Pinned: Hashable, Sendable, Codable {
        /// Its address.
        package var url: String
        /// The authority's certificate, PEM.
        package var authority: String
        /// The receipt keys.
        package var receiptKeys: [AuthorityResponse.ReceiptKey]

        package init(url: String, authority: String, receiptKeys: [AuthorityResponse.ReceiptKey]) {
            self.url = url
            self.authority = authority
            self.receiptKeys = receiptKeys
        }
    }

    /// The box's device identity.
    package struct Device: Hashable, Sendable, Codable {
        /// The device.
        package var id: DeviceID
        /// Its certificates, PEM, its own first.
        package var certificateChain: String

        package init(id: DeviceID, certificateChain: String) {
            self.id = id
            self.certificateChain = certificateChain
        }
    }

    /// The folder.
    package let path: Path
    let seal: SecretSeal
    let fileSystem = PosixFileSystem()

    /// Refers to the folder inside the agent's, which need not exist.
    package init(in root: Path, seal: SecretSeal = SecretSeal()) {
        path = root.appending("identity")
        self.seal = seal
    }

    /// The pinned library; nil before the enrolment.
    package func pinned() throws -> Pinned? { try document("pinned.json") }

    /// The box's device identity; nil until the enrolment is complete.
    package func device() throws -> Device? { try document("device.json") }

    /// The pending enrolment; nil if none.
    package func pendingEnrollment() throws -> EnrollmentID? { try document("enrollment.json") }

    /// The enrolment that the library refused; nil if none.
    package func refusedEnrollment() throws -> EnrollmentID? { try document("enrollment.refused.json") }

    /// Stores the pinned library with its latest receipt keys, as many as can be read again.
    ///
    /// - Throws: `certificateMalformed` if its authority is not a certificate.
    package func setPinned(_ pinned: Pinned) throws {
        _ = try Self.certificate(in: pinned.authority)
        var pinned = pinned
        pinned.receiptKeys = Array(pinned.receiptKeys.filter(Self.isKey).suffix(Self.receiptKeyCount))
        try write("pinned.json", pinned)
    }

    /// Stores the device identity.
    ///
    /// - Throws: `certificateMalformed` for anything but certificates of the box's key, or of the one that it changes to:
    ///   with those it could never reach its library again.
    package func setDevice(_ device: Device) throws {
        let key = try Self.certificate(in: device.certificateChain).keyFingerprint
        guard try key == deviceKey().fingerprint || key == nextKey()?.fingerprint else {
            throw DeviceIdentityError(.certificateMalformed, "the library's certificate is for another key")
        }
        try write("device.json", device)
    }

    /// Stores the pending enrolment.
    package func setPendingEnrollment(_ id: EnrollmentID) throws { try write("enrollment.json", id) }

    /// Stores that the library refused an enrolment.
    package func setRefusedEnrollment(_ id: EnrollmentID) throws { try write("enrollment.refused.json", id) }

    /// The box's key in PEM; created if there is none.
    package func key() throws -> String { try deviceKey().pem }

    /// A signing request for the box's key; always the same bytes, so that the library recognises a repeated enrolment.
    package func signingRequest() throws -> [UInt8] {
        let file = path.appending("request.der")
        if let bytes = try fileSystem.readAll(file) { return bytes }
        let bytes = try deviceKey().signingRequest().der
        try fileSystem.writeAtomically(file, bytes)
        return bytes
    }

    /// The transport settings to connect to the pinned library as this device.
    ///
    /// - Throws: `notEnrolled` before the enrolment.
    package func curlSettings(proxy: String?) throws -> CurlSettings {
        guard let pinned = try pinned(), let origin = ServerOrigin(pinned.url) else {
            throw BoxIdentityError(.notEnrolled, "this box has no library yet: tintype-agent enroll URL --token TOKEN")
        }
        let identity = try device().map {
            try CurlSettings.Identity(certificateChain: $0.certificateChain, key: key())
        }
        var settings = CurlSettings(origin: origin, trust: .pinned(pinned.authority), identity: identity)
        settings.proxy = proxy
        return settings
    }

    /// A signing request for a new key, with the current key's proof; the same new key until it is used.
    package func nextSigningRequest() throws -> (request: [UInt8], proof: [UInt8]) {
        let file = path.appending("key.next.pem")
        let isBegun = try fileSystem.status(file) != nil
        let next = isBegun ? try DeviceKey.load(from: file.text) : try DeviceKey.create(at: file.text)
        let request = try next.signingRequest().der
        return (request, try deviceKey().signature(for: request))
    }

    /// Installs new certificates, and with them their key; one that replaces a sealed key is sealed too.
    ///
    /// - Throws: `certificateMalformed`, as for the first ones.
    package func replaceCertificates(_ chain: String) throws {
        guard let device = try device() else {
            throw BoxIdentityError(.notEnrolled, "this box is not a device yet: tintype-agent enroll URL --token TOKEN")
        }
        let wasSealed = sealing.identityKey == .hardware
        try setDevice(Device(id: device.id, certificateChain: chain))
        _ = try deviceKey()
        // A temporarily unavailable TPM is reported at the agent's next start; the key change is done.
        if wasSealed { _ = try? sealSecrets() }
    }

    /// Pins the library's next root, and adds its receipt keys: those of earlier ones stay valid.
    ///
    /// - Throws: `certificateMalformed` if the answer has no root.
    package func learn(_ answer: AuthorityResponse) throws {
        guard var pinned = try pinned() else { return }
        pinned.authority = answer.certificates
        // The answer's come last, since the first are dropped.
        let former = pinned.receiptKeys.filter { !answer.receiptKeys.contains($0) }
        pinned.receiptKeys = former + answer.receiptKeys
        try setPinned(pinned)
    }

    /// The longest certificates that are stored, in bytes of PEM: a file that is too long could not be read again.
    private static let certificatesByteCount = 64 << 10
    /// The most receipt keys that are remembered, the latest ones.
    private static let receiptKeyCount = 64

    /// The first certificate of a text.
    private static func certificate(in pem: String) throws -> IdentityCertificate {
        guard pem.utf8.count <= certificatesByteCount else {
            throw DeviceIdentityError(.certificateMalformed, "the library's certificates are too long")
        }
        return try IdentityCertificate(pem: pem)
    }

    /// Whether a library's answer has a key that verifies receipts.
    private static func isKey(_ key: AuthorityResponse.ReceiptKey) -> Bool {
        ReceiptKeyID(key.id) != nil && (try? ReceiptVerificationKey(der: key.publicKey.bytes)) != nil
    }

    /// The key that a begun key change made; nil without one.
    private func nextKey() throws -> DeviceKey? {
        let file = path.appending("key.next.pem")
        return try fileSystem.status(file) == nil ? nil : DeviceKey.load(from: file.text)
    }

    /// Forgets the box's device identity and key, so that it enrols as a new device.
    ///
    /// The queue's key and the library are kept.
    package func forgetDevice() throws {
        try seal.removeSealed(path.appending("key.pem").text)
        for name in ["key.next.pem", "key.pem"] {
            let file = path.appending(name)
            if try fileSystem.status(file) != nil { try PrivateFile.erase(file.text) }
        }
        // The enrolment goes last: it reveals an interruption, after which all of this is repeated.
        for name in ["device.json", "request.der", "enrollment.json"] {
            let file = path.appending(name)
            if try fileSystem.status(file) != nil { try fileSystem.unlink(file) }
            try fileSystem.synchronizeDirectory(path)
        }
    }

    /// Erases the box's identity, overwriting it first as far as the disk allows.
    package func erase() throws {
        guard try fileSystem.status(path) != nil else { return }
        // First the file that would reveal a missing queue key, in case this is interrupted after the key.
        for name in try fileSystem.list(path).sorted(by: { $0 == Self.markName && $1 != Self.markName }) {
            try PrivateFile.erase(path.appending(name).text)
        }
    }

    /// The certificate's key; completes an interrupted key change.
    private func deviceKey() throws -> DeviceKey {
        let file = path.appending("key.pem")
        let next = path.appending("key.next.pem")
        if try fileSystem.status(next) != nil, let chain = try device()?.certificateChain {
            let fresh = try DeviceKey.load(from: next.text)
            if try IdentityCertificate(pem: chain).keyFingerprint == fresh.fingerprint {
                let request = path.appending("request.der")
                if try fileSystem.status(request) != nil { try fileSystem.unlink(request) }
                try fileSystem.rename(next, to: file)
                try fileSystem.synchronizeDirectory(path)
                try seal.removeSealed(file.text)
            }
        }
        if let pem = try seal.read(file.text) { return try DeviceKey(pem: pem) }
        try fileSystem.createDirectories(path)
        return try DeviceKey.create(at: file.text)
    }

    private func document<Value: Decodable>(_ name: String) throws -> Value? {
        guard let bytes = try fileSystem.readAll(path.appending(name)) else { return nil }
        return try JSONDecoder().decode(Value.self, from: Data(bytes))
    }

    private func write(_ name: String, _ value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        try fileSystem.createDirectories(path)
        try fileSystem.writeAtomically(path.appending(name), Array(encoder.encode(value)))
    }
}

extension IdentityFolder.Pinned {
    /// Decides whether the library signed a receipt; the keys are decoded once, for thousands of receipts.
    package func receiptVerifier() -> @Sendable (SignedReceipt) -> Bool {
        let known = receiptKeys.compactMap { key in
            (try? ReceiptVerificationKey(der: key.publicKey.bytes)).map { (key.id, $0) }
        }
        let keys = Dictionary(known) { first, _ in first }
        return { receipt in
            guard let id = ReceiptKeyID(receipt.keyID), let key = keys[receipt.keyID] else { return false }
            let signature = ReceiptSignature(keyID: id, bytes: receipt.signature.bytes)
            return key.isValid(signature, for: receipt.receipt.canonicalBytes)
        }
    }
}
