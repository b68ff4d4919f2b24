package import Authorization
package import LibraryAPI
package import PhotoModel

/// The library, as far as sending needs it.
///
/// Every call may be repeated: all are idempotent.
package protocol SyncLibrary: Sendable {
    /// Makes contact, and stores the ticket for the next one before it returns.
    func contact() async throws(SyncFailure) -> ContactOutcome
    /// Fetches the device's authorization.
    func authorization() async throws(SyncFailure) -> SyncAuthorization
    /// Long-polls until the grant's version differs from this one, or the timeout (seconds) passes.
    func authorization(after version: UInt64, waitSeconds: Int) async throws(SyncFailure) -> SyncAuthorization
    /// Requests a level.
    func request(_ level: AccessLevel) async throws(SyncFailure) -> SyncAuthorization
    /// Sends small assets together; assets that the response omits are missing from the result.
    func batch(_ assets: [AssetID]) async throws(SyncFailure) -> [AssetID: Result<CommitResponse, SyncFailure>]
    /// Sends an asset's manifest.
    func describe(_ asset: AssetID) async throws(SyncFailure) -> AssetCreationResponse
    /// Queries an upload's offset.
    func position(of upload: UploadID) async throws(SyncFailure) -> (offset: Int64, isComplete: Bool)
    /// Appends to an upload.
    func append(_ append: Append) async throws(SyncFailure) -> (offset: Int64, isComplete: Bool)
    /// Makes an asset visible.
    func commit(_ asset: AssetID) async throws(SyncFailure) -> CommitResponse
    /// Pushes local changes; those the library has are skipped.
    func push(_ push: ChangePush) async throws(SyncFailure) -> ChangePushResponse
    /// Fetches the view's changes after a token; nil starts with an enumeration.
    func changes(since token: ChangeToken?, waitSeconds: Int) async throws(SyncFailure) -> ChangeFeedPage
    /// Fetches the view between two keys as this many ranges with their hashes.
    func ranges(_ bounds: ChangeRange.Bounds, count: Int) async throws(SyncFailure) -> [ChangeRange]
    /// Fetches the view between two keys.
    func entities(_ bounds: ChangeRange.Bounds) async throws(SyncFailure) -> [EntityChange]
}

/// The box's queue, as far as sending needs it; results are durable on return.
package protocol SyncQueue: Sendable {
    /// Entries owed to the library, oldest first.
    func owed(limit: Int) async throws(SyncFailure) -> [SyncEntry]
    /// Records why entries wait.
    func hold(_ assets: [AssetID], _ reason: HoldReason) async throws(SyncFailure)
    /// Records that entries no longer wait.
    func release(_ assets: [AssetID]) async throws(SyncFailure)
    /// Records that entries are about to be described to the library.
    func beginUpload(_ assets: [AssetID]) async throws(SyncFailure)
    /// Moves an entry to the dead letters.
    func reject(_ asset: AssetID, _ problem: String) async throws(SyncFailure)
    /// The changes that the library has not judged yet, if any.
    func pendingPush() async throws(SyncFailure) -> ChangePush?
    /// Records the library's judgement of changes; returns how many were judged.
    func acknowledge(_ push: ChangePush, _ answer: ChangePushResponse) async throws(SyncFailure) -> Int
    /// Records that the library cannot judge a push, and continues under a new incarnation.
    func refuse(_ push: ChangePush, _ problem: ProblemDetails) async throws(SyncFailure)
    /// Restamps pending changes with stamps that the library accepts.
    func restamp() async throws(SyncFailure)
    /// Rewrites pending changes under a new incarnation, and starts reading the view from the beginning.
    func beginIncarnation() async throws(SyncFailure)
    /// The position in the change feed.
    func feedPosition() async throws(SyncFailure) -> ChangeFeedPosition
    /// Applies a page of changes with its token; false if the position has changed meanwhile.
    func apply(_ page: ChangeFeedPage, at position: ChangeFeedPosition) async throws(SyncFailure) -> Bool
    /// Starts reading the view from the beginning.
    func beginEnumeration() async throws(SyncFailure)
    /// Verifies and stores the library's receipts, and returns why some were rejected, by asset.
    ///
    /// - Throws: `local` if nothing was stored.
    func commit(_ answers: [AssetID: CommitResponse]) async throws(SyncFailure) -> [AssetID: SyncFailure]
    /// The library's ranges that differ from the local ones.
    func differing(_ ranges: [ChangeRange]) async throws(SyncFailure) -> [ChangeRange]
    /// Replaces the view between two keys by the library's; returns how many entities changed.
    ///
    /// If the feed has advanced since the position, the entities are merged and nothing is forgotten.
    func mend(_ bounds: ChangeRange.Bounds, by entities: [EntityChange], at position: ChangeFeedPosition)
        async throws(SyncFailure) -> Int
    /// Records that the view was just compared.
    func noteComparison() async throws(SyncFailure)
}
