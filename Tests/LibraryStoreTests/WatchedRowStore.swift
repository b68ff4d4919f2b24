import LibraryAPI
import Persistence
import PhotoModel
import Synchronization
import TestSupport

@testable import LibraryStore

/// Rows that report each transaction once it is committed: the library as others, or the next process, find it.
///
/// An error of the report ends the request there, as a crash would.
struct WatchedRowStore: ForwardingRowStore {
    let rows: any RowStore
    let committed: @Sendable () async throws -> Void

    func write<Value: Sendable>(
        _ locks: [RowLock],
        _ body: @escaping @Sendable (any SQLSession) throws -> Value
    ) async throws -> Value {
        let value = try await rows.write(locks, body)
        try await committed()
        return value
    }
}

/// A crash of the test's making.
struct PlannedCrash: Error {}

/// Crashes after a number of transactions.
final class CrashPlan: Sendable {
    private let rest: Atomic<Int>

    /// A crash after this many transactions.
    init(after count: Int) { rest = Atomic(count) }

    /// Whether the crash has happened.
    var hasCrashed: Bool { rest.load(ordering: .sequentiallyConsistent) <= 0 }

    /// Counts a transaction.
    func count() throws {
        if rest.wrappingSubtract(1, ordering: .sequentiallyConsistent).newValue <= 0 { throw PlannedCrash() }
    }
}

extension SQLMetadataStore {
    /// The same library with small turns, whose transactions are reported.
    func watched(
        _ fixture: StoreFixture,
        committed: @escaping @Sendable () async throws -> Void
    ) async throws -> SQLMetadataStore {
        var watched = try await over(WatchedRowStore(rows: store, committed: committed), fixture)
        watched.turns = .small
        return watched
    }

    /// The same library, whose rows are reached in another way.
    func over(_ rows: any RowStore, _ fixture: StoreFixture) async throws -> SQLMetadataStore {
        try await offTheSharedThreads { [library, isShared] in
            try SQLMetadataStore(
                over: rows,
                library: library,
                isNew: false,
                isShared: isShared,
                effects: fixture.effects,
                blocking: BlockingPool(width: 1)
            )
        }
    }
}

extension TurnWidths {
    /// Turns of eight members of a view, and less of everything else.
    static var small: TurnWidths {
        var small = TurnWidths()
        small.toldMembers = 4
        small.leavingMembers = 4
        small.returningMembers = 3
        small.forgottenAssets = 4
        small.forgottenRemovals = 4
        small.retriedJobs = 4
        small.condemnedMarks = 4
        small.foundCreations = 6
        small.expiredCreations = 4
        small.describedAssets = 4
        small.viewUnits = 2
        small.foundMembers = 10
        small.pagedChanges = 4
        return small
    }
}
