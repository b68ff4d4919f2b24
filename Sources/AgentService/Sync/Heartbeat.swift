import AgentStore
import Authorization
import LibraryAPI
import Persistence
import PhotoModel
import Replication

/// The contact's request and what is remembered of its answer.
enum Heartbeat {
    static func request(_ store: AgentStore, build: String) throws -> HeartbeatRequest {
        let author = try store.author(orBegin: newIncarnation())
        let summary = try store.summary()
        let ticket: String? = try store.fact(AgentStore.Fact.ticket)
        let known: AuthorizationAnswer? = try store.fact(AgentStore.Fact.authorization)
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
            grantVersion: known?.grantVersion,
            token: try store.changeToken(),
            status: .init(
                queuedAssets: summary.owed.count,
                queuedBytes: summary.owed.byteCount,
                deadLetters: (summary.states["deadLetter"]?.count ?? 0) + (try store.changeCounts().refused),
                freeBytes: try PosixFileSystem().freeByteCount(store.root),
                holds: Dictionary(uniqueKeysWithValues: summary.holds.map { ($0.key.rawValue, $0.value) }),
                build: build
            )
        )
    }

    /// Remembers the ticket first of all; then corrects the clock of this boot's captures, and offers again what another
    /// history of the library acknowledged or what the library has lost.
    ///
    /// - Returns: how many assets are offered again.
    static func keep(_ answer: HeartbeatAnswer, in store: AgentStore, monotonicNanoseconds: UInt64) throws -> Int {
        if let ticket = answer.ticket { try store.setFact(AgentStore.Fact.ticket, to: ticket) }
        try LearnedClock.learn(answer.time, atMonotonic: monotonicNanoseconds, in: store)
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
        try store.setFact(AgentStore.Fact.lastContact, to: answer.time)
        if let watermark = answer.backupWatermark {
            try store.setFact(AgentStore.Fact.backupWatermark, to: watermark)
        }
        if let bootID = Box.bootID() {
            let epoch = answer.time.advanced(by: .microseconds(-Int64(monotonicNanoseconds / 1000)))
            try store.correctClock(bootID: bootID, monotonicEpoch: epoch)
        }
        return try store.offerAgain(unlessOf: answer.libraryEpoch) + store.offerAgain(Set(answer.missing ?? []))
    }

    static func newIncarnation() -> ReplicaID {
        var generator = SystemRandomNumberGenerator()
        return ReplicaID(using: &generator)
    }
}

/// The server's clock, as far as this boot has learned it; the box's own wall clock stamps nothing.
struct LearnedClock: Codable {
    /// The boot whose monotonic clock it is told by.
    let bootID: BootID
    /// Server milliseconds since 1970 when the monotonic clock was `monotonic`.
    let milliseconds: UInt64
    /// Milliseconds since boot.
    let monotonic: UInt64

    static func learn(_ time: WallTime, atMonotonic nanoseconds: UInt64, in store: AgentStore) throws {
        guard let bootID = Box.bootID() else { return }
        let learned = LearnedClock(
            bootID: bootID,
            milliseconds: UInt64(max(time.millisecondsSince1970, 0)),
            monotonic: nanoseconds / 1_000_000
        )
        try store.setFact(AgentStore.Fact.clock, to: learned)
    }

    /// The server's time now; 0 before this boot's first contact, when stamps go on from the last one.
    static func serverMilliseconds(in store: AgentStore) throws -> UInt64 {
        let known: LearnedClock? = try store.fact(AgentStore.Fact.clock)
        guard let known, known.bootID == Box.bootID() else { return 0 }
        let offset = ServerTimeOffset(
            serverMilliseconds: known.milliseconds,
            sent: known.monotonic,
            received: known.monotonic
        )
        return offset.serverMilliseconds(atMonotonic: Box.monotonicNanoseconds() / 1_000_000)
    }
}
