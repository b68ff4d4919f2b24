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
}

/// What became of an action.
package enum SyncEvent: Hashable, Sendable {
    /// Entries that the library still has to get, oldest first.
    case loaded([SyncEntry])
    /// The library answered a contact.
    case contacted(ContactAnswer)
    /// What the device may do.
    case authorized(SyncAction, SyncAuthorization)
    /// A batch came through; assets that are missing here were refused with their failure.
    case batched(committed: [AssetID], refused: [AssetID: SyncFailure])
    /// An asset's uploads.
    case described(AssetID, [UploadStatus])
    /// Where an upload stands, by a question or after an append.
    case positioned(AssetID, UploadID, offset: Int64, isComplete: Bool)
    /// An asset is in the library and its receipt is stored.
    case committed(AssetID)
    /// A local action was done.
    case noted(SyncAction)
    /// An action failed.
    case failed(SyncAction, SyncFailure)
    /// Something new was captured, or a person wants a try now.
    case woken
    /// Time went by.
    case ticked
}
