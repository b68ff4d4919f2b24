package import Authorization
package import LibraryAPI
package import PhotoModel

/// One append to an upload.
package struct Append: Hashable, Sendable {
    /// The asset.
    package var assetID: AssetID
    /// The resource to send.
    package var resourceID: ResourceID
    /// The receiving upload.
    package var uploadID: UploadID
    /// The offset of the first byte.
    package var offset: Int64
    /// The number of bytes.
    package var byteCount: Int64
    /// Whether they complete the upload.
    package var isLast: Bool
}

/// An action requested by the machine; each gets exactly one event in response.
package enum SyncAction: Hashable, Sendable {
    /// Load the entries owed to the library.
    case load
    /// Make contact: `POST /v1/heartbeat`.
    case contact
    /// Fetch what the device may do.
    case authorize
    /// Long-poll until the grant's version differs from this one, or the timeout (seconds) passes.
    case awaitDecision(after: UInt64, waitSeconds: Int)
    /// Request a level.
    case request(AccessLevel)
    /// Send small assets together.
    case batch([AssetID])
    /// Send an asset's manifest.
    case describe(AssetID)
    /// Query an upload's offset.
    case position(AssetID, UploadID)
    /// Append to an upload.
    case append(Append)
    /// Make an asset visible.
    case commit(AssetID)
    /// Push local changes.
    case push
    /// Fetch changes of the view, waiting up to this many seconds for one.
    case pull(waitSeconds: Int)
    /// Compare the view with the library's by hashes, and repair differences.
    case compare
    /// Record why entries wait.
    case hold([AssetID], HoldReason)
    /// Record that entries no longer wait.
    case release([AssetID])
    /// Move an entry to the dead letters.
    case reject(AssetID, String)

    /// Whether it only affects the box's own store.
    package var isLocal: Bool {
        switch self {
        case .load, .hold, .release, .reject: true
        default: false
        }
    }

    /// Whether it only waits for news, so that everything else proceeds in parallel.
    package var isListening: Bool {
        switch self {
        case .pull(let seconds): seconds > 0
        case .awaitDecision: true
        default: false
        }
    }
}

/// The outcome of an action.
package enum SyncEvent: Hashable, Sendable {
    /// Entries owed to the library, oldest first.
    case loaded([SyncEntry])
    /// The library responded to a contact.
    case contacted(ContactOutcome)
    /// What the device may do.
    case authorized(SyncAction, SyncAuthorization)
    /// A batch completed; rejected assets come with their failure.
    case batched(SyncAction, committed: [AssetID], refused: [AssetID: SyncFailure])
    /// An asset's uploads.
    case described(AssetID, [UploadStatus])
    /// An upload's offset, from a query or after an append.
    case positioned(AssetID, UploadID, offset: Int64, isComplete: Bool)
    /// An asset is in the library and its receipt is stored.
    case committed(AssetID)
    /// Changes were pushed, or there were none.
    case pushed(PushOutcome)
    /// A page of changes was applied.
    case pulled(SyncAction, PullOutcome)
    /// The view was compared; this many entities were repaired.
    case compared(Int)
    /// A local action completed.
    case noted(SyncAction)
    /// An action failed.
    case failed(SyncAction, SyncFailure)
    /// Something new was captured, or a person wants an immediate try.
    case woken
    /// The import that runs beside the sync has added to the queue, or has ended.
    case fed(isLast: Bool)
    /// Time passed.
    case ticked
}

/// The outcome of a push.
package struct PushOutcome: Hashable, Sendable {
    /// Changes judged by the library.
    package var judged: Int
    /// How many of those it refused.
    package var refused: Int
    /// Whether more are pending.
    package var hasMore: Bool

    /// The default means that there was nothing to push.
    package init(judged: Int = 0, refused: Int = 0, hasMore: Bool = false) {
        self.judged = judged
        self.refused = refused
        self.hasMore = hasMore
    }
}

/// The outcome of a pull.
package struct PullOutcome: Hashable, Sendable {
    /// Entities on the page.
    package var count: Int
    /// Whether more is available already.
    package var hasMore: Bool

    package init(count: Int = 0, hasMore: Bool = false) {
        self.count = count
        self.hasMore = hasMore
    }
}
