import TestSupport

/// Lets the parts of a cluster fail until the campaign ends, by seed.
///
/// Each kind of fault is a method in an extension.
struct Faults: Sendable {
    let cluster: ClusterAccess
    let journal: FaultJournal
    let ledger: PromiseLedger
    let devices: [LoadDevice]
    let kinds: [ClusterFault]
    /// How many servers to kill at stages before the campaign ends; nil if it ends by time.
    let kills: Int?
    let end: CampaignEnd

    /// Whether faults never overlap, so that the time one takes can be judged.
    var isAlone: Bool { Set(kinds.map(\.lane)).count == 1 }

    /// Lets the chosen kinds of a lane happen in turn.
    func letFail(_ lane: ClusterFault.Lane, seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let chosen = kinds.filter { $0.lane == lane }
        guard !chosen.isEmpty else { return }
        var next = generator.below(chosen.count)
        while await rest(milliseconds: Int.random(in: chosen[next].calm, using: &generator)) {
            try await strike(chosen[next], &generator)
            next = (next + 1) % chosen.count
        }
    }

    private func strike(_ kind: ClusterFault, _ generator: inout SeededGenerator) async throws {
        switch kind {
        case .servers: try await letServersFail(&generator)
        case .stages: try await killAtStage(&generator)
        case .writer: try await pauseWriter()
        case .primary: try await killPrimary(&generator)
        case .store: try await letStoreFail(&generator)
        case .storeMinute: try await stopStoreForMinute()
        case .links: try await cutOff(&generator)
        case .answers: try await spoilAnswers(&generator)
        }
    }

    /// Lets a part fail and mends it, and times the devices from when it has failed.
    func fault(
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

    /// Times until every device has saved something.
    func timeRecovery(
        from fault: String,
        since begin: ContinuousClock.Instant = .now,
        within limit: Duration? = nil
    ) async {
        await time("until all devices saved after: \(fault)", since: begin, within: limit) {
            ledger.haveAdvanced(devices.count, since: begin)
        }
    }

    /// Times until a condition holds.
    ///
    /// - Parameters:
    ///   - what: the condition, for the journal.
    ///   - begin: when the time begins.
    ///   - limit: the longest time that is no violation while nothing else fails.
    ///   - isTrue: the condition.
    func time(
        _ what: String,
        since begin: ContinuousClock.Instant,
        within limit: Duration?,
        until isTrue: () -> Bool
    ) async {
        while !isTrue() {
            guard !end.isReached, !Task.isCancelled else { return }
            guard ContinuousClock.now - begin < ClusterCampaign.patience else {
                ledger.report("\(what): not within \(ClusterCampaign.patience)")
                end.reach()
                return
            }
            try? await Task.sleep(for: .milliseconds(20))
        }
        let duration = ContinuousClock.now - begin
        journal.note(what, took: duration)
        if isAlone, let limit, duration > limit { ledger.report("\(what): \(duration), more than \(limit)") }
    }

    /// Lets a time pass; false when the campaign ends.
    func rest(milliseconds: Int) async -> Bool {
        try? await Task.sleep(for: .milliseconds(milliseconds))
        return !end.isReached
    }
}
