import AgentStore
import LibraryAPI
import PhotoModel
import Testing

extension AgentStore {
    /// Stores the receipt of a library's first history for an entry, and frees its bytes.
    func saveAndFree(_ entry: QueueEntry) throws {
        let receipt = Receipt(
            libraryID: LibraryID(rawValue: 1),
            libraryEpoch: LibraryEpoch(rawValue: 1),
            deviceID: entry.deviceID,
            assetID: entry.id,
            changeNumber: ChangeNumber(rawValue: 1),
            time: entry.addedAt,
            resources: entry.manifest.resources.map(Receipt.Resource.init)
        )
        let signed = SignedReceipt(receipt: receipt, keyID: "0123456789abcdef", signature: [1])
        let refused = try commit([entry.id: signed], verifiedBy: { _ in true }, now: entry.addedAt)
        #expect(refused.isEmpty)
        let report = try freeRetained(after: .zero, now: entry.addedAt)
        #expect(report.count == 1)
    }
}
