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
    private let files: SimulatedFileSystem
    private let layout = LibraryLayout(root: Path("/library"))

    init() throws {
        files = SimulatedFileSystem(seed: 2)
        try layout.createFolders(in: files)
    }

    /// The store as another process finds it.
    private var store: FileContentStore<SimulatedFileSystem> {
        FileContentStore(layout, in: files, blocking: BlockingPool(width: 1))
    }

    /// A sealed journal with these contents, and what it is called.
    private func journal(_ contents: [[UInt8]]) async throws -> (name: String, publications: [Publication]) {
        let (_, publications) = try await store.receivedBatch(contents)
        return (try #require(try files.list(layout.journals).first), publications)
    }

    @Test("another process takes up sealed journals, believes only contents whose digest is right, and drops the rest")
    func recoversJournals() async throws {
        let (journal, publications) = try await journal([[1, 2, 3], [4, 5, 6]])
        guard case .batch(_, let offset) = publications[1].source else {
            Issue.record("a journal's content has a place in it")
            return
        }
        files.damage(layout.journals.appending(journal)) { $0[Int(offset)] ^= 1 }
        _ = try await store.receiveBatch("unsealed")
        let next = store
        let found = try await next.recover()
        #expect(found.contents == 1 && found.dropped == 1)
        #expect(try await next.open(publications[0].address).read(9, at: 0) == [1, 2, 3])
        #expect(try await next.byteCount(publications[1].address) == nil)
        #expect(try await next.settle { Set($0) } == 1)
        #expect(try files.list(layout.journals) == [])
    }

    @Test("what settling left half done is no upload, and goes at the next start")
    func halfSettled() async throws {
        let left = layout.staging.appending("batch-j-8")
        try files.writeAtomically(left, [1, 2, 3])
        #expect(try await store.receptions() == [])
        _ = try await store.recover()
        #expect(try files.status(left) == nil)
    }

    @Test("what a batch brought is a plain file once it is settled, and only what was wanted")
    func settles() async throws {
        let content = store
        let (batch, publications) = try await content.receivedBatch([[1, 2, 3], [4]])
        for result in await content.publish(publications) { _ = try result.get() }
        var seen: Set<ContentAddress> = []
        try await content.visit { seen.formUnion($0.compactMap(\.address)) }
        #expect(seen == [], "it lies in the journal")
        #expect(content.unsettledByteCount == 4)
        batch.end()
        #expect(try await content.settle { $0.isEmpty ? [] : [publications[0].address.digest] } == 1)
        try await content.visit { seen.formUnion($0.compactMap(\.address)) }
        #expect(seen == [publications[0].address])
        #expect(try await content.byteCount(publications[1].address) == nil, "nobody wanted it")
        #expect(try files.list(layout.journals) == [])
    }

    @Test("T87: bytes published again, by commits that race or by uploads of the same bytes, are not read again")
    func publishedAgain() async throws {
        let chunkCount = 16
        let content = store
        func contents(_ byte: UInt8) -> [UInt8] {
            [UInt8](repeating: byte, count: chunkCount * StagingFile.chunkByteCount)
        }
        func calls(_ publications: [Publication]) async throws -> Int {
            let before = files.calls
            for result in await content.publish(publications) { _ = try result.get() }
            return files.calls - before
        }
        let first = try await content.received(contents(1), as: .a)
        let once = try await calls([first])
        let twin = try await content.received(contents(1), as: .b)
        #expect(try await calls([first, twin]) < chunkCount, "a stale plan, and another upload")
        try await content.discard([UploadID.a, .b].map(\.description))
        #expect(try await calls([first]) < chunkCount, "a commit after the upload is gone")
        // Several at once, of which none is durable before.
        let (other, otherTwin) = (
            try await content.received(contents(2), as: .a), try await content.received(contents(2), as: .b)
        )
        #expect(try await calls([other, otherTwin, other]) < once + chunkCount)
        // What went to quarantine is trusted no more.
        _ = try await content.quarantine(other.address, isDamaged: true)
        #expect(try await content.byteCount(other.address) == nil)
        _ = try await calls([otherTwin])
        #expect(try await content.byteCount(other.address) == other.byteCount)
    }

    @Test("T120: an upload that is taken up again and again is read at most once by each process")
    func takenUpAgain() async throws {
        let chunkCount = 16
        let half = [UInt8](repeating: 5, count: chunkCount * StagingFile.chunkByteCount)
        let whole = half + [1, 2]
        let content = store
        let first = try await content.reception(of: .a, for: whole)
        try await first.append(half[...])
        let durable = try await first.keep()
        for _ in 0..<3 {
            let before = files.calls
            let again = try await content.reception(of: .a, for: whole, durableByteCount: durable)
            #expect(files.calls - before < chunkCount)
            #expect(again.digest == ContentHasher.digest(half))
        }
        // A process that did not receive the bytes, whose first request breaks off before it sends any.
        let next = store
        var calls: [Int] = []
        for _ in 0..<2 {
            let before = files.calls
            _ = try await next.reception(of: .a, for: whole, durableByteCount: durable)
            calls.append(files.calls - before)
        }
        #expect(calls[0] >= chunkCount && calls[1] < chunkCount, "\(calls)")
        let last = try await next.reception(of: .a, for: whole, durableByteCount: durable)
        try await last.append(whole[half.count...])
        #expect(try await last.finish(ContentHasher.digest(whole)))
    }

    @Test("bytes that are no journal are never taken for one", arguments: 0..<60)
    func hostileJournals(cut: Int) async throws {
        let (journal, _) = try await journal([[1, 2, 3]])
        files.damage(layout.journals.appending(journal)) { bytes in
            if cut % 2 == 0 {
                bytes.removeLast(min(bytes.count, cut + 1))
            } else {
                bytes[min(cut, bytes.count - 1)] ^= 0xFF
            }
        }
        let found = try await store.recover()
        #expect(found.contents == 0)
    }
}
