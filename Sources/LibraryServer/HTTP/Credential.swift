package import DeviceIdentity
import LibraryAPI
import LibraryStore
package import PhotoModel

/// A caller's transport credential; it grants nothing by itself.
package enum Credential: Hashable, Sendable {
    /// Nothing.
    case none
    /// A device's certificate, with dates still unchecked.
    case device(DeviceID, certificate: IdentityCertificate)
    /// An operator's certificate, with dates still unchecked.
    case operatorCertificate(OperatorName, certificate: IdentityCertificate)
    /// A login on the web page; changes require its second token too.
    case webSession(WebIdentity)
    /// The operators' Unix socket, opened by a process of this user.
    case localUser(userID: UInt32)

    /// An operator's name in the audit; nil for others.
    package var operatorName: String? {
        switch self {
        case .none, .device: nil
        case .operatorCertificate(let name, _): name.description
        case .webSession(let identity): identity.name
        case .localUser(let userID): "uid:\(userID)"
        }
    }

    /// The device; nil for others.
    package var deviceID: DeviceID? {
        guard case .device(let device, _) = self else { return nil }
        return device
    }

    /// The presented certificate; nil if none.
    package var certificate: IdentityCertificate? {
        switch self {
        case .none, .localUser, .webSession: nil
        case .device(_, let certificate), .operatorCertificate(_, let certificate): certificate
        }
    }
}

extension Credential {
    /// When it expires; nil if it does not.
    var expires: WallTime? {
        switch self {
        case .none, .localUser: nil
        case .device(_, let certificate), .operatorCertificate(_, let certificate): certificate.notAfter
        case .webSession(let identity): identity.expires
        }
    }

    /// The party whose right the request depends on; nil without a credential, and for the operators' socket, which
    /// cannot be revoked.
    var party: Party? {
        switch self {
        case .device(let device, _): .device(device)
        case .operatorCertificate(_, let certificate): .operatorKey(certificate.keyFingerprint.digest)
        case .webSession(let identity): .webSession(identity.id)
        case .none, .localUser: nil
        }
    }
}
