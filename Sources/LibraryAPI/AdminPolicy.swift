package import PhotoModel

/// The most that policy allows the devices with a tag.
package struct CeilingRule: Hashable, Sendable, Codable {
    /// The tag that holds for every device.
    package static let everyDevice = "*"

    /// The tag whose devices it holds for, or ``everyDevice``; shown as what restricts.
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
package struct CeilingPolicy: Hashable, Sendable, Codable {
    /// By name; of those that hold for a device the lowest counts.
    package var ceilings: [CeilingRule]
    /// Why it was changed, for the audit.
    package var reason: String?

    package init(ceilings: [CeilingRule], reason: String? = nil) {
        self.ceilings = ceilings
        self.reason = reason
    }
}

/// What an operator writes down of a device; what is nil stays.
package struct DeviceEdit: Hashable, Sendable, Codable {
    /// What it is called from now on.
    package var name: String?
    /// The tags by which ceilings hold for it.
    package var tags: [String]?
    /// The title of the album that its new assets join; empty for none.
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

/// A limited device's question for more, as operators see it.
package struct ExpansionSummary: Hashable, Sendable, Codable {
    /// Names the question.
    package var id: ExpansionID
    /// Who asks.
    package var deviceID: DeviceID
    /// What it is called.
    package var deviceName: String
    /// Why.
    package var reason: String
    /// Where it came from.
    package var address: String?
    /// When it was asked.
    package var openedAt: WallTime
    /// When it ends by itself.
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

/// An operator's answer to a limited device's question for more: what joins its selection; nothing is a refusal.
package struct ExpansionDecision: Hashable, Sendable, Codable {
    /// Assets that join.
    package var assets: [AssetID]?
    /// Rules that join.
    package var rules: [AssetFilter]?
    /// Albums that are granted.
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
