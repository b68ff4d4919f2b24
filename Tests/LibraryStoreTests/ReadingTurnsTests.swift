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
    @Test("T78: a contact of a device that is not retired waits for no read of a whole view")
    func contacts() async throws {
        let library = try await Library()
        let turns = HeldTurns(of: library.reads)
        let isAnswered = Mutex(false)
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { turns.giveBack() }
            group.addTask { try await turns.hold(library.turnCount) }
            await turns.areTaken()
            group.addTask {
                defer { isAnswered.withLock { $0 = true } }
                #expect(try await library.metadata.drainProgress(of: ConformanceWorld.device) == nil)
            }
            while !isAnswered.withLock(\.self), library.reads.waitingCount == 0 { await Task.yield() }
            #expect(library.reads.waitingCount == 0)
            turns.giveBack()
            try await group.waitForAll()
        }
    }
}

/// A library with one asset.
private struct Library: Sendable {
    let metadata: SQLMetadataStore
    private let directory: TemporaryDirectory

    var reads: ReadingTurns { metadata.wholeReads }

    /// The number of reads at once.
    var turnCount: Int { max(metadata.store.readerCount / 2, 1) }

    init() async throws {
        let directory = try TemporaryDirectory()
        let (world, blocking) = (ConformanceWorld(), BlockingPool(width: 2))
        metadata = try SQLMetadataStore(
            over: SQLiteRowStore(LibraryLayout(root: directory.path).database, timeZone: .gmt, blocking: blocking),
            library: LibraryID(rawValue: 1),
            isNew: true,
            effects: world.effects,
            blocking: blocking
        )
        self.directory = directory
        try await world.addDevices(to: metadata)
        try await world.save(to: metadata)
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
