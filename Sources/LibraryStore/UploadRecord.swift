package import LibraryAPI
package import PhotoModel

/// The row of one upload.
package struct UploadRecord: Hashable, Sendable {
    /// The upload's identifier; also names the staged file.
    package let id: UploadID
    /// Its asset.
    package let assetID: AssetID
    /// The resource whose bytes it takes.
    package let resourceID: ResourceID
    /// The announced digest.
    package let digest: ContentDigest
    /// The announced length.
    package let byteCount: Int64
    /// The number of durable bytes, which were promised.
    package let durableByteCount: Int64
    /// Whether every byte is durable and the digest matched.
    package let isComplete: Bool
    /// When somebody last touched it.
    package let touched: WallTime

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
        touched: WallTime
    ) {
        self.id = id
        self.assetID = assetID
        self.resourceID = resourceID
        self.digest = digest
        self.byteCount = byteCount
        self.durableByteCount = durableByteCount
        self.isComplete = isComplete
        self.touched = touched
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

    package init(id: UploadID, durableByteCount: Int64, isComplete: Bool) {
        self.id = id
        self.durableByteCount = durableByteCount
        self.isComplete = isComplete
    }
}
