import Authorization
import GRDB
import LibraryAPI
import Persistence
import PhotoModel
import Synchronization
import Testing

@testable import LibraryStore

/// Views of limited devices that are built in many turns of the writer.
struct ViewTurnTests {
    /// Acts of others between the turns in which a view is built.
    private final class Others: Sendable {
        private let world: TurnWorld
        private let acts = Mutex(0)
        private let counts = Mutex<[Int]>([])

        init(_ world: TurnWorld) { self.world = world }

        /// The number of the view's rows after each turn.
        var rowCounts: [Int] { counts.withLock(\.self) }

        /// Saves what is in the view, or takes something out of it.
        func act() async throws {
            let count = try await world.count("view_member")
            counts.withLock { $0.append(count) }
            let act = acts.withLock { acts in
                acts += 1
                return acts
            }
            let administrator = TurnWorld.administrator
            switch act {
            case 1...6:
                let (manifest, bytes) = world.fixture.capture(sizes: [10])
                try await world.fixture.save(manifest, bytes, to: world.store)
            case 7...12: _ = try await world.metadata.trash(world.assets[act], in: .everything, by: administrator)
            case 13...14:
                // One that was added before: it leaves the view and comes back.
                var edit = AssetEdit()
                edit.isHidden = act == 13
                _ = try await world.metadata.edit(world.assets[0], edit, in: .everything, by: administrator)
            default: break
            }
        }
    }

    @Test(
        "T85: a view is built in many turns of the writer, each of bounded work, while others change what is in it",
        arguments: RowEngine.installed
    )
    func building(in engine: RowEngine) async throws {
        let world = try await TurnWorld(in: engine)
        for version in [5, 6] {
            // The second one begins by deleting the rows of the first.
            let others = Others(world)
            let watched = try await world.metadata.watched(world.fixture) { try await others.act() }
            #expect(try await world.held(version, by: watched) == world.expected())
            let counts = others.rowCounts
            let steps = zip(counts, counts.dropFirst()).map { abs($1 - $0) }
            #expect(counts.count >= 12 && (steps.max() ?? 0) <= 12, "\(counts)")
        }
    }

    @Test(
        "T85: a view whose building was interrupted after any turn is completed by the next request, and is exact",
        arguments: RowEngine.installed
    )
    func interruptedBuilding(in engine: RowEngine) async throws {
        let world = try await TurnWorld(in: engine)
        var isInterrupted = true
        var turns = 0
        while isInterrupted {
            turns += 1
            let plan = CrashPlan(after: turns)
            let watched = try await world.metadata.watched(world.fixture) { try plan.count() }
            let version = 10 + turns
            _ = try? await watched.changes(after: nil, limit: 1, for: world.viewer(version))
            isInterrupted = plan.hasCrashed
            // Before anybody asks again.
            var edit = AssetEdit()
            edit.isHidden = turns.isMultiple(of: 2)
            _ = try await world.metadata.edit(world.assets[3], edit, in: .everything, by: TurnWorld.administrator)
            #expect(try await world.held(version, by: world.metadata) == world.expected(), "after \(turns) turns")
        }
        #expect(turns > 8)
    }

    @Test("T85: a long page of a limited view, such as the first one of a large view, is made by a reader")
    func longPages() async throws {
        let world = try await TurnWorld(in: .sqlite)
        let written = Mutex<[String]>([])
        try await world.metadata.database.write { database in
            database.trace { event in written.withLock { $0.append("\(event)") } }
        }
        var metadata = world.metadata
        metadata.turns = .small
        let page = try await metadata.changes(after: nil, limit: 7, for: world.viewer(5))
        #expect(page.changes.count == 7 && page.hasMore)
        let statements = written.withLock(\.self)
        #expect(statements.contains { $0.contains("INSERT INTO view_member") })
        #expect(!statements.contains { $0.contains("WITH candidate") })
    }

    @Test("T91: a page of a limited view looks through what it needs, wherever in a large view it begins")
    func narrowPages() async throws {
        let world = try await TurnWorld(in: .sqlite)
        let whole = try await world.metadata.changes(after: nil, limit: 100, for: world.viewer(5))
        let last = try await world.metadata.identity().lastChange.rawValue
        let traced = Mutex<[String]>([])
        try await world.metadata.database.write { database in
            database.trace { event in traced.withLock { $0.append(event.expandedDescription) } }
        }
        // In the writer, whose statements are traced.
        let paged = try await world.metadata.store.write([]) { session in
            let rows = ViewTable(device: StoreFixture.device, selection: world.selection, database: session)
            let identity = try SQLMetadataStore.identity(session)
            var (start, entities) = (ChangeNumber.zero, [EntityReference]())
            while true {
                let page = try rows.page(after: start, identity, limit: 2, grantVersion: 5)
                entities += page.changes.map(\.entity)
                guard page.hasMore else { return entities }
                start = page.position.number
            }
        }
        #expect(paged == whole.changes.map(\.entity) && paged.count > 40)
        let ends = traced.withLock(\.self).compactMap { text in
            text.firstMatch(of: /changed > \d+ AND changed <= (\d+)/).flatMap { Int64($0.1) }
        }
        #expect(ends.count >= paged.count / 2 && ends.count { $0 < last } > ends.count / 2, "\(ends)")
        let plan = try await world.metadata.database.read { database in
            try Row.fetchAll(
                database,
                sql: "EXPLAIN QUERY PLAN " + ViewTable.feed(SQLiteDialect()),
                arguments: [StoreFixture.device.blob, 0, 0, 50, 5]
            ).map { $0["detail"] as String }
        }
        #expect(!plan.contains("SEARCH view_member USING PRIMARY KEY (device=?)"), "\(plan)")
    }
}
