import Authorization
import Dispatch
import FoundationEssentials
import LibraryAPI
import LibraryStoreTestSupport
import Persistence
import PhotoModel
import PostgreSQL
import PostgreSQLTestSupport
import Replication
import Synchronization
import TestSupport
import Testing

@testable import LibraryStore

/// A transaction that has taken its change numbers and stays open, while the feed is followed on another server.
@Suite(.enabled(if: TestServer.isInstalled, "PostgreSQL is not installed"))
struct HeldTransactionTests {
    @Test(
        "While a server's transaction is open, no pull on any server passes over its numbers, none is skipped",
        arguments: environmentNumber("TINTYPE_SEED").map { [$0] } ?? [1]
    )
    func skipsNothing(seed: UInt64) async throws {
        try await TestServer.withSchemas { make in
            var servers = try await HeldServers(make(), seed: seed)
            for held in HeldServers.Work.allCases {
                for other in HeldServers.Work.allCases { try await servers.hold(held, while: other) }
            }
            try await servers.compare()
        }
    }
}

/// Two servers of one library, the transactions of the first of which can be held, and who follows the feed.
private struct HeldServers {
    /// What takes change numbers.
    enum Work: CaseIterable { case save, edit, push, album }

    typealias Call = @Sendable () async throws -> Void

    private let world: ConformanceWorld
    private let pool: ConnectionPool
    private let holder = Holder()
    private let stores: [SQLMetadataStore]
    private var replicas: [TestReplica] = []
    private var assets: [AssetID] = []
    private var generator: SeededGenerator
    private var all = Follower(viewer: .everything(grantVersion: 1))
    private var limited: Follower

    private static let devices = [ConformanceWorld.device, ConformanceWorld.otherDevice]
    private static let callers = devices.map { StoreCaller.device($0) }

    init(_ settings: ConnectionSettings, seed: UInt64) async throws {
        var settings = settings
        // Only events end a wait, however busy the machine is.
        (settings.lockSeconds, settings.statementSeconds, settings.idleSeconds) = (600, 600, 600)
        let world = ConformanceWorld(seed: seed)
        let holder = holder
        let open: @Sendable (Holder?) async throws -> SQLMetadataStore = { [settings] holder in
            try await offTheSharedThreads {
                let rows = try PostgreSQLRowStore(settings, isNew: holder != nil, timeZone: .gmt)
                return try SQLMetadataStore(
                    over: holder.map { HeldRowStore(rows: rows, holder: $0) } ?? rows,
                    library: LibraryID(rawValue: 1),
                    isNew: holder != nil,
                    effects: world.effects,
                    blocking: BlockingPool(width: 2)
                )
            }
        }
        stores = [try await open(holder), try await open(nil)]
        self.world = world
        pool = ConnectionPool(settings)
        generator = SeededGenerator(seed: seed)
        let selection = Selection(rules: [.favorites])
        limited = Follower(viewer: .limited(ConformanceWorld.otherDevice, selection, grantVersion: 5))
        try await world.addDevices(to: stores[0])
        for (index, device) in Self.devices.enumerated() {
            let milliseconds = UInt64(world.now.millisecondsSince1970)
            let replica = TestReplica(UInt128(index + 0xABC), device: device, milliseconds: milliseconds)
            _ = try await stores[index].contact(replica.contact(), ticket: nil, by: Self.callers[index])
            replicas.append(replica)
            assets.append(try await world.save(by: Self.callers[index], to: stores[index]).receipt.receipt.assetID)
        }
    }

    /// Holds a transaction of the first server before its commit, and meanwhile pulls, and begins one on the second.
    mutating func hold(_ held: Work, while other: Work) async throws {
        try await all.pull(from: generator.pick(stores), limit: 1 + generator.below(3))
        let calls = [try call(held, on: 0), try call(other, on: 1)]
        let gate = holder.hold()
        defer { gate.open() }
        let holding = Task {
            defer { gate.end() }
            try await calls[0]()
        }
        try #require(await gate.isReached(), "\(held) takes a number")
        let last = try await stores[1].identity().lastChange
        for store in stores {
            try await all.catchUp(from: store, limit: 1 + generator.below(3))
            #expect(all.position?.number == last, "\(held) is not committed")
        }
        try await limited.catchUp(from: stores[1], limit: 1 + generator.below(3))
        #expect(limited.position.map { $0.number <= last } == true, "\(held) is not committed")

        let end = End()
        try await withThrowingTaskGroup(of: Void.self) { group in
            // Before the group waits, whatever fails here.
            defer { gate.open() }
            group.addTask {
                defer { end.isReached.store(true, ordering: .sequentiallyConsistent) }
                try await calls[1]()
            }
            var isWaiting = false
            while !isWaiting, !end.isReached.load(ordering: .sequentiallyConsistent) {
                isWaiting = try await hasWaiting()
            }
            #expect(isWaiting, "\(other) waits for the numbers of \(held)")
            for store in stores {
                try await all.catchUp(from: store, limit: 10)
                #expect(all.position?.number == last, "neither \(held) nor \(other) is committed")
            }
            gate.open()
            try await holding.value
            try await group.waitForAll()
        }
    }

    /// Compares what was followed with what is there.
    mutating func compare() async throws {
        let number = try await stores[0].identity().lastChange
        for (follower, store) in [(all, stores[0]), (limited, stores[1])] {
            var follower = follower
            try await follower.catchUp(from: store, limit: 3)
            var other = Follower(viewer: follower.viewer)
            try await other.catchUp(from: store, limit: 1000)
            #expect(follower.seen == other.seen, "\(follower.viewer)")
            #expect(follower.position?.number == number && other.position?.number == number)
        }
        #expect(all.seen.count > Work.allCases.count * 2)
    }

    /// Prepares what a device asks of its server.
    private mutating func call(_ work: Work, on server: Int) throws -> Call {
        let (store, caller, world) = (stores[server], Self.callers[server], world)
        switch work {
        case .save:
            let manifest = world.manifest()
            return { _ = try await world.save(manifest, by: caller, to: store) }
        case .edit:
            var edit = AssetEdit()
            edit.isFavorite = !generator.oneIn(3)
            let asset = assets[server]
            return { [edit] in _ = try await store.edit(asset, edit, in: .everything, by: caller) }
        case .push:
            var replica = replicas[server]
            let change = try replica.state.add(
                .text("word \(generator.below(1000))"),
                to: AssetField.keyword,
                of: EntityReference.asset(assets[server]).id,
                by: &replica.author
            )
            let push = try replica.push([change])
            replicas[server] = replica
            return {
                let answer = try await store.push(push, by: caller)
                #expect(answer.refused.isEmpty && answer.acknowledged == push.changes.last?.counter)
            }
        case .album:
            let edit = AlbumEdit(title: "Album \(generator.next())")
            return { _ = try await store.createAlbum(edit, by: caller) }
        }
    }

    /// Whether a transaction that reads or writes the library's row waits for a lock.
    private func hasWaiting() async throws -> Bool {
        try await pool.read { connection in
            let rows = try connection.execute(
                """
                SELECT pid FROM pg_locks
                WHERE relation = to_regclass('library') AND cardinality(pg_blocking_pids(pid)) > 0
                """
            )
            return rows.count > 0
        }
    }
}

/// A viewer who follows the feed by its positions.
private struct Follower {
    let viewer: ChangeViewer
    private(set) var position: ChangePosition?
    private(set) var seen: [EntityReference: EntityChange] = [:]

    init(viewer: ChangeViewer) { self.viewer = viewer }

    /// Takes one page; false after the last.
    @discardableResult
    mutating func pull(from store: SQLMetadataStore, limit: Int) async throws -> Bool {
        let page = try await store.changes(after: position, limit: limit, for: viewer)
        for var change in page.changes {
            let isThere = change.kind != .removed
            change.kind = .updated
            seen[change.entity] = isThere ? change : nil
        }
        position = page.position
        return page.hasMore
    }

    mutating func catchUp(from store: SQLMetadataStore, limit: Int) async throws {
        while try await pull(from: store, limit: limit) {}
    }
}

/// Holds one transaction.
private final class Gate: Sendable {
    private let reached: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation
    private let opening = DispatchSemaphore(value: 0)

    init() { (reached, continuation) = AsyncStream.makeStream() }

    /// Waits until the transaction is held; false if it ended before.
    func isReached() async -> Bool { await reached.first { _ in true } != nil }

    /// Holds the transaction.
    ///
    /// Blocks.
    func pass() {
        continuation.yield()
        opening.wait()
    }

    func open() { opening.signal() }

    /// Ends the wait for a transaction that did not come.
    func end() { continuation.finish() }
}

/// Whether a task has ended.
private final class End: Sendable {
    let isReached = Atomic(false)
}

/// Where the next transaction is held.
private final class Holder: Sendable {
    private let gate = Mutex<Gate?>(nil)

    func hold() -> Gate {
        let new = Gate()
        gate.withLock { $0 = new }
        return new
    }

    func pass() {
        let next = gate.withLock { gate in
            defer { gate = nil }
            return gate
        }
        next?.pass()
    }
}

/// Rows whose next transaction with the library's lock is held when all of it is done but the commit.
private struct HeldRowStore: ForwardingRowStore {
    let rows: any RowStore
    let holder: Holder

    func write<Value: Sendable>(
        _ locks: [RowLock],
        _ body: @escaping @Sendable (any SQLSession) throws -> Value
    ) async throws -> Value {
        try await rows.write(locks) { [holder] session in
            let value = try body(session)
            try session.settle()
            if locks.contains(.library) { holder.pass() }
            return value
        }
    }

    func writeBlocking<Value>(_ locks: [RowLock], _ body: (any SQLSession) throws -> Value) throws -> Value {
        try rows.writeBlocking(locks) { session in
            let value = try body(session)
            try session.settle()
            if locks.contains(.library) { holder.pass() }
            return value
        }
    }
}
