import LibraryAPI

// Decisions. A device with a view hears of them through its feed, which ends when the grant changes; every other one
// long-polls for the next version of its grant, in parallel to everything else, so that held entries go out at once.

extension SyncMachine {
    /// The wait for the next decision, if one should start.
    func decisions(now: Duration) -> [SyncAction] {
        guard policy.listenSeconds > 0, !mayChange, decisionNotBefore <= now, let authorization,
            !inFlight.contains(where: { if case .awaitDecision = $0 { true } else { false } })
        else { return [] }
        return [.awaitDecision(after: authorization.grantVersion, waitSeconds: policy.listenSeconds)]
    }

    /// Handles a response to a wait; a library that responds at once is not polled in a loop.
    mutating func decisionAsked(now: Duration) {
        decisionFailures = 0
        decisionNotBefore = now + policy.minimumBackoff
    }

    /// An interrupted wait may mean that a decision changed: the contact will tell.
    mutating func decisionFailed(now: Duration) {
        decisionFailures += 1
        decisionNotBefore = now + backoff.wait(after: decisionFailures, policy)
        contactDue = min(contactDue, now)
    }
}
