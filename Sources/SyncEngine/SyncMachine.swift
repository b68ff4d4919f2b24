package import Authorization
import LibraryAPI
package import PhotoModel

/// Decides what to send and when; does no I/O and reads no clock.
///
/// A sync consists of: contact, authorization if unknown, then the owed assets, and in parallel pushing changes before
/// pulling. Assets below 1 MiB go in batches, oldest first, two batches at once if that leaves a request for larger
/// assets, so that the library stores one while the next arrives. Larger ones go by resumable uploads, oldest first and
/// within an asset the smaller resource first, one append at a time per upload, within the remaining parallel requests.
/// So small assets never wait for large ones and, with two or more parallel requests, large ones always have a slot.
///
/// Invariants: an asset has one request in flight, or one append per upload; an entry leaves only by being committed or
/// as a dead letter; a refusal for lack of rights drops nothing; a lost response costs at most one repeated append or
/// batch.
package struct SyncMachine: Sendable {
    struct Upload: Hashable, Sendable {
        var id: UploadID
        var resourceID: ResourceID
        var offset: Int64
        var length: Int64
        var isComplete: Bool
        var isBusy = false
        /// Whether a response was lost, so that only the library knows the offset.
        var isUncertain = false
    }

    enum Phase: Hashable, Sendable {
        case waiting
        case busy
        case transferring([Upload])
        case rejected
    }

    /// How much of a resource the library has acknowledged.
    struct Acknowledgement: Comparable, Sendable {
        var offset: Int64
        var isComplete: Bool

        static func < (left: Self, right: Self) -> Bool {
            (left.isComplete ? 1 : 0, left.offset) < (right.isComplete ? 1 : 0, right.offset)
        }
    }

    struct Item: Sendable {
        var entry: SyncEntry
        var phase = Phase.waiting
        var retry = Retry()
        var softFailures = 0
        /// The most of each resource that the library has acknowledged, however often it was sent again.
        var acknowledged: [ResourceID: Acknowledgement] = [:]
        /// How often the library found another digest than the manifest's, or the disk could not read its bytes.
        var byteFailures = 0
        /// Whether it is sent alone because it spoilt a batch, or was in one that was refused as a whole.
        var goesAlone = false
    }

    let policy: SyncPolicy
    let device: DeviceID?
    var backoff: Backoff

    var items: [AssetID: Item] = [:]
    /// In capture order.
    var order: [AssetID] = []
    var loading = Loading()
    var inFlight: Set<SyncAction> = []

    var link = Link()
    var contact = Contact.lost
    /// Whether the link is metered, as of the last contact.
    var isMetered = false
    /// The progress of retiring the box, as of the last contact.
    var drain: ContactOutcome.Drain?
    /// Whether the current time is outside the allowed hours.
    var isClosed = false
    var grant = Grant.unknown
    var levelRequests: [AccessLevel: LevelRequest] = [:]
    var owedChanges: Set<ChangeStep> = []
    var changeRetry = Retry()
    var decisionRetry = Retry()
    /// Dead letters to record.
    var rejections: [SyncAction] = []
    var rejectionRetry = Retry()
    /// The work done so far.
    package var tally = SyncTally()

    /// Creates a machine that knows nothing yet; entries of another device than the box's own are held.
    ///
    /// It may be fed by an import that fills the queue meanwhile, until ``SyncEvent/fed(isLast:)`` ends it; the seed is
    /// the jitter's.
    package init(device: DeviceID?, policy: SyncPolicy = SyncPolicy(), isFed: Bool = false, seed: UInt64) {
        self.device = device
        self.policy = policy
        loading.feed = isFed ? .isRead : nil
        backoff = Backoff(policy, seed: seed)
    }

    /// The actions to start now, which may all run concurrently; the machine counts each as in flight until its event.
    ///
    /// The time is of a monotonic clock, and the local minute is for the allowed hours.
    package mutating func next(now: Duration, minuteOfDay: Int = 0) -> [SyncAction] {
        var actions: [SyncAction] = []
        if rejectionRetry.isDue(at: now) { swap(&actions, &rejections) }
        // Loading costs as much as the queue is long, so it waits until what is in memory has nearly been sent.
        if loading.feed == .hasMore, items.count < policy.fedEntryCount {
            loading.feed = .isRead
            loading.isWanted = true
        }
        if loading.isWanted, loading.retry.isDue(at: now), !inFlight.contains(.load) {
            loading.isWanted = false
            actions.append(.load)
        }
        isClosed = policy.allowedMinutes.map { $0.wait(at: minuteOfDay) > 0 } ?? false
        guard loading.extent != .none else { return begin(actions) }
        guard !isClosed, link.retry.isDue(at: now) else { return begin(actions + holds()) }
        if contact.due <= now, !inFlight.contains(.contact) { actions.append(.contact) }
        if contact.isMade, !grant.isCurrent, !inFlight.contains(.authorize) { actions.append(.authorize) }
        actions += holds()
        let maySend = contact.isMade && grant.isCurrent
        if maySend { actions += requests() }
        actions = begin(actions)
        if maySend {
            actions += transfers(now: now)
            actions += begin(changes(now: now) + decisions(now: now))
        }
        return actions
    }

    /// When to check again if nothing happens before; nil if only news can change anything.
    package func wake(now: Duration, minuteOfDay: Int = 0) -> Duration {
        if let wait = policy.allowedMinutes?.wait(at: minuteOfDay), wait > 0 { return now + .seconds(60 * wait) }
        let soon = now + .milliseconds(10)
        if loading.extent == .none { return max(soon, loading.retry.due) }
        let waits = items.values.filter { $0.phase != .rejected && isFree($0.entry) }.map(\.retry.due)
        var next = min(contact.due, waits.filter { $0 > now }.min() ?? contact.due)
        for wait in [changeRetry.due, decisionRetry.due] where wait > now { next = min(next, wait) }
        if loading.isWanted { next = min(next, loading.retry.due) }
        next = max(link.retry.due, next)
        return max(soon, rejections.isEmpty ? next : min(rejectionRetry.due, next))
    }

    /// Whether nothing is in flight except waits for news.
    package var isQuiet: Bool { inFlight.allSatisfy(\.isListening) }

    /// Whether a single sync has nothing left to do soon: everything is sent, held or a dead letter, or too many
    /// failures came in a row.
    package func isSpent(now: Duration) -> Bool {
        guard isQuiet, loading.feed == nil else { return false }
        if loading.retry.failures >= policy.onceFailureCount { return true }
        guard loading.extent != .none, !loading.isWanted else { return false }
        if isClosed || link.retry.failures >= policy.onceFailureCount { return true }
        guard contact != .lost else { return link.hold == .throttled || link.hold == .space }
        if contact.isMade, owesChanges, changeRetry.failures < policy.onceFailureCount { return false }
        return items.values.allSatisfy { item in
            item.phase == .rejected || !isFree(item.entry) || item.retry.failures >= policy.onceFailureCount
        }
    }

    /// Why an entry is not being sent; nil if it may be.
    package func hold(of entry: SyncEntry) -> HoldReason? {
        if let hold = contact.hold { return hold }
        if entry.deviceID != device { return .revoked }
        if let authorization = grant.authorization,
            case .hold(let reason) = authorization.decision(on: entry).placement
        {
            return reason
        }
        if isMetered, entry.byteCount > policy.meteredByteCount { return link.hold ?? .metered }
        return link.hold ?? (isClosed ? .hours : nil)
    }

    /// Known entries that are neither sent nor dead letters, with the reason each one waits.
    package var remaining: [(entry: SyncEntry, hold: HoldReason?)] {
        order.compactMap { items[$0] }.filter { $0.phase != .rejected }.map { ($0.entry, hold(of: $0.entry)) }
    }

    /// Whether changes of the view still have to be pushed or pulled.
    var owesChanges: Bool { mayChange && !owedChanges.isEmpty }

    private func isFree(_ entry: SyncEntry) -> Bool { hold(of: entry) == nil }

    mutating func begin(_ actions: [SyncAction]) -> [SyncAction] {
        inFlight.formUnion(actions)
        return actions
    }

    /// The holds to record.
    private mutating func holds() -> [SyncAction] {
        var held: [HoldReason: [AssetID]] = [:]
        var released: [AssetID] = []
        for id in order {
            guard let item = items[id], item.phase == .waiting else { continue }
            let wanted = hold(of: item.entry)
            guard wanted != item.entry.hold else { continue }
            // Nothing is released before the rights are known; until then each recorded hold stays.
            if wanted == nil, grant == .unknown { continue }
            // A reason other than the time of day tells more.
            if wanted == .hours, item.entry.hold != nil { continue }
            items[id]?.entry.hold = wanted
            if let wanted { held[wanted, default: []].append(id) } else { released.append(id) }
        }
        var actions = held.sorted { $0.key.rawValue < $1.key.rawValue }.map { SyncAction.hold($0.value, $0.key) }
        if !released.isEmpty { actions.append(.release(released)) }
        return actions
    }

    /// The levels to request, each once.
    private mutating func requests() -> [SyncAction] {
        guard let authorization = grant.authorization else { return [] }
        // Usually none of thousands of entries needs another level.
        let asking = [false, true].filter { authorization.decision(wantsAlbum: $0).request != nil }
        guard items.values.contains(where: { asking.contains($0.entry.wantsAlbum) }) else { return [] }
        var actions: [SyncAction] = []
        for entry in order.compactMap({ items[$0]?.entry }) {
            guard let level = authorization.decision(on: entry).request, !authorization.pending.contains(level),
                levelRequests[level] == nil
            else { continue }
            levelRequests[level] = .sent
            actions.append(.request(level))
        }
        return actions
    }
}

extension SyncAuthorization {
    fileprivate func decision(on entry: SyncEntry) -> SaveDecision { decision(wantsAlbum: entry.wantsAlbum) }

    fileprivate func decision(wantsAlbum: Bool) -> SaveDecision {
        SaveDecision(readWrite: readWrite, addOnly: addOnly, wantsAlbum: wantsAlbum)
    }
}
