import AgentStore
import Dispatch
import LibraryAPI
import PhotoModel
import Testing

/// Answers of a library, or of a proxy before it, that an honest one never gives.
struct LibraryAttackTests {
    private let folder = StoreFolder()

    private func store() throws -> AgentStore {
        let store = try folder.open()
        try store.setDevice(Receipts.device)
        return store
    }

    @Test("T98: reasons that only look the same, for albums that two assets do not join, are counted as one reason")
    func equalReasons() throws {
        let store = try store()
        let composed = AlbumOutcome.DeferralReason(rawValue: "caf\u{E9}")
        let decomposed = AlbumOutcome.DeferralReason(rawValue: "cafe\u{301}")
        for number in 1...2 { try store.add(Draft.photo(number), now: Draft.start) }
        let ids = try store.entries().map(\.id)
        try store.noteAlbums([ids[0]: .deferred(composed), ids[1]: .deferred(decomposed)])
        #expect(try store.deferredAlbums() == [composed: 2])
    }

    @Test("T103: a receipt of a history that the library left, shown again, frees nothing that is offered again")
    func formerReceipts() throws {
        let store = try store()
        #expect(try store.offerAgain(unlessOf: LibraryEpoch(rawValue: 1)) == 0)
        let entry = try store.add(Draft.photo(1), now: Draft.start)
        let old = Receipts.receipt(for: entry)
        try store.commit(old, of: entry.id, verifiedBy: { _ in true }, now: Draft.start)
        // The library was restored, twice, from a backup that does not have the photo.
        for epoch: UInt128 in 2...3 { _ = try store.offerAgain(unlessOf: LibraryEpoch(rawValue: epoch)) }
        for epoch: UInt128 in 1...2 {
            let receipt = Receipts.receipt(for: entry, epoch: epoch)
            let refused = try store.commit([entry.id: receipt], verifiedBy: { _ in true }, now: Draft.start)
            #expect(refused[entry.id]?.code == .receiptRefused)
        }
        #expect(try store.freeRetained(after: .zero, now: Draft.start).count == 0)
        #expect(try store.owed(limit: 9).map(\.id) == [entry.id])
        // The present one's, and one's that the library has not announced yet.
        for (number, epoch) in [(1, 3), (2, 4)] as [(Int, UInt128)] {
            let entry = try store.add(Draft.photo(number), now: Draft.start)
            let receipt = Receipts.receipt(for: entry, epoch: epoch)
            #expect(try store.commit([entry.id: receipt], verifiedBy: { _ in true }, now: Draft.start).isEmpty)
        }
        #expect(try store.freeRetained(after: .zero, now: Draft.start).count == 2)
    }

    @Test("T155: a photo freed by a receipt of a history that the library left is new when its file is imported again")
    func freedByFormerHistory() throws {
        let store = try store()
        #expect(try store.offerAgain(unlessOf: LibraryEpoch(rawValue: 1)) == 0)
        // The second one is saved after the restore, of which the box does not know yet.
        for number in 1...2 {
            try store.add([Draft.photo(number)], now: Draft.start) { try $0.rememberImports([1], of: "/card") }
            let entry = try #require(try store.entries().last)
            let receipt = Receipts.receipt(for: entry, epoch: UInt128(number))
            #expect(try store.commit([entry.id: receipt], verifiedBy: { _ in true }, now: Draft.start).isEmpty)
        }
        #expect(try store.freeRetained(after: .zero, now: Draft.start).count == 2)
        #expect(try store.offerAgain(unlessOf: LibraryEpoch(rawValue: 2)) == 0)
        #expect(try store.entries().map(\.id) == [Draft.photo(2).manifest.id])
        #expect(try store.imports(of: "/card").isEmpty, "its folder is read again")
        let entry = try store.add(Draft.photo(1), now: Draft.start)
        #expect(entry.state == .captured)
        #expect(try store.damage(of: entry) == nil)
    }

    @Test("T167: a freed photo whose bytes the library lost is new when its file is imported again; others stay known")
    func freedAndLost() throws {
        let store = try store()
        _ = try store.offerAgain(unlessOf: LibraryEpoch(rawValue: 1))
        for number in 1...3 {
            let entry = try store.add(Draft.photo(number), now: Draft.start)
            let receipt = Receipts.receipt(for: entry)
            try store.commit(receipt, of: entry.id, verifiedBy: { _ in true }, now: Draft.start)
            if number == 2 { #expect(try store.freeRetained(after: .zero, now: Draft.start).count == 2) }
        }
        let ids = (1...3).map { Draft.photo($0).manifest.id }
        #expect(try store.fact(.forgettingCount) == nil)
        #expect(try store.offerAgain([ids[0], ids[2]]) == 1, "the one that is still here")
        #expect(try store.entries().map(\.id) == [ids[1], ids[2]])
        #expect(try store.entries().map(\.state) == [.freed, .captured])
        #expect(try store.fact(.forgettingCount) == 1, "watched folders are read again")
        #expect(try store.add(Draft.photo(1), now: Draft.start).state == .captured)
    }

    @Test("A receipt that crosses the news of another history proves nothing, whichever comes first")
    func crossingReceipt() throws {
        let store = try store()
        for round: UInt128 in 1...40 {
            _ = try store.offerAgain(unlessOf: LibraryEpoch(rawValue: round))
            let entry = try store.add(Draft.photo(Int(round)), now: Draft.start)
            let receipt = Receipts.receipt(for: entry, epoch: round)
            let next = LibraryEpoch(rawValue: round + 1)
            DispatchQueue.concurrentPerform(iterations: 2) { side in
                if side == 0 {
                    _ = try? store.commit([entry.id: receipt], verifiedBy: { _ in true }, now: Draft.start)
                } else {
                    _ = try? store.offerAgain(unlessOf: next)
                }
            }
            #expect(try store.entry(entry.id)?.state == .captured, "round \(round)")
        }
    }

    @Test("T103: a history that the library goes back to is no longer a former one; only the latest are remembered")
    func returnedHistory() throws {
        let store = try store()
        let entry = try store.add(Draft.photo(1), now: Draft.start)
        let receipt = Receipts.receipt(for: entry)
        for epoch: UInt128 in [1, 2, 1] { _ = try store.offerAgain(unlessOf: LibraryEpoch(rawValue: epoch)) }
        #expect(try store.commit([entry.id: receipt], verifiedBy: { _ in true }, now: Draft.start).isEmpty)
        for epoch: UInt128 in 3..<100 { _ = try store.offerAgain(unlessOf: LibraryEpoch(rawValue: epoch)) }
        let refused = try store.commit(
            [entry.id: Receipts.receipt(for: entry, epoch: 98)],
            verifiedBy: { _ in true },
            now: Draft.start
        )
        #expect(refused[entry.id]?.code == .receiptRefused)
    }
}
