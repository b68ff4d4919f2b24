import Authorization
import LibraryAPI

// Changes of the view. Local changes are pushed before remote ones are pulled, one page at a time; the long-poll of the
// feed runs in parallel to everything else, because merging is order-independent.

extension SyncMachine {
    /// Whether the device has a view at all; one being retired no longer reads.
    var mayChange: Bool { drain == nil && grant.authorization?.readWrite.grantsAccess ?? false }

    /// The actions due for changes.
    func changes(now: Duration) -> [SyncAction] {
        guard mayChange, changeRetry.isDue(at: now), !inFlight.contains(.push),
            !inFlight.contains(.pull(waitSeconds: 0)), !inFlight.contains(.compare)
        else { return [] }
        if owedChanges.contains(.push) { return [.push] }
        if owedChanges.contains(.pull) { return [.pull(waitSeconds: 0)] }
        if owedChanges.contains(.compare) { return [.compare] }
        let listening = SyncAction.pull(waitSeconds: policy.listenSeconds)
        return policy.listenSeconds > 0 && !inFlight.contains(listening) ? [listening] : []
    }

    /// Handles a push.
    mutating func pushed(_ outcome: PushOutcome, now: Duration) {
        inFlight.remove(.push)
        tally.changesSent += outcome.judged - outcome.refused
        tally.changesRefused += outcome.refused
        owe(.push, outcome.hasMore)
        if outcome.judged > 0 { answered() }
        if outcome.judged > 0 || !outcome.hasMore {
            changeRetry.succeed()
        } else {
            // The library judged none of the pushed changes: its clock, or its knowledge of this replica, is behind.
            contact.hasten(to: now)
            changeRetry.fail(now: now, &backoff)
        }
    }

    private mutating func owe(_ step: ChangeStep, _ isOwed: Bool) {
        if isOwed { owedChanges.insert(step) } else { owedChanges.remove(step) }
    }

    /// Handles a page.
    mutating func pulled(_ action: SyncAction, _ outcome: PullOutcome) {
        inFlight.remove(action)
        answered()
        changeRetry.succeed()
        tally.changesReceived += outcome.count
        owe(.pull, outcome.hasMore)
    }

    /// Handles a comparison.
    mutating func compared(mended count: Int) {
        inFlight.remove(.compare)
        answered()
        changeRetry.succeed()
        tally.entitiesMended += count
        owe(.compare, false)
    }

    /// Handles a failure of changes; everything else continues, unless the link or the identity failed.
    mutating func changesFailed(_ action: SyncAction, _ failure: SyncFailure, now: Duration) {
        if !action.isListening { tally.lastProblem = failure.message }
        switch (action, failure) {
        case (.push, _): owe(.push, true)
        case (.pull(waitSeconds: 0), _): owe(.pull, true)
        case (.compare, .noAnswer): break
        // A comparison that failed, but not because of the link, is left to a later contact.
        case (.compare, _): owe(.compare, false)
        default: break
        }
        changeRetry.fail(now: now, &backoff)
        switch failure {
        case .noAnswer, .untrusted:
            // An interrupted wait may just mean that a decision changed: the contact will tell.
            if action.isListening { contact.hasten(to: now) } else { linkFailed(.offline, now: now) }
        case .refused(let problem):
            changesRefused(problem, action, now: now)
        case .receiptRefused, .local, .damaged, .unreadable:
            break
        }
    }

    private mutating func changesRefused(_ problem: ProblemDetails, _ action: SyncAction, now: Duration) {
        let wait = problem.retryAfterSeconds.map { Duration.seconds(max(0, $0)) }
        if let reason = HoldReason(refusing: problem.code) { return identityFailed(reason, now: now) }
        switch (problem.code, action) {
        // The device's changes may be too many for today; its captures are not.
        case (.slowDown, .push): changeRetry.postpone(until: now + min(wait ?? .zero, .seconds(3600)))
        default: requestRefused(problem.code, after: wait, now: now)
        }
    }

    private mutating func requestRefused(_ code: ErrorCode?, after wait: Duration?, now: Duration) {
        switch code {
        case .slowDown: linkFailed(.throttled, after: wait, now: now)
        case .unavailable: linkFailed(.offline, after: wait, now: now)
        case .notDetermined, .denied, .restricted, .insufficientScope: grant.expire()
        default: contact.hasten(to: now)
        }
    }
}
