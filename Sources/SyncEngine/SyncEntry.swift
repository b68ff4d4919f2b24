package import Authorization
package import LibraryAPI
package import PhotoModel

/// An asset that the library still has to get, as far as sending it needs to know.
package struct SyncEntry: Hashable, Sendable, Identifiable {
    /// Names the asset.
    package var id: AssetID
    /// The device that it belongs to.
    package var deviceID: DeviceID?
    /// Its resources.
    package var resources: [AssetResource]
    /// Whether it names an album.
    package var wantsAlbum: Bool
    /// Why it was held when it was last looked at.
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

    /// Whether it is small enough to go with others in one request.
    package var fitsBatch: Bool {
        resources.allSatisfy { $0.byteCount <= APILimits.batchResourceByteCount }
            && byteCount < 4 * APILimits.batchResourceByteCount
    }
}

/// What the library said at a contact, as far as sending needs to know.
package struct ContactResponse: Hashable, Sendable {
    /// How a box is being retired.
    package enum Drain: Hashable, Sendable {
        /// It sends what it has announced, and nothing else.
        case underWay
        /// It has sent all of it, and is none of the library's devices any more.
        case ended
    }

    /// The version of the device's grant.
    package var grantVersion: UInt64
    /// When the library wants to hear again; nil leaves it to the policy.
    package var interval: Duration?
    /// Whether the library wants assets again that it had acknowledged, so that the queue has to be read anew.
    package var wantsAgain: Bool
    /// Whether the change feed holds something that was not read yet.
    package var hasChanges: Bool
    /// Whether the link that it came over is paid by the byte.
    package var isMetered: Bool
    /// Whether the view has not been compared with the library's for long.
    package var wantsComparison: Bool
    /// How the box is being retired; nil while it is not.
    package var drain: Drain?
    /// What the box was last told that the device may do, before this contact; nil where it does not remember.
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
    /// Levels that were asked for and not decided yet.
    package var pending: Set<AccessLevel>
    /// The version of the grant that this is.
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

    /// Whether a machine that knows nothing yet may go by it, so that it need not be asked again.
    ///
    /// What waits for a decision, or may send nothing, asks: requests end, and rules change, without a new version. Where
    /// less is allowed by now than this says, the library's first refusal has it asked.
    func stands(at version: UInt64) -> Bool {
        grantVersion == version && pending.isEmpty && (readWrite.grantsAccess || addOnly.grantsAccess)
    }

    /// Whether only the version differs.
    func mayDoTheSame(as other: SyncAuthorization) -> Bool {
        readWrite == other.readWrite && addOnly == other.addOnly
    }
}

/// Why something that was tried did not happen.
package enum SyncFailure: Error, Hashable, Sendable {
    /// No answer: it may have happened, or not.
    case noAnswer(String)
    /// The server is not the pinned one, or cannot be talked to at all.
    case untrusted(String)
    /// The library refused.
    case refused(ProblemDetails)
    /// The receipt is not the pinned library's word for these bytes.
    case receiptRefused(String)
    /// The bytes on this box are not the ones that were captured.
    case damaged(String)
    /// The box's own store failed.
    case local(String)

    /// The library's name for the refusal; nil for any other failure.
    var code: ErrorCode? { if case .refused(let problem) = self { problem.code } else { nil } }

    /// What happened, for people.
    package var message: String {
        switch self {
        case .noAnswer(let text), .untrusted(let text), .receiptRefused(let text), .damaged(let text), .local(let text):
            text
        case .refused(let problem): problem.detail.isEmpty ? problem.title : problem.detail
        }
    }
}
