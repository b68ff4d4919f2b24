import AgentStore
import Dispatch
import LibraryAPI
import Persistence
import PhotoModel
import Synchronization
import Testing

/// What happens to a store's assets while something else happens to them.
struct SimultaneousTests {
    /// The real file system, which calls back before it makes or empties an asset's folder, and when a lock is taken.
    private final class NoticedFileSystem: LayeredFileSystem {
        enum Event: Sendable {
            case folder, unlink
        }

        let base: any FileSystem = PosixFileSystem()
        private let awaited = Mutex<(event: Event, call: @Sendable () -> Void)?>(nil)
        private let isTaken: @Sendable () -> Void

        init(isTaken: @escaping @Sendable () -> Void = {}) {
            self.isTaken = isTaken
        }

        func before(_ event: Event, _ call: @escaping @Sendable () -> Void) {
            awaited.withLock { $0 = (event, call) }
        }

        private func note(_ event: Event, _ folder: Path) {
            guard AssetID(folder.name) != nil else { return }
            let call = awaited.withLock { awaited -> (@Sendable () -> Void)? in
                guard awaited?.event == event else { return nil }
                defer { awaited = nil }
                return awaited?.call
            }
            call?()
        }

        func open(_ path: Path, _ mode: OpenMode) throws(PersistenceError) -> any OpenFile { try base.open(path, mode) }

        func status(_ path: Path) throws(PersistenceError) -> FileStatus? { try base.status(path) }

        func createDirectory(_ path: Path) throws(PersistenceError) {
            note(.folder, path)
            try base.createDirectory(path)
        }

        func unlink(_ path: Path) throws(PersistenceError) {
            note(.unlink, path.parent)
            try base.unlink(path)
        }

        func lock(_ path: Path) throws(PersistenceError) -> any FileLock {
            do throws(PersistenceError) {
                return try base.lock(path)
            } catch {
                if error.code == .locked { isTaken() }
                throw error
            }
        }
    }

    @Test(
        "T141: a photo that comes in twice at once, by two watched folders or two programs, is queued once and whole",
        arguments: [false, true]
    )
    func together(isGuest: Bool) throws {
        let folder = StoreFolder()
        let (moved, over) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let files = NoticedFileSystem { moved.signal() }
        let store = try folder.open(files)
        let other = isGuest ? try AgentStore(guestAt: folder.path, fileSystem: files) : store
        let drafts = [try store.staged(Draft.photo(1)), try other.staged(Draft.photo(1))]
        let outcome = Mutex<Result<QueueEntry, any Error>?>(nil)
        // The other one begins in the middle, and is done, or waits, before the first one goes on.
        files.before(.folder) {
            DispatchQueue.global().async {
                let result = Result { try other.add(drafts[1], now: Draft.start) }
                outcome.withLock { $0 = result }
                moved.signal()
                over.signal()
            }
            moved.wait()
        }
        let first = Result { try store.add(drafts[0], now: Draft.start) }
        over.wait()
        let second = outcome.withLock { $0 }
        let entry = try first.get()
        #expect(try second?.get().id == entry.id)
        #expect(try store.entries().map(\.state) == [.captured])
        #expect(try store.damage(of: entry) == nil)
        #expect(try store.begunShots().isEmpty)
    }

    @Test("What a restored library is offered again while the box frees bytes keeps its bytes")
    func offeredWhileFreeing() throws {
        let folder = StoreFolder()
        let files = NoticedFileSystem()
        let store = try folder.open(files)
        try store.setDevice(Receipts.device)
        _ = try store.offerAgain(unlessOf: LibraryEpoch(rawValue: 1))
        for number in 1...2 {
            let entry = try store.add(Draft.photo(number), now: Draft.start)
            try store.commit(Receipts.receipt(for: entry), of: entry.id, verifiedBy: { _ in true }, now: Draft.start)
        }
        // The library tells of another history while the first photo is deleted.
        files.before(.unlink) { _ = try? store.offerAgain(unlessOf: LibraryEpoch(rawValue: 2)) }
        #expect(try store.freeRetained(after: .zero, now: Draft.start).count == 1)
        let owed = try store.owed(limit: 9)
        #expect(owed.count == 1)
        for entry in try store.entries(owed.map(\.id)) { #expect(try store.damage(of: entry) == nil) }
    }

    @Test("A file that takes the name of one that is being moved into the queue stays", arguments: [true, false])
    func replacedSource(hasLinks: Bool) throws {
        let folder = StoreFolder()
        let files = PosixFileSystem()
        let store = try folder.open(FaultyFileSystem(hasLinks: hasLinks))
        let source = folder.path.appending("DSC_1.JPG")
        try files.writeAtomically(source, [1, 2, 3])
        var draft = Draft.photo(1)
        draft.resources[0].content = .file(source, .moveOrCopy)
        let staged = try store.staged(draft)
        try files.writeAtomically(source, [4, 5, 6, 7])
        let entry = try store.add(staged, now: Draft.start)
        #expect(entry.manifest.resources.map(\.digest) == [ContentHasher.digest([1, 2, 3])])
        #expect(try store.damage(of: entry) == nil)
        #expect(try files.readAll(source) == [4, 5, 6, 7])
    }
}
