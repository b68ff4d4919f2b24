import AgentCapture
import AgentStore
import Authorization
import BoxIdentity
import Host
import LibraryAPI
import Persistence
import PhotoModel
import Replication

/// The contact's request, and the stored parts of its response.
enum ContactExchange {
    static func request(
        _ store: AgentStore,
        build: String,
        grantVersion: UInt64?,
        drain: DrainReport?
    ) throws -> ContactRequest {
        let author = try store.author(orBegin: newIncarnation())
        let summary = try store.summary(ofOpenOnly: true)
        let refusedChanges = try store.changeCounts().refused
        let ticket = try store.fact(.ticket)
        guard let chain = ContentDigest(bytes: author.history.hash.bytes) else {
            throw AgentError(.failed, "the history's hash has \(author.history.hash.bytes.count) bytes")
        }
        return ContactRequest(
            replica: .init(
                incarnation: author.incarnation.replica.description,
                counter: author.incarnation.counter,
                chainHash: chain,
                hostFingerprint: ContentHasher.digest(Array(HostIdentity.hardwareText().utf8)).description,
                bootID: HostIdentity.bootID(),
                ticket: ticket
            ),
            time: HostClock.now(),
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
            consents: try store.fact(.consents),
            consentWithdrawal: try store.fact(.consentWithdrawal)
        )
    }

    /// Stores the ticket and the rest of the response; then corrects this boot's capture times, and marks and counts
    /// assets to be offered again if another library history acknowledged them or the library lost them.
    static func keep(_ answer: ContactResponse, in store: AgentStore, monotonicNanoseconds: UInt64) throws -> Int {
        var facts = [
            try StoredFact(.lastContact, answer.time),
            try StoredFact(.identityHold, answer.continuity == .suspect ? .suspect : nil),
        ]
        if let ticket = answer.ticket { facts.append(try StoredFact(.ticket, ticket)) }
        if let clock = LearnedClock(answer.time, atMonotonic: monotonicNanoseconds) {
            facts.append(try StoredFact(.clock, clock))
        }
        try store.setFacts(facts)
        if answer.continuity == .rolledBack {
            try store.beginIncarnation(newIncarnation())
        } else if answer.continuity == .continued {
            _ = try store.reconcile(
                answer.acknowledged,
                fresh: newIncarnation(),
                watermark: answer.backupWatermark,
                now: HostClock.now()
            )
        }
        try LearnedClock.correct(in: store)
        let unknownCount = try store.offerAgain(unlessOf: answer.libraryEpoch)
        // After that, because another history's watermark is replaced there.
        if let watermark = answer.backupWatermark { try store.setFact(.backupWatermark, to: watermark) }
        return try unknownCount + store.offerAgain(Set(answer.missing ?? []))
    }

    /// Stores why the library refused the box's identity, and when it first said that the device was revoked.
    static func keep(_ reason: HoldReason, in store: AgentStore) throws {
        var facts = [try StoredFact(.identityHold, reason)]
        if reason == .revoked, try store.fact(.identityHold) != .revoked {
            facts.append(try StoredFact(.revocation, LearnedClock.now(in: store)))
        }
        try store.setFacts(facts)
    }

    static func newIncarnation() -> ReplicaID {
        var generator = SystemRandomNumberGenerator()
        return ReplicaID(using: &generator)
    }
}
