package import DeviceIdentity
import LibraryAPI
package import PhotoModel

/// What a caller showed to the transport: nothing is decided by it yet.
package enum Credential: Hashable, Sendable {
    /// Nothing.
    case none
    /// A certificate of a device, its dates still to be judged.
    case device(DeviceID, certificate: IdentityCertificate)
    /// A certificate of an operator, its dates still to be judged.
    case operatorCertificate(OperatorName, certificate: IdentityCertificate)
    /// A login on the web page; what it changes needs its second token too.
    case webSession(WebIdentity)
    /// The operators' Unix socket, opened by a process of this user.
    case localUser(userID: UInt32)

    /// The name under which an operator is audited; nil for others.
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

    /// The certificate that was shown; nil where there was none.
    package var certificate: IdentityCertificate? {
        switch self {
        case .none, .localUser, .webSession: nil
        case .device(_, let certificate), .operatorCertificate(_, let certificate): certificate
        }
    }
}

/// Whose requests end together when a right is taken away.
enum Party: Hashable, Sendable {
    /// A device.
    case device(DeviceID)
    /// An operator's certificate, by its key.
    case operatorKey(ContentDigest)
    /// A login on the web page.
    case webSession(WebSessionID)
}

extension Credential {
    /// Whose right the request hangs on; nil for the operators' socket, which nobody takes away, and for nobody.
    var party: Party? {
        switch self {
        case .device(let device, _): .device(device)
        case .operatorCertificate(_, let certificate): .operatorKey(certificate.keyFingerprint.digest)
        case .webSession(let identity): .webSession(identity.id)
        case .none, .localUser: nil
        }
    }
}
