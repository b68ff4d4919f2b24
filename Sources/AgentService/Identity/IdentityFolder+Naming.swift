import DeviceIdentity
package import PhotoLibrary
import Terminal

extension IdentityFolder {
    /// The start of the fingerprint of the box's key, by which administrators name it; nil before it is a device.
    package var shortFingerprint: String? {
        get throws {
            try device().map { Wording.short(try IdentityCertificate(pem: $0.certificateChain).keyFingerprint.digest) }
        }
    }

    /// What an administrator is to type, with this box in it where a device has to be named.
    package func naming(_ text: String) -> String { Self.naming((try? shortFingerprint) ?? nil, in: text) }

    /// The same with a fingerprint that is known; nil leaves the text as it is.
    static func naming(_ fingerprint: String?, in text: String) -> String {
        guard let fingerprint else { return text }
        return text.replacing("<fingerprint>", with: fingerprint).replacing("<device>", with: fingerprint)
    }
}
