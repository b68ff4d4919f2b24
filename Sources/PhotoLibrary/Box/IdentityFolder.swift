package import DeviceIdentity
import FoundationEssentials
package import LibraryAPI
package import LibraryClient
package import Persistence
package import PhotoModel

/// Who the box is and whom it trusts: `identity/` in the agent's folder.
///
/// `key.pem` (0600, or sealed by the box's TPM) is made here and never leaves; `key.next.pem` is there while it is being
/// changed, and which of the two counts is what the stored certificate says; `pinned.json` is written when the authority was
/// checked against its fingerprint; `device.json` when the library made the box a device; `queue.key`, which may be sealed
/// too, when the queue is encrypted, and beside it its digest, by which a lost one is missed. Each is replaced as a whole.
package struct IdentityFolder: Sendable {
    /// The library that was pinned.
    package struct Pinned: Hashable, Sendable, Codable {
        /// Where it is.
        package var url: String
        /// The authority's certificate, PEM.
        package var authority: String
        /// The keys that sign receipts.
        package var receiptKeys: [AuthorityResponse.ReceiptKey]

        package init(url: String, authority: String, receiptKeys: [AuthorityResponse.ReceiptKey]) {
            self.url = url
            self.authority = authority
            self.receiptKeys = receiptKeys
        }
    }

    /// The device that the box is.
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

    /// Names the folder; it need not exist.
    ///
    /// - Parameters:
    ///   - root: the agent's folder.
    ///   - seal: how secrets are sealed.
    package init(in root: Path, seal: SecretSeal = SecretSeal()) {
        path = root.appending("identity")
        self.seal = seal
    }

    /// The library that was pinned; nil before the enrolment.
    package func pinned() throws -> Pinned? { try document("pinned.json") }

    /// The device that the box is; nil before the enrolment is through.
    package func device() throws -> Device? { try document("device.json") }

    /// The enrolment that waits for a decision; nil for none.
    package func pendingEnrollment() throws -> EnrollmentID? { try document("enrollment.json") }

    /// Remembers the library.
    package func setPinned(_ pinned: Pinned) throws { try write("pinned.json", pinned) }

    /// Remembers the device.
    package func setDevice(_ device: Device) throws { try write("device.json", device) }

    /// Remembers the enrolment.
    package func setPendingEnrollment(_ id: EnrollmentID) throws { try write("enrollment.json", id) }

    /// The box's key in PEM; made when there is none.
    package func key() throws -> String { try deviceKey().pem }

    /// A signing request for the box's key; the same bytes every time, so that the library knows a repeated enrolment.
    package func signingRequest() throws -> [UInt8] {
        let file = path.appending("request.der")
        if let bytes = try fileSystem.readAll(file) { return bytes }
        let bytes = try deviceKey().signingRequest().der
        try fileSystem.writeAtomically(file, bytes)
        return bytes
    }

    /// Tells whether the pinned library signed a receipt.
    package func isGenuine(_ receipt: SignedReceipt, pinned: Pinned) -> Bool {
        guard let id = ReceiptKeyID(receipt.keyID),
            let known = pinned.receiptKeys.first(where: { $0.id == receipt.keyID }),
            let key = try? ReceiptVerificationKey(der: known.publicKey.bytes)
        else { return false }
        let signature = ReceiptSignature(keyID: id, bytes: receipt.signature.bytes)
        return key.isValid(signature, for: receipt.receipt.canonicalBytes)
    }

    /// What a transport needs to be this device at the pinned library.
    ///
    /// - Parameter proxy: the proxy to go through; nil for none.
    /// - Returns: the settings.
    /// - Throws: `notEnrolled` before the enrolment.
    package func curlSettings(proxy: String?) throws -> CurlSettings {
        guard let pinned = try pinned(), let origin = ServerOrigin(pinned.url) else {
            throw PhotoLibraryError(
                .notEnrolled,
                "this box knows no library yet: tintype-agent enroll URL --token TOKEN"
            )
        }
        let identity = try device().map {
            try CurlSettings.Identity(certificateChain: $0.certificateChain, key: key())
        }
        var settings = CurlSettings(origin: origin, trust: .pinned(pinned.authority), identity: identity)
        settings.proxy = proxy
        return settings
    }

    /// A signing request for a new key, and the present key's word for it; the same new key until it is used.
    package func nextSigningRequest() throws -> (request: [UInt8], proof: [UInt8]) {
        let file = path.appending("key.next.pem")
        let isBegun = try fileSystem.status(file) != nil
        let next = isBegun ? try DeviceKey.load(from: file.text) : try DeviceKey.create(at: file.text)
        let request = try next.signingRequest().der
        return (request, try deviceKey().signature(for: request))
    }

    /// Takes up new certificates, and with them the key that they are for; one that replaces a sealed key is sealed.
    package func replaceCertificates(_ chain: String) throws {
        guard let device = try device() else {
            throw PhotoLibraryError(.notEnrolled, "this box is no device yet: tintype-agent enroll URL --token TOKEN")
        }
        let wasSealed = sealing.identityKey == .hardware
        try setDevice(Device(id: device.id, certificateChain: chain))
        _ = try deviceKey()
        // A TPM that is not to be had now is told of when the agent next starts; the change of keys is made.
        if wasSealed { _ = try? sealSecrets() }
    }

    /// Forgets the device that the box was, and its key: it enrols as another one then.
    ///
    /// The queue's key and the library stay.
    package func forgetDevice() throws {
        try seal.removeSealed(path.appending("key.pem").text)
        for name in ["key.next.pem", "key.pem"] {
            let file = path.appending(name)
            if try fileSystem.status(file) != nil { try PrivateFile.erase(file.text) }
        }
        // The enrolment goes last: by it an interruption is noticed, and all of this done again.
        for name in ["device.json", "request.der", "enrollment.json"] {
            let file = path.appending(name)
            if try fileSystem.status(file) != nil { try fileSystem.unlink(file) }
            try fileSystem.synchronizeDirectory(path)
        }
    }

    /// Forgets who the box is; what is there is overwritten first, as far as the disk lets that happen.
    package func erase() throws {
        guard try fileSystem.status(path) != nil else { return }
        // First what would miss the queue's key, should this be cut off after the key.
        for name in try fileSystem.list(path).sorted(by: { $0 == Self.markName && $1 != Self.markName }) {
            try PrivateFile.erase(path.appending(name).text)
        }
    }

    /// The key that the certificate is for; a change of keys that was cut off is finished here.
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
