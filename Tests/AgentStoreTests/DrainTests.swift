import LibraryAPI
import Persistence
import PhotoModel
import Testing

@testable import AgentStore

/// A box that is being retired: what it still takes in, and what it remembers of that.
struct DrainTests {
    private let folder = StoreFolder()

    @Test("Once the list is closed only shots that had been begun are taken in; taken back, everything is")
    func closed() throws {
        let store = try folder.open()
        try store.setDevice(Receipts.device)
        try store.add(Draft.photo(1), now: Draft.start)
        try store.beginDraining()
        try store.add(Draft.photo(2), now: Draft.start)
        let begun = Draft.photo(3).manifest.id
        try store.closeDraining(begun: [begun])
        try store.closeDraining(begun: [Draft.photo(4).manifest.id])
        #expect(try store.draining() == DrainRecord(device: Receipts.device, begun: [begun]), "it closes once")
        try store.add(Draft.photo(3), now: Draft.start)
        try store.add(Draft.photo(1), now: Draft.start)
        for drafts in [[Draft.photo(4)], [Draft.photo(3), Draft.photo(5)]] {
            let error = #expect(throws: AgentStoreError.self) {
                try store.add(drafts, now: Draft.start) { _ in }
            }
            #expect(error?.code == .draining && error?.message.contains("--cancel") == true)
        }
        #expect(try store.entries().count == 3)
        #expect(try PosixFileSystem().list(store.spool).isEmpty, "nothing is left of what was refused")
        try store.endDraining()
        try store.add(Draft.photo(4), now: Draft.start)
    }

    @Test("What is left is told by pages, and only what is the device's own and not delivered")
    func pages() throws {
        let store = try folder.open()
        try store.setDevice(Receipts.device)
        let ids = (1...5).map { Draft.photo($0).manifest.id }.sorted()
        for number in 1...5 { try store.add(Draft.photo(number), now: Draft.start) }
        let first = try store.owedAssets(of: Receipts.device, after: nil, limit: 3)
        #expect(first == Array(ids.prefix(3)))
        #expect(try store.owedAssets(of: Receipts.device, after: first.last, limit: 3) == Array(ids.suffix(2)))
        try store.reject(ids[4], "refused")
        let entry = try #require(try store.entry(ids[3]))
        try store.commit(Receipts.receipt(for: entry), of: ids[3], verifiedBy: { _ in true }, now: Draft.start)
        #expect(try store.owedAssets(of: Receipts.device, after: ids[2], limit: 3).isEmpty)
        #expect(try store.owedAssets(of: DeviceID(rawValue: 99), after: nil, limit: 3).isEmpty)
    }

    @Test("A box that is another device now is not being retired any more, and a restart forgets nothing")
    func remembered() throws {
        do {
            let store = try folder.open()
            try store.beginDraining()
            #expect(try store.draining() == nil, "a box that is no device yet cannot be retired")
            try store.setDevice(Receipts.device)
            try store.beginDraining()
            try store.closeDraining(begun: [])
            try store.noteDrained()
        }
        let store = try folder.open()
        #expect(try store.draining()?.isEnded == true)
        #expect(throws: AgentStoreError.self) { try store.add(Draft.photo(1), now: Draft.start) }
        try store.setDevice(DeviceID(rawValue: 6))
        #expect(try store.draining() == nil)
        try store.add(Draft.photo(1), now: Draft.start)
    }
}
