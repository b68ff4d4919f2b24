package import PhotoModel

/// What the device may do, as sent on the wire; statuses are named like PhotoKit's `PHAuthorizationStatus`.
package struct AuthorizationResponse: Hashable, Sendable, Codable {
    /// The name of a status; unknown ones count as denied.
    package struct Status: RawRepresentable, Hashable, Sendable, Codable {
        /// The name on the wire.
        package let rawValue: String
        /// Any name; unknown ones are kept.
        package init(rawValue: String) { self.rawValue = rawValue }
        /// Nobody has decided yet.
        package static let notDetermined = Status(rawValue: "notDetermined")
        /// Policy forbids it.
        package static let restricted = Status(rawValue: "restricted")
        /// The decision was no.
        package static let denied = Status(rawValue: "denied")
        /// The decision was yes.
        package static let authorized = Status(rawValue: "authorized")
        /// The decision was a selection.
        package static let limited = Status(rawValue: "limited")
    }

    /// An open request.
    package struct Pending: Hashable, Sendable, Codable {
        /// The requested level: `addOnly` or `readWrite`.
        package var level: String
        /// When it expires, ISO 8601.
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
        /// The number of rules behind it.
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
    /// The status for programs that do not know `limited`; the server itself never uses it.
    package var legacy: Status
    /// What restricts it, in words; nil if nothing does.
    package var restrictedBy: String?
    /// Open requests.
    package var pending: [Pending]
    /// The selection of a limited device.
    package var selection: Selection?
    /// Increases with every change of the grant.
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

/// Requests an access level.
package struct AuthorizationRequest: Hashable, Sendable, Codable {
    /// `addOnly` or `readWrite`.
    package var level: String
    /// Why, for the person who decides; required.
    package var usage: String

    package init(level: String, usage: String) {
        self.level = level
        self.usage = usage
    }
}

/// Requests a larger selection.
package struct SelectionExpansion: Hashable, Sendable, Codable {
    /// Why, for the person who decides.
    package var reason: String
    package init(reason: String) { self.reason = reason }
}

/// A device's open request for a larger selection.
package struct OpenExpansion: Hashable, Sendable, Codable {
    /// The request's identifier, which stays the same while it is open, whatever reason is given next.
    package var id: ExpansionID
    /// The latest reason.
    package var reason: String
    /// When it was first opened.
    package var openedAt: WallTime
    /// When it expires.
    package var expiresAt: WallTime

    package init(id: ExpansionID, reason: String, openedAt: WallTime, expiresAt: WallTime) {
        self.id = id
        self.reason = reason
        self.openedAt = openedAt
        self.expiresAt = expiresAt
    }
}
