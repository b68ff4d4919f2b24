package import Authorization
package import LibraryAPI
package import PhotoModel

/// An asset owed to the library, with what is needed to send it.
package struct SyncEntry: Hashable, Sendable, Identifiable {
    /// The asset's identifier.
    package var id: AssetID
    /// The device it belongs to.
    package var deviceID: DeviceID?
    /// Its resources.
    package var resources: [AssetResource]
    /// Whether it requests an album.
    package var wantsAlbum: Bool
    /// Why it was held at the last check.
    package var hold: HoldReason?

    package init(
        id: AssetID,
        deviceID: DeviceID?,
        resources: [AssetResource],
        wantsAlbum: Bool = false,
        hold: HoldReason? = nil
    ) {
        self.id = id
        self.deviceID = deviceID
        self.resources = resources
        self.wantsAlbum = wantsAlbum
        self.hold = hold
    }

    /// Bytes of all resources.
    package var byteCount: Int64 { resources.reduce(0) { $0 + $1.byteCount } }

    /// Whether it is small enough for a batch.
    package var fitsBatch: Bool {
        resources.allSatisfy { $0.byteCount <= APILimits.batchResourceByteCount }
            && byteCount < 4 * APILimits.batchResourceByteCount
    }
}

/// The library's response to a contact, as far as sending needs it.
package struct ContactOutcome: Hashable, Sendable {
    /// The progress of retiring the box.
    package enum Drain: Hashable, Sendable {
        /// It sends what it announced, and nothing else.
        case underWay
        /// It has sent everything, and is no longer a device of the library.
        case ended
    }

    /// The version of the device's grant.
    package var grantVersion: UInt64
    /// When the library wants the next contact; nil leaves it to the policy.
    package var interval: Duration?
    /// Whether the library requests acknowledged assets again, so that the queue must be reloaded.
    package var wantsAgain: Bool
    /// Whether the change feed has anything unread.
    package var hasChanges: Bool
    /// Whether the link is metered.
    package var isMetered: Bool
    /// Whether a comparison of the view is overdue.
    package var wantsComparison: Bool
    /// The progress of retiring the box; nil if it is not being retired.
    package var drain: Drain?
    /// The last known authorization from before this contact; nil if the box does not remember one.
    package var remembered: SyncAuthorization?

    package init(
        grantVersion: UInt64,
        interval: Duration? = nil,
        wantsAgain: Bool = false,
        hasChanges: Bool = false,
        isMetered: Bool = false,
        wantsComparison: Bool = false,
        drain: Drain? = nil,
        remembered: SyncAuthorization? = nil
    ) {
        self.grantVersion = grantVersion
        self.remembered = remembered
        self.drain = drain
        self.wantsComparison = wantsComparison
        self.isMetered = isMetered
        self.hasChanges = hasChanges
        self.wantsAgain = wantsAgain
        self.interval = interval
    }
}

/// What the device may do.
package struct SyncAuthorization: Hashable, Sendable {
    /// The status for reading and writing.
    package var readWrite: AuthorizationStatus
    /// The status for adding.
    package var addOnly: AuthorizationStatus
    /// Requested levels that are still undecided.
    package var pending: Set<AccessLevel>
    /// The grant's version.
    package var grantVersion: UInt64

    package init(
        readWrite: AuthorizationStatus,
        addOnly: AuthorizationStatus,
        pending: Set<AccessLevel> = [],
        grantVersion: UInt64
    ) {
        self.readWrite = readWrite
        self.addOnly = addOnly
        self.pending = pending
        self.grantVersion = grantVersion
    }

    /// Whether a fresh machine may rely on it without asking again.
    ///
    /// With pending requests or without any rights, the machine asks anyway: requests end, and rules change, without a
    /// new version. If fewer rights remain than recorded here, the library's first refusal makes the machine ask.
    func stands(at version: UInt64) -> Bool {
        grantVersion == version && pending.isEmpty && (readWrite.grantsAccess || addOnly.grantsAccess)
    }

    /// Whether only the version differs.
    func mayDoTheSame(as other: SyncAuthorization) -> Bool {
        readWrite == other.readWrite && addOnly == other.addOnly
    }
}

/// Why an action failed.
package enum SyncFailure: Error, Hashable, Sendable {
    /// No response: it may or may not have happened.
    case noAnswer(String)
    /// The server is not the pinned one, or the two cannot communicate.
    case untrusted(String)
    /// The library refused.
    case refused(ProblemDetails)
    /// The receipt does not verify as the pinned library's for these bytes.
    case receiptRefused(String)
    /// The bytes on this box are not the captured ones.
    case damaged(String)
    /// The disk cannot read bytes on this box.
    case unreadable(String)
    /// The box's own store failed.
    case local(String)

    /// The library's error code; nil for any other failure.
    var code: ErrorCode? { if case .refused(let problem) = self { problem.code } else { nil } }

    /// What happened, in words.
    package var message: String {
        switch self {
        case .noAnswer(let text), .untrusted(let text), .receiptRefused(let text), .damaged(let text),
            .unreadable(let text), .local(let text):
            text
        case .refused(let problem): problem.detail.isEmpty ? problem.title : problem.detail
        }
    }
}
