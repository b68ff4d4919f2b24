package import LibraryAPI
package import PhotoModel

/// One upload as its row has it.
package struct UploadRecord: Hashable, Sendable {
    /// Names the upload; also the staged file.
    package let id: UploadID
    /// The asset that it is for.
    package let assetID: AssetID
    /// The resource whose bytes it takes.
    package let resourceID: ResourceID
    /// The digest that was announced.
    package let digest: ContentDigest
    /// The length that was announced.
    package let byteCount: Int64
    /// Bytes that were promised.
    package let durableByteCount: Int64
    /// Whether every byte is durable and the digest was right.
    package let isComplete: Bool
    /// When somebody last touched it.
    package let touched: WallTime

    /// What a device is told.
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
}

/// Bytes of an upload that have become durable.
package struct UploadProgress: Hashable, Sendable {
    /// The upload.
    package let id: UploadID
    /// Bytes that are durable now.
    package let durableByteCount: Int64
    /// Whether that is all of them, and the digest was right.
    package let isComplete: Bool

    package init(id: UploadID, durableByteCount: Int64, isComplete: Bool) {
        self.id = id
        self.durableByteCount = durableByteCount
        self.isComplete = isComplete
    }
}
