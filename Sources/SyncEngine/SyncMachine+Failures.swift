import Authorization
import LibraryAPI
import PhotoModel

extension SyncMachine {
    /// Handles a failure: the link, the identity, the grant or the single asset waits, or the asset becomes a dead
    /// letter.
    mutating func failed(_ action: SyncAction, _ failure: SyncFailure, now: Duration) {
        if case .pull = action { return changesFailed(action, failure, now: now) }
        if case .push = action { return changesFailed(action, failure, now: now) }
        if case .compare = action { return changesFailed(action, failure, now: now) }
        if case .awaitDecision = action { return decisionFailed(now: now) }
        tally.lastProblem = failure.message
        if case .request(let level) = action, !failure.concernsLink {
            // A refused level is requested again under another grant; until then its entries wait for a decision.
            if failure.code != nil { grant.expire() } else { levelRequests[level] = .failed }
            return
        }
        if failure.keepsBytesOut, !assets(of: action).isEmpty { link.failTransfer() }
        giveBack(action, now: now)
        switch failure {
        case .noAnswer, .untrusted:
            linkFailed(.offline, now: now)
        case .refused(let problem):
            refused(action, problem, now: now)
        case .receiptRefused, .local:
            waits(action, now: now)
        case .unreadable(let message):
            // The disk may recover; meanwhile no other asset of its batch waits for it.
            for id in assets(of: action) { items[id]?.goesAlone = true }
            waits(action, now: now)
            bytesFailed(action, message)
        case .damaged(let message):
            reject(action, message)
        }
    }

    /// Returns an asset to a state from which it can continue.
    private mutating func giveBack(_ action: SyncAction, now: Duration) {
        switch action {
        case .append(let append):
            update(append.assetID, append.uploadID) { upload in
                upload.isBusy = false
                upload.isUncertain = true
            }
        case .position(let id, let upload):
            update(id, upload) { $0.isBusy = false }
        case .describe(let id), .commit(let id):
            if items[id]?.phase == .busy { items[id]?.phase = .waiting }
        case .batch(let ids):
            for id in ids where items[id]?.phase == .busy { items[id]?.phase = .waiting }
        case .load:
            loading.isWanted = true
            loading.ended = []
            loading.retry.fail(now: now, &backoff)
        case .reject:
            // It must be recorded before it is reported.
            rejections.append(action)
            rejectionRetry.fail(now: now, &backoff)
        case .request(let level):
            levelRequests[level] = nil
        case .contact, .authorize, .awaitDecision, .push, .pull, .compare, .hold, .release:
            break
        }
    }

    mutating func linkFailed(_ reason: HoldReason, after wait: Duration? = nil, now: Duration) {
        link.fail(reason, after: wait, now: now, &backoff)
        contact.lose(retryAt: link.retry.due)
    }

    private mutating func refused(_ action: SyncAction, _ problem: ProblemDetails, now: Duration) {
        let wait = problem.retryAfterSeconds.map { Duration.seconds(max(0, $0)) }
        if let reason = HoldReason(refusing: problem.code) { return identityFailed(reason, now: now) }
        switch problem.code {
        case .slowDown: linkFailed(.throttled, after: wait, now: now)
        case .storageFull, .quotaExceeded: linkFailed(.space, after: wait, now: now)
        case .unavailable: linkFailed(.offline, after: wait, now: now)
        case .notDetermined, .denied, .restricted, .insufficientScope:
            grant.expire()
            // The response may be older than the grant just announced: do not retry at once.
            waits(action, now: now)
        case _ where assets(of: action).isEmpty && !action.isLocal:
            // If a contact or a query is refused for any other reason, nothing can be sent until it succeeds.
            linkFailed(.offline, after: wait, now: now)
        case .offsetMismatch: mismatched(action, problem, now: now)
        case .uploadSuperseded: soft(action, now: now)
        case .uploadGone, .uploadCompleted, .notFound, .assetIncomplete:
            describeAgain(action)
            soft(action, now: now)
        case .digestMismatch, .lengthInconsistent:
            describeAgain(action)
            bytesFailed(action, "\(problem.code?.rawValue ?? ""): \(problem.detail)")
        default:
            otherwise(action, problem, after: wait, now: now)
        }
    }

    private mutating func otherwise(
        _ action: SyncAction,
        _ problem: ProblemDetails,
        after wait: Duration?,
        now: Duration
    ) {
        switch problem.retry {
        case .now: soft(action, now: now)
        case .after:
            // A batch too large for a proxy on the way is split up.
            if case .batch(let ids) = action, problem.status == 413 { for id in ids { items[id]?.goesAlone = true } }
            waits(action, after: wait, now: now)
        case .onDecision:
            grant.expire()
            waits(action, now: now)
        case .never:
            if case .batch(let ids) = action {
                // One bad asset must not take the others with it: each is sent alone.
                for id in ids { items[id]?.goesAlone = true }
            } else {
                reject(action, "\(problem.code?.rawValue ?? "status \(problem.status)"): \(problem.detail)")
            }
        }
    }

    mutating func identityFailed(_ reason: HoldReason, now: Duration) {
        link.release()
        contact = .rejected(reason, due: now + backoff.wait(after: link.retry.failures) + policy.contactInterval)
    }

    /// Handles the library's report of an upload's offset.
    private mutating func mismatched(_ action: SyncAction, _ problem: ProblemDetails, now: Duration) {
        guard case .append(let append) = action, let expected = problem.expectedOffset else {
            return soft(action, now: now)
        }
        update(append.assetID, append.uploadID) { upload in
            upload.offset = min(max(0, expected), upload.length)
            upload.isUncertain = false
        }
        soft(action, now: now)
    }

    private mutating func describeAgain(_ action: SyncAction) {
        for id in assets(of: action) {
            if case .transferring(let uploads) = items[id]?.phase, !uploads.contains(where: \.isBusy) {
                items[id]?.phase = .waiting
            }
        }
    }

    /// Retries at once a few times; after that it counts as a failure.
    mutating func soft(_ action: SyncAction, now: Duration) {
        for id in assets(of: action) {
            items[id]?.softFailures += 1
            if items[id].map({ $0.softFailures > policy.immediateRetries }) ?? false { wait(id, nil, now: now) }
        }
    }

    /// Retries a few times; after that the asset becomes a dead letter.
    private mutating func bytesFailed(_ action: SyncAction, _ message: String) {
        for id in assets(of: action) {
            items[id]?.byteFailures += 1
            if items[id].map({ $0.byteFailures > policy.immediateRetries }) ?? false {
                reject(.describe(id), message)
            }
        }
    }

    private mutating func waits(_ action: SyncAction, after wait: Duration? = nil, now: Duration) {
        let assets = assets(of: action)
        if assets.isEmpty, !action.isLocal { return linkFailed(.offline, after: wait, now: now) }
        for id in assets { self.wait(id, wait, now: now) }
    }

    private mutating func wait(_ id: AssetID, _ wait: Duration?, now: Duration) {
        items[id]?.retry.fail(after: wait, now: now, &backoff)
    }

    private mutating func reject(_ action: SyncAction, _ message: String) {
        for id in assets(of: action) where items[id] != nil && items[id]?.phase != .rejected {
            items[id]?.phase = .rejected
            tally.rejected += 1
            rejections.append(.reject(id, message))
        }
    }

    private func assets(of action: SyncAction) -> [AssetID] {
        switch action {
        case .batch(let ids): ids
        case .describe(let id), .commit(let id), .position(let id, _): [id]
        case .append(let append): [append.assetID]
        case .load, .contact, .authorize, .awaitDecision, .request, .push, .pull, .compare, .hold, .release, .reject:
            []
        }
    }
}

extension SyncFailure {
    /// Whether it blocks every asset's bytes: no link, or no room.
    var keepsBytesOut: Bool {
        switch self {
        case .noAnswer, .untrusted: true
        case .refused(let problem):
            [.slowDown, .storageFull, .quotaExceeded, .unavailable].contains(problem.code) || problem.code == nil
        case .receiptRefused, .damaged, .unreadable, .local: false
        }
    }

    /// Whether it does not depend on the request: any other request would have failed too.
    fileprivate var concernsLink: Bool {
        switch self {
        case .noAnswer, .untrusted: true
        case .refused(let problem):
            switch problem.code {
            case .identityMissing, .identityRevoked, .identityExpired, .identitySuspect: true
            default: problem.retry == .after
            }
        case .receiptRefused, .damaged, .unreadable, .local: false
        }
    }
}
