package import PhotoModel

/// Who performed an audited action.
package enum Actor: Hashable, Sendable, Codable {
    /// An administrator, by the name of the operator account.
    case administrator(String)
    /// The device itself.
    case device(DeviceID)
    /// The policy file on the server.
    case policy
}

extension Actor: CustomStringConvertible {
    /// For example `administrator ana`.
    package var description: String {
        switch self {
        case .administrator(let name): "administrator \(name)"
        case .device(let id): "device \(id)"
        case .policy: "policy"
        }
    }
}
