package import Authorization
import LibraryAPI
package import PhotoModel

/// Decides what to send and when; does no I/O and reads no clock.
///
/// A sync consists of: contact, authorization if unknown, then the owed assets, and in parallel pushing changes before
/// pulling. Assets below 1 MiB go in batches, oldest first, two batches at once if that leaves a request for larger
/// assets, so that the library stores one while the next arrives. Larger ones go by resumable uploads, oldest first and
/// within an asset the smaller resource first, one append at a time per upload, within the remaining parallel requests.
/// So small assets never wait for large ones, and with two or more requests large ones always have a slot.
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
        case buried
    }

    struct Item: Sendable {
        var entry: SyncEntry
        var phase = Phase.waiting
        var retry = Retry()
        var softFailures = 0
        /// How often the library rejected the bytes: however many it took before, they are the same again.
        var strikes = 0
        /// Whether it is sent alone because a batch containing it was refused as a whole.
        var goesAlone = false
    }

    /// How much of what an import beside the sync puts into the queue is known.
    enum Feed: Hashable, Sendable {
        /// All of it was loaded.
        case isRead
        /// There is more in the queue.
        case hasMore
    }

    let policy: SyncPolicy
    let device: DeviceID?
    var backoff: Backoff

    var items: [AssetID: Item] = [:]
    /// In capture order.
    var order: [AssetID] = []
    /// Whether the queue has been loaded: before that nothing is known.
    var isLoaded = false
    /// Whether the queue may hold unknown entries; known ones proceed meanwhile.
    var wantsLoad = true
    /// Whether the last load found more than fits into memory at once.
    var isLoadFull = false
    /// The import that runs beside the sync; nil without one.
    var feed: Feed?
    /// Entries that ended while the queue was being loaded: the loaded state may be older.
    var endedWhileLoading: Set<AssetID> = []
    var inFlight: Set<SyncAction> = []

    var contactDue = Duration.zero
    /// When the library last responded to a contact.
    var contactedAt = Duration.zero
    var hasContact = false
    /// Whether the link is metered, as of the last contact.
    var isMetered = false
    /// The last known authorization.
    var authorization: SyncAuthorization?
    /// The last known progress of retiring the box.
    var drain: ContactResponse.Drain?
    /// Whether the authorization must be fetched before anything is sent; holds are kept meanwhile.
    var isAuthorizationStale = true
    var requested: Set<AccessLevel> = []
    /// Levels that could not be requested, for a local reason: the next contact retries.
    var unaskedLevels: Set<AccessLevel> = []
    var link = Retry()
    /// Whether the link failed during a transfer, and none has succeeded since.
    var hasTransferFailed = false
    /// Why nothing at all can be sent.
    var linkHold: HoldReason?
    /// Whether the current time is outside the allowed hours.
    var isClosed = false
    /// Why the device itself cannot send.
    var identityHold: HoldReason?
    /// Whether there may be local changes that the library has not judged.
    var wantsPush = false
    /// Whether the change feed has anything new.
    var wantsPull = false
    /// Whether to compare the view with the library's.
    var wantsComparison = false
    var decisionRetry = Retry()
    var changeRetry = Retry()
    /// Dead letters to record.
    var burials: [SyncAction] = []
    var burialRetry = Retry()
    var loadRetry = Retry()
    /// The work done so far.
    package var tally = SyncTally()

    /// Creates a machine that knows nothing yet.
    ///
    /// - Parameters:
    ///   - device: the box's own device; entries of another one are held.
    ///   - policy: the sync policy.
    ///   - isFed: whether an import fills the queue meanwhile, until ``SyncEvent/fed(isLast:)`` ends it.
    ///   - seed: the seed of the jitter.
    package init(device: DeviceID?, policy: SyncPolicy = SyncPolicy(), isFed: Bool = false, seed: UInt64) {
        self.device = device
        self.policy = policy
        feed = isFed ? .isRead : nil
        backoff = Backoff(seed: seed)
    }

    /// The actions to start now; the machine counts each as in flight until its event.
    ///
    /// - Parameters:
    ///   - now: the time on a monotonic clock.
    ///   - minuteOfDay: the local time, for the allowed hours.
    /// - Returns: actions that may all run concurrently.
    package mutating func next(now: Duration, minuteOfDay: Int = 0) -> [SyncAction] {
        var actions: [SyncAction] = []
        if burialRetry.isDue(at: now) { swap(&actions, &burials) }
        // A load costs as much as the queue holds, so it waits until what is in memory has nearly gone.
        if feed == .hasMore, items.count < policy.fedEntryCount {
            feed = .isRead
            wantsLoad = true
        }
        if wantsLoad, loadRetry.isDue(at: now), !inFlight.contains(.load) {
            wantsLoad = false
            actions.append(.load)
        }
        isClosed = policy.allowedMinutes.map { $0.wait(at: minuteOfDay) > 0 } ?? false
        guard isLoaded else { return begin(actions) }
        if isClosed { return begin(actions + holds()) }
        guard link.isDue(at: now) else { return begin(actions + holds()) }
        if contactDue <= now, !inFlight.contains(.contact) { actions.append(.contact) }
        if hasContact, isAuthorizationStale, identityHold == nil, !inFlight.contains(.authorize) {
            actions.append(.authorize)
        }
        actions += holds()
        if hasContact { actions += requests() }
        actions = begin(actions)
        if hasContact, !isAuthorizationStale, identityHold == nil {
            actions += transfers(now: now)
            actions += begin(changes(now: now) + decisions(now: now))
        }
        return actions
    }

    /// When to check again if nothing happens before; nil if only news can change anything.
    package func wake(now: Duration, minuteOfDay: Int = 0) -> Duration {
        if let wait = policy.allowedMinutes?.wait(at: minuteOfDay), wait > 0 { return now + .seconds(60 * wait) }
        if !isLoaded { return max(now + .milliseconds(10), loadRetry.due) }
        let waits = items.values.filter { $0.phase != .buried && isFree($0.entry) }.map(\.retry.due)
        var next = min(contactDue, waits.filter { $0 > now }.min() ?? contactDue)
        for wait in [changeRetry.due, decisionRetry.due] where wait > now { next = min(next, wait) }
        if wantsLoad { next = min(next, loadRetry.due) }
        if !burials.isEmpty { return max(now + .milliseconds(10), min(burialRetry.due, max(link.due, next))) }
        return max(now + .milliseconds(10), max(link.due, next))
    }

    /// Whether nothing is in flight except waits for news.
    package var isQuiet: Bool { inFlight.allSatisfy(\.isListening) }

    /// Whether a single sync has nothing left to do soon.
    ///
    /// - Parameter now: the time on a monotonic clock.
    /// - Returns: true if everything is sent, held or a dead letter, or after too many failures in a row.
    package func isSpent(now: Duration) -> Bool {
        guard isQuiet, feed == nil else { return false }
        if loadRetry.failures >= policy.onceFailureCount { return true }
        guard isLoaded, !wantsLoad else { return false }
        if isClosed { return true }
        if link.failures >= policy.onceFailureCount { return true }
        guard hasContact || identityHold != nil else { return linkHold == .throttled || linkHold == .space }
        if identityHold == nil, owesChanges, changeRetry.failures < policy.onceFailureCount { return false }
        return items.values.allSatisfy { item in
            item.phase == .buried || !isFree(item.entry) || item.retry.failures >= policy.onceFailureCount
        }
    }

    /// Why an entry is not being sent; nil if it may be.
    package func hold(of entry: SyncEntry) -> HoldReason? {
        if let identityHold { return identityHold }
        if entry.deviceID != device { return .revoked }
        if let authorization {
            let decision = SaveDecision(
                readWrite: authorization.readWrite,
                addOnly: authorization.addOnly,
                wantsAlbum: entry.wantsAlbum
            )
            if case .hold(let reason) = decision.placement { return reason }
        }
        if isMetered, entry.byteCount > policy.meteredByteCount { return linkHold ?? .metered }
        return linkHold ?? (isClosed ? .hours : nil)
    }

    /// Known entries that are neither sent nor dead letters, with the reason each one waits.
    package var remaining: [(entry: SyncEntry, hold: HoldReason?)] {
        order.compactMap { items[$0] }.filter { $0.phase != .buried }.map { ($0.entry, hold(of: $0.entry)) }
    }

    /// Whether changes of the view still have to be pushed or pulled.
    var owesChanges: Bool { mayChange && (wantsPush || wantsPull || wantsComparison) }

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
            // Nothing is released before the rights are known: the contact tells why it waits, as recorded.
            if wanted == nil, authorization == nil { continue }
            // A reason that holds at every hour is more informative.
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
        guard let authorization, !isAuthorizationStale, identityHold == nil else { return [] }
        var actions: [SyncAction] = []
        for entry in order.compactMap({ items[$0]?.entry }) {
            let decision = SaveDecision(
                readWrite: authorization.readWrite,
                addOnly: authorization.addOnly,
                wantsAlbum: entry.wantsAlbum
            )
            guard let level = decision.request, !authorization.pending.contains(level),
                requested.insert(level).inserted
            else { continue }
            actions.append(.request(level))
        }
        return actions
    }
}

/// The work of a machine.
package struct SyncTally: Hashable, Sendable {
    /// Assets committed to the library.
    package var committed = 0
    /// Their bytes.
    package var committedBytes: Int64 = 0
    /// Assets refused permanently.
    package var buried = 0
    /// Bytes appended, including repeated ones.
    package var appendedBytes: Int64 = 0
    /// Local changes accepted by the library.
    package var changesSent = 0
    /// Local changes refused permanently by the library.
    package var changesRefused = 0
    /// Entities of the view inserted, updated or removed.
    package var changesReceived = 0
    /// Entities of the view that differed from the library's and were repaired.
    package var entitiesMended = 0
    /// The last failure, in words.
    package var lastProblem: String?

    /// Nothing yet.
    package init() {}
}
