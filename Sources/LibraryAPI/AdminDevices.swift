package import PhotoModel

/// A device as operators see it, with everything it may do.
package struct DeviceSummary: Hashable, Sendable, Codable {
    /// The device.
    package var id: DeviceID
    /// What it calls itself; never an identity.
    package var name: String
    /// The program and its version.
    package var build: String
    /// Where it stands.
    package var state: IdentityState.State
    /// Whether it was answered None before it was let in: it still waits, and nobody has to answer; nil for others.
    package var isRefused: Bool?
    /// Whether it was asked to erase itself.
    package var wipe: Bool
    /// SHA-256 of its newest key; commands name the device by the first characters.
    package var keyFingerprint: ContentDigest
    /// What a pending device shows too, for a person to compare.
    package var verificationCode: String?
    /// When its certificate ends; nil while it has none.
    package var certificateExpires: WallTime?
    /// Where it enrolled from.
    package var address: String?
    /// When it enrolled.
    package var firstSeen: WallTime
    /// When it was last in contact.
    package var lastSeen: WallTime?
    /// How it said it was, at its last contact.
    package var status: HeartbeatRequest.Status?
    /// How far it has come, where it is being retired.
    package var drain: DrainProgress?
    /// Why it wants access.
    package var usage: UsageTexts
    /// Other devices whose names can be taken for this one's.
    package var lookAlikes: [DeviceID]
    /// What it may do.
    package var authorization: AuthorizationResponse
    /// The tags by which ceilings hold for it.
    package var tags: [String]
    /// The title of the album that its new assets join.
    package var album: String?
    /// Its replicas, the last to be in contact first; told of one device, not in lists.
    package var instances: [DeviceInstance]?
    /// Who last changed what it may do.
    package var changedBy: String
    /// When.
    package var changedAt: WallTime
    /// Why.
    package var reason: String

    /// What every device has; the rest is set where it is known.
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

/// One replica of a device; a copy of a disk image has the same as its original.
package struct DeviceInstance: Hashable, Sendable, Codable {
    /// Its incarnation, 32 hexadecimal digits.
    package var incarnation: String
    /// The highest counter that was taken or refused.
    package var acknowledged: UInt64
    /// When it was last in contact.
    package var lastContact: WallTime
    /// Changes of it that were refused.
    package var refusedCount: Int

    package init(incarnation: String, acknowledged: UInt64, lastContact: WallTime, refusedCount: Int) {
        self.incarnation = incarnation
        self.acknowledged = acknowledged
        self.lastContact = lastContact
        self.refusedCount = refusedCount
    }
}

/// What a device described and has not committed; of a suspect device it is kept apart until an operator decides.
package struct PendingUploadPage: Hashable, Sendable, Codable {
    /// One asset on its way.
    package struct Entry: Hashable, Sendable, Codable {
        /// What was described.
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
    /// The device to go on after; nil when these are the last.
    package var next: DeviceID?

    package init(devices: [DeviceSummary], next: DeviceID? = nil) {
        self.devices = devices
        self.next = next
    }
}

/// An administrator's answer about one device.
package struct DecisionRequest: Hashable, Sendable, Codable {
    /// `all`, `selected`, `add-only` or `none`.
    package var answer: String
    /// The levels that it is about, `addOnly` and `readWrite`; nil for those that the device asks for, or both.
    package var levels: [String]?
    /// Refused unless this is the code that the device shows.
    package var expectedCode: String?
    /// Why, for the audit.
    package var reason: String?

    package init(
        answer: String,
        levels: [String]? = nil,
        expectedCode: String? = nil,
        reason: String? = nil
    ) {
        self.answer = answer
        self.levels = levels
        self.expectedCode = expectedCode
        self.reason = reason
    }
}

/// What goes with a change of a device's state.
package struct StateChangeRequest: Hashable, Sendable, Codable {
    /// Why, for the audit.
    package var reason: String?
    /// With resolve: the incarnation that goes on, 32 hexadecimal digits.
    package var keep: String?
    /// With drain: whether a device that is being retired stays after all.
    package var cancel: Bool?

    package init(reason: String? = nil, keep: String? = nil, cancel: Bool? = nil) {
        self.reason = reason
        self.keep = keep
        self.cancel = cancel
    }
}

/// A question that waits for an administrator.
package struct AccessRequestSummary: Hashable, Sendable, Codable {
    /// Who asks.
    package var deviceID: DeviceID
    /// What it calls itself.
    package var deviceName: String
    /// SHA-256 of its key.
    package var keyFingerprint: ContentDigest
    /// What the device shows too.
    package var verificationCode: String?
    /// `addOnly` or `readWrite`.
    package var level: String
    /// Why.
    package var usage: String
    /// Where it came from.
    package var address: String?
    /// When it was asked.
    package var openedAt: WallTime
    /// When it ends by itself.
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

/// Everything that waits.
package struct AccessRequestPage: Hashable, Sendable, Codable {
    /// Oldest first.
    package var requests: [AccessRequestSummary]
    /// Questions of limited devices for more, oldest first.
    package var expansions: [ExpansionSummary]

    package init(requests: [AccessRequestSummary], expansions: [ExpansionSummary] = []) {
        self.requests = requests
        self.expansions = expansions
    }
}
