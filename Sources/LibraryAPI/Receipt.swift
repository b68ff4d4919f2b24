package import PhotoModel

/// The server's statement that every resource of an asset is durable; only then may local bytes be freed.
///
/// The signature covers `canonicalBytes`, which does not depend on JSON formatting: ASCII lines, each ended by a line
/// feed,
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
/// with one `resource` line per resource, ordered by identifier. Every value has one spelling, so two receipts are
/// equal exactly if their bytes are.
package struct Receipt: Hashable, Sendable, Codable {
    /// One durable resource.
    package struct Resource: Hashable, Sendable, Codable {
        /// The resource's identifier.
        package let id: ResourceID
        /// Its role.
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

        /// The receipt's view of a resource.
        package init(_ resource: AssetResource) {
            self.init(id: resource.id, type: resource.type, byteCount: resource.byteCount, digest: resource.digest)
        }
    }

    /// The library.
    package let libraryID: LibraryID
    /// The history that the change number belongs to.
    package let libraryEpoch: LibraryEpoch
    /// The device that sent the asset; nil for an operator.
    package let deviceID: DeviceID?
    /// The asset's identifier.
    package let assetID: AssetID
    /// The change that made it visible.
    package let changeNumber: ChangeNumber
    /// The server's time at the commit.
    package let time: WallTime
    /// Every resource of the asset, ordered by identifier.
    package let resources: [Resource]

    /// Creates a receipt, sorting the resources.
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

    /// The signed bytes.
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

    /// Whether the receipt is for this asset and names every one of its resources, byte for byte.
    ///
    /// - Parameters:
    ///   - assetID: the asset whose local bytes are to be freed.
    ///   - resources: all of its locally held resources.
    /// - Returns: true only if the receipt covers everything held.
    package func covers(_ assetID: AssetID, resources: [AssetResource]) -> Bool {
        self.assetID == assetID && !resources.isEmpty && Set(resources.map(Resource.init)).isSubset(of: self.resources)
    }
}

/// A receipt with the server's signature over its canonical bytes.
package struct SignedReceipt: Hashable, Sendable, Codable {
    /// The receipt.
    package let receipt: Receipt
    /// The server key that signed it.
    package let keyID: String
    /// The signature; its algorithm is the key's.
    package let signature: Base64Bytes

    /// Takes the parts without verifying them.
    package init(receipt: Receipt, keyID: String, signature: [UInt8]) {
        self.receipt = receipt
        self.keyID = keyID
        self.signature = Base64Bytes(signature)
    }
}

/// Earlier receipts, on `Endpoint.receipts`.
package struct ReceiptPage: Hashable, Sendable, Codable {
    /// In change number order.
    package var receipts: [SignedReceipt]
    /// Where the next page begins; nil on the last page.
    package var next: ChangeNumber?

    package init(receipts: [SignedReceipt], next: ChangeNumber? = nil) {
        self.receipts = receipts
        self.next = next
    }
}
