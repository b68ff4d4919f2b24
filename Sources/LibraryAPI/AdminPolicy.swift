package import PhotoModel

/// The most that policy allows devices with a tag.
package struct CeilingRule: Hashable, Sendable, Codable {
    /// The tag that applies to every device.
    package static let everyDevice = "*"

    /// The tag it applies to, or ``everyDevice``; shown as what restricts.
    package var name: String
    /// `none`, `addOnly`, `limited` or `readWrite`.
    package var limit: String
    /// Whether picker sessions may be opened.
    package var isPickerAllowed: Bool

    package init(name: String, limit: String, isPickerAllowed: Bool = true) {
        self.name = name
        self.limit = limit
        self.isPickerAllowed = isPickerAllowed
    }
}

/// The whole policy, on `Endpoint.adminCeilings`; setting it replaces all rules.
package struct CeilingPolicy: Hashable, Sendable, Codable, ReasonedRequest {
    /// By name; of the rules that apply to a device, the lowest wins.
    package var ceilings: [CeilingRule]
    /// Why it was changed, for the audit.
    package var reason: String?

    package init(ceilings: [CeilingRule], reason: String? = nil) {
        self.ceilings = ceilings
        self.reason = reason
    }
}

/// An operator's changes to a device's entry; nil leaves a field unchanged.
package struct DeviceEdit: Hashable, Sendable, Codable, ReasonedRequest {
    /// The new name.
    package var name: String?
    /// The tags that determine its ceilings.
    package var tags: [String]?
    /// The title of the album its new assets join; empty for none.
    package var album: String?
    /// Why, for the audit.
    package var reason: String?

    package init(name: String? = nil, tags: [String]? = nil, album: String? = nil, reason: String? = nil) {
        self.name = name
        self.tags = tags
        self.album = album
        self.reason = reason
    }
}

/// A limited device's request for more assets, as operators see it.
package struct ExpansionSummary: Hashable, Sendable, Codable {
    /// The request's identifier.
    package var id: ExpansionID
    /// The requesting device.
    package var deviceID: DeviceID
    /// Its name.
    package var deviceName: String
    /// Why.
    package var reason: String
    /// The peer's address.
    package var address: String?
    /// When it was opened.
    package var openedAt: WallTime
    /// When it expires.
    package var expiresAt: WallTime

    package init(
        id: ExpansionID,
        deviceID: DeviceID,
        deviceName: String,
        reason: String,
        address: String? = nil,
        openedAt: WallTime,
        expiresAt: WallTime
    ) {
        self.id = id
        self.deviceID = deviceID
        self.deviceName = deviceName
        self.reason = reason
        self.address = address
        self.openedAt = openedAt
        self.expiresAt = expiresAt
    }
}

/// An operator's answer to a limited device's request: additions to its selection; none means refused.
package struct ExpansionDecision: Hashable, Sendable, Codable, ReasonedRequest {
    /// Assets to add.
    package var assets: [AssetID]?
    /// Rules to add.
    package var rules: [AssetFilter]?
    /// Albums to grant.
    package var grantedAlbums: [AlbumID]?
    /// Why, for the audit.
    package var reason: String?

    package init(
        assets: [AssetID]? = nil,
        rules: [AssetFilter]? = nil,
        grantedAlbums: [AlbumID]? = nil,
        reason: String? = nil
    ) {
        self.assets = assets
        self.rules = rules
        self.grantedAlbums = grantedAlbums
        self.reason = reason
    }
}
