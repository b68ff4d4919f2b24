extension Endpoint {
    // MARK: Open to everybody

    /// The authority's certificates, to be pinned.
    package static let authority = Endpoint(.get, "/v1/ca")
    /// Whether the server is up.
    package static let health = Endpoint(.get, "/healthz")
    /// Whether the server is ready for work.
    package static let readiness = Endpoint(.get, "/readyz")
    /// The description of this interface (OpenAPI 3.1).
    package static let description = Endpoint(.get, "/v1/openapi.yaml")

    /// The web page.
    package static let page = Endpoint(.get, "/")
    /// A file of the web page; the version is its contents', so that it can be kept for ever.
    package static let pageFile = Endpoint(.get, "/static/{version}/{file}")

    // MARK: Identity

    /// Asks to become a device.
    package static let enroll = Endpoint(.post, "/v1/enrollments")
    /// How an enrolment stands.
    package static let enrollment = Endpoint(.get, "/v1/enrollments/{id}")
    /// A new certificate for the same key.
    package static let renewIdentity = Endpoint(.post, "/v1/identity/renew")
    /// A certificate for a new key.
    package static let rotateIdentity = Endpoint(.post, "/v1/identity/rotate")
    /// Whether the device is wanted, revoked, or to be wiped.
    package static let identityState = Endpoint(.get, "/v1/identity/state")
    /// The device confirms that it wiped itself.
    package static let identityWiped = Endpoint(.post, "/v1/identity/wiped")

    // MARK: Authorization

    /// What the device may do.
    package static let authorization = Endpoint(.get, "/v1/authorization")
    /// Asks for a level.
    package static let requestAuthorization = Endpoint(.post, "/v1/authorization/requests")
    /// The contact that opens every sync.
    package static let heartbeat = Endpoint(.post, "/v1/heartbeat")

    // MARK: Saving

    /// Describes an asset, and gets its uploads.
    package static let createAsset = Endpoint(.post, "/v1/assets")
    /// Many small assets at once.
    package static let createBatch = Endpoint(.post, "/v1/batches")
    /// Appends bytes to an upload.
    package static let appendUpload = Endpoint(.patch, "/v1/uploads/{id}")
    /// Where an upload stands.
    package static let uploadOffset = Endpoint(.head, "/v1/uploads/{id}")
    /// Makes an asset visible, and gets the receipt.
    package static let commitAsset = Endpoint(.post, "/v1/assets/{id}/commit")
    /// Cancels an upload.
    package static let cancelUpload = Endpoint(.delete, "/v1/uploads/{id}")
    /// Receipts given before.
    package static let receipts = Endpoint(.get, "/v1/receipts")
    /// The receipt of one asset.
    package static let receipt = Endpoint(.get, "/v1/receipts/{asset}")
    /// Which digests the library has, within the caller's view.
    package static let checkHashes = Endpoint(.post, "/v1/hashes/check")

    // MARK: Reading

    /// The list of assets.
    package static let assets = Endpoint(.get, "/v1/assets")
    /// The list of assets, counted by when they were captured.
    package static let timeline = Endpoint(.get, "/v1/timeline")
    /// The list of assets, counted by where they were captured.
    package static let places = Endpoint(.get, "/v1/places")
    /// One asset.
    package static let asset = Endpoint(.get, "/v1/assets/{id}")
    /// A small picture of an asset.
    package static let thumbnail = Endpoint(.get, "/v1/assets/{id}/thumbnail")
    /// Bytes of a resource.
    package static let resource = Endpoint(.get, "/v1/assets/{id}/resources/{resource}")
    /// A Live Photo's two files in one archive.
    package static let livePhoto = Endpoint(.get, "/v1/assets/{id}/live-photo.zip")
    /// A Live Photo as one Motion Photo.
    package static let motionPhoto = Endpoint(.get, "/v1/assets/{id}/motion-photo")
    /// Values of an asset's fields that lost against concurrent ones.
    package static let superseded = Endpoint(.get, "/v1/assets/{id}/superseded")
    /// How an asset's original was taken, as its file says.
    package static let facts = Endpoint(.get, "/v1/assets/{id}/facts")
    /// Asks for an archive of many assets.
    package static let createArchive = Endpoint(.post, "/v1/archives")
    /// How an archive stands.
    package static let archive = Endpoint(.get, "/v1/archives/{id}")
    /// Makes the next files of an archive ready.
    package static let prepareArchive = Endpoint(.post, "/v1/archives/{id}/preparation")
    /// Bytes of an archive.
    package static let archiveContent = Endpoint(.get, "/v1/archives/{id}/content.zip")
    /// Changes after a token.
    package static let changes = Endpoint(.get, "/v1/changes")
    /// Changes as they come (server-sent events).
    package static let changeStream = Endpoint(.get, "/v1/changes/stream")

    // MARK: Editing

    /// Changes fields of an asset.
    package static let editAsset = Endpoint(.patch, "/v1/assets/{id}")
    /// Changes fields of many assets.
    package static let editAssets = Endpoint(.patch, "/v1/assets")
    /// A replica's own changes.
    package static let pushChanges = Endpoint(.post, "/v1/changes")
    /// Adds an edit's data and renderings.
    package static let addAdjustment = Endpoint(.post, "/v1/assets/{id}/adjustments")
    /// Takes the edit back.
    package static let removeAdjustment = Endpoint(.delete, "/v1/assets/{id}/adjustments")
    /// Puts an asset into the trash.
    package static let trashAsset = Endpoint(.delete, "/v1/assets/{id}")
    /// Purges an asset from the trash.
    package static let purgeAsset = Endpoint(.delete, "/v1/trash/{id}")
    /// The list of albums.
    package static let albums = Endpoint(.get, "/v1/albums")
    /// Makes an album.
    package static let createAlbum = Endpoint(.post, "/v1/albums")
    /// Adds assets to an album.
    package static let addToAlbum = Endpoint(.post, "/v1/albums/{id}/assets")
    /// Takes an asset out of an album.
    package static let removeFromAlbum = Endpoint(.delete, "/v1/albums/{id}/assets/{asset}")
    /// An album's assets in the album's order.
    package static let albumAssets = Endpoint(.get, "/v1/albums/{id}/assets")
    /// Moves assets within an album.
    package static let moveInAlbum = Endpoint(.post, "/v1/albums/{id}/moves")
    /// Changes an album's fields.
    package static let editAlbum = Endpoint(.patch, "/v1/albums/{id}")
    /// Deletes an album; its assets stay.
    package static let deleteAlbum = Endpoint(.delete, "/v1/albums/{id}")
    /// What a limited device may see.
    package static let selection = Endpoint(.get, "/v1/selection")
    /// Asks for more to be selected.
    package static let expandSelection = Endpoint(.post, "/v1/selection/expansions")

    // MARK: Picking

    /// Opens a picker session.
    package static let createPicker = Endpoint(.post, "/v1/picker/sessions")
    /// How a picker session stands.
    package static let picker = Endpoint(.get, "/v1/picker/sessions/{id}")
    /// Changes a picker session.
    package static let editPicker = Endpoint(.patch, "/v1/picker/sessions/{id}")
    /// Ends a picker session.
    package static let endPicker = Endpoint(.delete, "/v1/picker/sessions/{id}")
    /// The picked items.
    package static let pickedItems = Endpoint(.get, "/v1/picker/sessions/{id}/items")
    /// Bytes of one picked item.
    package static let pickedItem = Endpoint(.get, "/v1/picker/sessions/{id}/items/{item}")

    // MARK: Logging in

    /// The page on which an operator logs in.
    package static let loginForm = Endpoint(.get, "/login")
    /// Logs in by a one-time link or a password.
    package static let login = Endpoint(.post, "/login")
    /// Ends the login.
    package static let logout = Endpoint(.post, "/logout")

    // MARK: Choosing, by a person

    /// The page on which a person chooses.
    package static let pickPage = Endpoint(.get, "/pick/{session}")
    /// What to choose, for whom and why.
    package static let pick = Endpoint(.get, "/v1/picks/{session}")
    /// What may be chosen.
    package static let pickAssets = Endpoint(.get, "/v1/picks/{session}/assets")
    /// What may be chosen, counted by when it was captured.
    package static let pickTimeline = Endpoint(.get, "/v1/picks/{session}/timeline")
    /// Replaces what is chosen.
    package static let choosePick = Endpoint(.put, "/v1/picks/{session}/selection")
    /// The person is done.
    package static let finishPick = Endpoint(.post, "/v1/picks/{session}/done")
    /// The person chose nothing.
    package static let cancelPick = Endpoint(.post, "/v1/picks/{session}/cancel")

    // MARK: Operators

    /// All devices.
    package static let adminDevices = Endpoint(.get, "/v1/admin/devices")
    /// One device with everything it may do.
    package static let adminDevice = Endpoint(.get, "/v1/admin/devices/{id}")
    /// Changes what is written down of a device: its name, tags and album.
    package static let adminEditDevice = Endpoint(.patch, "/v1/admin/devices/{id}")
    /// Decides what a device may do.
    package static let adminDecide = Endpoint(.post, "/v1/admin/devices/{id}/decision")
    /// Forgets the decision, so that the device may ask again.
    package static let adminReset = Endpoint(.delete, "/v1/admin/devices/{id}/decision")
    /// What waits for a decision.
    package static let adminRequests = Endpoint(.get, "/v1/admin/requests")
    /// Answers a limited device's question for more.
    package static let adminDecideExpansion = Endpoint(.post, "/v1/admin/requests/expansions/{id}")
    /// Ends a device's rights.
    package static let adminRevoke = Endpoint(.post, "/v1/admin/devices/{id}/revoke")
    /// Ends a device's rights and asks it to erase itself.
    package static let adminWipe = Endpoint(.post, "/v1/admin/devices/{id}/wipe")
    /// Lets a device send what it announced, and then ends its rights.
    package static let adminDrain = Endpoint(.post, "/v1/admin/devices/{id}/drain")
    /// Takes back what is allowed for a device's cameras and microphones.
    package static let adminWithdrawConsent = Endpoint(.post, "/v1/admin/devices/{id}/consents/withdrawals")
    /// Chooses which of two copies of a box continues.
    package static let adminResolve = Endpoint(.post, "/v1/admin/devices/{id}/resolve")
    /// What a device sent and has not committed.
    package static let adminUploads = Endpoint(.get, "/v1/admin/devices/{id}/uploads")
    /// Commits in a device's name what it sent whole.
    package static let adminCommitUpload = Endpoint(.post, "/v1/admin/devices/{id}/uploads/{asset}/commit")
    /// Operators' certificates.
    package static let adminOperators = Endpoint(.get, "/v1/admin/operators")
    /// Issues an operator's certificate.
    package static let adminIssueOperator = Endpoint(.post, "/v1/admin/operators")
    /// Takes an operator's certificate back.
    package static let adminRevokeOperator = Endpoint(.delete, "/v1/admin/operators/{id}")
    /// Sets or takes away the password of an operator's web login.
    package static let adminSetPassword = Endpoint(.put, "/v1/admin/operators/passwords/{name}")
    /// Logins on the web page.
    package static let adminWebLogins = Endpoint(.get, "/v1/admin/web-logins")
    /// Who is logged in, and the token that goes with the login.
    package static let adminCurrentWebLogin = Endpoint(.get, "/v1/admin/web-logins/current")
    /// Makes a one-time link to log in.
    package static let adminCreateWebLogin = Endpoint(.post, "/v1/admin/web-logins")
    /// Ends a login.
    package static let adminEndWebLogin = Endpoint(.delete, "/v1/admin/web-logins/{id}")
    /// Enrolment tokens, without their secrets.
    package static let adminEnrollmentTokens = Endpoint(.get, "/v1/admin/enrollment-tokens")
    /// Makes an enrolment token; its secret is told this once.
    package static let adminCreateEnrollmentToken = Endpoint(.post, "/v1/admin/enrollment-tokens")
    /// Withdraws an enrolment token.
    package static let adminDeleteEnrollmentToken = Endpoint(.delete, "/v1/admin/enrollment-tokens/{id}")
    /// The policy's ceilings.
    package static let adminCeilings = Endpoint(.get, "/v1/admin/ceilings")
    /// Replaces the policy's ceilings.
    package static let adminSetCeilings = Endpoint(.put, "/v1/admin/ceilings")
    /// A device's selection.
    package static let adminSelection = Endpoint(.get, "/v1/admin/selections/{id}")
    /// Replaces what is selected for a device.
    package static let adminSetSelection = Endpoint(.put, "/v1/admin/selections/{id}")
    /// The audit's rows.
    package static let adminAudit = Endpoint(.get, "/v1/admin/audit")
    /// Every picker session.
    package static let adminPickers = Endpoint(.get, "/v1/admin/picker-sessions")
    /// Ends a picker session.
    package static let adminEndPicker = Endpoint(.delete, "/v1/admin/picker-sessions/{id}")
    /// The audit's end, signed.
    package static let adminAuditHead = Endpoint(.get, "/v1/admin/audit/head")
    /// Verifies the audit's chain and signatures.
    package static let adminVerifyAudit = Endpoint(.post, "/v1/admin/audit/verify")
    /// Who changed what, and when.
    package static let adminHistory = Endpoint(.get, "/v1/admin/library/history")
    /// The library's counts and sizes.
    package static let adminStatistics = Endpoint(.get, "/v1/admin/library/statistics")
    /// The assets that hold an original.
    package static let adminContentAssets = Endpoint(.get, "/v1/admin/library/contents/{digest}/assets")
    /// Begins a backup or a verification.
    package static let adminStartTask = Endpoint(.post, "/v1/admin/library/tasks")
    /// The last backups and verifications.
    package static let adminTasks = Endpoint(.get, "/v1/admin/library/tasks")
    /// How a backup or verification stands.
    package static let adminTask = Endpoint(.get, "/v1/admin/library/tasks/{id}")
    /// Ends a backup or verification.
    package static let adminEndTask = Endpoint(.delete, "/v1/admin/library/tasks/{id}")
    /// Work that is owed to originals.
    package static let adminJobs = Endpoint(.get, "/v1/admin/jobs")
    /// Pauses that work.
    package static let adminPauseJobs = Endpoint(.post, "/v1/admin/jobs/pause")
    /// Resumes it.
    package static let adminResumeJobs = Endpoint(.post, "/v1/admin/jobs/resume")
    /// Has every dead job tried again.
    package static let adminRetryJobs = Endpoint(.post, "/v1/admin/jobs/retry")
    /// Has one job tried again, whatever became of it.
    package static let adminRetryJob = Endpoint(.post, "/v1/admin/jobs/{id}/retry")
    /// Owes thumbnails to every original that has none.
    package static let adminRebuildJobs = Endpoint(.post, "/v1/admin/jobs/rebuild")
    /// Metrics in Prometheus' text format.
    package static let metrics = Endpoint(.get, "/metrics")

    /// Every route there is.
    package static let all: [Endpoint] = [
        authority, health, readiness, description, page, pageFile, timeline, places, enroll, enrollment, renewIdentity,
        rotateIdentity, identityState,
        identityWiped, authorization, requestAuthorization, heartbeat, createAsset, createBatch, appendUpload,
        uploadOffset, commitAsset, cancelUpload, receipts, receipt, checkHashes, assets, asset, thumbnail, resource,
        livePhoto, motionPhoto, superseded, facts, createArchive, archive, prepareArchive, archiveContent,
        changes,
        changeStream, editAsset, editAssets, pushChanges, addAdjustment, removeAdjustment, trashAsset, purgeAsset,
        albums,
        createAlbum, albumAssets, addToAlbum, moveInAlbum, removeFromAlbum, editAlbum, deleteAlbum, selection,
        expandSelection, createPicker,
        picker, editPicker, endPicker, pickedItems, pickedItem, pickPage, pick, pickAssets, pickTimeline, choosePick,
        finishPick, cancelPick, adminDevices, adminDevice, adminEditDevice, adminDecide, adminReset, adminRequests,
        adminDecideExpansion, adminPickers, adminEndPicker, adminRevoke, adminWipe, adminDrain, adminResolve,
        adminWithdrawConsent,
        adminUploads,
        adminCommitUpload,
        adminEnrollmentTokens,
        adminCreateEnrollmentToken, adminDeleteEnrollmentToken, adminCeilings, adminSetCeilings, adminSelection,
        adminSetSelection, adminAudit, adminHistory, adminStatistics, adminContentAssets,
        adminStartTask, adminTasks, adminTask,
        adminEndTask, adminJobs, adminPauseJobs, adminResumeJobs, adminRetryJobs, adminRetryJob, adminRebuildJobs,
        metrics,
        adminAuditHead, adminVerifyAudit, loginForm, login, logout, adminOperators, adminIssueOperator,
        adminRevokeOperator, adminSetPassword,
        adminWebLogins, adminCurrentWebLogin, adminCreateWebLogin, adminEndWebLogin,
    ]
}
