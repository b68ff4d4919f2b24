import Authorization
import LibraryAPI
import PhotoModel

extension SyncMachine {
    /// Handles an action's outcome at a time on a monotonic clock.
    package mutating func handle(_ event: SyncEvent, now: Duration) {
        switch event {
        case .loaded(let entries):
            inFlight.remove(.load)
            load(entries)
        case .contacted(let answer):
            inFlight.remove(.contact)
            contacted(answer, now: now)
        case .authorized(let action, let authorization):
            inFlight.remove(action)
            if let known = grant.authorization, known.grantVersion != authorization.grantVersion {
                levelRequests = [:]
                // The rights are the same, so the device's state must have changed: the contact will tell.
                if action.isListening, known.mayDoTheSame(as: authorization) { contact.hasten(to: now) }
            }
            grant = .current(authorization)
            answered()
            if action.isListening { decisionAsked(now: now) }
        case .batched(let action, let committed, let refused):
            batched(action, committed, refused, now: now)
            reportDelivery(now: now)
        case .described(let id, let uploads):
            described(id, uploads, now: now)
        case .positioned(let id, let upload, let offset, let isComplete):
            positioned(id, upload, offset: offset, isComplete: isComplete, now: now)
        case .committed(let id):
            inFlight.remove(.describe(id))
            inFlight.remove(.commit(id))
            answered(isTransfer: true)
            finish([id])
            reportDelivery(now: now)
        case .pushed(let outcome):
            pushed(outcome, now: now)
        case .pulled(let action, let outcome):
            pulled(action, outcome)
        case .compared(let count):
            compared(mended: count)
        case .noted(let action):
            inFlight.remove(action)
            if case .reject = action {
                rejectionRetry.succeed()
                readOn()
                reportDelivery(now: now)
            }
        case .failed(let action, let failure):
            inFlight.remove(action)
            failed(action, failure, now: now)
        case .woken:
            woken(now: now)
        case .fed(let isLast):
            fed(isLast: isLast)
        case .ticked:
            break
        }
    }

    private mutating func described(_ id: AssetID, _ uploads: [UploadStatus], now: Duration) {
        inFlight.remove(.describe(id))
        answered()
        // Others would be taken for damage of the asset, and of two with one name only the first would ever be finished.
        let lengths = Dictionary((items[id]?.entry.resources ?? []).map { ($0.id, $0.byteCount) }) { first, _ in first }
        guard uploads.allSatisfy({ lengths[$0.resourceID] == $0.length }),
            Set(uploads.map(\.id)).count == uploads.count, Set(uploads.map(\.resourceID)).count == uploads.count
        else {
            items[id]?.phase = .waiting
            tally.lastProblem = "the library wants other bytes than the asset's"
            return soft(.describe(id), now: now)
        }
        items[id]?.phase = .transferring(
            uploads.map {
                Upload(
                    id: $0.id,
                    resourceID: $0.resourceID,
                    offset: $0.offset,
                    length: $0.length,
                    isComplete: $0.isComplete
                )
            }
        )
    }

    private mutating func woken(now: Duration) {
        loading.isWanted = true
        owedChanges.insert(.push)
        contact.hasten(to: now)
        // A delay requested by the library stands, whatever else is new.
        if link.hold != .throttled, link.hold != .space { link.retry.hasten(to: now) }
    }

    private mutating func fed(isLast: Bool) {
        loading.feed = isLast ? nil : .hasMore
        // Whatever was loaded meanwhile, it did not include the end of the queue.
        if isLast { loading.isWanted = true }
    }

    private mutating func load(_ entries: [SyncEntry]) {
        loading.extent = entries.count >= policy.loadedEntryCount ? .part : .all
        loading.retry.succeed()
        for entry in entries where items[entry.id] == nil && !loading.ended.contains(entry.id) {
            items[entry.id] = Item(entry: entry)
            order.append(entry.id)
        }
        loading.ended = []
    }

    private mutating func contacted(_ answer: ContactOutcome, now: Duration) {
        let interval = answer.interval ?? policy.contactInterval
        // Entries waiting for a decision should go out soon after it.
        contact = .made(at: now, due: now + (items.isEmpty ? interval : min(interval, policy.contactInterval)))
        isMetered = answer.isMetered
        answered()
        levelRequests = levelRequests.filter { $0.value != .failed }
        if answer.wantsAgain { loading.isWanted = true }
        owedChanges.insert(.push)
        if answer.hasChanges { owedChanges.insert(.pull) }
        if answer.wantsComparison { owedChanges.insert(.compare) }
        if grant == .unknown, let remembered = answer.remembered, remembered.stands(at: answer.grantVersion) {
            grant = .current(remembered)
        }
        if grant.authorization?.grantVersion != answer.grantVersion {
            grant.expire()
            levelRequests = [:]
        }
        drain = answer.drain
        if drain == .underWay { contact.hasten(to: now + policy.contactInterval) }
        if drain == .ended { identityFailed(.revoked, now: now) }
    }

    /// Reports a completed delivery to the library: at once if the box is being retired.
    private mutating func reportDelivery(now: Duration) {
        guard !owesAssets, rejections.isEmpty else { return }
        if drain == .underWay { contact.hasten(to: now) }
        guard let delay = policy.deliveryReportDelay, !loading.isWanted, !inFlight.contains(.load),
            case .made(let contacted, _) = contact
        else { return }
        contact.hasten(to: max(now + delay, contacted + policy.contactInterval))
    }

    /// The library responded: the link works, at least for this kind of request, or for all if asset bytes came
    /// through.
    mutating func answered(isTransfer: Bool = false) {
        link.respond(isProof: isTransfer || !owesAssets)
    }

    private var owesAssets: Bool { items.values.contains { $0.phase != .rejected } }

    private mutating func batched(
        _ action: SyncAction,
        _ committed: [AssetID],
        _ refused: [AssetID: SyncFailure],
        now: Duration
    ) {
        guard case .batch(let ids) = action else { return }
        inFlight.remove(action)
        answered(isTransfer: !committed.isEmpty || !refused.values.contains(where: \.keepsBytesOut))
        // A response covers only its own batch, and says nothing about assets sent in another one.
        finish(ids.filter(Set(committed).contains))
        for id in ids {
            guard let failure = refused[id], items[id]?.phase == .busy else { continue }
            items[id]?.phase = .waiting
            failed(.describe(id), failure, now: now)
        }
        // Assets that the response omits are looked up and sent again if still owed, since sending is idempotent.
        let unnamed = ids.filter { items[$0]?.phase == .busy }
        guard !unnamed.isEmpty else { return }
        for id in unnamed { items[id] = nil }
        order.removeAll { items[$0] == nil }
        loading.isWanted = true
        loading.retry.postpone(until: now + policy.minimumBackoff)
    }

    private mutating func positioned(
        _ id: AssetID,
        _ upload: UploadID,
        offset: Int64,
        isComplete: Bool,
        now: Duration
    ) {
        let appended = inFlight.first { action in
            if case .append(let append) = action { append.assetID == id && append.uploadID == upload } else { false }
        }
        answered(isTransfer: appended != nil)
        if let appended, case .append(let append) = appended {
            inFlight.remove(appended)
            tally.appendedBytes += append.byteCount
            acknowledged(append, offset: offset, isComplete: isComplete, now: now)
        }
        inFlight.remove(.position(id, upload))
        update(id, upload) { upload in
            upload.isBusy = false
            upload.isUncertain = false
            upload.isComplete = isComplete
            upload.offset = min(max(0, offset), upload.length)
        }
        // A full but incomplete upload had bytes the library rejected: only a new description helps.
        guard case .transferring(let uploads) = items[id]?.phase, !uploads.contains(where: \.isBusy),
            uploads.contains(where: { $0.id == upload && !$0.isComplete && $0.offset == $0.length })
        else { return }
        items[id]?.phase = .waiting
    }

    /// Judges the answer to an append: only bytes that the library never had before count as a success.
    ///
    /// A library that does not take all bytes of an append, or has all of a resource and rejects them, is asked less and
    /// less often.
    private mutating func acknowledged(_ append: Append, offset: Int64, isComplete: Bool, now: Duration) {
        let end = append.offset + append.byteCount
        guard isComplete || (offset >= end && !append.isLast && offset < length(of: append)) else {
            tally.lastProblem = "the library does not take the bytes that it is sent"
            return soft(.append(append), now: now)
        }
        let told = Acknowledgement(offset: offset, isComplete: isComplete)
        if let known = items[append.assetID]?.acknowledged[append.resourceID], known >= told { return }
        items[append.assetID]?.acknowledged[append.resourceID] = told
        items[append.assetID]?.retry.succeed()
        items[append.assetID]?.softFailures = 0
    }

    private func length(of append: Append) -> Int64 {
        let resources = items[append.assetID]?.entry.resources ?? []
        return resources.first { $0.id == append.resourceID }?.byteCount ?? 0
    }

    mutating func update(_ id: AssetID, _ upload: UploadID, _ change: (inout Upload) -> Void) {
        guard case .transferring(var uploads) = items[id]?.phase,
            let index = uploads.firstIndex(where: { $0.id == upload })
        else { return }
        change(&uploads[index])
        items[id]?.phase = .transferring(uploads)
    }

    private mutating func finish(_ ids: [AssetID]) {
        for id in ids {
            guard let item = items.removeValue(forKey: id) else { continue }
            tally.committed += 1
            tally.committedBytes += item.entry.byteCount
            if inFlight.contains(.load) { loading.ended.insert(id) }
        }
        order.removeAll { items[$0] == nil }
        readOn()
    }

    /// If the queue had more than fits into memory, loads more once everything but held entries is done.
    private mutating func readOn() {
        let isThrough = items.values.allSatisfy { $0.phase == .rejected || hold(of: $0.entry) != nil }
        guard loading.extent == .part, isThrough else { return }
        loading.extent = .all
        loading.isWanted = true
    }
}
