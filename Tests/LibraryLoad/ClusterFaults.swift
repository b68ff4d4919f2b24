import Synchronization
import TestSupport

/// What happened to a cluster, and how long devices were held up by it.
final class FaultJournal: Sendable {
    private let state = Mutex(ClusterCampaign.Summary())
    private let say: @Sendable (String) -> Void

    init(say: @escaping @Sendable (String) -> Void) { self.say = say }

    var summary: ClusterCampaign.Summary { state.withLock { $0 } }

    func note(_ fault: String, _ part: String) {
        say("\(fault): \(part)")
        state.withLock { $0.faults[fault, default: 0] += 1 }
    }

    func note(_ fault: String, recoveredAfter duration: Duration) {
        state.withLock { $0.recoveries[fault] = max(duration, $0.recoveries[fault] ?? .zero) }
    }
}

/// Lets the parts of a cluster fail until a moment, by seed: servers one after the other, and beside that the database's
/// primary and the store of originals.
struct Faults {
    private let cluster: ClusterAccess
    private let journal: FaultJournal
    private let ledger: PromiseLedger
    private let deviceCount: Int
    private let end: ContinuousClock.Instant

    init(
        _ cluster: ClusterAccess,
        _ journal: FaultJournal,
        _ ledger: PromiseLedger,
        deviceCount: Int,
        end: ContinuousClock.Instant
    ) {
        self.cluster = cluster
        self.journal = journal
        self.ledger = ledger
        self.deviceCount = deviceCount
        self.end = end
    }

    /// Kills servers, mostly one, sometimes two at once, and lets some stand still for longer than they may hold a lock.
    func letServersFail(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        while await rest(milliseconds: 500 + generator.below(3000)) {
            let first = generator.below(cluster.servers)
            if generator.oneIn(5) {
                let part = "server-\(first + 1)"
                try await fault("server paused", part) {
                    try await cluster.control("pause", part)
                } mending: {
                    try await Task.sleep(for: .milliseconds(11_000 + generator.below(4000)))
                    try await cluster.control("continue", part)
                }
                continue
            }
            let isAlone = cluster.servers == 1 || !generator.oneIn(4)
            let second = isAlone ? nil : (first + 1 + generator.below(cluster.servers - 1)) % cluster.servers
            for victim in [first, second].compactMap(\.self) {
                journal.note("server killed", "server-\(victim + 1)")
                try await cluster.control("kill", "server-\(victim + 1)")
            }
            async let recovery: Void = timeRecovery(from: "server killed")
            _ = await rest(milliseconds: generator.below(2000))
            for victim in [first, second].compactMap(\.self) {
                try await cluster.control("start", "server-\(victim + 1)")
            }
            await recovery
        }
    }

    /// Kills the primary, so that the standby takes over or the same one recovers, and kills or pauses the store.
    func letStoresFail(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        var isDatabase = generator.oneIn(2)
        while await rest(milliseconds: 1000 + generator.below(4000)) {
            if isDatabase {
                let isBack = generator.oneIn(3)
                try await fault("primary killed", "postgresql") {
                    try await cluster.control("kill", "primary")
                } mending: {
                    // Longer than its claim lasts, or so short that it takes up where it was.
                    try await Task.sleep(for: .seconds(isBack ? 1 : 22))
                    try await cluster.control("start", "postgresql")
                }
            } else {
                let isKilled = generator.oneIn(2)
                try await fault(isKilled ? "store killed" : "store paused", "seaweedfs") {
                    try await cluster.control(isKilled ? "kill" : "pause", "seaweedfs")
                } mending: {
                    try await Task.sleep(for: .milliseconds(1000 + generator.below(8000)))
                    try await cluster.control(isKilled ? "start" : "continue", "seaweedfs")
                }
            }
            isDatabase.toggle()
        }
    }

    /// Lets a part fail and mends it, and times the devices from when it has failed.
    private func fault(
        _ kind: String,
        _ part: String,
        striking: () async throws -> Void,
        mending: () async throws -> Void
    ) async throws {
        journal.note(kind, part)
        try await striking()
        async let recovery: Void = timeRecovery(from: kind)
        try await mending()
        await recovery
    }

    /// Takes down how long it takes until every device has saved something.
    private func timeRecovery(from fault: String) async {
        let begin = ContinuousClock.now
        while !ledger.haveAdvanced(deviceCount, since: begin) {
            guard ContinuousClock.now < end, !Task.isCancelled else { return }
            try? await Task.sleep(for: .milliseconds(20))
        }
        journal.note(fault, recoveredAfter: ContinuousClock.now - begin)
    }

    /// Lets a time pass; false when the campaign ends.
    private func rest(milliseconds: Int) async -> Bool {
        try? await Task.sleep(for: .milliseconds(milliseconds))
        return ContinuousClock.now < end
    }
}
