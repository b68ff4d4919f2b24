package import PhotoModel

/// Asks for a picker session: a person chooses, and the caller gets what was chosen and nothing else.
package struct PickerRequest: Hashable, Sendable, Codable {
    /// What may be chosen; nil for everything that is neither hidden nor in the trash.
    package var filter: AssetFilter?
    /// How many may be chosen: 1 to `APILimits.pickCount`, 0 for as many as that; nil for 1.
    package var selectionLimit: Int?
    /// Whether the order of choosing is kept; otherwise items come by capture date.
    package var isOrdered: Bool?
    /// Whether items can be read before the person is done.
    package var isContinuous: Bool?
    /// The form that the bytes come in; nil for `automatic`.
    package var encoding: PickerEncoding?
    /// What is taken out of the bytes; nil for `["location"]`.
    package var strip: [MetadataPart]?
    /// What the person is not offered, by the names of ``PickerCapability``.
    package var disabledCapabilities: [String]?
    /// What the person finds chosen at the beginning: assets that the caller may read, or items of its earlier sessions.
    ///
    /// Whatever else is named is left out, and the caller is not told.
    package var preselected: [AssetID]?
    /// Why, for the person who chooses.
    package var purpose: String
    /// The same one again gives the same session, with a new address for the person.
    package var requestID: String?

    /// A session for one item without location.
    package init(purpose: String) { self.purpose = purpose }

    /// How many may be chosen, 1 to `APILimits.pickCount`.
    package var maximumCount: Int {
        let limit = selectionLimit ?? 1
        return limit == 0 ? APILimits.pickCount : limit
    }
}

/// The form in which a picker hands over bytes (PhotoKit's `PHPickerConfiguration.AssetRepresentationMode`).
package enum PickerEncoding: String, CaseIterable, Hashable, Sendable, Codable {
    /// As edited, in the format that it has; a JPEG where the request's `Accept` takes that and not the format.
    case automatic
    /// As edited, in the format that it has.
    case current
    /// As edited, in a format that every program reads: a JPEG for a HEIC or a raw picture.
    case compatible
    /// As captured, before any edit; only for callers that may read the whole library.
    case original
}

/// What a picker's caller can keep from the person (PhotoKit's `PHPickerCapabilities`).
package enum PickerCapability: String, CaseIterable, Hashable, Sendable, Codable {
    /// Filters with words in them.
    case search
    /// Albums.
    case collectionNavigation
    /// Looking through what is chosen before it is handed over.
    case stagingArea
    /// Done and Cancel; only where the choice is followed continuously.
    case selectionActions
}

/// A part of a file's metadata that can be taken out of what is served.
package enum MetadataPart: String, CaseIterable, Hashable, Sendable, Codable {
    /// Every place.
    case location
    /// Titles, captions and keywords.
    case captions
}

/// Changes an open session; what is nil stays.
package struct PickerEdit: Hashable, Sendable, Codable {
    /// Why, for the person who chooses.
    package var purpose: String?
    /// Items that are no longer chosen; at most `APILimits.pickCount`.
    package var deselected: [AssetID]?
    /// Items that take another place, one after the other; only where the order of choosing is kept.
    package var moved: [Move]?

    /// One item that takes another place.
    package struct Move: Hashable, Sendable, Codable {
        /// The item.
        package var id: AssetID
        /// The item that it comes behind; nil for the first place.
        package var after: AssetID?

        package init(id: AssetID, after: AssetID?) {
            self.id = id
            self.after = after
        }
    }

    package init(purpose: String? = nil, deselected: [AssetID]? = nil, moved: [Move]? = nil) {
        self.purpose = purpose
        self.deselected = deselected
        self.moved = moved
    }
}

/// How a picker session stands, for its caller.
package struct PickerSession: Hashable, Sendable, Codable {
    /// Where a session stands.
    package enum State: String, Hashable, Sendable, Codable {
        /// Nobody is done yet.
        case open
        /// The items can be fetched.
        case done
        /// The person chose nothing.
        case cancelled
        /// It is over: deleted, expired, or its caller lost the right to pick.
        case ended
    }

    /// Names the session.
    package var id: PickerSessionID
    /// Where it stands.
    package var state: State
    /// Where the person chooses; the part behind `#` is a secret, told this once.
    package var pickURI: String?
    /// What the person's page shows too.
    package var code: String
    /// When it ends by itself.
    package var expires: WallTime
    /// Seconds until asking again makes sense.
    package var pollSeconds: Int
    /// What a person has chosen; 0 until one acts.
    package var count: Int
    /// How many may be chosen at most; nil from servers that do not say.
    package var selectionLimit: Int?
    /// Grows with each change of what is chosen; nil unless the choice is followed continuously.
    package var revision: Int?

    package init(
        id: PickerSessionID,
        state: State,
        pickURI: String? = nil,
        code: String,
        expires: WallTime,
        pollSeconds: Int,
        count: Int,
        selectionLimit: Int? = nil,
        revision: Int? = nil
    ) {
        self.id = id
        self.state = state
        self.pickURI = pickURI
        self.code = code
        self.expires = expires
        self.pollSeconds = pollSeconds
        self.count = count
        self.selectionLimit = selectionLimit
        self.revision = revision
    }
}

/// One chosen asset, as the caller sees it: nothing of the library but this.
package struct PickedItem: Hashable, Sendable, Codable {
    /// Names the item: the asset's identifier for a caller that may read the whole library, else one of the session's own.
    package var id: AssetID
    /// Whether it can still be fetched; false once it was deleted or hidden.
    package var isAvailable: Bool
    /// What it mainly is.
    package var mediaType: MediaType?
    /// What more is known of it.
    package var mediaSubtypes: MediaSubtypes?
    /// The media type of its bytes.
    package var contentType: String?
    /// The name for saving.
    package var filename: FileName?
    /// How many bytes it has before anything is taken out; nil for what is converted when it is fetched.
    package var byteCount: Int64?

    /// An item that cannot be fetched any more.
    package init(id: AssetID) {
        self.id = id
        isAvailable = false
    }
}

/// One page of what was chosen.
package struct PickedItemPage: Hashable, Sendable, Codable {
    /// In the order of choosing, or by capture date.
    package var items: [PickedItem]
    /// The item to go on after; nil when these are the last.
    package var next: AssetID?

    package init(items: [PickedItem], next: AssetID? = nil) {
        self.items = items
        self.next = next
    }
}

/// A picker session as the person who chooses sees it, on `Endpoint.pick`, and operators in their lists.
package struct PickDocument: Hashable, Sendable, Codable {
    /// Names the session.
    package var id: PickerSessionID
    /// Who gets what is chosen, in words.
    package var caller: String
    /// The device, where the caller is one.
    package var deviceID: DeviceID?
    /// What the caller shows too.
    package var code: String
    /// What the caller asked for, its purpose among it.
    package var request: PickerRequest
    /// What is taken out of the bytes: what was asked for, and what the person added.
    package var strip: [MetadataPart]
    /// The form that the bytes come in: what was asked for, or what the person decided.
    package var encoding: PickerEncoding
    /// Where it stands.
    package var state: PickerSession.State
    /// What is chosen.
    package var picked: [AssetID]
    /// Grows with each change of what is chosen, also by the caller; nil from servers that do not say.
    package var revision: Int?
    /// When it was opened.
    package var created: WallTime
    /// When it ends by itself.
    package var expires: WallTime

    package init(
        id: PickerSessionID,
        caller: String,
        deviceID: DeviceID?,
        code: String,
        request: PickerRequest,
        strip: [MetadataPart],
        encoding: PickerEncoding,
        state: PickerSession.State,
        picked: [AssetID],
        revision: Int? = nil,
        created: WallTime,
        expires: WallTime
    ) {
        self.id = id
        self.caller = caller
        self.deviceID = deviceID
        self.code = code
        self.request = request
        self.strip = strip
        self.encoding = encoding
        self.state = state
        self.picked = picked
        self.revision = revision
        self.created = created
        self.expires = expires
    }
}

/// What a person chooses.
package struct PickChoice: Hashable, Sendable, Codable {
    /// Everything that is chosen, in the order of choosing.
    package var assets: [AssetID]
    /// What the person has taken out besides what was asked for; nil for nothing.
    package var strip: [MetadataPart]?
    /// The form, where the person decides otherwise than asked for, `original` only where it was; nil leaves it.
    package var encoding: PickerEncoding?
    /// The revision that the choice was made upon: refused where the caller has changed it since; nil for any.
    package var revision: Int?

    package init(
        assets: [AssetID],
        strip: [MetadataPart]? = nil,
        encoding: PickerEncoding? = nil,
        revision: Int? = nil
    ) {
        self.assets = assets
        self.strip = strip
        self.encoding = encoding
        self.revision = revision
    }
}

/// Picker sessions, as operators list them.
package struct PickDocumentPage: Hashable, Sendable, Codable {
    /// The newest last.
    package var sessions: [PickDocument]

    package init(sessions: [PickDocument]) { self.sessions = sessions }
}
