import AgentStore
package import Authorization
import BoxIdentity
package import LibraryAPI
import Persistence
package import PhotoModel
package import SyncEngine

/// The box's queue behind the sync engine's port: every call runs on the pool of blocking threads.
package struct QueueGateway: SyncQueue {
    let store: AgentStore
    let pool: BlockingPool
    /// Logs what is held and saved; nil for none.
    var journal: SyncJournal?
    /// The receipt verification.
    let isGenuine: AgentStore.ReceiptVerifier

    /// Entries owed to the library, oldest first.
    package func owed(limit: Int) async throws(SyncFailure) -> [SyncEntry] {
        try await run { store in
            try store.owed(limit: limit).map { asset in
                SyncEntry(
                    id: asset.id,
                    deviceID: asset.deviceID,
                    resources: asset.resources,
                    wantsAlbum: asset.wantsAlbum,
                    hold: asset.hold
                )
            }
        }
    }

    /// Records why entries wait.
    package func hold(_ assets: [AssetID], _ reason: HoldReason) async throws(SyncFailure) {
        try await run { try $0.hold(assets, reason) }
        journal?.noteHeld(assets.count, reason)
    }

    /// Records that entries no longer wait.
    package func release(_ assets: [AssetID]) async throws(SyncFailure) {
        try await run { try $0.release(assets) }
        journal?.noteReleased(assets.count)
    }

    /// Records that entries are about to be described to the library.
    package func beginUpload(_ assets: [AssetID]) async throws(SyncFailure) {
        try await run { store in
            // Captures since the last contact still have the box's own time.
            try LearnedClock.correct(assets, in: store)
            try store.beginUpload(assets)
        }
    }

    /// Moves an entry to the dead letters.
    package func reject(_ asset: AssetID, _ problem: String) async throws(SyncFailure) {
        try await run { try $0.reject(asset, problem) }
        journal?.noteRejected(asset, problem)
    }

    /// Verifies and stores the library's receipts.
    package func commit(_ answers: [AssetID: CommitResponse]) async throws(SyncFailure) -> [AssetID: SyncFailure] {
        let refused: [AssetID: SyncFailure] = try await run { [isGenuine] store in
            // Retention counts from here by the library's clock, since the box's own may be years ahead.
            let now = try LearnedClock.now(in: store)
            let problems = try store.commit(answers.mapValues(\.receipt), verifiedBy: isGenuine, now: now)
            try store.noteAlbums(answers.filter { problems[$0.key] == nil }.mapValues(\.album))
            return problems.mapValues {
                $0.code == .receiptRefused ? .receiptRefused($0.description) : .local($0.description)
            }
        }
        journal?.noteSaved(answers.count - refused.count)
        return refused
    }

    /// The changes that the library has not judged yet.
    package func pendingPush() async throws(SyncFailure) -> ChangePush? {
        try await run { try $0.pendingPush() }
    }

    /// Records the library's judgement of changes.
    package func acknowledge(_ push: ChangePush, _ answer: ChangePushResponse) async throws(SyncFailure) -> Int {
        try await run { try $0.acknowledge(push, answer) }
    }

    /// Records that the library cannot judge a push.
    package func refuse(_ push: ChangePush, _ problem: ProblemDetails) async throws(SyncFailure) {
        try await run { try $0.refuse(push, problem, fresh: ContactExchange.newIncarnation()) }
    }

    /// Restamps pending changes with the library's time.
    package func restamp() async throws(SyncFailure) {
        try await run { try $0.restamp(serverMilliseconds: LearnedClock.serverMilliseconds(in: $0)) }
    }

    /// Continues under a new incarnation.
    package func beginIncarnation() async throws(SyncFailure) {
        try await run { try $0.beginIncarnation(ContactExchange.newIncarnation()) }
    }

    /// The position in the change feed.
    package func feedPosition() async throws(SyncFailure) -> ChangeFeedPosition {
        try await run { try $0.feedPosition() }
    }

    /// Applies a page of changes.
    package func apply(_ page: ChangeFeedPage, at position: ChangeFeedPosition) async throws(SyncFailure) -> Bool {
        try await run { try $0.apply(page, at: position) }
    }

    /// Starts reading the view from the beginning.
    package func beginEnumeration() async throws(SyncFailure) {
        try await run { try $0.beginEnumeration() }
    }

    /// The library's ranges that differ from the local ones.
    package func differing(_ ranges: [ChangeRange]) async throws(SyncFailure) -> [ChangeRange] {
        try await run { try $0.differing(ranges) }
    }

    /// Replaces the view between two keys by the library's.
    package func mend(
        _ bounds: ChangeRange.Bounds,
        by entities: [EntityChange],
        at position: ChangeFeedPosition
    ) async throws(SyncFailure) -> Int {
        try await run { try $0.mend(bounds, by: entities, at: position) }
    }

    /// Records that the view was just compared.
    package func noteComparison() async throws(SyncFailure) {
        try await run { try $0.noteComparison() }
    }

    private func run<Value: Sendable>(
        _ call: @escaping @Sendable (AgentStore) throws -> Value
    ) async throws(SyncFailure) -> Value {
        do {
            return try await pool.uncancelled { [store] in try call(store) }
        } catch {
            throw .local("\(error)")
        }
    }
}
