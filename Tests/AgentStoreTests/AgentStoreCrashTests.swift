import AgentStore
import LibraryAPI
import Persistence
import PhotoModel
import Testing

struct AgentStoreCrashTests {
    /// Fails the nth call of an action on a fresh store, opens it again, and checks; n = 1, 2, … until nothing fails.
    private func everyCall(
        with fault: FaultyFileSystem.Fault,
        _ action: (AgentStore) throws -> Void,
        check: (AgentStore, _ isReported: Bool, _ call: Int) throws -> Void
    ) throws -> Int {
        for call in 1...500 {
            let folder = StoreFolder()
            let fileSystem = FaultyFileSystem()
            var isReported = false
            do {
                let store = try folder.open(fileSystem)
                fileSystem.fail(call, with: fault)
                do {
                    try action(store)
                    isReported = true
                } catch {
                    isReported = false
                }
            }
            let isThrough = fileSystem.calls < call
            for _ in 0..<2 { try check(try folder.open(), isReported, call) }
            if isThrough { return call - 1 }
        }
        return 500
    }

    @Test(
        "Promise 1: whatever call fails, a reported Live Photo is there with both parts, and none is there by half",
        arguments: FaultyFileSystem.Fault.allCases
    )
    func capture(fault: FaultyFileSystem.Fault) throws {
        let draft = Draft.livePhoto(1)
        let calls = try everyCall(with: fault) {
            try $0.add(draft, now: Draft.start)
        } check: { store, isReported, call in
            let entries = try store.entries()
            #expect(entries.count <= 1)
            if isReported { #expect(entries.map(\.id) == [draft.manifest.id], "lost after call \(call)") }
            for entry in entries {
                #expect(entry.manifest.resources.map(\.type) == [.photo, .pairedVideo])
                #expect(try store.damage(of: entry) == nil)
            }
            #expect(try PosixFileSystem().list(store.spool).isEmpty, "the spool leaks after call \(call)")
        }
        #expect(calls > 15)
    }

    @Test(
        "Promise 5: a capture that is tried again after any failure is one asset",
        arguments: FaultyFileSystem.Fault.allCases
    )
    func retry(fault: FaultyFileSystem.Fault) throws {
        let draft = Draft.livePhoto(1)
        _ = try everyCall(with: fault) {
            try $0.add(draft, now: Draft.start)
        } check: { store, _, _ in
            let entry = try store.add(draft, now: Draft.start)
            #expect(try store.entries().map(\.id) == [entry.id])
            #expect(try store.damage(of: entry) == nil)
            #expect(try PosixFileSystem().list(store.root.appending("originals")).count == 1)
        }
    }

    @Test(
        "Promise 1: whatever call fails while several captures are taken in, reported ones are whole, and none is by half",
        arguments: FaultyFileSystem.Fault.allCases
    )
    func together(fault: FaultyFileSystem.Fault) throws {
        let drafts = [Draft.livePhoto(1), Draft.photo(3), Draft.photo(4)]
        let calls = try everyCall(with: fault) {
            try $0.add(drafts, now: Draft.start) { _ in }
        } check: { store, isReported, call in
            let entries = try store.entries()
            if isReported {
                #expect(Set(entries.map(\.id)) == Set(drafts.map(\.manifest.id)), "lost after call \(call)")
            }
            for entry in entries { #expect(try store.damage(of: entry) == nil) }
            #expect(try PosixFileSystem().list(store.spool).isEmpty, "the spool leaks after call \(call)")
        }
        #expect(calls > 15)
    }

    @Test("Promise 4: whatever call fails while bytes are freed, the entry says so and nothing else goes")
    func freeing() throws {
        let kept = Draft.photo(2)
        let gone = Draft.photo(1)
        _ = try everyCall(with: .powerCut) { store in
            try store.setDevice(Receipts.device)
            try store.add(gone, now: Draft.start)
            try store.add(kept, now: Draft.start)
            guard let entry = try store.entry(gone.manifest.id) else { return }
            try store.commit(Receipts.receipt(for: entry), of: entry.id, verifiedBy: { _ in true }, now: Draft.start)
            _ = try store.freeRetained(after: .zero, now: Draft.start)
        } check: { store, _, _ in
            for entry in try store.entries() where entry.state != .freed {
                #expect(try store.damage(of: entry) == nil)
            }
            for entry in try store.entries(states: ["freed"]) {
                #expect(entry.receipt != nil)
                #expect(try PosixFileSystem().status(store.folder(of: entry.id)) == nil)
            }
        }
    }

    /// The real file system, which cannot read the files of a folder.
    private struct BadSectors: LayeredFileSystem {
        let base: any FileSystem = PosixFileSystem()
        let folder: Path

        func open(_ path: Path, _ mode: OpenMode) throws(PersistenceError) -> any OpenFile {
            guard path.parent != folder else { throw PersistenceError(.inputOutput, "open", path.text, "planted") }
            return try base.open(path, mode)
        }

        func status(_ path: Path) throws(PersistenceError) -> FileStatus? { try base.status(path) }
    }

    @Test("T159: of captures whose rows the power took, one that cannot be read or is damaged keeps no others out")
    func unreadable() throws {
        let folder = StoreFolder()
        let ids = (1...3).map { Draft.photo($0).manifest.id }
        do {
            let store = try folder.open()
            for number in 1...3 { try store.add(Draft.photo(number), now: Draft.start) }
            let damaged = try #require(try store.entry(ids[1]))
            let path = store.file(of: damaged.manifest.resources[0], in: damaged.id)
            try PosixFileSystem().writeAtomically(path, [1, 2, 3])
            for id in ids { try store.forget(id) }
        }
        do {
            let unreadable = folder.path.appending("originals").appending(ids[0].description)
            let store = try folder.open(BadSectors(folder: unreadable))
            #expect(store.recovery.adopted == [ids[2]])
            #expect(Set(store.recovery.failed.keys) == [ids[0].description, ids[1].description])
            try store.settle()
        }
        let store = try folder.open()
        #expect(store.recovery.adopted == [ids[0]], "it is looked at again")
        #expect(Array(store.recovery.failed.keys) == [ids[1].description])
    }

    @Test("T159: damaged bytes of a capture without a row do not take its file's place; a torn record is replaced")
    func leftWithoutRow() throws {
        let folder = StoreFolder()
        let ids = (1...2).map { Draft.photo($0).manifest.id }
        do {
            let store = try folder.open()
            for number in 1...2 { try store.add(Draft.photo(number), now: Draft.start) }
            let damaged = try #require(try store.entry(ids[0]))
            let path = store.file(of: damaged.manifest.resources[0], in: damaged.id)
            try PosixFileSystem().writeAtomically(path, [1, 2, 3])
            let record = store.folder(of: ids[1]).appending("entry.json")
            try PosixFileSystem().open(record, .update).truncate(to: 20)
            for id in ids { try store.forget(id) }
        }
        do {
            let store = try folder.open()
            #expect(Set(store.recovery.failed.keys) == Set(ids.map(\.description)))
            let error = #expect(throws: AgentStoreError.self) {
                try store.add(Draft.photo(1), now: Draft.start)
            }
            #expect(error?.code == .damaged)
            #expect(try store.entries().isEmpty)
            let entry = try store.add(Draft.photo(2), now: Draft.start)
            #expect(try store.damage(of: entry) == nil)
            try store.forget(entry.id)
        }
        let store = try folder.open()
        #expect(store.recovery.adopted == [ids[1]], "its record is whole again")
        #expect(Array(store.recovery.failed.keys) == [ids[0].description])
    }

    @Test("Recovery that fails at any call is made good by the next", arguments: FaultyFileSystem.Fault.allCases)
    func recovery(fault: FaultyFileSystem.Fault) throws {
        for call in 1...200 {
            let folder = StoreFolder()
            let fileSystem = FaultyFileSystem()
            do {
                let store = try folder.open()
                try store.add(Draft.livePhoto(1), now: Draft.start)
                // An interrupted capture, and a whole one that had not been moved yet.
                let half = store.spool.appending(AssetID(rawValue: 77).description)
                try PosixFileSystem().createDirectory(half)
                try PosixFileSystem().writeAtomically(half.appending("1.part"), [1, 2, 3])
                try PosixFileSystem().rename(
                    store.folder(of: AssetID(rawValue: 2)),
                    to: store.spool.appending(AssetID(rawValue: 2).description)
                )
            }
            fileSystem.fail(call, with: fault)
            let isThrough = (try? folder.open(fileSystem)) != nil
            let store = try folder.open()
            #expect(try store.entries().map(\.state) == [.captured], "call \(call)")
            #expect(try store.entries().allSatisfy { try store.damage(of: $0) == nil })
            #expect(try PosixFileSystem().list(store.spool).isEmpty)
            if isThrough, fileSystem.calls < call { return }
        }
    }
}
