/// What has been decided for a level; raw values are those of PhotoKit's `PHAuthorizationStatus`.
public enum AuthorizationStatus: Int, CaseIterable, Hashable, Sendable {
    /// Not decided yet; only in this status does a request ask an administrator.
    case notDetermined = 0
    /// Policy forbids it, whatever was decided.
    case restricted = 1
    /// An administrator denied it.
    case denied = 2
    /// An administrator allowed it.
    case authorized = 3
    /// An administrator allowed it for a selection.
    case limited = 4

    /// The status for a raw value from outside; unknown values count as denied.
    public init(untrusted rawValue: Int) {
        self = AuthorizationStatus(rawValue: rawValue) ?? .denied
    }

    /// The status for a name from the wire; unknown names count as denied.
    public init(untrusted name: String) {
        self = Self.allCases.first { $0.name == name } ?? .denied
    }

    /// The name on the wire.
    public var name: String {
        switch self {
        case .notDetermined: "notDetermined"
        case .restricted: "restricted"
        case .denied: "denied"
        case .authorized: "authorized"
        case .limited: "limited"
        }
    }

    /// Whether the level may be used, in full or within a selection.
    public var grantsAccess: Bool {
        switch self {
        case .authorized, .limited: true
        case .notDetermined, .restricted, .denied: false
        }
    }
}

extension AuthorizationStatus: Codable, CustomStringConvertible {
    /// The name on the wire.
    public var description: String { name }

    /// Decodes the name from a single string; an unknown name counts as denied, so that old programs fail safe.
    public init(from decoder: any Decoder) throws {
        self.init(untrusted: try decoder.singleValueContainer().decode(String.self))
    }

    /// Encodes the name as a single string.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(name)
    }
}
