package import DeviceIdentity
package import PhotoModel

/// What a caller showed to the transport: nothing is decided by it yet.
package enum Credential: Hashable, Sendable {
    /// Nothing.
    case none
    /// A certificate of a device, its dates still to be judged.
    case device(DeviceID, certificate: IdentityCertificate)
    /// A certificate of an operator, its dates still to be judged.
    case operatorCertificate(OperatorName, certificate: IdentityCertificate)
    /// The operators' Unix socket, opened by a process of this user.
    case localUser(userID: UInt32)

    /// The name under which an operator is audited; nil for others.
    package var operatorName: String? {
        switch self {
        case .none, .device: nil
        case .operatorCertificate(let name, _): name.description
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
        case .none, .localUser: nil
        case .device(_, let certificate), .operatorCertificate(_, let certificate): certificate
        }
    }
}
