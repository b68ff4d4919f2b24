import AgentStore
import Authorization
import LibraryAPI
import Persistence
import PhotoLibrary
import PhotoModel
import Replication

/// The contact's request, and what is remembered of its response.
enum Heartbeat {
    static func request(
        _ store: AgentStore,
        build: String,
        grantVersion: UInt64?,
        drain: DrainReport?
    ) throws -> HeartbeatRequest {
        let author = try store.author(orBegin: newIncarnation())
        let summary = try store.summary(ofOpenOnly: true)
        let refusedChanges = try store.changeCounts().refused
        let ticket: String? = try store.fact(AgentStore.Fact.ticket)
        guard let chain = ContentDigest(bytes: author.history.hash.bytes) else {
            throw AgentError(.failed, "the history's hash has \(author.history.hash.bytes.count) bytes")
        }
        return HeartbeatRequest(
            replica: .init(
                incarnation: author.incarnation.replica.description,
                counter: author.incarnation.counter,
                chainHash: chain,
                hostFingerprint: ContentHasher.digest(Array(Box.hardwareText().utf8)).description,
                bootID: Box.bootID(),
                ticket: ticket
            ),
            time: Box.now(),
            grantVersion: grantVersion,
            token: try store.changeToken(),
            status: .init(
                queuedAssets: summary.owed.count,
                queuedBytes: summary.owed.byteCount,
                deadLetters: (summary.states["deadLetter"]?.count ?? 0) + refusedChanges,
                refusedChanges: refusedChanges,
                freeBytes: try PosixFileSystem().freeByteCount(store.root),
                holds: Dictionary(uniqueKeysWithValues: summary.holds.map { ($0.key.rawValue, $0.value) }),
                build: build
            ),
            drain: drain,
            consents: try store.fact(AgentStore.Fact.consents),
            consentWithdrawal: try store.fact(AgentStore.Fact.consentWithdrawal)
        )
    }

    /// Stores the ticket and the rest of the response first; then corrects this boot's capture times, and offers assets
    /// again that another library history acknowledged or the library has lost.
    ///
    /// - Returns: the number of assets offered again.
    static func keep(_ answer: HeartbeatResponse, in store: AgentStore, monotonicNanoseconds: UInt64) throws -> Int {
        var facts: [String: any Encodable & Sendable] = [AgentStore.Fact.lastContact: answer.time]
        // A nil would leave the row unchanged.
        let hold: HoldReason? = answer.continuity == .suspect ? .suspect : nil
        facts.updateValue(hold, forKey: AgentStore.Fact.identityHold)
        facts[AgentStore.Fact.ticket] = answer.ticket
        facts[AgentStore.Fact.clock] = LearnedClock(answer.time, atMonotonic: monotonicNanoseconds)
        facts[AgentStore.Fact.backupWatermark] = answer.backupWatermark
        try store.setFacts(facts)
        if answer.continuity == .rolledBack {
            try store.beginIncarnation(newIncarnation())
        } else if answer.continuity == .continued {
            _ = try store.reconcile(
                answer.acknowledged,
                fresh: newIncarnation(),
                watermark: answer.backupWatermark,
                now: Box.now()
            )
        }
        try LearnedClock.correct(in: store)
        return try store.offerAgain(unlessOf: answer.libraryEpoch) + store.offerAgain(Set(answer.missing ?? []))
    }

    static func newIncarnation() -> ReplicaID {
        var generator = SystemRandomNumberGenerator()
        return ReplicaID(using: &generator)
    }
}
