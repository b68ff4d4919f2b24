import AgentStore
import Authorization
import LibraryAPI
import Persistence
import PhotoModel
import Replication

/// The contact's request and what is remembered of its answer.
enum Heartbeat {
    static func request(_ store: AgentStore, summary: QueueSummary, build: String) throws -> HeartbeatRequest {
        let incarnation = try incarnation(of: store)
        let ticket: String? = try store.fact(LibraryGateway.Fact.ticket)
        let known: AuthorizationAnswer? = try store.fact(LibraryGateway.Fact.authorization)
        return HeartbeatRequest(
            replica: .init(
                incarnation: incarnation,
                counter: 0,
                chainHash: try emptyChain(of: incarnation),
                hostFingerprint: ContentHasher.digest(Array(Box.hardwareText().utf8)).description,
                bootID: Box.bootID(),
                ticket: ticket
            ),
            time: Box.now(),
            grantVersion: known?.grantVersion,
            status: .init(
                queuedAssets: summary.owed.count,
                queuedBytes: summary.owed.byteCount,
                deadLetters: summary.states["deadLetter"]?.count ?? 0,
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
        if let ticket = answer.ticket { try store.setFact(LibraryGateway.Fact.ticket, to: ticket) }
        if answer.continuity == .rolledBack {
            try store.setFact(LibraryGateway.Fact.incarnation, to: newIncarnation())
        }
        try store.setFact(LibraryGateway.Fact.lastContact, to: answer.time)
        if let watermark = answer.backupWatermark {
            try store.setFact(LibraryGateway.Fact.backupWatermark, to: watermark)
        }
        if let bootID = Box.bootID() {
            let epoch = answer.time.advanced(by: .microseconds(-Int64(monotonicNanoseconds / 1000)))
            try store.correctClock(bootID: bootID, monotonicEpoch: epoch)
        }
        return try store.offerAgain(unlessOf: answer.libraryEpoch) + store.offerAgain(Set(answer.missing ?? []))
    }

    /// The chain of an incarnation that has written no change yet, as the server begins it.
    private static func emptyChain(of incarnation: String) throws -> ContentDigest {
        guard let bits = UInt128(incarnation, radix: 16),
            let digest = ContentDigest(bytes: HistoryChain(of: ReplicaID(rawValue: bits), hash: .sha256).hash.bytes)
        else { throw AgentError(.failed, "the queue holds no incarnation but \(incarnation)") }
        return digest
    }

    private static func incarnation(of store: AgentStore) throws -> String {
        if let known: String = try store.fact(LibraryGateway.Fact.incarnation) { return known }
        let made = newIncarnation()
        try store.setFact(LibraryGateway.Fact.incarnation, to: made)
        return made
    }

    private static func newIncarnation() -> String {
        let bits = String(UInt128.random(in: 0 ... .max), radix: 16)
        return String(repeating: "0", count: 32 - bits.count) + bits
    }
}
