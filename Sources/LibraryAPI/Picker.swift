package import PhotoModel

/// Requests a picker session: a person chooses, and the caller gets the chosen assets and nothing else.
package struct PickerRequest: Hashable, Sendable, Codable {
    /// What may be chosen; nil for everything except hidden and trashed assets.
    package var filter: AssetFilter?
    /// How many may be chosen: 1 to `APILimits.pickCount`, 0 for the maximum; nil for 1.
    package var selectionLimit: Int?
    /// Whether to keep the order of choosing; otherwise items are sorted by capture date.
    package var isOrdered: Bool?
    /// Whether items can be read before the person is done.
    package var isContinuous: Bool?
    /// The form of the bytes; nil for `automatic`.
    package var encoding: PickerEncoding?
    /// Metadata to strip from the bytes; nil for `["location"]`.
    package var strip: [MetadataPart]?
    /// Features to withhold from the person, by the names of ``PickerCapability``.
    package var disabledCapabilities: [String]?
    /// Initially chosen assets: assets the caller may read, or items of its earlier sessions.
    ///
    /// Others are silently dropped.
    package var preselected: [AssetID]?
    /// Why, for the person who chooses.
    package var purpose: String
    /// Repeating the request with the same one returns the same session, with a new address for the person, until it ends.
    package var requestID: String?

    /// A session for one item, without its location.
    package init(purpose: String) { self.purpose = purpose }

    /// How many may be chosen, 1 to `APILimits.pickCount`.
    package var maximumCount: Int {
        let limit = selectionLimit ?? 1
        return limit == 0 ? APILimits.pickCount : limit
    }
}

/// The form in which a picker delivers bytes (PhotoKit's `PHPickerConfiguration.AssetRepresentationMode`).
package enum PickerEncoding: String, CaseIterable, Hashable, Sendable, Codable {
    /// As edited, in the stored format; a JPEG if the request's `Accept` allows that but not the format.
    case automatic
    /// As edited, in the stored format.
    case current
    /// As edited, in a widely readable format: a JPEG for a HEIC or a raw picture, H.264 for HEVC.
    case compatible
    /// As captured, before any edit; only for callers that may read the whole library.
    case original

    /// Decodes a name; an unknown one is refused with the valid ones.
    package init(from decoder: any Decoder) throws { self = try decoder.named() }
}

/// Features that a picker's caller can withhold from the person (PhotoKit's `PHPickerCapabilities`).
package enum PickerCapability: String, CaseIterable, Hashable, Sendable, Codable {
    /// Filters that contain words.
    case search
    /// Albums.
    case collectionNavigation
    /// Reviewing the choice before it is delivered.
    case stagingArea
    /// Done and Cancel; only if the choice is followed continuously.
    case selectionActions
}

/// A part of a file's metadata that can be stripped when serving it.
package enum MetadataPart: String, CaseIterable, Hashable, Sendable, Codable {
    /// Every location.
    case location
    /// Titles, captions and keywords.
    case captions

    /// Decodes a name; an unknown one is refused with the valid ones.
    package init(from decoder: any Decoder) throws { self = try decoder.named() }
}

extension Decoder {
    /// A value by its name; an unknown name is refused with the valid ones.
    fileprivate func named<Value: RawRepresentable<String> & CaseIterable>() throws -> Value {
        let container = try singleValueContainer()
        guard let value = Value(rawValue: try container.decode(String.self)) else {
            let names = Value.allCases.map(\.rawValue).joined(separator: ", ")
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "it is one of \(names)")
        }
        return value
    }
}

/// Changes an open session; nil leaves a field unchanged.
package struct PickerEdit: Hashable, Sendable, Codable {
    /// Why, for the person who chooses; nothing more is handed over until the person has seen a new one and chosen for it.
    package var purpose: String?
    /// Items to deselect; at most `APILimits.pickCount`.
    package var deselected: [AssetID]?
    /// Items to move, one after the other; only if the order of choosing is kept.
    package var moved: [Move]?

    /// One item to move.
    package struct Move: Hashable, Sendable, Codable {
        /// The item.
        package var id: AssetID
        /// The item to place it after; nil for the first place.
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

/// A picker session, as its caller sees it.
package struct PickerSession: Hashable, Sendable, Codable {
    /// The state of a session.
    package enum State: String, CaseIterable, Hashable, Sendable, Codable {
        /// The person is not done yet.
        case open
        /// The items can be fetched.
        case done
        /// The person chose nothing.
        case cancelled
        /// It is over: deleted, expired, or its caller lost the right to pick.
        case ended
    }

    /// The session's identifier.
    package var id: PickerSessionID
    /// Its state.
    package var state: State
    /// The person's address; the part after `#` is secret, and returned only once.
    package var pickURI: String?
    /// The code that the person's page also shows.
    package var code: String
    /// When it expires.
    package var expires: WallTime
    /// Seconds until polling again makes sense.
    package var pollSeconds: Int
    /// The number of chosen assets; 0 until a person acts.
    package var count: Int
    /// The maximum number of chosen assets; nil from servers that do not say.
    package var selectionLimit: Int?
    /// Grows with each change of the choice; nil unless it is followed continuously.
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

/// One chosen asset, as the caller sees it: the only thing it learns of the library.
package struct PickedItem: Hashable, Sendable, Codable {
    /// The item's identifier: the asset's for a caller that may read the whole library, else one of the session's own.
    package var id: AssetID
    /// Whether it can still be fetched; false once deleted or hidden.
    package var isAvailable: Bool
    /// Its main type.
    package var mediaType: MediaType?
    /// Its subtypes.
    package var mediaSubtypes: MediaSubtypes?
    /// The media type of its bytes.
    package var contentType: String?
    /// The suggested file name.
    package var filename: FileName?
    /// The length of its bytes; nil if they are stripped or converted on fetching.
    package var byteCount: Int64?

    /// An item that can no longer be fetched.
    package init(id: AssetID) {
        self.id = id
        isAvailable = false
    }
}

/// One page of picked items.
package struct PickedItemPage: Hashable, Sendable, Codable {
    /// In the order of choosing, or by capture date.
    package var items: [PickedItem]
    /// The item to continue after; nil on the last page.
    package var next: AssetID?

    package init(items: [PickedItem], next: AssetID? = nil) {
        self.items = items
        self.next = next
    }
}

/// A picker session as the choosing person sees it, on `Endpoint.pick`, and operators in lists.
package struct PickDocument: Hashable, Sendable, Codable {
    /// The session's identifier.
    package var id: PickerSessionID
    /// Who receives the choice, in words.
    package var caller: String
    /// The device, if the caller is one.
    package var deviceID: DeviceID?
    /// The code that the caller also shows.
    package var code: String
    /// The caller's request, including its purpose.
    package var request: PickerRequest
    /// Metadata stripped from the bytes: as requested, plus the person's additions.
    package var strip: [MetadataPart]
    /// The form of the bytes: as requested, or as the person decided.
    package var encoding: PickerEncoding
    /// Its state.
    package var state: PickerSession.State
    /// The chosen assets.
    package var picked: [AssetID]
    /// Grows with each change of the choice or its purpose, also by the caller; nil from servers that do not say.
    package var revision: Int?
    /// When it was opened.
    package var created: WallTime
    /// When it expires.
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

/// A person's choice.
package struct PickChoice: Hashable, Sendable, Codable {
    /// All chosen assets, in the order of choosing.
    package var assets: [AssetID]
    /// Additional metadata the person wants stripped; nil for none.
    package var strip: [MetadataPart]?
    /// The form, if the person overrides the requested one; `original` only if requested; nil keeps it.
    package var encoding: PickerEncoding?
    /// The revision that the choice is based on: refused if the caller has changed it since; nil for any.
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
    /// Newest last.
    package var sessions: [PickDocument]

    package init(sessions: [PickDocument]) { self.sessions = sessions }
}
