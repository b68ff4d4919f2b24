package import Authorization
package import LibraryAPI
package import PhotoModel

/// The library, as far as sending needs it.
///
/// Every call may be made again: all of them are idempotent.
package protocol SyncLibrary: Sendable {
    /// Says hello, and stores the ticket for the next contact before it returns.
    func contact() async throws(SyncFailure) -> ContactResponse
    /// What the device may do.
    func authorization() async throws(SyncFailure) -> SyncAuthorization
    /// What the device may do, as soon as its grant has another version than this, or so many seconds are over.
    func authorization(after version: UInt64, waitSeconds: Int) async throws(SyncFailure) -> SyncAuthorization
    /// Asks for a level.
    func request(_ level: AccessLevel) async throws(SyncFailure) -> SyncAuthorization
    /// Sends small assets together; assets that the answer does not name are missing from the result.
    func batch(_ assets: [AssetID]) async throws(SyncFailure) -> [AssetID: Result<CommitResponse, SyncFailure>]
    /// Sends an asset's manifest.
    func describe(_ asset: AssetID) async throws(SyncFailure) -> AssetCreationResponse
    /// Where an upload stands.
    func position(of upload: UploadID) async throws(SyncFailure) -> (offset: Int64, isComplete: Bool)
    /// Appends to an upload.
    func append(_ append: Append) async throws(SyncFailure) -> (offset: Int64, isComplete: Bool)
    /// Makes an asset visible.
    func commit(_ asset: AssetID) async throws(SyncFailure) -> CommitResponse
    /// Sends changes that were made here; those that the library has are passed over.
    func push(_ push: ChangePush) async throws(SyncFailure) -> ChangePushResponse
    /// Changes of the view after a token; nil begins with an enumeration.
    func changes(since token: ChangeToken?, waitSeconds: Int) async throws(SyncFailure) -> ChangeFeedPage
    /// What the view is, between two keys, as so many ranges with their hashes.
    func ranges(_ bounds: ChangeRange.Bounds, count: Int) async throws(SyncFailure) -> [ChangeRange]
    /// What the view is between two keys.
    func entities(_ bounds: ChangeRange.Bounds) async throws(SyncFailure) -> [EntityChange]
}

/// The box's queue, as far as sending needs it; what it returns from is durable.
package protocol SyncQueue: Sendable {
    /// What the library still has to get, oldest first.
    func owed(limit: Int) async throws(SyncFailure) -> [SyncEntry]
    /// Notes why entries wait.
    func hold(_ assets: [AssetID], _ reason: HoldReason) async throws(SyncFailure)
    /// Notes that entries wait no longer.
    func release(_ assets: [AssetID]) async throws(SyncFailure)
    /// Notes that the library is being told of entries.
    func beginUpload(_ assets: [AssetID]) async throws(SyncFailure)
    /// Puts an entry among the dead letters.
    func bury(_ asset: AssetID, _ problem: String) async throws(SyncFailure)
    /// The changes that the library has not judged yet; nil when there are none.
    func pendingPush() async throws(SyncFailure) -> ChangePush?
    /// Notes what the library made of changes; tells how many were judged.
    func acknowledge(_ push: ChangePush, _ answer: ChangePushResponse) async throws(SyncFailure) -> Int
    /// Notes that the library cannot judge a push, and goes on without it under a new name.
    func refuse(_ push: ChangePush, _ problem: ProblemDetails) async throws(SyncFailure)
    /// Gives changes that wait stamps that the library accepts.
    func restamp() async throws(SyncFailure)
    /// Writes what waits once more under a new name, and begins to read the view from its start.
    func beginIncarnation() async throws(SyncFailure)
    /// How far the change feed was read.
    func feedPosition() async throws(SyncFailure) -> ChangeFeedPosition
    /// Takes in a page of changes with its token; false where the feed is read from elsewhere by now.
    func apply(_ page: ChangeFeedPage, at position: ChangeFeedPosition) async throws(SyncFailure) -> Bool
    /// Begins to read the view from its start.
    func beginEnumeration() async throws(SyncFailure)
    /// Verifies and stores the library's word for assets.
    ///
    /// - Parameter answers: the word for each.
    /// - Returns: why the word for an asset was not believed.
    /// - Throws: `local` when nothing was stored.
    func commit(_ answers: [AssetID: CommitResponse]) async throws(SyncFailure) -> [AssetID: SyncFailure]
    /// Those of the library's ranges that are something else here.
    func differing(_ ranges: [ChangeRange]) async throws(SyncFailure) -> [ChangeRange]
    /// Makes the view between two keys what the library says; tells how many entities that changed. Where the feed was read
    /// on since the position, what was told is merged and nothing forgotten.
    func mend(_ bounds: ChangeRange.Bounds, by entities: [EntityChange], at position: ChangeFeedPosition)
        async throws(SyncFailure) -> Int
    /// Notes that the view was compared now.
    func noteComparison() async throws(SyncFailure)
}
