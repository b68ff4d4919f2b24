package import PhotoModel

/// A device as operators see it, with everything it may do.
package struct DeviceSummary: Hashable, Sendable, Codable {
    /// The device.
    package var id: DeviceID
    /// The name it gives itself; never an identity.
    package var name: String
    /// The program and its version.
    package var build: String
    /// Its state.
    package var state: IdentityState.State
    /// Whether it was answered None before it was admitted: it still waits, but needs no decision; nil for others.
    package var isRefused: Bool?
    /// Whether it was told to erase itself.
    package var wipe: Bool
    /// SHA-256 of its newest key; commands identify the device by the first characters.
    package var keyFingerprint: ContentDigest
    /// The code that a pending device also shows, for a person to compare.
    package var verificationCode: String?
    /// When its certificate expires; nil without one.
    package var certificateExpires: WallTime?
    /// Where it enrolled from.
    package var address: String?
    /// When it enrolled.
    package var firstSeen: WallTime
    /// The time of its last contact.
    package var lastSeen: WallTime?
    /// When it last added assets, noted once a day.
    package var lastAdded: WallTime?
    /// When it last read or edited others' assets, noted once a day; following the change feed does not count.
    package var lastRead: WallTime?
    /// When noting of `lastAdded` and `lastRead` began; nil for a device admitted earlier without a contact since.
    package var usesNotedSince: WallTime?
    /// The status it reported at its last contact.
    package var status: ContactRequest.Status?
    /// Its progress while being retired.
    package var drain: DrainProgress?
    /// The consents for its cameras and microphones, as reported at its last contact.
    package var consents: [DeviceConsent]?
    /// Withdrawals that it has not applied yet.
    package var consentWithdrawals: [ConsentWithdrawal]?
    /// Why it wants access.
    package var usage: UsageTexts
    /// Other devices with confusingly similar names.
    package var lookAlikes: [DeviceID]
    /// What it may do.
    package var authorization: AuthorizationResponse
    /// The tags that determine its ceilings.
    package var tags: [String]
    /// The title of the album its new assets join.
    package var album: String?
    /// Its replicas, latest contact first; only for a single device, not in lists.
    package var instances: [DeviceInstance]?
    /// Who last changed what it may do.
    package var changedBy: String
    /// When.
    package var changedAt: WallTime
    /// Why.
    package var reason: String

    /// Takes what every device has; the caller sets the rest.
    package init(
        id: DeviceID,
        name: String,
        build: String,
        state: IdentityState,
        keyFingerprint: ContentDigest,
        firstSeen: WallTime,
        usage: UsageTexts,
        authorization: AuthorizationResponse,
        change: (by: String, at: WallTime, reason: String)
    ) {
        self.id = id
        self.name = name
        self.build = build
        self.state = state.state
        wipe = state.wipe
        certificateExpires = state.certificateExpires
        self.keyFingerprint = keyFingerprint
        self.firstSeen = firstSeen
        self.usage = usage
        lookAlikes = []
        tags = []
        self.authorization = authorization
        (changedBy, changedAt, reason) = change
    }
}

/// One replica of a device; a copy of a disk image has the same one as its original.
package struct DeviceInstance: Hashable, Sendable, Codable {
    /// Its incarnation, 32 hexadecimal digits.
    package var incarnation: String
    /// The highest counter that was accepted or refused.
    package var acknowledged: UInt64
    /// The time of its last contact.
    package var lastContact: WallTime
    /// The number of its refused changes.
    package var refusedCount: Int

    package init(incarnation: String, acknowledged: UInt64, lastContact: WallTime, refusedCount: Int) {
        self.incarnation = incarnation
        self.acknowledged = acknowledged
        self.lastContact = lastContact
        self.refusedCount = refusedCount
    }
}

/// Assets a device described but has not committed; a suspect device's are quarantined until an operator decides.
package struct PendingUploadPage: Hashable, Sendable, Codable {
    /// One uncommitted asset.
    package struct Entry: Hashable, Sendable, Codable {
        /// Its manifest.
        package var manifest: AssetManifest
        /// Its uploads.
        package var uploads: [UploadStatus]

        package init(manifest: AssetManifest, uploads: [UploadStatus]) {
            self.manifest = manifest
            self.uploads = uploads
        }
    }

    /// By asset.
    package var assets: [Entry]

    package init(assets: [Entry]) { self.assets = assets }
}

/// All devices, or a page of them.
package struct DevicePage: Hashable, Sendable, Codable {
    /// By identifier.
    package var devices: [DeviceSummary]
    /// The device to continue after; nil on the last page.
    package var next: DeviceID?

    package init(devices: [DeviceSummary], next: DeviceID? = nil) {
        self.devices = devices
        self.next = next
    }
}

/// An administrator's answer about one device.
package struct DecisionRequest: Hashable, Sendable, Codable, ReasonedRequest {
    /// `all`, `selected`, `add-only` or `none`.
    package var answer: String
    /// The levels it is about, `addOnly` and `readWrite`; nil for those the device requests, or both.
    package var levels: [String]?
    /// Refuses the request unless this is the code the device shows.
    package var expectedCode: String?
    /// Why, for the audit.
    package var reason: String?

    package init(answer: String, levels: [String]? = nil, expectedCode: String? = nil, reason: String? = nil) {
        self.answer = answer
        self.levels = levels
        self.expectedCode = expectedCode
        self.reason = reason
    }
}

/// The details of a device state change.
package struct StateChangeRequest: Hashable, Sendable, Codable, ReasonedRequest {
    /// Why, for the audit.
    package var reason: String?
    /// With resolve: the incarnation that continues, 32 hexadecimal digits.
    package var keep: String?
    /// With drain: whether to cancel retiring the device.
    package var cancel: Bool?

    package init(reason: String? = nil, keep: String? = nil, cancel: Bool? = nil) {
        self.reason = reason
        self.keep = keep
        self.cancel = cancel
    }
}

/// An access request that waits for an administrator.
package struct AccessRequestSummary: Hashable, Sendable, Codable {
    /// The requesting device.
    package var deviceID: DeviceID
    /// The name it gives itself.
    package var deviceName: String
    /// SHA-256 of its key.
    package var keyFingerprint: ContentDigest
    /// The code the device also shows.
    package var verificationCode: String?
    /// `addOnly` or `readWrite`.
    package var level: String
    /// Why.
    package var usage: String
    /// The peer's address.
    package var address: String?
    /// When it was opened.
    package var openedAt: WallTime
    /// When it expires.
    package var expiresAt: WallTime

    package init(
        deviceID: DeviceID,
        deviceName: String,
        keyFingerprint: ContentDigest,
        verificationCode: String? = nil,
        level: String,
        usage: String,
        address: String? = nil,
        openedAt: WallTime,
        expiresAt: WallTime
    ) {
        self.deviceID = deviceID
        self.deviceName = deviceName
        self.keyFingerprint = keyFingerprint
        self.verificationCode = verificationCode
        self.level = level
        self.usage = usage
        self.address = address
        self.openedAt = openedAt
        self.expiresAt = expiresAt
    }
}

/// All open requests.
package struct AccessRequestPage: Hashable, Sendable, Codable {
    /// Oldest first.
    package var requests: [AccessRequestSummary]
    /// Limited devices' requests for more assets, oldest first.
    package var expansions: [ExpansionSummary]

    package init(requests: [AccessRequestSummary], expansions: [ExpansionSummary] = []) {
        self.requests = requests
        self.expansions = expansions
    }
}
