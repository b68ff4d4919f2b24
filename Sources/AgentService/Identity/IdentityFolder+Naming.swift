import BoxIdentity
import DeviceIdentity
import Terminal

extension IdentityFolder {
    /// The beginning of the box's key fingerprint, by which administrators identify it; nil before it is a device.
    package var shortFingerprint: String? {
        get throws {
            try device().map { Wording.short(try IdentityCertificate(pem: $0.certificateChain).keyFingerprint.digest) }
        }
    }

    /// A command for the administrator, with this box's fingerprint filled in where needed.
    package func naming(_ text: String) -> String { Self.naming((try? shortFingerprint) ?? nil, in: text) }

    /// The same for a given fingerprint; nil leaves the text unchanged.
    package static func naming(_ fingerprint: String?, in text: String) -> String {
        guard let fingerprint else { return text }
        return text.replacing("<fingerprint>", with: fingerprint).replacing("<device>", with: fingerprint)
    }
}
