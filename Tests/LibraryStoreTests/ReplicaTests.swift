import Authorization
import LibraryAPI
import LibraryStore
import LibraryStoreTestSupport
import Persistence
import PersistenceTestSupport
import PhotoModel
import Replication
import TestSupport
import Testing

struct ReplicaTests {
    private let caller = StoreCaller.device(StoreFixture.device)

    private func start(_ fixture: StoreFixture) -> TestReplica {
        TestReplica(
            0xABC,
            device: StoreFixture.device,
            milliseconds: UInt64(fixture.clock.now.millisecondsSince1970)
        )
    }

    @Test(
        "of many changes in one push each has its own number and line of history, however they are written",
        arguments: [70, 1],
        RowEngine.installed
    )
    func many(count: Int, in engine: RowEngine) async throws {
        let fixture = try StoreFixture(in: engine)
        let store = try await fixture.create()
        var assets: [AssetID] = []
        for _ in 0..<3 {
            let (manifest, bytes) = fixture.capture()
            try await fixture.save(manifest, bytes, to: store)
            assets.append(manifest.id)
        }
        var replica = start(fixture)
        _ = try await store.metadata.contact(replica.contact(), ticket: nil, by: caller)
        let changes = try (0..<count).map { index in
            let id = EntityReference.asset(assets[index % 3]).id
            return try index.isMultiple(of: 2)
                ? replica.state.set(.text("title \(index)"), field: AssetField.title, of: id, by: &replica.author)
                : replica.state.add(.text("k\(index)"), to: AssetField.keyword, of: id, by: &replica.author)
        }
        let before = try await store.metadata.identity().lastChange
        let answer = try await store.metadata.push(replica.push(changes), by: caller)
        #expect(answer.acknowledged == UInt64(count) && answer.refused == [])
        let history = try await store.metadata.history(of: nil, after: before, limit: 100)
        #expect(history.map(\.number.rawValue) == (1...count).map { before.rawValue + Int64($0) })
        #expect(history.map(\.entity) == (0..<count).map { .asset(assets[$0 % 3]) })
        #expect(history.map(\.what) == (0..<count).map { $0.isMultiple(of: 2) ? "title" : "keywords" })
        #expect(Set(history.map(\.actor)).count == 1 && Set(history.map(\.time)).count == 1)
        #expect(try await store.metadata.identity().lastChange == history.last?.number)
        for (index, id) in assets.enumerated() {
            let words = (0..<count).filter { $0 % 3 == index && !$0.isMultiple(of: 2) }.map { "k\($0)" }
            let asset = try #require(try await store.metadata.asset(id, in: .everything))
            #expect(Set(asset.keywords.map(\.text)) == Set(words), "a dozen keywords are no losers of one another")
        }
        let changed = try await store.metadata.changes(after: nil, limit: 10, for: .everything(grantVersion: 1)).changes
        #expect(changed.suffix(min(count, 3)).map(\.entity) == history.suffix(min(count, 3)).map(\.entity))
    }

    @Test(
        "a refused change says why, again on asking again, and blocks nothing behind it",
        arguments: RowEngine.installed
    )
    func refusals(in engine: RowEngine) async throws {
        let fixture = try StoreFixture(in: engine)
        let store = try await fixture.create()
        let (manifest, bytes) = fixture.capture()
        try await fixture.save(manifest, bytes, to: store)
        try await fixture.decide(StoreFixture.device, .selected, in: store)
        var replica = start(fixture)
        _ = try await store.metadata.contact(replica.contact(), ticket: nil, by: caller)
        let own = EntityReference.asset(manifest.id).id
        let push = try replica.push([
            replica.state.set(.bool(true), field: AssetField.favorite, of: .asset(404), by: &replica.author),
            replica.state.confirmAlbum(5, by: &replica.author),
            Self.purge(own, &replica),
            replica.state.set(.bool(true), field: AssetField.favorite, of: own, by: &replica.author),
        ])
        let answer = try await store.metadata.push(push, by: caller)
        #expect(answer.acknowledged == 4)
        #expect(answer.refused.map(\.counter) == [1, 2, 3])
        #expect(answer.refused.map(\.problem.code) == [.notFound, .insufficientScope, .changeInvalid])
        let repeated = try await store.metadata.push(push, by: caller)
        #expect(repeated.acknowledged == 4 && repeated.refused == answer.refused)
        #expect(try await store.metadata.replicas(of: StoreFixture.device).map(\.refusedCount) == [3])
    }

    @Test(
        "a change of more bytes than one may have is refused for good, and what comes behind it is taken",
        arguments: RowEngine.installed
    )
    func oversized(in engine: RowEngine) async throws {
        let fixture = try StoreFixture(in: engine)
        let store = try await fixture.create()
        let (manifest, bytes) = fixture.capture()
        try await fixture.save(manifest, bytes, to: store)
        var replica = start(fixture)
        _ = try await store.metadata.contact(replica.contact(), ticket: nil, by: caller)
        let own = EntityReference.asset(manifest.id).id
        let long = String(repeating: "x", count: APILimits.deltaByteCount)
        let push = try replica.push([
            replica.state.set(.text(long), field: AssetField.caption, of: own, by: &replica.author),
            replica.state.set(.text("short"), field: AssetField.title, of: own, by: &replica.author),
        ])
        let answer = try await store.metadata.push(push, by: caller)
        #expect(answer.acknowledged == 2 && answer.refused.map(\.problem.code) == [.tooLarge])
        let asset = try await store.metadata.asset(manifest.id, in: .everything)
        #expect(asset?.title == "short" && asset?.caption == nil)
        let next = try replica.push([
            replica.state.set(.text("next"), field: AssetField.title, of: own, by: &replica.author)
        ])
        #expect(try await store.metadata.push(next, by: caller).acknowledged == 3)
    }

    /// A purge that a device makes up; its own state does not take it.
    private static func purge(_ id: EntityID, _ replica: inout TestReplica) throws -> Change {
        var copy = replica.state
        return try copy.purge(id, by: &replica.author)
    }

    @Test("gaps, stamps of tomorrow, other replicas' changes and strangers are refused", arguments: RowEngine.installed)
    func broken(in engine: RowEngine) async throws {
        let fixture = try StoreFixture(in: engine)
        let store = try await fixture.create()
        let (manifest, bytes) = fixture.capture()
        try await fixture.save(manifest, bytes, to: store)
        let id = EntityReference.asset(manifest.id).id
        var replica = start(fixture)
        let first = try replica.push([
            replica.state.set(.bool(true), field: AssetField.favorite, of: id, by: &replica.author)
        ])
        #expect(await errorCode { _ = try await store.metadata.push(first, by: caller) } == .preconditionFailed)
        _ = try await store.metadata.contact(start(fixture).contact(), ticket: nil, by: caller)
        let other = StoreCaller.device(StoreFixture.otherDevice)
        #expect(await errorCode { _ = try await store.metadata.push(first, by: other) } == .preconditionFailed)
        let second = try replica.push([
            replica.state.set(.bool(false), field: AssetField.favorite, of: id, by: &replica.author)
        ])
        #expect(await errorCode { _ = try await store.metadata.push(second, by: caller) } == .changeGap)
        var tomorrow = start(fixture)
        tomorrow.author.milliseconds += 86_400_000
        let ahead = try tomorrow.push([
            tomorrow.state.set(.bool(true), field: AssetField.favorite, of: id, by: &tomorrow.author)
        ])
        #expect(await errorCode { _ = try await store.metadata.push(ahead, by: caller) } == .clockAhead)
        var noise = first
        noise.changes[0].delta = Base64Bytes([1, 2, 3])
        #expect(await errorCode { _ = try await store.metadata.push(noise, by: caller) } == .changeInvalid)
        _ = try await store.metadata.push(first, by: caller)
        _ = try await store.metadata.push(second, by: caller)
    }

    @Test(
        "concurrent titles lose visibly: one shows, eight are listed, and the server retires the rest",
        arguments: RowEngine.installed
    )
    func losers(in engine: RowEngine) async throws {
        let fixture = try StoreFixture(in: engine)
        let store = try await fixture.create()
        let (manifest, bytes) = fixture.capture()
        try await fixture.save(manifest, bytes, to: store)
        let id = EntityReference.asset(manifest.id).id
        for number in UInt128(1)...12 {
            var replica = TestReplica(
                number << 100,
                device: StoreFixture.device,
                milliseconds: UInt64(fixture.clock.now.millisecondsSince1970)
            )
            _ = try await store.metadata.contact(replica.contact(), ticket: nil, by: caller)
            let title = FieldValue.text("title \(number)")
            let push = try replica.push([
                replica.state.set(title, field: AssetField.title, of: id, by: &replica.author)
            ])
            #expect(try await store.metadata.push(push, by: caller).refused == [])
        }
        #expect(try await store.metadata.asset(manifest.id, in: .everything)?.title == "title 12")
        let viewer = ChangeViewer.everything(grantVersion: 1)
        let page = try await store.metadata.changes(after: nil, limit: 10, for: viewer)
        let state = try #require(page.changes.first { $0.entity == .asset(manifest.id) }?.state)
        let register = try ReplicaState(canonicalBytes: state.bytes).entityView(id)?.register(AssetField.title)
        #expect(register?.superseded.count == 8 && register?.surplus == [])
        let history = try await store.metadata.history(of: manifest.id, after: ChangeNumber(rawValue: 0), limit: 100)
        #expect(Set(history.map(\.what)) == ["saved", "title", "conflicting edits dropped"])
    }

    @Test("the history names what a device changes of albums", arguments: RowEngine.installed)
    func albumHistory(in engine: RowEngine) async throws {
        let fixture = try StoreFixture(in: engine)
        let store = try await fixture.create()
        let (manifest, bytes) = fixture.capture()
        try await fixture.save(manifest, bytes, to: store)
        var replica = start(fixture)
        _ = try await store.metadata.contact(replica.contact(), ticket: nil, by: caller)
        let keys = try PositionKey.run(of: 1, between: nil, nil, by: replica.author.replica)
        let asset = manifest.id.rawValue
        var changes: [Change?] = [
            try replica.state.confirmAlbum(5, by: &replica.author),
            try replica.state.set(.text("Gate"), field: AlbumField.title, of: .album(5), by: &replica.author),
        ]
        let placed: [Change?] = try replica.state.place(asset: asset, in: 5, at: keys[0], by: &replica.author)
        changes += placed
        changes.append(try replica.state.takeOut(asset: asset, of: 5, by: &replica.author))
        changes.append(try replica.state.deleteAlbum(5, by: &replica.author))
        let before = try await store.metadata.identity().lastChange
        let answer = try await store.metadata.push(replica.push(changes), by: caller)
        #expect(answer.refused == [])
        let history = try await store.metadata.history(of: nil, after: before, limit: 7)
        #expect(history.map(\.what) == ["created", "title", "added", "kept", "moved", "removed", "deleted"])
    }

    @Test(
        "T7, T3: a lost answer's ticket is forgiven, a copy that calls with an old one is found",
        arguments: RowEngine.installed
    )
    func tickets(in engine: RowEngine) async throws {
        let fixture = try StoreFixture(in: engine)
        let store = try await fixture.create()
        let replica = start(fixture)
        func call(_ ticket: String?) async throws -> ContactJudgement {
            try await store.metadata.contact(replica.contact(), ticket: ticket, by: caller)
        }
        let first = try await call(nil).ticket
        let second = try await call(first).ticket
        // The answer was lost: the box asks with the ticket before.
        let third = try await call(first).ticket
        #expect(second != third)
        // A copy that got the lost answer is found.
        #expect(try await call(second).verdict == .fork)
        let fourth = try await call(third).ticket
        #expect(fourth != nil)
        #expect(try await call(first).verdict == .fork)
        #expect(try await call(nil).verdict == .fork)
    }

    @Test(
        "T8: a replica that knows less than the server was rolled back, one that knows something else is a fork",
        arguments: RowEngine.installed
    )
    func histories(in engine: RowEngine) async throws {
        let fixture = try StoreFixture(in: engine)
        let store = try await fixture.create()
        let (manifest, bytes) = fixture.capture()
        try await fixture.save(manifest, bytes, to: store)
        let id = EntityReference.asset(manifest.id).id
        let old = start(fixture)
        var replica = old
        let ticket = try await store.metadata.contact(replica.contact(), ticket: nil, by: caller).ticket
        let push = try replica.push([
            replica.state.set(.bool(true), field: AssetField.favorite, of: id, by: &replica.author)
        ])
        _ = try await store.metadata.push(push, by: caller)
        let rolledBack = try await store.metadata.contact(old.contact(), ticket: ticket, by: caller)
        #expect(rolledBack.verdict == .rolledBack(serverKnows: 1) && rolledBack.ticket == nil)
        var fork = old
        _ = try fork.push([fork.state.set(.bool(true), field: AssetField.hidden, of: id, by: &fork.author)])
        #expect(
            try await store.metadata.contact(fork.contact(), ticket: ticket, by: caller).verdict
                == .fork
        )
        let good = try await store.metadata.contact(replica.contact(), ticket: ticket, by: caller)
        #expect(good.acknowledged == 1 && good.ticket != nil)
    }

    @Test(
        "T7: of two copies that write before either calls, the one that is heard last goes on under a new name, whole",
        arguments: RowEngine.installed
    )
    func forked(in engine: RowEngine) async throws {
        let fixture = try StoreFixture(in: engine)
        let store = try await fixture.create()
        let (manifest, bytes) = fixture.capture()
        try await fixture.save(manifest, bytes, to: store)
        let id = EntityReference.asset(manifest.id).id
        var replica = start(fixture)
        func call(_ replica: TestReplica, _ ticket: String?) async throws -> ContactJudgement {
            try await store.metadata.contact(replica.contact(), ticket: ticket, by: caller)
        }
        replica.ticket = try await call(replica, nil).ticket
        var copy = replica
        let told = try replica.push([
            replica.state.set(.text("Heard first"), field: AssetField.title, of: id, by: &replica.author)
        ])
        let short = try copy.push([copy.state.set(.bool(true), field: AssetField.favorite, of: id, by: &copy.author)])
        let rest = try copy.push([copy.state.add(.text("snow"), to: AssetField.keyword, of: id, by: &copy.author)])
        var whole = short
        whole.changes += rest.changes
        #expect(try await store.metadata.push(told, by: caller).acknowledged == 1)
        #expect(
            try await call(copy, replica.ticket).verdict.remedy == .proceed,
            "it has more changes, and a good ticket"
        )
        for push in [short, whole, rest] {
            #expect(await errorCode { _ = try await store.metadata.push(push, by: caller) } == .changesForked)
        }
        #expect(try await store.metadata.push(told, by: caller).acknowledged == 1, "the same again is the same")
        var anew = TestReplica(0xDEF, device: StoreFixture.device, milliseconds: copy.author.milliseconds)
        _ = try await call(anew, nil)
        let waiting = try whole.changes.flatMap { try Delta(encoded: $0.delta.bytes).changes }
        let again = try anew.push(Reauthoring.reauthor(waiting, as: &anew.author.incarnation))
        #expect(try await store.metadata.push(again, by: caller).acknowledged == 2)
        let asset = try #require(try await store.metadata.asset(manifest.id, in: .everything))
        #expect(asset.title == "Heard first" && asset.isFavorite && asset.keywords.map(\.text) == ["snow"])
        #expect(try await call(replica, replica.ticket).verdict == .fork, "the other copy is found when it calls")
    }

    @Test(
        "A push that does not tell its history is judged by its counters, as before; a push over a gap is a gap",
        arguments: RowEngine.installed
    )
    func untold(in engine: RowEngine) async throws {
        let fixture = try StoreFixture(in: engine)
        let store = try await fixture.create()
        let (manifest, bytes) = fixture.capture()
        try await fixture.save(manifest, bytes, to: store)
        let id = EntityReference.asset(manifest.id).id
        var replica = start(fixture)
        _ = try await store.metadata.contact(replica.contact(), ticket: nil, by: caller)
        var first = try replica.push([
            replica.state.set(.bool(true), field: AssetField.favorite, of: id, by: &replica.author)
        ])
        let second = try replica.push([
            replica.state.set(.bool(false), field: AssetField.favorite, of: id, by: &replica.author)
        ])
        #expect(await errorCode { _ = try await store.metadata.push(second, by: caller) } == .changeGap)
        first.priorHash = ContentHasher.digest([1])
        #expect(await errorCode { _ = try await store.metadata.push(first, by: caller) } == .changesForked)
        first.priorHash = nil
        #expect(try await store.metadata.push(first, by: caller).acknowledged == 1)
    }
}
