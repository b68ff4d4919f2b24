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
    /// When it last read or edited assets other than its own, noted once a day.
    ///
    /// Following the change feed does not count: every device that may read does so by itself.
    package var lastRead: WallTime?
    /// When noting these two began; nil for a device admitted earlier that has not called since.
    package var usesNotedSince: WallTime?
    /// The status it last reported.
    package var status: ContactRequest.Status?
    /// The tags that determine its ceilings.
    package var tags: [String]
    /// The title of the album its new assets join, whatever its level; nil for none.
    package var album: String?
    /// The consents for its cameras and microphones, as reported.
    package var consents: [DeviceConsent]?
    /// Withdrawals that it has not applied yet.
    package var consentWithdrawals: [ConsentWithdrawal]?
    /// Whether one of them was recorded after its last contact, which did not tell it; nil if none was.
    package var hasNewWithdrawals: Bool?

    /// Creates a profile at enrolment.
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

    /// Decodes a stored profile; an unreadable status, or one beyond its limits, is omitted.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        name = try container.decode(String.self, forKey: .name)
        build = try container.decode(String.self, forKey: .build)
        hardwareHints = try container.decode([String].self, forKey: .hardwareHints)
        usage = try container.decode(UsageTexts.self, forKey: .usage)
        enrolled = try container.decode(WallTime.self, forKey: .enrolled)
        lastSeen = try container.decodeIfPresent(WallTime.self, forKey: .lastSeen)
        lastAdded = try container.decodeIfPresent(WallTime.self, forKey: .lastAdded)
        lastRead = try container.decodeIfPresent(WallTime.self, forKey: .lastRead)
        usesNotedSince = try container.decodeIfPresent(WallTime.self, forKey: .usesNotedSince)
        status = try? container.decodeIfPresent(ContactRequest.Status.self, forKey: .status)
        tags = try container.decode([String].self, forKey: .tags)
        album = try container.decodeIfPresent(String.self, forKey: .album)
        consents = try container.decodeIfPresent([DeviceConsent].self, forKey: .consents)
        consentWithdrawals = try container.decodeIfPresent([ConsentWithdrawal].self, forKey: .consentWithdrawals)
        hasNewWithdrawals = try container.decodeIfPresent(Bool.self, forKey: .hasNewWithdrawals)
    }
}

extension DeviceProfile {
    /// The period covered by one note of a use.
    static let useInterval = Duration.seconds(86_400)

    /// Whether to note a use: the last note is a day old, or in the future.
    package static func isUseDue(at time: WallTime, lastNoted last: WallTime?) -> Bool {
        guard let last else { return true }
        return last > time || time.duration(since: last) >= useInterval
    }
}

/// A device with its whole record.
package struct DeviceRow: Hashable, Sendable {
    /// The decisions.
    package let record: DecisionRecord
    /// Its profile.
    package let profile: DeviceProfile
}

/// What a token gives the device that it admits.
package struct DeviceAdmission: Hashable, Sendable {
    let answer: AccessDecision.Answer
    let levels: Set<AccessLevel>
    let tags: [String]
    let album: String?

    package init(_ answer: AccessDecision.Answer, for levels: Set<AccessLevel>, tags: [String], album: String?) {
        self.answer = answer
        self.levels = levels
        self.tags = tags
        self.album = album
    }
}

/// The ceiling of a device with these tags, by the policy's record; nil if there is no policy.
package typealias CeilingOfTags = @Sendable (_ tags: [String], _ policy: StoredRecord?) throws -> Ceiling

/// What a device's requests are judged by; nothing in it is the device's own claim.
package struct KeyOwner: Hashable, Sendable {
    /// The decisions.
    package let record: DecisionRecord
    /// The key that it presented.
    package let key: DeviceKeyRecord
    /// When it last read or edited assets other than its own, noted once a day.
    package let lastRead: WallTime?
    /// Whether a consent was withdrawn after its last contact.
    package let hasNewWithdrawals: Bool
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

extension AuditEntry.Content {
    /// An event that a request caused, with the request's origin.
    package init(_ event: AuditEvent, by actor: String, _ context: AuditContext) {
        self.init(event, by: actor)
        fingerprint = context.fingerprint
        requestID = context.requestID
        address = context.address
    }

    /// An event that a device caused, about itself.
    package init(_ event: AuditEvent, of device: DeviceID, _ context: AuditContext) {
        self.init(event, by: Actor.device(device).description, context)
        self.device = device.description
    }
}
