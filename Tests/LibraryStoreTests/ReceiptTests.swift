import GRDB
import LibraryAPI
import PhotoModel
import Testing

@testable import LibraryStore

struct ReceiptTests {
    @Test("T88: a device's receipts are found without those of others, whose number nothing tells")
    func own() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.create()
        let (device, other) = (StoreCaller.device(StoreFixture.device), StoreCaller.device(StoreFixture.otherDevice))
        var saved: [SignedReceipt] = []
        for caller in [device, other, device, other, device] {
            let (manifest, bytes) = fixture.capture(sizes: [10])
            saved.append(try await fixture.save(manifest, bytes, by: caller, to: store).receipt)
        }
        let first = try await store.metadata.receipts(of: device, after: .zero, limit: 2)
        #expect(first.receipts == [saved[0], saved[2]])
        let rest = try await store.metadata.receipts(of: device, after: try #require(first.next), limit: 2)
        #expect(rest.receipts == [saved[4]] && rest.next == nil)
        let all = try await store.metadata.receipts(of: .administrator("ana"), after: .zero, limit: 9)
        #expect(all.receipts == saved)

        let metadata = try #require(store.metadata as? SQLMetadataStore)
        let plan = try await metadata.database.read { database in
            try Row.fetchAll(
                database,
                sql: "EXPLAIN QUERY PLAN " + SQLMetadataStore.receipts(ofOne: true),
                arguments: [StoreFixture.device.blob, 0, 9]
            ).map { $0["detail"] as String }
        }
        #expect(plan == ["SEARCH receipt USING INDEX receipt_owner (owner=? AND number>?)"], "\(plan)")
    }
}
