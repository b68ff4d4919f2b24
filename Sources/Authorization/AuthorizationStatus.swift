/// What has been decided for a level; raw values are those of PhotoKit's `PHAuthorizationStatus`.
public enum AuthorizationStatus: Int, CaseIterable, Hashable, Sendable {
    /// Nobody decided yet; only then does a request open a question.
    case notDetermined = 0
    /// Policy forbids it, whatever was decided.
    case restricted = 1
    /// An administrator said no.
    case denied = 2
    /// An administrator said yes.
    case authorized = 3
    /// Yes, for a selection.
    case limited = 4

    /// The status of a raw value from outside; one that is not known yet counts as denied.
    public init(untrusted rawValue: Int) {
        self = AuthorizationStatus(rawValue: rawValue) ?? .denied
    }

    /// The status of a name from the wire; one that is not known yet counts as denied.
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

    /// Reads the name from one string; an unknown name is read as denied, so that an old program stays on the safe side.
    public init(from decoder: any Decoder) throws {
        self.init(untrusted: try decoder.singleValueContainer().decode(String.self))
    }

    /// Writes the name as one string.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(name)
    }
}
