package import PhotoModel

/// What the device may do, in the words of the wire; statuses are named as PhotoKit's `PHAuthorizationStatus`.
package struct AuthorizationResponse: Hashable, Sendable, Codable {
    /// The name of a status; one that is not known counts as denied.
    package struct Status: RawRepresentable, Hashable, Sendable, Codable {
        /// The name on the wire.
        package let rawValue: String
        /// Any name; unknown ones are kept.
        package init(rawValue: String) { self.rawValue = rawValue }
        /// Nobody has decided yet.
        package static let notDetermined = Status(rawValue: "notDetermined")
        /// The policy forbids it.
        package static let restricted = Status(rawValue: "restricted")
        /// The decision was no.
        package static let denied = Status(rawValue: "denied")
        /// The decision was yes.
        package static let authorized = Status(rawValue: "authorized")
        /// The decision was a selection.
        package static let limited = Status(rawValue: "limited")
    }

    /// A request that waits for a decision.
    package struct Pending: Hashable, Sendable, Codable {
        /// The level that was asked for: `addOnly` or `readWrite`.
        package var level: String
        /// When it ends by itself, ISO 8601.
        package var expires: String

        package init(level: String, expires: String) {
            self.level = level
            self.expires = expires
        }
    }

    /// What a limited device sees.
    package struct Selection: Hashable, Sendable, Codable {
        /// Assets in the view.
        package var count: Int
        /// Rules that make it.
        package var rules: Int
        /// The device's question for more that waits; nil while none does.
        package var expansion: ExpansionID?

        package init(count: Int, rules: Int, expansion: ExpansionID? = nil) {
            self.count = count
            self.rules = rules
            self.expansion = expansion
        }
    }

    /// The status at addOnly.
    package var addOnly: Status
    /// The status at readWrite.
    package var readWrite: Status
    /// What programs that do not know `limited` see; the server itself never reads it.
    package var legacy: Status
    /// What restricts, in words; nil when nothing does.
    package var restrictedBy: String?
    /// Requests that wait.
    package var pending: [Pending]
    /// The selection of a limited device.
    package var selection: Selection?
    /// Goes up with every change of the grant.
    package var grantVersion: UInt64
    /// What to do next, in words.
    package var next: String

    package init(
        addOnly: Status,
        readWrite: Status,
        legacy: Status,
        restrictedBy: String? = nil,
        pending: [Pending] = [],
        selection: Selection? = nil,
        grantVersion: UInt64,
        next: String
    ) {
        self.addOnly = addOnly
        self.readWrite = readWrite
        self.legacy = legacy
        self.restrictedBy = restrictedBy
        self.pending = pending
        self.selection = selection
        self.grantVersion = grantVersion
        self.next = next
    }
}

/// Asks for an access level.
package struct AuthorizationRequest: Hashable, Sendable, Codable {
    /// `addOnly` or `readWrite`.
    package var level: String
    /// Why, for the person who decides; without it the request is refused.
    package var usage: String

    package init(level: String, usage: String) {
        self.level = level
        self.usage = usage
    }
}

/// Asks for more assets to be selected.
package struct SelectionExpansion: Hashable, Sendable, Codable {
    /// Why, for the person who decides.
    package var reason: String
    package init(reason: String) { self.reason = reason }
}

/// A device's question for more, as it waits for an operator.
package struct OpenExpansion: Hashable, Sendable, Codable {
    /// Names the question; the same one while it waits, whatever reason is given next.
    package var id: ExpansionID
    /// Why, as it was said last.
    package var reason: String
    /// When it was asked first.
    package var openedAt: WallTime
    /// When it ends by itself.
    package var expiresAt: WallTime

    package init(id: ExpansionID, reason: String, openedAt: WallTime, expiresAt: WallTime) {
        self.id = id
        self.reason = reason
        self.openedAt = openedAt
        self.expiresAt = expiresAt
    }
}
