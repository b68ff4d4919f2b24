import Synchronization

/// What happened to a cluster, and how long devices were held up by it.
final class FaultJournal: Sendable {
    private let state = Mutex(ClusterCampaign.Summary())
    private let say: @Sendable (String) -> Void

    init(say: @escaping @Sendable (String) -> Void) { self.say = say }

    var summary: ClusterCampaign.Summary { state.withLock { $0 } }

    /// How many servers were killed at a stage.
    var killCount: Int { state.withLock { $0.kills.values.reduce(0, +) } }

    func note(_ fault: String, _ part: String) {
        say("\(fault): \(part)")
        state.withLock { $0.faults[fault, default: 0] += 1 }
    }

    func tell(_ line: String) { say(line) }

    func noteKill(at stage: PromiseLedger.Stage) {
        state.withLock { $0.kills[stage.rawValue, default: 0] += 1 }
    }

    func note(_ what: String, took duration: Duration) {
        state.withLock { $0.times[what, default: []].append(duration) }
    }
}

/// The end of a campaign: after a fixed time, or when ``reach()`` is called.
final class CampaignEnd: Sendable {
    private let moment: Mutex<ContinuousClock.Instant?>

    /// - Parameter duration: nil if only ``reach()`` ends the campaign.
    init(after duration: Duration?) {
        moment = Mutex(duration.map { ContinuousClock.now.advanced(by: $0) })
    }

    var isReached: Bool { isReached(for: .zero) }

    /// Whether the end was at least so long ago.
    func isReached(for duration: Duration) -> Bool {
        guard let moment = moment.withLock({ $0 }) else { return false }
        return ContinuousClock.now >= moment.advanced(by: duration)
    }

    func reach() {
        let now = ContinuousClock.now
        moment.withLock { $0 = min($0 ?? now, now) }
    }
}
