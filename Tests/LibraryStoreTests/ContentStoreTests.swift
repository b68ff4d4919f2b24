import LibraryAPI
import LibraryStore
import LibraryStoreTestSupport
import Persistence
import PersistenceTestSupport
import PhotoModel
import TestSupport
import Testing

/// What plain files promise beyond the content port's contract: what another process finds.
struct ContentStoreTests {
    @Test("another process takes up sealed journals, believes only contents whose digest is right, and drops the rest")
    func recoversJournals() throws {
        let directory = try TemporaryDirectory()
        let layout = LibraryLayout(root: directory.path.appending("library"))
        let files = SimulatedFileSystem(seed: 2)
        try layout.createFolders(in: files)
        let (journal, records) = try FileContentStore(layout, in: files).journal([[1, 2, 3], [4, 5, 6]])
        files.damage(layout.journals.appending(journal)) { $0[Int(records[1].offset)] ^= 1 }
        _ = try FileContentStore(layout, in: files).beginJournal("unsealed")
        let next = FileContentStore(layout, in: files)
        let found = try next.recoverJournals()
        #expect(found.contents == 1 && found.dropped == 1)
        #expect(try next.open(records[0].address).read(9, at: 0) == [1, 2, 3])
        #expect(try next.byteCount(records[1].address) == nil)
        #expect(try next.settle([journal: [records[0].address.digest]]) == 1)
        #expect(try files.list(layout.journals) == [])
    }

    @Test("bytes that are no journal are never taken for one", arguments: 0..<60)
    func hostileJournals(cut: Int) throws {
        let directory = try TemporaryDirectory()
        let layout = LibraryLayout(root: directory.path.appending("library"))
        let files = SimulatedFileSystem(seed: 3)
        try layout.createFolders(in: files)
        let (journal, _) = try FileContentStore(layout, in: files).journal([[1, 2, 3]])
        files.damage(layout.journals.appending(journal)) { bytes in
            if cut % 2 == 0 {
                bytes.removeLast(min(bytes.count, cut + 1))
            } else {
                bytes[min(cut, bytes.count - 1)] ^= 0xFF
            }
        }
        let found = try FileContentStore(layout, in: files).recoverJournals()
        #expect(found.contents == 0)
    }
}
