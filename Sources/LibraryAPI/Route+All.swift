extension Route {
    // MARK: Open to everybody

    /// The authority's certificates, to be pinned.
    package static let authority = Route(.get, "/v1/ca", row: 1)
    /// Whether the server is up.
    package static let health = Route(.get, "/healthz", row: 1)
    /// The description of this interface (OpenAPI 3.1).
    package static let description = Route(.get, "/v1/openapi.yaml", row: 1)

    // MARK: Identity

    /// Asks to become a device.
    package static let enroll = Route(.post, "/v1/enrollments", row: 2)
    /// How an enrolment stands.
    package static let enrollment = Route(.get, "/v1/enrollments/{id}", row: 3)
    /// A new certificate for the same key.
    package static let renewIdentity = Route(.post, "/v1/identity/renew", row: 4)
    /// A certificate for a new key.
    package static let rotateIdentity = Route(.post, "/v1/identity/rotate", row: 4)
    /// Whether the device is wanted, revoked, or to be wiped.
    package static let identityState = Route(.get, "/v1/identity/state", row: 5)
    /// The device tells that it wiped itself.
    package static let identityWiped = Route(.post, "/v1/identity/wiped", row: 5)

    // MARK: Authorization

    /// What the device may do.
    package static let authorization = Route(.get, "/v1/authorization", row: 6)
    /// Asks for a level.
    package static let requestAuthorization = Route(.post, "/v1/authorization/requests", row: 7)
    /// The contact that opens every sync.
    package static let heartbeat = Route(.post, "/v1/heartbeat", row: 8)

    // MARK: Saving

    /// Describes an asset, and gets its uploads.
    package static let createAsset = Route(.post, "/v1/assets", row: 9)
    /// Many small assets at once.
    package static let createBatch = Route(.post, "/v1/batches", row: 9)
    /// Appends bytes to an upload.
    package static let appendUpload = Route(.patch, "/v1/uploads/{id}", row: 10)
    /// Where an upload stands.
    package static let uploadOffset = Route(.head, "/v1/uploads/{id}", row: 11)
    /// Makes an asset visible, and gets the receipt.
    package static let commitAsset = Route(.post, "/v1/assets/{id}/commit", row: 12)
    /// Gives an upload up.
    package static let cancelUpload = Route(.delete, "/v1/uploads/{id}", row: 13)
    /// Receipts given before.
    package static let receipts = Route(.get, "/v1/receipts", row: 14)
    /// Which digests the library has, within the caller's view.
    package static let checkHashes = Route(.post, "/v1/hashes/check", row: 15)

    // MARK: Reading

    /// The list of assets.
    package static let assets = Route(.get, "/v1/assets", row: 16)
    /// One asset.
    package static let asset = Route(.get, "/v1/assets/{id}", row: 17)
    /// A small picture of an asset.
    package static let thumbnail = Route(.get, "/v1/assets/{id}/thumbnail", row: 18)
    /// Bytes of a resource.
    package static let resource = Route(.get, "/v1/assets/{id}/resources/{resource}", row: 19)
    /// Changes after a token.
    package static let changes = Route(.get, "/v1/changes", row: 20)
    /// Changes as they come (server-sent events).
    package static let changeStream = Route(.get, "/v1/changes/stream", row: 21)

    // MARK: Editing

    /// Changes fields of an asset.
    package static let editAsset = Route(.patch, "/v1/assets/{id}", row: 22)
    /// A replica's own changes.
    package static let pushChanges = Route(.post, "/v1/changes", row: 22)
    /// Adds an edit's data and renderings.
    package static let addAdjustment = Route(.post, "/v1/assets/{id}/adjustments", row: 23)
    /// Takes the edit back.
    package static let removeAdjustment = Route(.delete, "/v1/assets/{id}/adjustments", row: 23)
    /// Puts an asset into the trash.
    package static let trashAsset = Route(.delete, "/v1/assets/{id}", row: 24)
    /// Purges an asset from the trash.
    package static let purgeAsset = Route(.delete, "/v1/trash/{id}", row: 25)
    /// The list of albums.
    package static let albums = Route(.get, "/v1/albums", row: 26)
    /// Makes an album.
    package static let createAlbum = Route(.post, "/v1/albums", row: 27)
    /// Adds assets to an album.
    package static let addToAlbum = Route(.post, "/v1/albums/{id}/assets", row: 28)
    /// Takes an asset out of an album.
    package static let removeFromAlbum = Route(.delete, "/v1/albums/{id}/assets/{asset}", row: 29)
    /// Changes an album's fields.
    package static let editAlbum = Route(.patch, "/v1/albums/{id}", row: 30)
    /// Deletes an album; its assets stay.
    package static let deleteAlbum = Route(.delete, "/v1/albums/{id}", row: 30)
    /// What a limited device may see.
    package static let selection = Route(.get, "/v1/selection", row: 31)
    /// Asks for more to be selected.
    package static let expandSelection = Route(.post, "/v1/selection/expansions", row: 32)

    // MARK: Picking

    /// Opens a picker session.
    package static let createPicker = Route(.post, "/v1/picker/sessions", row: 33)
    /// How a picker session stands.
    package static let picker = Route(.get, "/v1/picker/sessions/{id}", row: 34)
    /// Changes a picker session.
    package static let editPicker = Route(.patch, "/v1/picker/sessions/{id}", row: 34)
    /// Ends a picker session.
    package static let endPicker = Route(.delete, "/v1/picker/sessions/{id}", row: 34)
    /// What was picked.
    package static let pickedItems = Route(.get, "/v1/picker/sessions/{id}/items", row: 35)
    /// Bytes of one picked item.
    package static let pickedItem = Route(.get, "/v1/picker/sessions/{id}/items/{item}", row: 35)

    // MARK: Operators

    /// All devices.
    package static let adminDevices = Route(.get, "/v1/admin/devices", row: 37)
    /// One device with everything it may do.
    package static let adminDevice = Route(.get, "/v1/admin/devices/{id}", row: 37)
    /// Decides what a device may do.
    package static let adminDecide = Route(.post, "/v1/admin/devices/{id}/decision", row: 37)
    /// Forgets the decision, so that the device may ask again.
    package static let adminReset = Route(.delete, "/v1/admin/devices/{id}/decision", row: 37)
    /// What waits for a decision.
    package static let adminRequests = Route(.get, "/v1/admin/requests", row: 37)
    /// Ends a device's rights.
    package static let adminRevoke = Route(.post, "/v1/admin/devices/{id}/revoke", row: 38)
    /// Ends a device's rights and asks it to erase itself.
    package static let adminWipe = Route(.post, "/v1/admin/devices/{id}/wipe", row: 38)
    /// Lets a device send what it announced, and then ends its rights.
    package static let adminDrain = Route(.post, "/v1/admin/devices/{id}/drain", row: 38)
    /// Says which of two twins goes on.
    package static let adminResolve = Route(.post, "/v1/admin/devices/{id}/resolve", row: 38)
    /// Enrolment tokens, without their secrets.
    package static let adminEnrollmentTokens = Route(.get, "/v1/admin/enrollment-tokens", row: 39)
    /// Makes an enrolment token; its secret is told this once.
    package static let adminCreateEnrollmentToken = Route(.post, "/v1/admin/enrollment-tokens", row: 39)
    /// Withdraws an enrolment token.
    package static let adminDeleteEnrollmentToken = Route(.delete, "/v1/admin/enrollment-tokens/{id}", row: 39)
    /// The policy's ceilings.
    package static let adminCeilings = Route(.get, "/v1/admin/ceilings", row: 39)
    /// Replaces the policy's ceilings.
    package static let adminSetCeilings = Route(.put, "/v1/admin/ceilings", row: 39)
    /// What was selected for a device.
    package static let adminSelection = Route(.get, "/v1/admin/selections/{id}", row: 39)
    /// Replaces what is selected for a device.
    package static let adminSetSelection = Route(.put, "/v1/admin/selections/{id}", row: 39)
    /// The audit's rows.
    package static let adminAudit = Route(.get, "/v1/admin/audit", row: 40)
    /// The library's counts and sizes.
    package static let adminStatistics = Route(.get, "/v1/admin/statistics", row: 40)
    /// Compares rows, files and digests.
    package static let adminVerify = Route(.post, "/v1/admin/verify", row: 40)
    /// Metrics in Prometheus' text format.
    package static let metrics = Route(.get, "/metrics", row: 40)

    /// Every route there is.
    package static let all: [Route] = [
        authority, health, description, enroll, enrollment, renewIdentity, rotateIdentity, identityState,
        identityWiped, authorization, requestAuthorization, heartbeat, createAsset, createBatch, appendUpload,
        uploadOffset, commitAsset, cancelUpload, receipts, checkHashes, assets, asset, thumbnail, resource, changes,
        changeStream, editAsset, pushChanges, addAdjustment, removeAdjustment, trashAsset, purgeAsset, albums,
        createAlbum, addToAlbum, removeFromAlbum, editAlbum, deleteAlbum, selection, expandSelection, createPicker,
        picker, editPicker, endPicker, pickedItems, pickedItem, adminDevices, adminDevice, adminDecide, adminReset,
        adminRequests, adminRevoke, adminWipe, adminDrain, adminResolve, adminEnrollmentTokens,
        adminCreateEnrollmentToken, adminDeleteEnrollmentToken, adminCeilings, adminSetCeilings, adminSelection,
        adminSetSelection, adminAudit, adminStatistics, adminVerify, metrics,
    ]
}
