import Authorization
import LibraryAPI
import PhotoModel

// The parts of a machine's state. Each is in exactly one case at a time, which stores what applies only to it.

extension SyncMachine {
    /// Whether requests reach the library.
    struct Link: Hashable, Sendable {
        private enum State: Hashable, Sendable {
            case up
            /// Short requests succeed, but the last transfer failed.
            case unproven
            /// Nothing can be sent.
            case down(HoldReason, duringTransfer: Bool)
        }

        private var state = State.up
        var retry = Retry()

        /// Why nothing at all can be sent; nil if the link is not known to be down.
        var hold: HoldReason? { if case .down(let reason, _) = state { reason } else { nil } }

        mutating func fail(_ reason: HoldReason, after wait: Duration?, now: Duration, _ backoff: inout Backoff) {
            state = .down(reason, duringTransfer: hasTransferFailed)
            retry.fail(after: wait.map { min($0, .seconds(3600)) }, isShared: true, now: now, &backoff)
        }

        /// Records that a transfer failed: only another transfer proves the link again.
        mutating func failTransfer() {
            state = if let hold { .down(hold, duringTransfer: true) } else { .unproven }
        }

        /// Records a response.
        ///
        /// - Parameter isProof: whether it also proves that transfers succeed. Short requests don't: a proxy may pass
        ///   them and cut long ones, and a library may be full.
        mutating func respond(isProof: Bool) {
            if isProof { state = .up } else { release() }
            if state == .up { retry.succeed() }
        }

        /// Stops holding entries because of the link.
        mutating func release() { state = hasTransferFailed ? .unproven : .up }

        private var hasTransferFailed: Bool {
            switch state {
            case .up: false
            case .unproven: true
            case .down(_, let duringTransfer): duringTransfer
            }
        }
    }

    /// The last contact with the library, and when the next one is due.
    enum Contact: Hashable, Sendable {
        /// None since the start, or since the link failed: due as soon as the link may be tried.
        case lost
        case made(at: Duration, due: Duration)
        /// The library rejects the box's identity.
        case rejected(HoldReason, due: Duration)

        var due: Duration {
            switch self {
            case .lost: .zero
            case .made(_, let due), .rejected(_, let due): due
            }
        }

        var isMade: Bool { if case .made = self { true } else { false } }

        /// Why the box itself may not send.
        var hold: HoldReason? { if case .rejected(let reason, _) = self { reason } else { nil } }

        /// Brings the next contact forward.
        mutating func hasten(to time: Duration) {
            switch self {
            case .lost: break
            case .made(let past, let due): self = .made(at: past, due: min(due, time))
            case .rejected(let reason, let due): self = .rejected(reason, due: min(due, time))
            }
        }

        /// Records that the link failed and may be tried again at this time; a rejection of the identity stays.
        mutating func lose(retryAt time: Duration) {
            if isMade { self = .lost } else { hasten(to: time) }
        }
    }

    /// What is known of the rights that the library grants.
    enum Grant: Hashable, Sendable {
        case unknown
        /// It must be fetched again before anything is sent; holds still follow it.
        case stale(SyncAuthorization)
        case current(SyncAuthorization)

        var authorization: SyncAuthorization? {
            switch self {
            case .unknown: nil
            case .stale(let authorization), .current(let authorization): authorization
            }
        }

        var isCurrent: Bool { if case .current = self { true } else { false } }

        mutating func expire() {
            if case .current(let authorization) = self { self = .stale(authorization) }
        }
    }

    /// A level that was requested.
    enum LevelRequest: Hashable, Sendable {
        /// It is not requested again under this grant.
        case sent
        /// It could not be requested, for a local reason: the next contact retries.
        case failed
    }

    /// How much of the queue is in memory, and when to load more.
    struct Loading: Hashable, Sendable {
        enum Extent: Hashable, Sendable {
            /// It has not been loaded yet.
            case none
            /// The last load found more than fits into memory at once.
            case part
            case all
        }

        /// The import that runs beside the sync and fills the queue.
        enum Feed: Hashable, Sendable {
            /// Everything that it has put into the queue so far was loaded.
            case isRead
            /// The queue has entries that were not loaded.
            case hasMore
        }

        var extent = Extent.none
        /// Whether the queue may hold unknown entries; known ones proceed meanwhile.
        var isWanted = true
        var feed: Feed?
        /// Entries that ended while the queue was being loaded, whose loaded state may be outdated.
        var ended: Set<AssetID> = []
        var retry = Retry()
    }

    /// Steps that the changes of the view need, in this order.
    enum ChangeStep: Hashable, Sendable {
        /// There may be local changes that the library has not judged.
        case push
        /// The change feed has something new.
        case pull
        /// The view is to be compared with the library's.
        case compare
    }
}
