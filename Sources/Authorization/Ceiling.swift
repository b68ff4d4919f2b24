/// The most that policy allows a profile or tag.
///
/// It clamps decisions without erasing them: lifting it restores them.
package struct Ceiling: Hashable, Sendable, Codable {
    /// The highest access, lowest first.
    package enum Limit: String, CaseIterable, Hashable, Sendable, Codable, Comparable {
        /// No access.
        case none
        /// Adding only.
        case addOnly
        /// Adding, and reading within a selection.
        case limited
        /// No limit.
        case readWrite

        private var rank: Int {
            switch self {
            case .none: 0
            case .addOnly: 1
            case .limited: 2
            case .readWrite: 3
            }
        }

        /// Orders by the access allowed.
        package static func < (left: Limit, right: Limit) -> Bool { left.rank < right.rank }
    }

    /// The profile or tag it applies to; shown as `restrictedBy`.
    package var name: String
    /// The highest access.
    package var limit: Limit
    /// Whether picker sessions may be opened.
    package var isPickerAllowed: Bool

    package init(name: String, limit: Limit, isPickerAllowed: Bool = true) {
        self.name = name
        self.limit = limit
        self.isPickerAllowed = isPickerAllowed
    }

    /// A ceiling that clamps nothing.
    package static let unlimited = Ceiling(name: "", limit: .readWrite)

    /// The combination of several ceilings: the lowest limit wins and names the result; any of them may forbid picking.
    package static func strictest(of ceilings: [Ceiling]) -> Ceiling {
        var strictest = ceilings.min { $0.limit < $1.limit } ?? .unlimited
        if let forbidding = ceilings.first(where: { !$0.isPickerAllowed }) {
            strictest.isPickerAllowed = false
            if strictest.limit == .readWrite { strictest.name = forbidding.name }
        }
        return strictest
    }

    /// The effective statuses of a decision under this ceiling.
    package func clamping(_ decision: AccessDecision) -> EffectiveAccess {
        let addOnly = decision.status(for: .addOnly)
        let readWrite = decision.status(for: .readWrite)
        let mayPick = isPickerAllowed && limit != .none
        switch limit {
        case .none:
            return EffectiveAccess(addOnly: .restricted, readWrite: .restricted, mayPick: false)
        case .addOnly:
            let clamped: AuthorizationStatus = addOnly == .limited ? .authorized : addOnly
            return EffectiveAccess(addOnly: clamped, readWrite: .restricted, mayPick: mayPick)
        case .limited where readWrite == .authorized:
            return EffectiveAccess(addOnly: .limited, readWrite: .limited, mayPick: mayPick)
        case .limited, .readWrite:
            return EffectiveAccess(addOnly: addOnly, readWrite: readWrite, mayPick: mayPick)
        }
    }

    /// The ceiling's name if it takes something away from a decision, else nil.
    package func restrictedBy(over decision: AccessDecision) -> String? {
        clamping(decision) == Ceiling.unlimited.clamping(decision) ? nil : name
    }
}

/// A device's effective access: both statuses under the ceiling, and whether it may open a picker.
package struct EffectiveAccess: Hashable, Sendable {
    /// The status for adding.
    package var addOnly: AuthorizationStatus
    /// The status for reading and writing.
    package var readWrite: AuthorizationStatus
    /// Whether picker sessions may be opened.
    package var mayPick: Bool

    package init(addOnly: AuthorizationStatus, readWrite: AuthorizationStatus, mayPick: Bool = true) {
        self.addOnly = addOnly
        self.readWrite = readWrite
        self.mayPick = mayPick
    }

    /// The status of a level.
    package func status(for level: AccessLevel) -> AuthorizationStatus {
        switch level {
        case .addOnly: addOnly
        case .readWrite: readWrite
        }
    }
}
