package import Authorization
package import LibraryAPI
package import Persistence
package import PhotoModel
package import Replication

/// Where everything but bytes lies: assets, albums, uploads, receipts, devices, decisions and the audit.
///
/// Each call is one transaction or one consistent read. Calls that change something take the caller, whose gate is asked
/// inside the transaction. Nothing above this port may know which database is used.
///
/// Identifiers come first among the parameters: Swift 6.3.1 on x86-64 crashes where an asynchronous call through a
/// protocol passes 128 bits on the stack.
package protocol MetadataStore: MediaJobStore {
    /// The library, its history, and the last change.
    func identity() async throws -> LibraryIdentity

    // MARK: Saving

    /// Takes a manifest, and gives its uploads; the same manifest again gives the same.
    func create(_ manifest: AssetManifest, by caller: StoreCaller) async throws -> AssetCreationResponse
    /// One upload that belongs to the caller.
    func upload(_ id: UploadID, of caller: StoreCaller) async throws -> UploadRecord
    /// Bytes that open uploads may still bring: they are promised to them, and free space is not free for others.
    func promisedByteCount() async throws -> Int64
    /// Writes down what has become durable: one result a step, all in one transaction.
    func record(_ progress: [UploadProgress]) async -> [Result<Void, any Error>]
    /// Forgets an upload and the rest of its asset's creation; gives the uploads whose staged bytes may go.
    func cancel(_ id: UploadID, by caller: StoreCaller) async throws -> [UploadID]
    /// What has to be published before an asset can be committed, or the answer that was given already.
    func planCommit(_ asset: AssetID, by caller: StoreCaller) async throws -> CommitPlan
    /// Which of these digests rows say are there.
    func knownDigests(_ digests: [ContentDigest], in view: LibraryView) async throws -> [ContentDigest]
    /// Makes assets visible: one result a request, all in one transaction.
    func commit(_ requests: [CommitRequest]) async -> [Result<CommitResponse, any Error>]
    /// Receipts that were given to a caller, after a change number.
    func receipts(of caller: StoreCaller, after number: ChangeNumber, limit: Int) async throws -> ReceiptPage
    /// The receipt of one asset that was given to a caller.
    func receipt(for asset: AssetID, of caller: StoreCaller) async throws -> CommitResponse?
    /// Forgets creations that nobody touched since, and at once those that a revoked device left unfinished; gives the
    /// uploads whose staged bytes may go.
    func expireUploads(untouchedSince time: WallTime) async throws -> [UploadID]
    /// All uploads that are under way.
    func openUploads() async throws -> Set<UploadID>

    // MARK: Reading

    /// One page of a list.
    func page(_ query: AssetQuery, in view: LibraryView) async throws -> AssetPage
    /// The same page in JSON as it goes over the wire, an `AssetPage`; what is stored as such need not be read for it.
    func encodedPage(_ query: AssetQuery, in view: LibraryView) async throws -> [UInt8]
    /// One asset; nil when it is not there or not in the view.
    func asset(_ id: AssetID, in view: LibraryView) async throws -> Asset?
    /// Assets of a list that are in the view, in its order, all as they are at one moment.
    func assets(_ ids: [AssetID], in view: LibraryView) async throws -> [Asset]
    /// Values of an asset's fields that lost against concurrent ones; nil when it is not there or not in the view.
    func supersededEdits(of id: AssetID, in view: LibraryView) async throws -> [SupersededEdit]?
    /// How many assets of a list each span of time holds, newest first, at most `APILimits.timelineSpanCount`.
    func spans(_ options: FetchOptions, by unit: TimelineUnit, in view: LibraryView) async throws -> [TimelineSpan]
    /// Where the assets of a list were captured within an area, gathered in cells of a grid, the fullest first.
    func places(_ query: PlaceQuery, in view: LibraryView) async throws -> PlaceClusters
    /// Which kinds of assets a list holds.
    func kinds(_ options: FetchOptions, in view: LibraryView) async throws -> [AssetFilter.Kind]
    /// How many assets a view holds.
    func count(_ options: FetchOptions, in view: LibraryView) async throws -> Int
    /// Who changed what after a number; nil for an asset means everything.
    func history(of asset: AssetID?, after number: ChangeNumber, limit: Int) async throws -> [HistoryEntry]
    /// Changes after a position.
    func changes(after position: ChangePosition?, limit: Int, for viewer: ChangeViewer) async throws -> ChangePage
    /// Whether anything in a viewer's own view changed after a position.
    func hasChanges(after position: ChangePosition?, for viewer: ChangeViewer) async throws -> Bool
    /// What a viewer holds between two keys, as so many ranges with their hashes.
    func ranges(_ bounds: ChangeRange.Bounds, count: Int, for viewer: ChangeViewer) async throws -> [ChangeRange]
    /// What a viewer holds between two keys, each as an insertion.
    func entities(_ bounds: ChangeRange.Bounds, for viewer: ChangeViewer) async throws -> ChangePage

    // MARK: Adjustments

    /// What has to be sent or published before an edit can be applied, or the asset that has it already.
    func planAdjustment(
        of asset: AssetID,
        in view: LibraryView,
        by caller: StoreCaller,
        _ request: AdjustmentRequest
    ) async throws -> AdjustmentPlan
    /// Takes an asset's edit back; gives the asset as it came, and the content that the edit named.
    func revert(_ asset: AssetID, in view: LibraryView, by caller: StoreCaller) async throws -> RevertedAsset

    // MARK: Editing

    /// Changes fields of an asset in the view.
    func edit(_ id: AssetID, _ edit: AssetEdit, in view: LibraryView, by caller: StoreCaller) async throws -> Asset
    /// Changes fields of assets in the view, in one transaction; gives for each, in their order, the asset or why it was not
    /// changed.
    func edit(_ bulk: BulkEdit, in view: LibraryView, by caller: StoreCaller) async throws -> [Result<Asset, any Error>]
    /// Puts an asset into the trash.
    func trash(_ id: AssetID, in view: LibraryView, by caller: StoreCaller) async throws -> Asset
    /// Makes an asset go for good; gives the content that nothing names any more.
    func purge(_ id: AssetID, by caller: StoreCaller) async throws -> [ContentAddress]
    /// One page of the albums in a view, by title.
    func albums(in view: LibraryView, limit: Int, cursor: ListCursor?) async throws -> AlbumPage
    /// One album; nil when there is none.
    func album(_ id: AlbumID) async throws -> Album?
    /// Makes an album.
    func createAlbum(_ edit: AlbumEdit, by caller: StoreCaller) async throws -> Album
    /// Changes an album's fields.
    func editAlbum(_ id: AlbumID, _ edit: AlbumEdit, by caller: StoreCaller) async throws -> Album
    /// Deletes an album; its assets stay.
    func deleteAlbum(_ id: AlbumID, by caller: StoreCaller) async throws
    /// Adds assets at an album's end, those in the view.
    func add(_ assets: [AssetID], to album: AlbumID, in view: LibraryView, by caller: StoreCaller) async throws
    /// One page of an album's assets in the view, in the album's order.
    func page(ofAlbum album: AlbumID, limit: Int, cursor: ListCursor?, in view: LibraryView) async throws -> AssetPage
    /// Moves assets of an album behind another one of it; nil for its beginning.
    func move(inAlbum album: AlbumID, behind: AssetID?, _ assets: [AssetID], by caller: StoreCaller) async throws
    /// Takes an asset out of an album.
    func remove(_ asset: AssetID, from album: AlbumID, by caller: StoreCaller) async throws
    /// Applies the albums that were deferred for a device, as far as its decision allows now; gives how many.
    func applyDeferredAlbums(of device: DeviceID) async throws -> Int

    // MARK: Devices

    /// Takes a new device in, with the key that it showed; the caps hold under parallel requests.
    ///
    /// - Parameters:
    ///   - record: the device, of which nothing is decided.
    ///   - profile: what it says of itself.
    ///   - key: its first key.
    ///   - pendingLimit: how many devices may wait for a decision, this one included.
    ///   - audit: its entry, written if the device is added.
    /// - Returns: what became of it.
    /// - Throws: what the database throws.
    func addDevice(
        _ record: DecisionRecord,
        profile: DeviceProfile,
        key: DeviceKeyRecord,
        pendingLimit: Int,
        audit: AuditEntry.Content
    ) async throws -> DeviceAddition
    /// What is recorded of a device; nil when it is not known.
    func device(_ id: DeviceID) async throws -> DeviceRow?
    /// All devices.
    func devices() async throws -> [DeviceRow]
    /// The device that a key belongs to; nil when the key is not known.
    func device(withKey fingerprint: ContentDigest) async throws -> (row: DeviceRow, key: DeviceKeyRecord)?
    /// The keys of a device.
    func keys(of device: DeviceID) async throws -> [DeviceKeyRecord]
    /// Adds a key to a device, or replaces what is known of it.
    func setKey(of device: DeviceID, to key: DeviceKeyRecord, audit: AuditEntry.Content) async throws
    /// Makes a key the only one of its device.
    func useOnlyKey(_ fingerprint: ContentDigest, of device: DeviceID) async throws
    /// Changes what is written down of a device, in one transaction with its audit entry.
    func updateProfile(
        of device: DeviceID,
        audit: AuditEntry.Content?,
        _ body: @escaping @Sendable (inout DeviceProfile) throws -> Void
    ) async throws -> DeviceProfile
    /// Changes what is decided of a device, with its audit entry in the same transaction.
    func decide(
        _ device: DeviceID,
        _ change: DecisionRecord.Change,
        by actor: Actor,
        reason: String,
        audit: AuditContext
    ) async throws -> DecisionRecord
    /// Asks for a level; see `AccessRequests`.
    func requestAccess(
        _ level: AccessLevel,
        for device: DeviceID,
        usage: String?,
        audit: AuditContext
    ) async throws -> AccessRequests.Outcome
    /// Notes that a device used a level. Saving and pushing note it themselves; reading should call it once a day.
    func noteUse(of level: AccessLevel, by device: DeviceID) async throws
    /// Every question that is open.
    func openRequests() async throws -> [AccessRequest]
    /// Judges a replica's contact by its history and its ticket, and gives the next ticket; notes up to which number it
    /// has been told of removals, nil when it does not follow the feed or begins it anew.
    func contact(_ contact: Contact, ticket: String?, following number: ChangeNumber?, by caller: StoreCaller)
        async throws -> ContactResponse
    /// How far a device that is being retired has come; nil for any other.
    func drainProgress(of device: DeviceID) async throws -> DrainProgress?
    /// Takes what a device that is being retired reports; with its last report its rights end. Nil for any other device.
    func reportDraining(of device: DeviceID, _ report: DrainReport, audit: AuditContext) async throws -> DrainProgress?
    /// Says which of a device's replicas may go on, whatever ticket they show next; none named means all.
    func keepReplicas(of device: DeviceID, _ kept: [ReplicaID]) async throws
    /// What a device described and has not committed.
    func creations(of device: DeviceID) async throws -> [PendingCreation]
    /// Takes a replica's changes, each judged by what its kind of change needs; refused ones block nothing.
    func push(_ push: ChangePush, by caller: StoreCaller) async throws -> ChangePushResponse
    /// The replicas of a device, the last to be in contact first.
    func replicas(of device: DeviceID) async throws -> [ReplicaSummary]

    // MARK: Records of the server

    /// A record that the server keeps, such as an enrolment or a picker session; see `RecordKind`.
    func record(_ id: RecordID, of kind: RecordKind) async throws -> StoredRecord?
    /// The record with a secondary key, such as a secret's digest.
    func record(of kind: RecordKind, withSecondary key: ContentDigest) async throws -> StoredRecord?
    /// All records of a kind that have not expired, by identifier.
    func records(of kind: RecordKind) async throws -> [StoredRecord]
    /// Changes a record in one transaction: the body gets what is there and gives what is to be there; nil removes it.
    func updateRecord(
        _ id: RecordID,
        of kind: RecordKind,
        audit: AuditEntry.Content?,
        _ body: @escaping @Sendable (StoredRecord?) throws -> StoredRecord?
    ) async throws -> StoredRecord?
    /// The records of a kind that an owner has and that have not expired, by identifier.
    func records(of kind: RecordKind, ownedBy owner: String) async throws -> [StoredRecord]
    /// Changes several records of a kind in one transaction, so that a cap on them holds under parallel requests.
    ///
    /// - Parameters:
    ///   - kind: the kind of record.
    ///   - owner: whose records the body gets; nil for all of the kind.
    ///   - body: gets the records that have not expired, by identifier, and decides what becomes of them.
    /// - Throws: what the body throws, without a change.
    func updateRecords(
        of kind: RecordKind,
        ownedBy owner: String?,
        _ body: @escaping @Sendable ([StoredRecord]) throws -> RecordChanges
    ) async throws
    /// Writes an audit entry that belongs to no other change.
    func appendAudit(_ content: AuditEntry.Content) async throws -> AuditEntry
    /// The last audit entry; nil before the first.
    func lastAuditEntry() async throws -> AuditEntry?
    /// Audit entries after a sequence number; nil for a device means all.
    func audit(after sequence: UInt64, device: DeviceID?, limit: Int) async throws -> [AuditEntry]

    // MARK: Upkeep

    /// Counts and sizes.
    func statistics() async throws -> LibraryStatistics
    /// Content that rows say is there, a page after a digest.
    func contents(after digest: ContentDigest?, limit: Int) async throws -> [ContentRow]
    /// The content that a digest names; nil when no row says that it is there.
    func content(_ digest: ContentDigest) async throws -> ContentRow?
    /// The assets that hold an original, by identifier.
    func assets(holding digest: ContentDigest, limit: Int) async throws -> [AssetID]
    /// The address that an upload is for, by its digest and the type that its manifest states.
    func address(ofUpload id: UploadID) async throws -> ContentAddress
    /// Those of some addresses that neither a row nor an open upload wants: the digest and, of copies, this copy.
    func unwanted(_ addresses: [ContentAddress]) async throws -> [ContentAddress]
    /// Which of these digests are wanted: by an asset, or by a creation that is under way.
    func wanted(_ digests: [ContentDigest]) async throws -> Set<ContentDigest>
    /// Holds a page of receipts, after an asset, against the rows.
    func verifyReceipts(after asset: AssetID?, limit: Int) async throws -> ReceiptVerification
    /// Writes down a content's length, where its row has another than its bytes.
    func setByteCount(_ byteCount: Int64, of digest: ContentDigest) async throws
    /// Writes down that contents were read and have the digests that name them.
    func setHashed(_ digests: [ContentDigest], at time: WallTime) async throws
    /// Writes down that content was taken out, and forgets its row.
    func addQuarantined(_ item: QuarantinedContent) async throws
    /// What was taken out before a time.
    func quarantined(before time: WallTime) async throws -> [QuarantinedContent]
    /// Forgets what was taken out, after its bytes were deleted.
    func removeQuarantined(_ fileName: String) async throws
    /// Assets that were put into the trash before a time.
    func trashed(before time: WallTime, behind last: AssetID?, limit: Int) async throws -> [AssetID]
    /// Forgets removals that every following replica was told of, and that happened before a time; replicas that have been
    /// silent are not waited for. Gives how many.
    func forgetRemovals(silentSince: WallTime, before time: WallTime) async throws -> Int
    /// Has the database look at how its rows are spread, so that it plans well; quick, whatever their number.
    func refreshPlans() async throws
    /// Begins a new history, after a restore from a backup.
    func beginEpoch(_ epoch: LibraryEpoch) async throws
    /// Deletes the row of a content that no asset uses; false if one does.
    func deleteUnusedContent(_ digest: ContentDigest) async throws -> Bool
    /// Writes down that bytes which rows name are gone, or are there again.
    func setMissing(_ digest: ContentDigest, _ isMissing: Bool) async throws
    /// Assets that a device saved and whose bytes are missing, so that it can send them again.
    func missingAssets(of device: DeviceID, limit: Int) async throws -> [AssetID]
    /// A consistent copy of all rows in a new file, which blocks nobody.
    func copy(to path: Path) async throws
    /// Writes down up to which change a backup holds everything.
    func setBackupWatermark(_ number: ChangeNumber, at time: WallTime) async throws
}
