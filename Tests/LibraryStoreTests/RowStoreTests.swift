import Foundation
import LibraryAPI
import Persistence
import PersistenceTestSupport
import PhotoModel
import Testing

@testable import LibraryStore

/// The embedded engine, held to the contract of the database below the metadata.
struct RowStoreTests {
    @Test("the rows' port, embedded: SQLite", arguments: RowStoreContract.promises)
    func sqlite(promise: RowStoreContract) async throws {
        let directory = try TemporaryDirectory()
        let metadata = try store(in: directory)
        try await promise.check(metadata.store)
        withExtendedLifetime(directory) {}
    }

    @Test("a record takes over the secondary key of another one")
    func secondary() async throws {
        let directory = try TemporaryDirectory()
        let metadata = try store(in: directory)
        let key = ContentHasher.digest("key".utf8)
        for number: UInt128 in [1, 2, 2] {
            let record = StoredRecord(id: RecordID(rawValue: number), secondary: key, document: "\(number)")
            _ = try await metadata.updateRecord(record.id, of: .webLogin, audit: nil) { _ in record }
        }
        #expect(try await metadata.record(of: .webLogin, withSecondary: key)?.document == "2")
        #expect(try await metadata.records(of: .webLogin).count == 1)
    }

    private func store(in directory: TemporaryDirectory) throws -> SQLMetadataStore {
        try SQLMetadataStore(
            LibraryLayout(root: directory.path),
            library: LibraryID(rawValue: 1),
            isNew: true,
            effects: StoreFixture().effects,
            blocking: BlockingPool(width: 1)
        )
    }
}
