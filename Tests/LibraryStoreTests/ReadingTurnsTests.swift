import Authorization
import FoundationEssentials
import LibraryAPI
import LibraryStoreTestSupport
import Persistence
import PersistenceTestSupport
import PhotoModel
import Synchronization
import Testing

@testable import LibraryStore

/// Reads of whole views, which take turns.
struct ReadingTurnsTests {
    private static let viewer = ChangeViewer.limited(ConformanceWorld.device, Selection(), grantVersion: 1)

    @Test("T78: a contact of a device that is not retired waits for no read of a whole view")
    func contacts() async throws {
        let library = try await Library()
        let turns = HeldTurns(of: library.reads)
        let isAnswered = Flag()
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { turns.giveBack() }
            group.addTask { try await turns.hold(library.turnCount) }
            await turns.areTaken()
            group.addTask {
                defer { isAnswered.set() }
                let progress = try await library.metadata.drainProgress(of: ConformanceWorld.device)
                #expect(progress == nil)
            }
            while !isAnswered.isSet, library.reads.waitingCount == 0 { await Task.yield() }
            #expect(library.reads.waitingCount == 0)
            turns.giveBack()
            try await group.waitForAll()
        }
    }

    @Test("T78: a limited view whose rows have to follow changes is read in one turn, and waits for no second one")
    func followedView() async throws {
        let library = try await Library()
        let (one, others) = (HeldTurns(of: library.reads), HeldTurns(of: library.reads))
        let isRead = Flag()
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer {
                one.giveBack()
                others.giveBack()
            }
            group.addTask { try await one.hold(1) }
            group.addTask { try await others.hold(library.turnCount - 1) }
            await one.areTaken()
            await others.areTaken()
            group.addTask {
                defer { isRead.set() }
                let ranges = try await library.metadata.ranges(ChangeRange.Bounds(), count: 1, for: Self.viewer)
                #expect(ranges.map(\.count) == [1])
            }
            while library.reads.waitingCount < 1 { await Task.yield() }
            group.addTask {
                defer { others.giveBack() }
                try await library.reads.run {
                    while !isRead.isSet, library.reads.waitingCount == 0 { await Task.yield() }
                    #expect(isRead.isSet, "it waits for another turn")
                }
            }
            while library.reads.waitingCount < 2 { await Task.yield() }
            one.giveBack()
            try await group.waitForAll()
        }
    }

    @Test("T78: a limited view that changes whenever its rows have followed is refused, and read once it rests")
    func restlessView() async throws {
        let library = try await Library()
        library.unrest.changes.withLock { $0 = 100 }
        let refusal = await errorCode {
            _ = try await library.metadata.ranges(ChangeRange.Bounds(), count: 1, for: Self.viewer)
        }
        #expect(refusal == .unavailable)
        library.unrest.changes.withLock { $0 = 3 }
        let ranges = try await library.metadata.ranges(ChangeRange.Bounds(), count: 1, for: Self.viewer)
        #expect(ranges.map(\.count) == [1])
    }
}

/// A library with one asset, of the device that looks.
private struct Library: Sendable {
    let metadata: SQLMetadataStore
    let unrest: Unrest
    private let directory: TemporaryDirectory

    var reads: ReadingTurns { metadata.wholeReads }

    /// The number of reads at once.
    var turnCount: Int { max(metadata.store.readerCount / 2, 1) }

    init() async throws {
        let directory = try TemporaryDirectory()
        let (unrest, world, blocking) = (Unrest(), ConformanceWorld(), BlockingPool(width: 2))
        let rows = try SQLiteRowStore(
            LibraryLayout(root: directory.path).database,
            timeZone: .gmt,
            blocking: blocking
        )
        metadata = try SQLMetadataStore(
            over: RestlessRowStore(rows: rows, unrest: unrest),
            library: LibraryID(rawValue: 1),
            isNew: true,
            effects: world.effects,
            blocking: blocking
        )
        self.unrest = unrest
        self.directory = directory
        try await world.addDevices(to: metadata)
        try await world.save(to: metadata)
    }
}

/// Whether something has happened.
private final class Flag: Sendable {
    private let state = Mutex(false)

    var isSet: Bool { state.withLock { $0 } }

    func set() { state.withLock { $0 = true } }
}

/// How often the asset still changes after a view's rows have followed.
private final class Unrest: Sendable {
    let changes = Mutex(0)
}

/// Rows in which the asset changes as soon as a view has followed the changes.
private struct RestlessRowStore: ForwardingRowStore {
    let rows: any RowStore
    let unrest: Unrest

    func write<Value: Sendable>(
        _ locks: [RowLock],
        _ body: @escaping @Sendable (any SQLSession) throws -> Value
    ) async throws -> Value {
        let value = try await rows.write(locks, body)
        let isOfView = locks.contains { if case .view = $0 { true } else { false } }
        guard isOfView, changesAgain() else { return value }
        try await rows.write([.library]) { session in
            guard let id = try session.value(Data.self, "SELECT first FROM entity WHERE kind = 2") else { return }
            try EntityTable.touch(.asset(AssetID(blob: id)), session)
        }
        return value
    }

    private func changesAgain() -> Bool {
        unrest.changes.withLock { changes in
            guard changes > 0 else { return false }
            changes -= 1
            return true
        }
    }
}

/// Turns that are taken until they are given back.
private struct HeldTurns: Sendable {
    private let reads: ReadingTurns
    private let taken: (stream: AsyncStream<Void>, continuation: AsyncStream<Void>.Continuation)
    private let end: (stream: AsyncStream<Void>, continuation: AsyncStream<Void>.Continuation)

    init(of reads: ReadingTurns) {
        self.reads = reads
        taken = AsyncStream.makeStream(of: Void.self)
        end = AsyncStream.makeStream(of: Void.self)
    }

    /// Takes turns, one within the other, and keeps them.
    func hold(_ count: Int) async throws {
        if count > 0 { return try await reads.run { try await hold(count - 1) } }
        taken.continuation.finish()
        for await _ in end.stream {}
    }

    /// Waits until all of them are taken.
    func areTaken() async { for await _ in taken.stream {} }

    func giveBack() { end.continuation.finish() }
}
