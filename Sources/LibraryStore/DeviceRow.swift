package import Authorization
package import LibraryAPI
package import PhotoModel

/// What became of a wish to add a device.
package enum DeviceAddition: Hashable, Sendable {
    /// It is new, and waits for a decision.
    case added
    /// It was there already: the same request came again, perhaps at the same time.
    case known
    /// Another device has the key.
    case keyTaken(by: DeviceID)
    /// As many devices wait for a decision as may.
    case tooManyPending(Int)
}

/// What is written down of a device: what it says of itself, shown and never trusted, and what operators added.
package struct DeviceProfile: Hashable, Sendable, Codable {
    /// Its display name.
    package var name: String
    /// The program and its version.
    package var build: String
    /// Hashes of what its hardware says.
    package var hardwareHints: [String]
    /// Why it wants access.
    package var usage: UsageTexts
    /// When it enrolled.
    package var enrolled: WallTime
    /// When it was last in contact.
    package var lastSeen: WallTime?
    /// What it last said of itself.
    package var status: HeartbeatRequest.Status?
    /// The ceilings' tags that it has.
    package var tags: [String]
    /// The title of the album that its new assets join, whatever its level; nil for none.
    package var album: String?

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

/// A device with everything that is recorded of it.
package struct DeviceRow: Hashable, Sendable {
    /// What was decided.
    package let record: DecisionRecord
    /// What it says of itself.
    package let profile: DeviceProfile
}

/// A key of a device.
package struct DeviceKeyRecord: Hashable, Sendable {
    /// SHA-256 of the public key.
    package let fingerprint: ContentDigest
    /// When the certificate for it ends.
    package let certificateExpires: WallTime
    /// Whether the device has used it, so that older keys are void.
    package let isCurrent: Bool

    package init(fingerprint: ContentDigest, certificateExpires: WallTime, isCurrent: Bool) {
        self.fingerprint = fingerprint
        self.certificateExpires = certificateExpires
        self.isCurrent = isCurrent
    }
}

/// Where a call came from, for the audit.
package struct AuditContext: Hashable, Sendable {
    /// The key's fingerprint.
    package var fingerprint: String?
    /// The request's identifier.
    package var requestID: String?
    /// The address that it came from.
    package var address: String?

    /// Takes what is known.
    package init(fingerprint: String? = nil, requestID: String? = nil, address: String? = nil) {
        self.fingerprint = fingerprint
        self.requestID = requestID
        self.address = address
    }
}
