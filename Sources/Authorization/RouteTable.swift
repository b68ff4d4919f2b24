/// The endpoint table: every route with its pattern and its answers to each kind of caller.
///
/// Rows 1 to 40 come from the design; from 41 on follow the server's own pages and further calls for administrators.
/// Parts of an asset share the asset's row. Granting more access is a policy change: the tests compare the table with a
/// second copy, cell by cell.
package enum RouteTable {
    /// One route with everything declared about it.
    package struct Entry: Sendable {
        /// The route.
        package let route: Route
        /// The row of the table.
        package let row: Int
        /// The method; nil means any.
        package let method: RouteMethod?
        /// The path with parameters in braces; a trailing `/**` covers everything below.
        package let path: String
        /// The answers to each kind of caller.
        package let answers: Answers

        init(_ route: Route, _ row: Int, _ method: RouteMethod?, _ path: String, _ answers: Answers) {
            self.route = route
            self.row = row
            self.method = method
            self.path = path
            self.answers = answers
        }
    }

    /// All routes; a server checks its router against them.
    package static let entries: [Entry] =
        open + identity + saving + reading + editing + albums + picking + operators

    private static let open: [Entry] = [
        Entry(.authority, 1, .get, "/v1/ca", .anyone),
        Entry(.health, 1, .get, "/healthz", .anyone),
        Entry(.readiness, 41, .get, "/readyz", .anyone),
        Entry(.apiDescription, 42, .get, "/v1/openapi.yaml", .anyone),
        Entry(.page, 43, .get, "/", .anyone),
        Entry(.pageFile, 43, .get, "/static/{version}/{file}", .anyone),
        Entry(.loginForm, 44, .get, "/login", .anyone),
        Entry(.login, 44, .post, "/login", .anyone),
        Entry(.logout, 44, .post, "/logout", .anyone),
    ]

    private static let identity: [Entry] = [
        Entry(.enroll, 2, .post, "/v1/enrollments", .identity(none: .ok, expired: .ok)),
        Entry(
            .enrollment,
            3,
            .get,
            "/v1/enrollments/{id}",
            .identity(none: .own, expired: .own, device: .own, admin: .ok)
        ),
        Entry(.renewIdentity, 4, .post, "/v1/identity/renew", .identity(expired: .ok)),
        Entry(.rotateIdentity, 4, .post, "/v1/identity/rotate", .identity(expired: .ok)),
        Entry(.identityState, 5, .get, "/v1/identity/state", .identity(expired: .ok, revoked: .ok)),
        Entry(.identityWiped, 5, .post, "/v1/identity/wiped", .identity(expired: .ok, revoked: .ok)),
        Entry(.authorizationStatus, 6, .get, "/v1/authorization", .identity(admin: .ok)),
        Entry(.requestAuthorization, 7, .post, "/v1/authorization/requests", .identity()),
        Entry(.contact, 8, .post, "/v1/heartbeat", .identity()),
    ]

    private static let saving: [Entry] = [
        Entry(.createAsset, 9, .post, "/v1/assets", .creating),
        Entry(.createBatch, 9, .post, "/v1/batches", .creating),
        Entry(.appendUpload, 10, .patch, "/v1/uploads/{id}", .ownUpload),
        Entry(.uploadOffset, 11, .head, "/v1/uploads/{id}", .ownUpload),
        Entry(.commitAsset, 12, .post, "/v1/assets/{id}/commit", .ownUpload),
        Entry(.cancelUpload, 13, .delete, "/v1/uploads/{id}", .library(.saving, add: .own, limited: .own, full: .own)),
        Entry(.receipts, 14, .get, "/v1/receipts", .identity(device: .own, admin: .ok)),
        Entry(.receipt, 14, .get, "/v1/receipts/{asset}", .identity(device: .own, admin: .ok)),
        Entry(.checkHashes, 15, .post, "/v1/hashes/check", .library(.checking, add: .own, limited: .view)),
    ]

    private static let reading: [Entry] = [
        Entry(.assets, 16, .get, "/v1/assets", .viewing),
        Entry(.timeline, 16, .get, "/v1/timeline", .viewing),
        Entry(.places, 16, .get, "/v1/places", .viewing),
        Entry(.asset, 17, .get, "/v1/assets/{id}", .viewing),
        Entry(.thumbnail, 18, .get, "/v1/assets/{id}/thumbnail", .viewing),
        Entry(.resource, 19, .get, "/v1/assets/{id}/resources/{resource}", .viewing),
        Entry(.livePhoto, 19, .get, "/v1/assets/{id}/live-photo.zip", .viewing),
        Entry(.motionPhoto, 19, .get, "/v1/assets/{id}/motion-photo", .viewing),
        Entry(.superseded, 17, .get, "/v1/assets/{id}/superseded", .viewing),
        Entry(.facts, 17, .get, "/v1/assets/{id}/facts", .viewing),
        Entry(.createArchive, 19, .post, "/v1/archives", .viewing),
        Entry(.archive, 19, .get, "/v1/archives/{id}", .viewing),
        Entry(.prepareArchive, 19, .post, "/v1/archives/{id}/preparation", .viewing),
        Entry(.archiveContent, 19, .get, "/v1/archives/{id}/content.zip", .viewing),
        Entry(.changes, 20, .get, "/v1/changes", .viewing),
        Entry(.rangeHashes, 20, .get, "/v1/changes/range-hashes", .viewing),
        Entry(.changeStream, 21, .get, "/v1/changes/stream", .viewing),
    ]

    private static let editing: [Entry] = [
        Entry(.editAsset, 22, .patch, "/v1/assets/{id}", .viewing),
        Entry(.editAssets, 22, .patch, "/v1/assets", .viewing),
        Entry(.pushChanges, 22, .post, "/v1/changes", .viewing),
        Entry(.adjustAsset, 23, .post, "/v1/assets/{id}/adjustments", .viewing),
        Entry(.revertAsset, 23, .delete, "/v1/assets/{id}/adjustments", .viewing),
        Entry(.trashAsset, 24, .delete, "/v1/assets/{id}", .library(limited: .own)),
        Entry(.purgeAsset, 25, .delete, "/v1/trash/{id}", .library(limited: .scope, full: .scope)),
    ]

    private static let albums: [Entry] = [
        Entry(.albums, 26, .get, "/v1/albums", .grantedAlbums),
        Entry(.createAlbum, 27, .post, "/v1/albums", .managingAlbums),
        Entry(.albumAssets, 26, .get, "/v1/albums/{id}/assets", .grantedAlbums),
        Entry(.addToAlbum, 28, .post, "/v1/albums/{id}/assets", .grantedAlbums),
        Entry(.moveInAlbum, 28, .post, "/v1/albums/{id}/moves", .grantedAlbums),
        Entry(.removeFromAlbum, 29, .delete, "/v1/albums/{id}/assets/{asset}", .grantedAlbums),
        Entry(.editAlbum, 30, .patch, "/v1/albums/{id}", .managingAlbums),
        Entry(.deleteAlbum, 30, .delete, "/v1/albums/{id}", .managingAlbums),
        Entry(.selection, 31, .get, "/v1/selection", .library(limited: .ok)),
        Entry(.expandSelection, 32, .post, "/v1/selection/expansions", .library(limited: .ok, admin: .otherCallers)),
    ]

    private static let picking: [Entry] = [
        Entry(.createPicker, 33, .post, "/v1/picker/sessions", .picking(.ok, admin: .ok)),
        Entry(.picker, 34, .get, "/v1/picker/sessions/{id}", .picking(.own, admin: .ok)),
        Entry(.editPicker, 34, .patch, "/v1/picker/sessions/{id}", .picking(.own, admin: .ok)),
        Entry(.endPicker, 34, .delete, "/v1/picker/sessions/{id}", .picking(.own, admin: .ok)),
        Entry(.pickedItems, 35, .get, "/v1/picker/sessions/{id}/items", .picking(.own, admin: .own)),
        Entry(.pickedItem, 35, .get, "/v1/picker/sessions/{id}/items/{item}", .picking(.own, admin: .own)),
    ]

    private static let operators: [Entry] = [
        Entry(.pickPage, 36, nil, "/pick/{session}", .operators),
        Entry(.picks, 36, nil, "/v1/picks/**", .operators),
        Entry(.adminDevices, 37, nil, "/v1/admin/devices/**", .operators),
        Entry(.adminRequests, 37, nil, "/v1/admin/requests/**", .operators),
        Entry(.adminRevoke, 38, nil, "/v1/admin/devices/{id}/revoke", .operators),
        Entry(.adminWipe, 38, nil, "/v1/admin/devices/{id}/wipe", .operators),
        Entry(.adminDrain, 38, nil, "/v1/admin/devices/{id}/drain", .operators),
        Entry(.adminResolve, 38, nil, "/v1/admin/devices/{id}/resolve", .operators),
        Entry(.adminEnrollmentTokens, 39, nil, "/v1/admin/enrollment-tokens/**", .operators),
        Entry(.adminCeilings, 39, nil, "/v1/admin/ceilings/**", .operators),
        Entry(.adminSelections, 39, nil, "/v1/admin/selections/**", .operators),
        Entry(.adminAudit, 40, nil, "/v1/admin/audit/**", .operators),
        Entry(.metrics, 40, .get, "/metrics", .operators),
        Entry(.adminOperators, 45, nil, "/v1/admin/operators/**", .operators),
        Entry(.adminLibrary, 46, nil, "/v1/admin/library/**", .operators),
        Entry(.adminJobs, 46, nil, "/v1/admin/jobs/**", .operators),
        Entry(.adminImports, 46, nil, "/v1/admin/imports/**", .operators),
        Entry(.adminExports, 46, nil, "/v1/admin/exports/**", .operators),
        Entry(.adminPickers, 46, nil, "/v1/admin/picker-sessions/**", .operators),
        Entry(.adminWebLogins, 45, nil, "/v1/admin/web-logins/**", .operators),
        Entry(.adminWatch, 46, nil, "/v1/admin/watch/**", .operators),
    ]
}
