import LibraryAPI

// Decisions. A device that has a view hears of them by its feed, which ends when the grant changes; every other one waits
// at the library for the next version of its grant, beside everything else, so that what it holds goes at once.

extension SyncMachine {
    /// The wait for the next decision, where one is to be begun.
    func decisions(now: Duration) -> [SyncAction] {
        guard policy.listenSeconds > 0, !mayChange, decisionNotBefore <= now, let authorization,
            !inFlight.contains(where: { if case .awaitDecision = $0 { true } else { false } })
        else { return [] }
        return [.awaitDecision(after: authorization.grantVersion, waitSeconds: policy.listenSeconds)]
    }

    /// A wait was answered; a library that does not wait is not asked in a loop.
    mutating func decisionAsked(now: Duration) {
        decisionFailures = 0
        decisionNotBefore = now + policy.minimumBackoff
    }

    /// A wait that is cut may mean that a decision changed: the contact tells.
    mutating func decisionFailed(now: Duration) {
        decisionFailures += 1
        decisionNotBefore = now + backoff.wait(after: decisionFailures, policy)
        contactDue = min(contactDue, now)
    }
}
