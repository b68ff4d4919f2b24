package import Authorization
package import LibraryAPI
package import PhotoModel

/// One append to an upload.
package struct Append: Hashable, Sendable {
    /// The asset.
    package var assetID: AssetID
    /// The resource whose bytes go.
    package var resourceID: ResourceID
    /// The upload that takes them.
    package var uploadID: UploadID
    /// Where they begin.
    package var offset: Int64
    /// How many they are.
    package var byteCount: Int64
    /// Whether the upload ends with them.
    package var isLast: Bool
}

/// What the machine wants done; each is answered by exactly one event.
package enum SyncAction: Hashable, Sendable {
    /// Read what the library still has to get.
    case load
    /// Say hello: `POST /v1/heartbeat`.
    case contact
    /// Ask what the device may do.
    case authorize
    /// Wait at the library until the grant has another version than this, or so many seconds are over.
    case awaitDecision(after: UInt64, waitSeconds: Int)
    /// Ask for a level.
    case request(AccessLevel)
    /// Send small assets together.
    case batch([AssetID])
    /// Send an asset's manifest.
    case describe(AssetID)
    /// Ask where an upload stands.
    case position(AssetID, UploadID)
    /// Append to an upload.
    case append(Append)
    /// Make an asset visible.
    case commit(AssetID)
    /// Send the changes that were made here.
    case push
    /// Fetch what changed in the view; may wait for so many seconds until something does.
    case pull(waitSeconds: Int)
    /// Compare the view with the library's by hashes, and mend what differs.
    case compare
    /// Note why entries wait.
    case hold([AssetID], HoldReason)
    /// Note that entries wait no longer.
    case release([AssetID])
    /// Put an entry among the dead letters.
    case bury(AssetID, String)

    /// Whether it only concerns the box's own store.
    package var isLocal: Bool {
        switch self {
        case .load, .hold, .release, .bury: true
        default: false
        }
    }

    /// Whether it only waits for news, so that everything else goes on beside it.
    package var isListening: Bool {
        switch self {
        case .pull(let seconds): seconds > 0
        case .awaitDecision: true
        default: false
        }
    }
}

/// What became of an action.
package enum SyncEvent: Hashable, Sendable {
    /// Entries that the library still has to get, oldest first.
    case loaded([SyncEntry])
    /// The library answered a contact.
    case contacted(ContactResponse)
    /// What the device may do.
    case authorized(SyncAction, SyncAuthorization)
    /// A batch came through; what was not taken was refused with its failure.
    case batched(SyncAction, committed: [AssetID], refused: [AssetID: SyncFailure])
    /// An asset's uploads.
    case described(AssetID, [UploadStatus])
    /// Where an upload stands, by a question or after an append.
    case positioned(AssetID, UploadID, offset: Int64, isComplete: Bool)
    /// An asset is in the library and its receipt is stored.
    case committed(AssetID)
    /// Changes were sent, or there were none.
    case pushed(PushOutcome)
    /// A page of changes was taken in.
    case pulled(SyncAction, PullOutcome)
    /// The view was compared; so many entities were mended.
    case compared(Int)
    /// A local action was done.
    case noted(SyncAction)
    /// An action failed.
    case failed(SyncAction, SyncFailure)
    /// Something new was captured, or a person wants a try now.
    case woken
    /// Time went by.
    case ticked
}

/// What became of sending changes.
package struct PushOutcome: Hashable, Sendable {
    /// Changes that the library judged.
    package var judged: Int
    /// Those of them that it refused.
    package var refused: Int
    /// Whether more wait.
    package var hasMore: Bool

    /// Takes the numbers as they are; without any there was nothing to send.
    package init(judged: Int = 0, refused: Int = 0, hasMore: Bool = false) {
        self.judged = judged
        self.refused = refused
        self.hasMore = hasMore
    }
}

/// What became of fetching changes.
package struct PullOutcome: Hashable, Sendable {
    /// Entities of the page.
    package var count: Int
    /// Whether more is there already.
    package var hasMore: Bool

    package init(count: Int = 0, hasMore: Bool = false) {
        self.count = count
        self.hasMore = hasMore
    }
}
