package import Authorization
import LibraryAPI
package import PhotoModel

/// Decides what to send and when; does no I/O, reads no clock.
///
/// Order of a sync: contact, authorization where the box does not know it, then what is owed, and beside it changes up
/// before changes down. Assets below 1 MiB go together in batches, oldest first, and two batches at once where that leaves a
/// request to larger assets, so that the library takes one in while the next one comes. Larger ones go by resumable
/// uploads, oldest first and within an asset the smaller resource first, each upload with one append at a time, in what is
/// left of the parallel requests. So small assets never wait for large ones, and with two requests or more large ones
/// always have a slot.
///
/// Invariants: an asset has one request under way, or one append an upload; an entry leaves only as committed or as a dead
/// letter; no refusal for want of rights drops anything; an answer that was lost costs at most one append, or one batch,
/// again.
package struct SyncMachine: Sendable {
    struct Upload: Hashable, Sendable {
        var id: UploadID
        var resourceID: ResourceID
        var offset: Int64
        var length: Int64
        var isComplete: Bool
        var isBusy = false
        /// Whether an answer was lost, so that only the library knows the offset.
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
        var failures = 0
        var softFailures = 0
        /// Times that the library did not believe the bytes: however much of them it took before, they are the same again.
        var strikes = 0
        var notBefore = Duration.zero
        /// Whether it goes alone because a batch with it was refused as a whole.
        var goesAlone = false
    }

    let policy: SyncPolicy
    let device: DeviceID?
    var backoff: Backoff

    var items: [AssetID: Item] = [:]
    /// The order of capture.
    var order: [AssetID] = []
    /// Whether the queue was read since the machine was made: before that nothing is known.
    var isLoaded = false
    /// Whether the queue may hold what is not known here; what is known goes on meanwhile.
    var wantsLoad = true
    /// Whether the last reading found more than is taken into memory at once.
    var isLoadFull = false
    /// What ended while the queue was being read: the reading may be older.
    var endedWhileLoading: Set<AssetID> = []
    var inFlight: Set<SyncAction> = []

    var contactDue = Duration.zero
    /// When the library last answered a contact.
    var contactedAt = Duration.zero
    var hasContact = false
    /// Whether the link is paid by the byte, as of the last contact.
    var isMetered = false
    /// What the device may do, as it was last told.
    var authorization: SyncAuthorization?
    /// How the box is being retired, as it was last told.
    var drain: ContactResponse.Drain?
    /// Whether that has to be asked again before anything is sent; holds stay as they are meanwhile.
    var isAuthorizationStale = true
    var requested: Set<AccessLevel> = []
    /// Levels that could not be asked for, for a reason on this box: the next contact tries again.
    var unaskedLevels: Set<AccessLevel> = []
    var linkFailures = 0
    /// Whether the link failed while assets were sent, and none has come through since.
    var hasTransferFailed = false
    var linkNotBefore = Duration.zero
    /// Why nothing at all can be sent.
    var linkHold: HoldReason?
    /// Whether it is not the time of day in which something may be sent.
    var isClosed = false
    /// Why the device as such cannot send.
    var identityHold: HoldReason?
    /// Whether changes may have been made here that the library has not judged.
    var wantsPush = false
    /// Whether the change feed holds something.
    var wantsPull = false
    /// Whether the view is to be compared with the library's.
    var wantsComparison = false
    var decisionFailures = 0
    var decisionNotBefore = Duration.zero
    var changeFailures = 0
    var changesNotBefore = Duration.zero
    /// Dead letters to be noted.
    var burials: [SyncAction] = []
    var burialsNotBefore = Duration.zero
    /// Readings of the queue that failed in a row.
    var loadFailures = 0
    var loadNotBefore = Duration.zero
    /// What was done since the machine was made.
    package var tally = SyncTally()

    /// A machine that knows nothing yet.
    ///
    /// - Parameters:
    ///   - device: the device that the box is; entries of another one are held.
    ///   - policy: what is sent how.
    ///   - seed: what the jitter is drawn from.
    package init(device: DeviceID?, policy: SyncPolicy = SyncPolicy(), seed: UInt64) {
        self.device = device
        self.policy = policy
        backoff = Backoff(seed: seed)
    }

    /// What is to be begun now; the machine counts it as under way until its event comes.
    ///
    /// - Parameters:
    ///   - now: a clock that never goes back.
    ///   - minuteOfDay: the local time, for the hours in which something may be sent.
    /// - Returns: actions that may all run at once.
    package mutating func next(now: Duration, minuteOfDay: Int = 0) -> [SyncAction] {
        var actions: [SyncAction] = []
        if burialsNotBefore <= now { swap(&actions, &burials) }
        if wantsLoad, loadNotBefore <= now, !inFlight.contains(.load) {
            wantsLoad = false
            actions.append(.load)
        }
        isClosed = policy.allowedMinutes.map { $0.wait(at: minuteOfDay) > 0 } ?? false
        guard isLoaded else { return begin(actions) }
        if isClosed { return begin(actions + holds()) }
        guard linkNotBefore <= now else { return begin(actions + holds()) }
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

    /// When to look again, if nothing else happens before; nil when only news can change anything.
    package func wake(now: Duration, minuteOfDay: Int = 0) -> Duration {
        if let wait = policy.allowedMinutes?.wait(at: minuteOfDay), wait > 0 { return now + .seconds(60 * wait) }
        if !isLoaded { return max(now + .milliseconds(10), loadNotBefore) }
        let waits = items.values.filter { $0.phase != .buried && isFree($0.entry) }.map(\.notBefore)
        var next = min(contactDue, waits.filter { $0 > now }.min() ?? contactDue)
        for wait in [changesNotBefore, decisionNotBefore] where wait > now { next = min(next, wait) }
        if wantsLoad { next = min(next, loadNotBefore) }
        if !burials.isEmpty { return max(now + .milliseconds(10), min(burialsNotBefore, max(linkNotBefore, next))) }
        return max(now + .milliseconds(10), max(linkNotBefore, next))
    }

    /// Whether nothing is under way but waiting for news.
    package var isQuiet: Bool { inFlight.allSatisfy(\.isListening) }

    /// Whether a single sync has nothing left that it could do soon.
    ///
    /// - Parameter now: a clock that never goes back.
    /// - Returns: true when everything is sent, held or buried, or when too much failed in a row.
    package func isSpent(now: Duration) -> Bool {
        guard isQuiet else { return false }
        if loadFailures >= policy.onceFailureCount { return true }
        guard isLoaded, !wantsLoad else { return false }
        if isClosed { return true }
        if linkFailures >= policy.onceFailureCount { return true }
        guard hasContact || identityHold != nil else { return linkHold == .throttled || linkHold == .space }
        if identityHold == nil, owesChanges, changeFailures < policy.onceFailureCount { return false }
        return items.values.allSatisfy { item in
            item.phase == .buried || !isFree(item.entry) || item.failures >= policy.onceFailureCount
        }
    }

    /// Why an entry is not being sent; nil while it may be.
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

    /// Entries that are known and neither sent nor buried, with the reason why each waits.
    package var remaining: [(entry: SyncEntry, hold: HoldReason?)] {
        order.compactMap { items[$0] }.filter { $0.phase != .buried }.map { ($0.entry, hold(of: $0.entry)) }
    }

    /// Whether changes of the view still have to go up or come down.
    var owesChanges: Bool { mayChange && (wantsPush || wantsPull || wantsComparison) }

    private func isFree(_ entry: SyncEntry) -> Bool { hold(of: entry) == nil }

    mutating func begin(_ actions: [SyncAction]) -> [SyncAction] {
        inFlight.formUnion(actions)
        return actions
    }

    /// Notes of holds that changed.
    private mutating func holds() -> [SyncAction] {
        var held: [HoldReason: [AssetID]] = [:]
        var released: [AssetID] = []
        for id in order {
            guard let item = items[id], item.phase == .waiting else { continue }
            let wanted = hold(of: item.entry)
            guard wanted != item.entry.hold else { continue }
            // Before the rights are known nothing is released: the contact tells why it waits, as it was noted.
            if wanted == nil, authorization == nil { continue }
            // What holds it at every hour is the better answer.
            if wanted == .hours, item.entry.hold != nil { continue }
            items[id]?.entry.hold = wanted
            if let wanted { held[wanted, default: []].append(id) } else { released.append(id) }
        }
        var actions = held.sorted { $0.key.rawValue < $1.key.rawValue }.map { SyncAction.hold($0.value, $0.key) }
        if !released.isEmpty { actions.append(.release(released)) }
        return actions
    }

    /// Levels to be asked for, each once.
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

/// What a machine did.
package struct SyncTally: Hashable, Sendable {
    /// Assets that are in the library now.
    package var committed = 0
    /// Their bytes.
    package var committedBytes: Int64 = 0
    /// Assets that were refused for good.
    package var buried = 0
    /// Bytes that were appended, also those that were sent again.
    package var appendedBytes: Int64 = 0
    /// Changes that were made here and that the library took.
    package var changesSent = 0
    /// Changes that were made here and that the library refused for good.
    package var changesRefused = 0
    /// Entities of the view that came, changed or left.
    package var changesReceived = 0
    /// Entities of the view that differed from the library's and were mended.
    package var entitiesMended = 0
    /// What failed last, in words.
    package var lastProblem: String?

    /// Nothing yet.
    package init() {}
}
