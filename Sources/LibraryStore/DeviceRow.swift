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
    /// When it last added assets, noted once a day.
    package var lastAdded: WallTime?
    /// When it last read or edited what is not its own, noted once a day.
    ///
    /// Following the change feed is no use: every device that may read follows it by itself.
    package var lastRead: WallTime?
    /// Since when the two are noted; nil for a device that was admitted before and has not called since.
    package var usesNotedSince: WallTime?
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
        usesNotedSince = enrolled
        self.tags = tags
        self.album = album
    }
}

extension DeviceProfile {
    /// How long one note of a use stands for all that follow.
    static let useInterval = Duration.seconds(86_400)

    /// When a level was last used, noted once a day.
    package func lastUse(of level: AccessLevel) -> WallTime? {
        switch level {
        case .addOnly: lastAdded
        case .readWrite: lastRead
        }
    }

    /// Whether a use at a time is to be noted: the last note is a day old, or a clock ran ahead.
    package func isUseDue(of level: AccessLevel, at time: WallTime) -> Bool {
        guard let last = lastUse(of: level) else { return true }
        return last > time || time.duration(since: last) >= Self.useInterval
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

    package init(fingerprint: String? = nil, requestID: String? = nil, address: String? = nil) {
        self.fingerprint = fingerprint
        self.requestID = requestID
        self.address = address
    }
}
