package import PhotoModel

/// The server's word that every resource of an asset is durable; only then may local bytes go.
///
/// What is signed is `canonicalBytes`, which does not depend on how JSON is written: lines of ASCII ended by a line feed,
///
///     tintype-receipt-1
///     library <uuid>
///     epoch <uuid>
///     device <id, or "-">
///     asset <uuid>
///     change <number>
///     time <ISO 8601, UTC>
///     resource <uuid> <type> <bytes> <sha-256 in hexadecimal>
///
/// with one `resource` line a resource, ordered by the resource's identifier. Every value has one spelling, so that two
/// receipts are equal exactly when their bytes are.
package struct Receipt: Hashable, Sendable, Codable {
    /// One resource that is durable.
    package struct Resource: Hashable, Sendable, Codable {
        /// Names the resource.
        package let id: ResourceID
        /// What part it plays.
        package let type: AssetResourceType
        /// Length in bytes.
        package let byteCount: Int64
        /// SHA-256 of the bytes.
        package let digest: ContentDigest

        package init(id: ResourceID, type: AssetResourceType, byteCount: Int64, digest: ContentDigest) {
            self.id = id
            self.type = type
            self.byteCount = byteCount
            self.digest = digest
        }

        /// What a receipt says of a resource.
        package init(_ resource: AssetResource) {
            self.init(
                id: resource.id,
                type: resource.type,
                byteCount: resource.byteCount,
                digest: resource.digest
            )
        }
    }

    /// The library.
    package let libraryID: LibraryID
    /// The history that the change number counts in.
    package let libraryEpoch: LibraryEpoch
    /// Who sent the asset; nil for an operator.
    package let deviceID: DeviceID?
    /// Names the asset.
    package let assetID: AssetID
    /// The change that made it visible.
    package let changeNumber: ChangeNumber
    /// The server's time at the commit.
    package let time: WallTime
    /// Every resource of the asset, ordered by identifier.
    package let resources: [Resource]

    /// A receipt for the resources, which it brings into their order.
    package init(
        libraryID: LibraryID,
        libraryEpoch: LibraryEpoch,
        deviceID: DeviceID?,
        assetID: AssetID,
        changeNumber: ChangeNumber,
        time: WallTime,
        resources: [Resource]
    ) {
        self.libraryID = libraryID
        self.libraryEpoch = libraryEpoch
        self.deviceID = deviceID
        self.assetID = assetID
        self.changeNumber = changeNumber
        self.time = time
        self.resources = resources.sorted { $0.id < $1.id }
    }

    /// The bytes that are signed.
    package var canonicalBytes: [UInt8] {
        var text = """
            tintype-receipt-1
            library \(libraryID)
            epoch \(libraryEpoch)
            device \(deviceID?.description ?? "-")
            asset \(assetID)
            change \(changeNumber)
            time \(time)

            """
        for resource in resources.sorted(by: { $0.id < $1.id }) {
            text += "resource \(resource.id) \(resource.type.rawValue) \(resource.byteCount) \(resource.digest)\n"
        }
        return Array(text.utf8)
    }

    /// Whether the receipt is for this asset of this device and names every one of its resources, byte for byte.
    ///
    /// - Parameters:
    ///   - assetID: the asset whose local bytes are to be freed.
    ///   - resources: everything of it that is held locally.
    /// - Returns: true only when nothing that is held is missing from the receipt.
    package func covers(_ assetID: AssetID, resources: [AssetResource]) -> Bool {
        self.assetID == assetID && !resources.isEmpty && Set(resources.map(Resource.init)).isSubset(of: self.resources)
    }
}

/// A receipt with the server's signature over its canonical bytes.
package struct SignedReceipt: Hashable, Sendable, Codable {
    /// What is said.
    package let receipt: Receipt
    /// Which of the server's keys signed it.
    package let keyID: String
    /// The signature; its algorithm is the key's.
    package let signature: Base64Bytes

    /// Takes the parts as they are; nothing is verified here.
    package init(receipt: Receipt, keyID: String, signature: [UInt8]) {
        self.receipt = receipt
        self.keyID = keyID
        self.signature = Base64Bytes(signature)
    }
}

/// Receipts given before, on `Endpoint.receipts`.
package struct ReceiptPage: Hashable, Sendable, Codable {
    /// In the order of their change numbers.
    package var receipts: [SignedReceipt]
    /// Where the next page begins; nil when this is the last.
    package var next: ChangeNumber?

    package init(receipts: [SignedReceipt], next: ChangeNumber? = nil) {
        self.receipts = receipts
        self.next = next
    }
}
