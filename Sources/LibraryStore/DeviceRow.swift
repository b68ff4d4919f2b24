package import Authorization
package import LibraryAPI
package import PhotoModel

/// The outcome of adding a device.
package enum DeviceAddition: Hashable, Sendable {
    /// It is new, and waits for a decision.
    case added
    /// It already existed: the same request was repeated, possibly concurrently.
    case known
    /// Another device has the key.
    case keyTaken(by: DeviceID)
    /// The maximum number of devices already wait for a decision.
    case tooManyPending(Int)
}

/// A device's profile: what it reports, which is shown but never trusted, and what operators added.
package struct DeviceProfile: Hashable, Sendable, Codable {
    /// Its display name.
    package var name: String
    /// The program and its version.
    package var build: String
    /// Hashes of hardware properties.
    package var hardwareHints: [String]
    /// Why it wants access.
    package var usage: UsageTexts
    /// When it enrolled.
    package var enrolled: WallTime
    /// The time of its last contact.
    package var lastSeen: WallTime?
    /// The status it last reported.
    package var status: HeartbeatRequest.Status?
    /// The tags that determine its ceilings.
    package var tags: [String]
    /// The title of the album its new assets join, whatever its level; nil for none.
    package var album: String?
    /// What holds for its cameras and microphones, as it says.
    package var consents: [DeviceConsent]?
    /// Withdrawals that it has not followed yet.
    package var consentWithdrawals: [ConsentWithdrawal]?

    /// A profile at the enrolment.
    package init(
        name: String,
        build: String,
        hardwareHints: [String] = [],
        usage: UsageTexts,
        enrolled: WallTime,
        tags: [String] = [],
        album: String? = nil
    ) {
        self.name = name
        self.build = build
        self.hardwareHints = hardwareHints
        self.usage = usage
        self.enrolled = enrolled
        self.tags = tags
        self.album = album
    }
}

/// A device with its whole record.
package struct DeviceRow: Hashable, Sendable {
    /// The decisions.
    package let record: DecisionRecord
    /// Its profile.
    package let profile: DeviceProfile
}

/// A key of a device.
package struct DeviceKeyRecord: Hashable, Sendable {
    /// SHA-256 of the public key.
    package let fingerprint: ContentDigest
    /// When its certificate expires.
    package let certificateExpires: WallTime
    /// Whether the device has used it, which invalidates older keys.
    package let isCurrent: Bool

    package init(fingerprint: ContentDigest, certificateExpires: WallTime, isCurrent: Bool) {
        self.fingerprint = fingerprint
        self.certificateExpires = certificateExpires
        self.isCurrent = isCurrent
    }
}

/// The origin of a call, for the audit.
package struct AuditContext: Hashable, Sendable {
    /// The key's fingerprint.
    package var fingerprint: String?
    /// The request's identifier.
    package var requestID: String?
    /// The peer's address.
    package var address: String?

    /// Takes what is known.
    package init(fingerprint: String? = nil, requestID: String? = nil, address: String? = nil) {
        self.fingerprint = fingerprint
        self.requestID = requestID
        self.address = address
    }
}
