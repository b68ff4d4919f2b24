extension Endpoint {
    // MARK: Public

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
    /// A file of the web page; the version is a digest of all files, so that it can be cached forever.
    package static let pageFile = Endpoint(.get, "/static/{version}/{file}")

    // MARK: Identity

    /// Requests enrolment as a device.
    package static let enroll = Endpoint(.post, "/v1/enrollments")
    /// The status of an enrolment.
    package static let enrollment = Endpoint(.get, "/v1/enrollments/{id}")
    /// A new certificate for the same key.
    package static let renewIdentity = Endpoint(.post, "/v1/identity/renew")
    /// A certificate for a new key.
    package static let rotateIdentity = Endpoint(.post, "/v1/identity/rotate")
    /// Whether the device is active, revoked, or to be wiped.
    package static let identityState = Endpoint(.get, "/v1/identity/state")
    /// Confirms that the device wiped itself.
    package static let identityWiped = Endpoint(.post, "/v1/identity/wiped")

    // MARK: Authorization

    /// What the device may do.
    package static let authorization = Endpoint(.get, "/v1/authorization")
    /// Requests an access level.
    package static let requestAuthorization = Endpoint(.post, "/v1/authorization/requests")
    /// The contact that opens every sync.
    package static let contact = Endpoint(.post, "/v1/heartbeat")

    // MARK: Saving

    /// Describes an asset, and returns its uploads.
    package static let createAsset = Endpoint(.post, "/v1/assets")
    /// Saves many small assets at once.
    package static let createBatch = Endpoint(.post, "/v1/batches")
    /// Appends bytes to an upload.
    package static let appendUpload = Endpoint(.patch, "/v1/uploads/{id}")
    /// The offset of an upload.
    package static let uploadOffset = Endpoint(.head, "/v1/uploads/{id}")
    /// Makes an asset visible, and returns the receipt.
    package static let commitAsset = Endpoint(.post, "/v1/assets/{id}/commit")
    /// Cancels an upload.
    package static let cancelUpload = Endpoint(.delete, "/v1/uploads/{id}")
    /// Earlier receipts.
    package static let receipts = Endpoint(.get, "/v1/receipts")
    /// The receipt of one asset.
    package static let receipt = Endpoint(.get, "/v1/receipts/{asset}")
    /// Which digests the library has, within the caller's view.
    package static let checkHashes = Endpoint(.post, "/v1/hashes/check")

    // MARK: Reading

    /// The list of assets.
    package static let assets = Endpoint(.get, "/v1/assets")
    /// Counts of a list of assets by capture date.
    package static let timeline = Endpoint(.get, "/v1/timeline")
    /// Counts of a list of assets by location.
    package static let places = Endpoint(.get, "/v1/places")
    /// One asset.
    package static let asset = Endpoint(.get, "/v1/assets/{id}")
    /// A thumbnail of an asset.
    package static let thumbnail = Endpoint(.get, "/v1/assets/{id}/thumbnail")
    /// Bytes of a resource.
    package static let resource = Endpoint(.get, "/v1/assets/{id}/resources/{resource}")
    /// A Live Photo's two files in one archive.
    package static let livePhoto = Endpoint(.get, "/v1/assets/{id}/live-photo.zip")
    /// A Live Photo as one Motion Photo.
    package static let motionPhoto = Endpoint(.get, "/v1/assets/{id}/motion-photo")
    /// Values of an asset's fields that lost to concurrent edits.
    package static let superseded = Endpoint(.get, "/v1/assets/{id}/superseded")
    /// How an asset's original was taken, according to its file.
    package static let facts = Endpoint(.get, "/v1/assets/{id}/facts")
    /// Requests an archive of many assets.
    package static let createArchive = Endpoint(.post, "/v1/archives")
    /// The state of an archive.
    package static let archive = Endpoint(.get, "/v1/archives/{id}")
    /// Prepares the next files of an archive.
    package static let prepareArchive = Endpoint(.post, "/v1/archives/{id}/preparation")
    /// Bytes of an archive.
    package static let archiveContent = Endpoint(.get, "/v1/archives/{id}/content.zip")
    /// Changes after a token.
    package static let changes = Endpoint(.get, "/v1/changes")
    /// Changes as they happen (server-sent events).
    package static let changeStream = Endpoint(.get, "/v1/changes/stream")

    // MARK: Editing

    /// Changes fields of an asset.
    package static let editAsset = Endpoint(.patch, "/v1/assets/{id}")
    /// Changes fields of many assets.
    package static let editAssets = Endpoint(.patch, "/v1/assets")
    /// Pushes a replica's own changes.
    package static let pushChanges = Endpoint(.post, "/v1/changes")
    /// Adds an edit's data and renderings.
    package static let addAdjustment = Endpoint(.post, "/v1/assets/{id}/adjustments")
    /// Reverts the edit.
    package static let removeAdjustment = Endpoint(.delete, "/v1/assets/{id}/adjustments")
    /// Moves an asset to the trash.
    package static let trashAsset = Endpoint(.delete, "/v1/assets/{id}")
    /// Purges an asset from the trash.
    package static let purgeAsset = Endpoint(.delete, "/v1/trash/{id}")
    /// The list of albums.
    package static let albums = Endpoint(.get, "/v1/albums")
    /// Creates an album.
    package static let createAlbum = Endpoint(.post, "/v1/albums")
    /// Adds assets to an album.
    package static let addToAlbum = Endpoint(.post, "/v1/albums/{id}/assets")
    /// Removes an asset from an album.
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
    /// Requests a larger selection.
    package static let expandSelection = Endpoint(.post, "/v1/selection/expansions")

    // MARK: Picking

    /// Opens a picker session.
    package static let createPicker = Endpoint(.post, "/v1/picker/sessions")
    /// The state of a picker session.
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
    /// The picker session: what may be chosen, for whom and why.
    package static let pick = Endpoint(.get, "/v1/picks/{session}")
    /// The assets that may be chosen.
    package static let pickAssets = Endpoint(.get, "/v1/picks/{session}/assets")
    /// Counts of the assets that may be chosen, by capture date.
    package static let pickTimeline = Endpoint(.get, "/v1/picks/{session}/timeline")
    /// Replaces the choice.
    package static let choosePick = Endpoint(.put, "/v1/picks/{session}/selection")
    /// Finishes the choice.
    package static let finishPick = Endpoint(.post, "/v1/picks/{session}/done")
    /// Cancels the choice.
    package static let cancelPick = Endpoint(.post, "/v1/picks/{session}/cancel")

    // MARK: Operators

    /// All devices.
    package static let adminDevices = Endpoint(.get, "/v1/admin/devices")
    /// One device with everything it may do.
    package static let adminDevice = Endpoint(.get, "/v1/admin/devices/{id}")
    /// Changes a device's name, tags and album.
    package static let adminEditDevice = Endpoint(.patch, "/v1/admin/devices/{id}")
    /// Decides what a device may do.
    package static let adminDecide = Endpoint(.post, "/v1/admin/devices/{id}/decision")
    /// Resets the decision, so that the device may ask again.
    package static let adminReset = Endpoint(.delete, "/v1/admin/devices/{id}/decision")
    /// The requests that wait for a decision.
    package static let adminRequests = Endpoint(.get, "/v1/admin/requests")
    /// Answers a limited device's request for more assets.
    package static let adminDecideExpansion = Endpoint(.post, "/v1/admin/requests/expansions/{id}")
    /// Ends a device's rights.
    package static let adminRevoke = Endpoint(.post, "/v1/admin/devices/{id}/revoke")
    /// Ends a device's rights and asks it to erase itself.
    package static let adminWipe = Endpoint(.post, "/v1/admin/devices/{id}/wipe")
    /// Retires a device: it sends what it announced, and then its rights end.
    package static let adminDrain = Endpoint(.post, "/v1/admin/devices/{id}/drain")
    /// Withdraws consents for a device's cameras and microphones.
    package static let adminWithdrawConsent = Endpoint(.post, "/v1/admin/devices/{id}/consents/withdrawals")
    /// Chooses which of two copies of a box continues.
    package static let adminResolve = Endpoint(.post, "/v1/admin/devices/{id}/resolve")
    /// A device's uncommitted uploads.
    package static let adminUploads = Endpoint(.get, "/v1/admin/devices/{id}/uploads")
    /// Commits a complete upload in a device's name.
    package static let adminCommitUpload = Endpoint(.post, "/v1/admin/devices/{id}/uploads/{asset}/commit")
    /// Operators' certificates.
    package static let adminOperators = Endpoint(.get, "/v1/admin/operators")
    /// Issues an operator's certificate.
    package static let adminIssueOperator = Endpoint(.post, "/v1/admin/operators")
    /// Revokes an operator's certificate.
    package static let adminRevokeOperator = Endpoint(.delete, "/v1/admin/operators/{id}")
    /// Sets or removes the password of an operator's web login.
    package static let adminSetPassword = Endpoint(.put, "/v1/admin/operators/passwords/{name}")
    /// Logins on the web page.
    package static let adminWebLogins = Endpoint(.get, "/v1/admin/web-logins")
    /// Who is logged in, and the login's CSRF token.
    package static let adminCurrentWebLogin = Endpoint(.get, "/v1/admin/web-logins/current")
    /// Creates a one-time login link.
    package static let adminCreateWebLogin = Endpoint(.post, "/v1/admin/web-logins")
    /// Ends a login.
    package static let adminEndWebLogin = Endpoint(.delete, "/v1/admin/web-logins/{id}")
    /// Enrolment tokens, without their secrets.
    package static let adminEnrollmentTokens = Endpoint(.get, "/v1/admin/enrollment-tokens")
    /// Creates an enrolment token; its secret is returned only once.
    package static let adminCreateEnrollmentToken = Endpoint(.post, "/v1/admin/enrollment-tokens")
    /// Withdraws an enrolment token.
    package static let adminDeleteEnrollmentToken = Endpoint(.delete, "/v1/admin/enrollment-tokens/{id}")
    /// The policy's ceilings.
    package static let adminCeilings = Endpoint(.get, "/v1/admin/ceilings")
    /// Replaces the policy's ceilings.
    package static let adminSetCeilings = Endpoint(.put, "/v1/admin/ceilings")
    /// A device's selection.
    package static let adminSelection = Endpoint(.get, "/v1/admin/selections/{id}")
    /// Replaces a device's selection.
    package static let adminSetSelection = Endpoint(.put, "/v1/admin/selections/{id}")
    /// The audit's entries.
    package static let adminAudit = Endpoint(.get, "/v1/admin/audit")
    /// Every picker session.
    package static let adminPickers = Endpoint(.get, "/v1/admin/picker-sessions")
    /// Ends a picker session.
    package static let adminEndPicker = Endpoint(.delete, "/v1/admin/picker-sessions/{id}")
    /// The signed end of the audit.
    package static let adminAuditHead = Endpoint(.get, "/v1/admin/audit/head")
    /// Verifies the audit's chain and signatures.
    package static let adminVerifyAudit = Endpoint(.post, "/v1/admin/audit/verify")
    /// Who changed what, and when.
    package static let adminHistory = Endpoint(.get, "/v1/admin/library/history")
    /// The library's counts and sizes.
    package static let adminStatistics = Endpoint(.get, "/v1/admin/library/statistics")
    /// The assets that hold an original.
    package static let adminContentAssets = Endpoint(.get, "/v1/admin/library/contents/{digest}/assets")
    /// Starts a backup, a verification or a collection.
    package static let adminStartTask = Endpoint(.post, "/v1/admin/library/tasks")
    /// The latest tasks.
    package static let adminTasks = Endpoint(.get, "/v1/admin/library/tasks")
    /// The state of a task.
    package static let adminTask = Endpoint(.get, "/v1/admin/library/tasks/{id}")
    /// Cancels a task.
    package static let adminEndTask = Endpoint(.delete, "/v1/admin/library/tasks/{id}")
    /// Pending work on originals.
    package static let adminJobs = Endpoint(.get, "/v1/admin/jobs")
    /// Pauses work on originals.
    package static let adminPauseJobs = Endpoint(.post, "/v1/admin/jobs/pause")
    /// Resumes work on originals.
    package static let adminResumeJobs = Endpoint(.post, "/v1/admin/jobs/resume")
    /// Retries every dead job.
    package static let adminRetryJobs = Endpoint(.post, "/v1/admin/jobs/retry")
    /// Retries one job, whatever its state.
    package static let adminRetryJob = Endpoint(.post, "/v1/admin/jobs/{id}/retry")
    /// Schedules thumbnails for every original that has none.
    package static let adminRebuildJobs = Endpoint(.post, "/v1/admin/jobs/rebuild")
    /// Metrics in Prometheus' text format.
    package static let metrics = Endpoint(.get, "/metrics")

    /// Every route.
    package static let all: [Endpoint] = [
        authority, health, readiness, description, page, pageFile, timeline, places, enroll, enrollment, renewIdentity,
        rotateIdentity, identityState, identityWiped, authorization, requestAuthorization, contact, createAsset,
        createBatch, appendUpload, uploadOffset, commitAsset, cancelUpload, receipts, receipt, checkHashes, assets,
        asset, thumbnail, resource, livePhoto, motionPhoto, superseded, facts, createArchive, archive, prepareArchive,
        archiveContent, changes, changeStream, editAsset, editAssets, pushChanges, addAdjustment, removeAdjustment,
        trashAsset, purgeAsset, albums, createAlbum, albumAssets, addToAlbum, moveInAlbum, removeFromAlbum, editAlbum,
        deleteAlbum, selection, expandSelection, createPicker, picker, editPicker, endPicker, pickedItems, pickedItem,
        pickPage, pick, pickAssets, pickTimeline, choosePick, finishPick, cancelPick, adminDevices, adminDevice,
        adminEditDevice, adminDecide, adminReset, adminRequests, adminDecideExpansion, adminPickers, adminEndPicker,
        adminRevoke, adminWipe, adminDrain, adminResolve, adminWithdrawConsent, adminUploads, adminCommitUpload,
        adminEnrollmentTokens, adminCreateEnrollmentToken, adminDeleteEnrollmentToken, adminCeilings, adminSetCeilings,
        adminSelection, adminSetSelection, adminAudit, adminHistory, adminStatistics, adminContentAssets,
        adminStartTask, adminTasks, adminTask, adminEndTask, adminJobs, adminPauseJobs, adminResumeJobs, adminRetryJobs,
        adminRetryJob, adminRebuildJobs, metrics, adminAuditHead, adminVerifyAudit, loginForm, login, logout,
        adminOperators, adminIssueOperator, adminRevokeOperator, adminSetPassword, adminWebLogins, adminCurrentWebLogin,
        adminCreateWebLogin, adminEndWebLogin,
    ]
}
