import LibraryAPI

// Decisions. A device with a view learns of them through its feed, which ends when the grant changes; any other one
// long-polls for the next version of its grant, in parallel to everything else, so that held entries are sent at once.

extension SyncMachine {
    /// The wait for the next decision, if one should start.
    func decisions(now: Duration) -> [SyncAction] {
        guard policy.listenSeconds > 0, !mayChange, decisionRetry.isDue(at: now),
            let authorization = grant.authorization,
            !inFlight.contains(where: { if case .awaitDecision = $0 { true } else { false } })
        else { return [] }
        return [.awaitDecision(after: authorization.grantVersion, waitSeconds: policy.listenSeconds)]
    }

    /// Handles a response to a wait; a library that responds at once is not polled in a loop.
    mutating func decisionAsked(now: Duration) {
        decisionRetry.succeed()
        decisionRetry.postpone(until: now + policy.minimumBackoff)
    }

    /// An interrupted wait may mean that a decision changed: the contact will tell.
    mutating func decisionFailed(now: Duration) {
        decisionRetry.fail(now: now, &backoff)
        contact.hasten(to: now)
    }
}
