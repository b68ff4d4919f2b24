package import LibraryAPI
package import PhotoModel

/// The row of one upload.
package struct UploadRecord: Hashable, Sendable {
    /// The upload's identifier; also names the staged file.
    package let id: UploadID
    /// Its asset.
    package let assetID: AssetID
    /// The resource that it receives.
    package let resourceID: ResourceID
    /// The announced digest.
    package let digest: ContentDigest
    /// The announced length.
    package let byteCount: Int64
    /// The number of durable bytes, as confirmed to the device.
    package let durableByteCount: Int64
    /// Whether every byte is durable and the digest matched.
    package let isComplete: Bool
    /// When it was last used.
    package let touched: WallTime
    /// Counts the requests that took it over, if several servers may; 0 if there is only one.
    package let turn: Int64
    /// The copy that the store made of its bytes; nil until it is complete, and in stores that name copies by uploads.
    package let copy: String?

    /// The status for a device.
    package var status: UploadStatus {
        UploadStatus(
            id: id,
            resourceID: resourceID,
            offset: durableByteCount,
            length: byteCount,
            isComplete: isComplete,
            expires: touched.advanced(by: .seconds(APILimits.uploadAgeSeconds))
        )
    }

    package init(
        id: UploadID,
        assetID: AssetID,
        resourceID: ResourceID,
        digest: ContentDigest,
        byteCount: Int64,
        durableByteCount: Int64,
        isComplete: Bool,
        touched: WallTime,
        turn: Int64 = 0,
        copy: String? = nil
    ) {
        self.id = id
        self.assetID = assetID
        self.resourceID = resourceID
        self.digest = digest
        self.byteCount = byteCount
        self.durableByteCount = durableByteCount
        self.isComplete = isComplete
        self.touched = touched
        self.turn = turn
        self.copy = copy
    }
}

extension UploadRecord {
    /// The progress of its current turn.
    func progress(to byteCount: Int64, isComplete: Bool = false, copy: String? = nil) -> UploadProgress {
        UploadProgress(id: id, durableByteCount: byteCount, isComplete: isComplete, turn: turn, copy: copy)
    }

    /// The status for a device once progress was recorded: only this turn could record any.
    func status(after progress: UploadProgress, at time: WallTime) -> UploadStatus {
        var status = status
        status.offset = progress.durableByteCount
        status.isComplete = progress.isComplete
        status.expires = time.advanced(by: .seconds(APILimits.uploadAgeSeconds))
        return status
    }
}

/// Newly durable bytes of an upload.
package struct UploadProgress: Hashable, Sendable {
    /// The upload.
    package let id: UploadID
    /// The number of durable bytes.
    package let durableByteCount: Int64
    /// Whether it is complete, with the right digest.
    package let isComplete: Bool
    /// The turn of the request that brought them; see ``UploadRecord/turn``.
    package let turn: Int64
    /// The copy that the store made, once complete; see ``UploadRecord/copy``.
    package let copy: String?

    package init(id: UploadID, durableByteCount: Int64, isComplete: Bool, turn: Int64 = 0, copy: String? = nil) {
        self.id = id
        self.durableByteCount = durableByteCount
        self.isComplete = isComplete
        self.turn = turn
        self.copy = copy
    }
}
