package import AgentStore
package import Authorization
package import LibraryAPI
package import Persistence
import PhotoLibrary
package import PhotoModel
package import SyncEngine

/// The box's queue behind the sync engine's port: every call on the pool of blocking threads.
package struct QueueGateway: SyncQueue {
    private let store: AgentStore
    private let pool: BlockingPool
    private let journal: SyncJournal?
    private let isGenuine: AgentStore.ReceiptVerifier

    /// A queue whose receipts are verified so.
    package init(
        store: AgentStore,
        pool: BlockingPool,
        journal: SyncJournal? = nil,
        verifiedBy isGenuine: @escaping AgentStore.ReceiptVerifier
    ) {
        self.journal = journal
        self.store = store
        self.pool = pool
        self.isGenuine = isGenuine
    }

    /// What the library still has to get, oldest first.
    package func owed(limit: Int) async throws(SyncFailure) -> [SyncEntry] {
        try await run { store in
            try store.owed(limit: limit).map { entry in
                let hold: HoldReason? = if case .held(let reason) = entry.state { reason } else { nil }
                return SyncEntry(
                    id: entry.id,
                    deviceID: entry.deviceID,
                    resources: entry.manifest.resources,
                    wantsAlbum: entry.manifest.desiredAlbum != nil,
                    hold: hold
                )
            }
        }
    }

    /// Notes why entries wait.
    package func hold(_ assets: [AssetID], _ reason: HoldReason) async throws(SyncFailure) {
        try await run { try $0.hold(assets, reason) }
        journal?.noteHeld(assets.count, reason)
    }

    /// Notes that entries wait no longer.
    package func release(_ assets: [AssetID]) async throws(SyncFailure) {
        try await run { try $0.release(assets) }
        journal?.noteReleased(assets.count)
    }

    /// Notes that the library is being told of entries.
    package func beginUpload(_ assets: [AssetID]) async throws(SyncFailure) {
        try await run { store in
            // What was captured since the last contact still has the box's own time.
            try LearnedClock.correct(assets, in: store)
            try store.beginUpload(assets)
        }
    }

    /// Puts an entry among the dead letters.
    package func bury(_ asset: AssetID, _ problem: String) async throws(SyncFailure) {
        try await run { try $0.bury(asset, problem) }
    }

    /// Verifies and stores the library's word for assets.
    package func commit(_ answers: [AssetID: CommitResponse]) async throws(SyncFailure) -> [AssetID: SyncFailure] {
        let refused: [AssetID: SyncFailure] = try await run { [isGenuine] store in
            // Retention counts its days from here: by the library's clock, since the box's own may be years ahead.
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

    /// Notes what the library made of changes.
    package func acknowledge(_ push: ChangePush, _ answer: ChangePushResponse) async throws(SyncFailure) -> Int {
        try await run { try $0.acknowledge(push, answer) }
    }

    /// Notes that the library cannot judge a push.
    package func refuse(_ push: ChangePush, _ problem: ProblemDetails) async throws(SyncFailure) {
        try await run { try $0.refuse(push, problem, fresh: Heartbeat.newIncarnation()) }
    }

    /// Gives changes that wait stamps of the library's time.
    package func restamp() async throws(SyncFailure) {
        try await run { try $0.restamp(serverMilliseconds: LearnedClock.serverMilliseconds(in: $0)) }
    }

    /// Goes on under a new name.
    package func beginIncarnation() async throws(SyncFailure) {
        try await run { try $0.beginIncarnation(Heartbeat.newIncarnation()) }
    }

    /// How far the change feed was read.
    package func feedPosition() async throws(SyncFailure) -> ChangeFeedPosition {
        try await run { try $0.feedPosition() }
    }

    /// Takes in a page of changes.
    package func apply(_ page: ChangeFeedPage, at position: ChangeFeedPosition) async throws(SyncFailure) -> Bool {
        try await run { try $0.apply(page, at: position) }
    }

    /// Begins to read the view from its start.
    package func beginEnumeration() async throws(SyncFailure) {
        try await run { try $0.beginEnumeration() }
    }

    /// Those of the library's ranges that are something else here.
    package func differing(_ ranges: [ChangeRange]) async throws(SyncFailure) -> [ChangeRange] {
        try await run { try $0.differing(ranges) }
    }

    /// Makes the view between two keys what the library says.
    package func mend(
        _ bounds: ChangeRange.Bounds,
        by entities: [EntityChange],
        at position: ChangeFeedPosition
    ) async throws(SyncFailure) -> Int {
        try await run { try $0.mend(bounds, by: entities, at: position) }
    }

    /// Notes that the view was compared now.
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
