import Authorization
import Foundation
import GRDB
import LibraryAPI
import LibraryStoreTestSupport
import Persistence
import PhotoModel
import Replication
import Synchronization
import TestSupport
import Testing

@testable import LibraryStore

/// Changes that a device with a valid key makes up.
struct PushAttackTests {
    /// What a made-up change supersedes.
    enum Dots: String, CaseIterable {
        case unknownReplica, serverFar, serverNext, otherDeviceNext, ownNext
    }

    private let caller = StoreCaller.device(StoreFixture.device)
    private let administrator = StoreCaller.administrator("ana")

    private struct World {
        let fixture: StoreFixture
        let store: LibraryStore
        let metadata: SQLMetadataStore
        var replica: TestReplica
        let asset: AssetID

        var id: EntityID { EntityReference.asset(asset).id }

        /// A change as no honest replica makes it.
        mutating func forge(
            _ value: FieldValue?,
            field: FieldID = AssetField.keyword,
            superseding dots: [Dot] = []
        ) -> Change {
            let dot = replica.author.incarnation.nextDot()
            return Change(
                entity: id,
                field: field,
                dot: dot,
                after: 0,
                stamp: HybridTimestamp(milliseconds: replica.author.milliseconds),
                value: value,
                superseded: dots
            )
        }

        func state() async throws -> [UInt8]? {
            try await metadata.database.read { database in
                try Data.fetchOne(
                    database,
                    sql: "SELECT state FROM entity WHERE kind = 2 AND first = ?",
                    arguments: [Data(asset.bytes)]
                ).map { Array($0) }
            }
        }

        func serverReplica() async throws -> Dot {
            try await metadata.database.read { database in
                let row = try #require(try Row.fetchOne(database, sql: "SELECT replica, replica_counter FROM library"))
                let bits = (row[0] as Data).reduce(UInt128(0)) { $0 << 8 | UInt128($1) }
                return Dot(replica: ReplicaID(rawValue: bits), counter: UInt64(row[1] as Int64))
            }
        }
    }

    private func edit(_ title: String, isHidden: Bool? = nil) -> AssetEdit {
        var edit = AssetEdit()
        edit.title = title
        edit.isHidden = isHidden
        return edit
    }

    private func world() async throws -> World {
        let fixture = try StoreFixture()
        let store = try await fixture.create()
        let (manifest, bytes) = fixture.capture()
        try await fixture.save(manifest, bytes, to: store)
        let time = UInt64(fixture.clock.now.millisecondsSince1970)
        let replica = TestReplica(0xABC, device: StoreFixture.device, milliseconds: time)
        _ = try await store.metadata.contact(replica.contact(), ticket: nil, by: caller)
        let metadata = try #require(store.metadata as? SQLMetadataStore)
        return World(fixture: fixture, store: store, metadata: metadata, replica: replica, asset: manifest.id)
    }

    @Test(
        "T49: a change that supersedes writes which nobody made is refused, and its asset goes on",
        arguments: Dots.allCases
    )
    func madeUpDots(dots: Dots) async throws {
        var world = try await world()
        let metadata = world.metadata
        _ = try await metadata.edit(world.asset, edit("Before"), in: .everything, by: administrator)
        let other = TestReplica(
            0xDEF,
            device: StoreFixture.otherDevice,
            milliseconds: world.replica.author.milliseconds
        )
        let otherCaller = StoreCaller.device(StoreFixture.otherDevice)
        _ = try await metadata.contact(other.contact(), ticket: nil, by: otherCaller)
        let server = try await world.serverReplica()
        let dot =
            switch dots {
            case .unknownReplica: Dot(replica: ReplicaID(rawValue: 42), counter: 1)
            case .serverFar: Dot(replica: server.replica, counter: Limits.counter)
            case .serverNext: Dot(replica: server.replica, counter: server.counter + 1)
            case .otherDeviceNext: Dot(replica: other.author.replica, counter: 1)
            case .ownNext: Dot(replica: world.replica.author.replica, counter: 2)
            }
        let before = try await world.state()
        let forged = world.forge(.text("made up"), superseding: [dot])
        let answer = try await metadata.push(world.replica.push([forged]), by: caller)
        #expect(answer.acknowledged == 1 && answer.refused.map(\.problem.code) == [.changeInvalid])
        #expect(try await world.state() == before)
        let edited = try await metadata.edit(
            world.asset,
            edit("After", isHidden: true),
            in: .everything,
            by: administrator
        )
        #expect(edited.title == "After" && edited.isHidden)
        _ = try await metadata.trash(world.asset, in: .everything, by: administrator)
        try await world.store.purge(world.asset, by: administrator)
    }

    @Test("T187: a change that supersedes a write to another asset is refused as if nobody had written that")
    func writesElsewhere() async throws {
        var world = try await world()
        let metadata = world.metadata
        let (manifest, bytes) = world.fixture.capture()
        try await world.fixture.save(manifest, bytes, to: world.store)
        _ = try await metadata.edit(manifest.id, edit("Elsewhere"), in: .everything, by: administrator)
        let time = world.replica.author.milliseconds
        var other = TestReplica(0xDEF, device: StoreFixture.otherDevice, milliseconds: time)
        let otherCaller = StoreCaller.device(StoreFixture.otherDevice)
        _ = try await metadata.contact(other.contact(), ticket: nil, by: otherCaller)
        let id = EntityReference.asset(manifest.id).id
        let elsewhere = try other.state.set(.text("t"), field: AssetField.title, of: id, by: &other.author)
        let taken = try await metadata.push(other.push([elsewhere]), by: otherCaller)
        #expect(taken.acknowledged == 1 && taken.refused == [])

        let server = try await world.serverReplica()
        let written = [server, Dot(replica: other.author.replica, counter: 1)]
        let unwritten = written.map { Dot(replica: $0.replica, counter: $0.counter + 1) }
        let changes = (written + unwritten).map { world.forge(.text("k"), superseding: [$0]) }
        let answer = try await metadata.push(world.replica.push(changes), by: caller)
        #expect(answer.refused.map(\.counter) == [1, 2, 3, 4])
        #expect(answer.refused.allSatisfy { $0.problem == answer.refused[0].problem })
        #expect(answer.refused.first?.problem.code == .changeInvalid)
    }

    @Test("a change may supersede refused writes of its device's earlier replica, and writes that a restore undid")
    func lostWrites() async throws {
        var world = try await world()
        let metadata = world.metadata
        let refused = world.forge(.integer(6), field: AssetField.rating)
        #expect(try await metadata.push(world.replica.push([refused]), by: caller).refused.count == 1)
        let time = world.replica.author.milliseconds
        var next = TestReplica(0xABD, device: StoreFixture.device, milliseconds: time)
        _ = try await metadata.contact(next.contact(), ticket: nil, by: caller)
        let other = TestReplica(0xDEF, device: StoreFixture.otherDevice, milliseconds: time)
        let otherCaller = StoreCaller.device(StoreFixture.otherDevice)
        _ = try await metadata.contact(other.contact(), ticket: nil, by: otherCaller)
        let server = try await world.serverReplica()
        let undone = [
            Dot(replica: server.replica, counter: server.counter + 9), Dot(replica: other.author.replica, counter: 9),
        ]
        let changes = ([refused.dot] + undone).map { dot in
            Change(
                entity: world.id,
                field: AssetField.rating,
                dot: next.author.incarnation.nextDot(),
                after: 0,
                stamp: HybridTimestamp(milliseconds: time),
                value: .integer(3),
                superseded: [dot]
            )
        }
        let first = try await metadata.push(next.push([changes[0]]), by: caller)
        #expect(first.acknowledged == 1 && first.refused == [])
        try await metadata.beginEpoch(LibraryEpoch(rawValue: 7))
        let others = try await metadata.push(next.push(Array(changes.dropFirst())), by: caller)
        #expect(others.acknowledged == 3 && others.refused == [])
    }

    @Test("T49: a position at the end of all positions is refused, and one that is stored stops no addition")
    func farPositions() async throws {
        let world = try await world()
        let metadata = world.metadata
        let edge = [UInt8](repeating: 0xFF, count: Limits.positionBytes)
        let album = try await metadata.createAlbum(AlbumEdit(title: "Gate"), by: administrator).id
        try await metadata.add([world.asset], to: album, in: .everything, by: administrator)
        var replica = world.replica
        let changes = [edge, [0xFF], [0, 1], [], [0x80, 0], [0x80]].map { bytes in
            Change(
                entity: EntityReference.membership(album: album, asset: world.asset).id,
                field: MembershipField.position,
                dot: replica.author.incarnation.nextDot(),
                after: 0,
                stamp: HybridTimestamp(milliseconds: replica.author.milliseconds),
                value: .bytes(bytes),
                superseded: []
            )
        }
        let answer = try await metadata.push(replica.push(changes), by: caller)
        #expect(answer.refused.map(\.counter) == [1, 2, 3, 4, 5])
        #expect(answer.refused.allSatisfy { $0.problem.code == .changeInvalid })
        // As an older server let it in.
        try await metadata.database.write { database in
            try database.execute(sql: "UPDATE album_asset SET position = ?", arguments: [Data(edge)])
        }
        let (manifest, bytes) = world.fixture.capture(album: .title("Gate"))
        let receipt = try await world.fixture.save(manifest, bytes, to: world.store)
        #expect(receipt.album == .applied(album))
    }

    @Test(
        "T48: a capture date beyond all years is refused at the push, and one that is stored shows at the end of time",
        arguments: [Int64.max, Int64.min, WallTime.range.upperBound + 1, WallTime.range.lowerBound - 1]
    )
    func farDates(microseconds: Int64) async throws {
        var world = try await world()
        let forged = world.forge(.group([.integer(microseconds)]), field: AssetField.captureDateOverride)
        let answer = try await world.metadata.push(world.replica.push([forged]), by: caller)
        #expect(answer.refused.map(\.problem.code) == [.changeInvalid])
        // As an older server let it in; a day before the first that fits a row was never stored.
        guard microseconds > .min else { return }
        let asset = world.asset
        try await world.metadata.database.write { database in
            try database.execute(sql: "UPDATE asset SET capture_date = ?", arguments: [microseconds])
        }
        for unit in TimelineUnit.allCases {
            let spans = try await world.metadata.spans(FetchOptions(), by: unit, in: .everything)
            #expect(spans.map(\.count).allSatisfy { $0 == 1 }, "\(unit)")
        }
        #expect(try await world.metadata.asset(asset, in: .everything) != nil)
    }

    @Test(
        "T175: the date of a trashing that a device pushes is shown, and decides nothing about the purge",
        arguments: [0, -62_167_219_200_000, 253_402_300_799_999] as [Int64]
    )
    func trashDates(milliseconds: Int64) async throws {
        var world = try await world()
        let forged = world.forge(.integer(milliseconds), field: AssetField.trashed)
        let answer = try await world.metadata.push(world.replica.push([forged]), by: caller)
        #expect(answer.refused.isEmpty)
        let shown = try await world.metadata.asset(world.asset, in: .everything)?.trashedAt
        #expect(shown == WallTime(millisecondsSince1970: milliseconds))
        world.fixture.clock.advance(days: 29)
        #expect(try await world.store.collect(by: administrator) == (purged: 0, deleted: 0))
        world.fixture.clock.advance(days: 2)
        #expect(try await world.store.collect(by: administrator) == (purged: 1, deleted: 0))
    }

    @Test(
        "T175: the date of a trashing beyond all years is refused at the push",
        arguments: [.max, .min, -62_167_219_200_001, 253_402_300_800_000] as [Int64]
    )
    func farTrashDates(milliseconds: Int64) async throws {
        var world = try await world()
        let forged = world.forge(.integer(milliseconds), field: AssetField.trashed)
        let answer = try await world.metadata.push(world.replica.push([forged]), by: caller)
        #expect(answer.refused.map(\.problem.code) == [.changeInvalid])
        #expect(try await world.metadata.asset(world.asset, in: .everything)?.trashedAt == nil)
    }

    @Test("T49: a change of one field takes back no write of another: a keyword no resource and no trashing")
    func otherFields() async throws {
        var world = try await world()
        _ = try await world.metadata.trash(world.asset, in: .everything, by: administrator)
        let asset = try await world.metadata.asset(world.asset, in: .everything)
        let server = try await world.serverReplica()
        let dots = (1...server.counter).map { Dot(replica: server.replica, counter: $0) }
        let changes = dots.map { world.forge(.text("k\($0.counter)"), superseding: [$0]) }
        let answer = try await world.metadata.push(world.replica.push(changes), by: caller)
        #expect(answer.refused.map(\.problem.code) == changes.map { _ in .changeInvalid })
        #expect(try await world.metadata.asset(world.asset, in: .everything) == asset)
    }

    @Test("T49: a device calls itself by no name that the server's replica has or had")
    func serversName() async throws {
        let world = try await world()
        let metadata = world.metadata
        var names: [ReplicaID] = [try await world.serverReplica().replica]
        try await metadata.beginEpoch(LibraryEpoch(rawValue: 7))
        names.append(try await world.serverReplica().replica)
        #expect(names[0] != names[1])
        for name in names {
            let replica = TestReplica(name.rawValue, device: StoreFixture.device, milliseconds: 1)
            let code = await errorCode {
                _ = try await metadata.contact(replica.contact(), ticket: nil, by: caller)
            }
            #expect(code == .malformedRequest)
        }
    }

    @Test("an asset that knows writes which the server never made is edited, trashed and purged all the same")
    func frozen() async throws {
        var world = try await world()
        let metadata = world.metadata
        let server = try await world.serverReplica()
        // As earlier versions took it from a device.
        var state = ReplicaState()
        state.apply(world.forge(.text("k"), superseding: [Dot(replica: server.replica, counter: Limits.counter)]))
        let bytes = state.canonicalBytes
        try await metadata.database.write { [asset = world.asset] database in
            try database.execute(
                sql: "UPDATE entity SET state = ? WHERE kind = 2 AND first = ?",
                arguments: [Data(bytes), Data(asset.bytes)]
            )
        }
        let edited = try await metadata.edit(world.asset, edit("New"), in: .everything, by: administrator)
        #expect(edited.title == "New")
        #expect(try await world.serverReplica().replica != server.replica)
        _ = try await metadata.trash(world.asset, in: .everything, by: administrator)
        try await world.store.purge(world.asset, by: administrator)
        #expect(try await metadata.asset(world.asset, in: .everything) == nil)
    }

    @Test("of a trash in which one asset is damaged, all others are collected; changes of that one are refused alone")
    func damaged() async throws {
        var world = try await world()
        var others: [AssetID] = []
        for _ in 0..<2 {
            let (manifest, bytes) = world.fixture.capture()
            try await world.fixture.save(manifest, bytes, to: world.store)
            others.append(manifest.id)
        }
        for id in [others[0], world.asset, others[1]] {
            _ = try await world.metadata.trash(id, in: .everything, by: administrator)
        }
        try await world.metadata.database.write { [asset = world.asset] database in
            try database.execute(
                sql: "UPDATE entity SET state = x'00' WHERE kind = 2 AND first = ?",
                arguments: [Data(asset.bytes)]
            )
        }
        let title = world.forge(.text("t"), field: AssetField.title)
        let answer = try await world.metadata.push(world.replica.push([title]), by: caller)
        #expect(answer.acknowledged == 1 && answer.refused.map(\.problem.code) == [.storageDamaged])
        world.fixture.clock.advance(days: 400)
        #expect(try await world.store.collect(by: administrator).purged == 2)
        for id in others { #expect(try await world.metadata.asset(id, in: .everything) == nil) }
        #expect(try await world.metadata.asset(world.asset, in: .everything) != nil)
    }

    @Test(
        "T189: whatever fills an asset, an operator edits and trashes it, and other devices' edits are taken",
        arguments: [AssetField.keyword, AssetField.caption, FieldID(rawValue: 99)],
        [8, 8000]
    )
    func filled(field: FieldID, length: Int) async throws {
        var world = try await world()
        let padding = String(repeating: "x", count: field == AssetField.keyword ? 8 : length)
        for _ in 0..<2 {
            let changes = (0..<600).map { world.forge(.text("\($0) \(padding)"), field: field) }
            for start in stride(from: 0, to: changes.count, by: 100) {
                _ = try await world.metadata.push(world.replica.push(Array(changes[start..<start + 100])), by: caller)
            }
        }
        let time = UInt64(world.fixture.clock.now.millisecondsSince1970)
        var other = TestReplica(0xABD, device: StoreFixture.device, milliseconds: time)
        _ = try await world.metadata.contact(other.contact(), ticket: nil, by: caller)
        let theirs = try #require(
            try other.state.set(.text("Theirs"), field: AssetField.title, of: world.id, by: &other.author)
        )
        let answer = try await world.metadata.push(other.push([theirs]), by: caller)
        #expect(answer.acknowledged == 1 && answer.refused == [])
        var change = edit("New", isHidden: true)
        change.addedKeywords = [try #require(Keyword("ours"))]
        let edited = try await world.metadata.edit(world.asset, change, in: .everything, by: administrator)
        #expect(edited.title == "New" && edited.isHidden && edited.keywords.contains { $0.text == "ours" })
        _ = try await world.metadata.trash(world.asset, in: .everything, by: administrator)
        try await world.store.purge(world.asset, by: administrator)
        #expect(try await world.metadata.asset(world.asset, in: .everything) == nil)
    }

    @Test("T49: an entity holds so many live writes and no more; what removes some is taken, and others' edits are too")
    func crowded() async throws {
        var world = try await world()
        let spare = 4
        let count = Limits.elementWrites
        var changes = (0..<count + spare).map { world.forge(.text("k\($0)")) }
        let dots = changes.prefix(spare).map(\.dot)
        changes.append(world.forge(nil, superseding: dots))
        changes.append(world.forge(.text("again")))
        var refused: [UInt64] = []
        for start in stride(from: 0, to: changes.count, by: APILimits.pushCount) {
            let part = changes[start..<min(start + APILimits.pushCount, changes.count)]
            let answer = try await world.metadata.push(world.replica.push(Array(part)), by: caller)
            #expect(answer.refused.allSatisfy { $0.problem.code == .tooLarge })
            refused += answer.refused.map(\.counter)
        }
        #expect(refused == (0..<spare).map { UInt64(count + $0 + 1) })
        let asset = try await world.metadata.edit(world.asset, edit("New"), in: .everything, by: administrator)
        #expect(asset.title == "New" && asset.keywords.count == count - spare + 1)
    }

    @Test("T49: values of one entity are bounded together, whatever their fields are called")
    func largeValues() async throws {
        var world = try await world()
        let value = FieldValue.bytes([UInt8](repeating: 7, count: APILimits.deltaByteCount - 200))
        let tooLong = FieldValue.bytes([UInt8](repeating: 7, count: APILimits.deltaByteCount))
        let first = world.forge(tooLong, field: FieldID(rawValue: 899))
        let changes = [first] + (0..<6).map { world.forge(value, field: FieldID(rawValue: 900 + UInt16($0))) }
        let answer = try await world.metadata.push(world.replica.push(changes), by: caller)
        #expect(answer.acknowledged == 7 && answer.refused.map(\.counter) == [1, 3, 4, 5, 6, 7])
        #expect(answer.refused.allSatisfy { $0.problem.code == .tooLarge })
        #expect(try #require(try await world.state()).count < Limits.lastingValueBytes + 4096)
    }

    @Test("T49: a push takes many turns of the writer, each of bounded work", arguments: [false, true])
    func turns(isLimited: Bool) async throws {
        var world = try await world()
        if isLimited { try await world.fixture.decide(StoreFixture.device, .selected, in: world.store) }
        let observer = LinesPerTransaction()
        world.metadata.database.add(transactionObserver: observer, extent: .databaseLifetime)
        let changes = (0..<APILimits.pushCount).map {
            world.forge(.bool($0.isMultiple(of: 2)), field: AssetField.favorite)
        }
        let before = try await world.metadata.identity().lastChange
        let push = try world.replica.push(changes)
        let answer = try await world.metadata.push(push, by: caller)
        #expect(answer.acknowledged == UInt64(changes.count) && answer.refused == [])
        let lines = observer.lines.withLock(\.self)
        #expect(answer.changeNumber?.rawValue ?? 0 >= before.rawValue + Int64(changes.count))
        // Retired losers take lines of their own.
        #expect(lines.reduce(0, +) >= changes.count)
        #expect((lines.max() ?? 0) <= WriterTurn.usual * 2 / (isLimited ? 8 : 1))
        #expect(lines.filter { $0 > 0 }.count >= changes.count * (isLimited ? 8 : 1) / WriterTurn.usual)
        #expect(try await world.metadata.push(push, by: caller).refused == [], "the same again is the same")
    }

    @Test("T178: values that no edit can make are refused; what only a newer version can read is kept")
    func impossibleValues() async throws {
        var world = try await world()
        let place = { (latitude: Double) in FieldValue.group([.double(latitude), .double(8), .nothing]) }
        let peak = { (altitude: FieldValue) in FieldValue.group([.double(47), .double(8), altitude]) }
        let impossible: [(FieldID, FieldValue)] = [
            (AssetField.rating, .integer(6)), (AssetField.rating, .integer(.max)), (AssetField.rating, .text("5")),
            (AssetField.favorite, .integer(1)), (AssetField.title, .bool(true)),
            (AssetField.captureDateOverride, .text("today")), (AssetField.locationOverride, place(.nan)),
            (AssetField.locationOverride, place(.infinity)), (AssetField.locationOverride, place(1e308)),
            (AssetField.captureDateOverride, .group([.text("today")])), (AssetField.captureDateOverride, .group([])),
            (AssetField.locationOverride, place(90.5)), (AssetField.locationOverride, peak(.double(1e308))),
            (AssetField.locationOverride, peak(.double(1_000_001))), (AssetField.locationOverride, peak(.text("high"))),
        ]
        let wrong: [(FieldID, FieldValue)] = [
            (AssetField.trashed, .text("now")), (AssetField.keyword, .integer(1)), (AssetField.keyword, .nothing),
            (AssetField.resource, .group([.identifier(1)])), (AssetField.capture, .integer(0)),
            (AssetField.mediaKind, .integer(1)), (AssetField.origin, .text("a")),
        ]
        let possible: [(FieldID, FieldValue)] = [
            (AssetField.trashed, .nothing), (AssetField.keyword, .unrecognized([0x7F, 1])),
            (FieldID(rawValue: 99), .integer(1)), (AssetField.rating, .integer(5)),
            (AssetField.locationOverride, place(47)), (AssetField.locationOverride, .nothing),
            (AssetField.title, .unrecognized([0x7F, 1])),
            (AssetField.captureDateOverride, .group([.integer(0)])), (AssetField.captureDateOverride, .nothing),
            (AssetField.locationOverride, peak(.double(8849))),
        ]
        let changes = (impossible + wrong + possible).map { world.forge($0.1, field: $0.0) }
        let answer = try await world.metadata.push(world.replica.push(changes), by: caller)
        #expect(answer.refused.map(\.counter) == (1...UInt64(impossible.count + wrong.count)).map(\.self))
        #expect(answer.refused.allSatisfy { $0.problem.code == .changeInvalid })
        #expect(answer.acknowledged == UInt64(changes.count))
    }

    @Test("T94: a limited device's changes of an asset with many keywords take turns by what is written each time")
    func manyKeywords() async throws {
        var world = try await world()
        try await world.fixture.decide(StoreFixture.device, .selected, in: world.store)
        let keywords = (0..<250).map { world.forge(.text("a keyword of the asset, \($0)")) }
        let known = try await world.metadata.push(world.replica.push(keywords), by: caller)
        #expect(known.acknowledged == 250 && known.refused == [])
        let observer = LinesPerTransaction()
        world.metadata.database.add(transactionObserver: observer, extent: .databaseLifetime)
        let titles = (0..<40).map { world.forge(.text("title \($0)"), field: AssetField.title) }
        let answer = try await world.metadata.push(world.replica.push(titles), by: caller)
        #expect(answer.acknowledged == 290 && answer.refused == [])
        // Eight units for a change, seven for its state, and ninety for the document; each retires the title before.
        #expect((observer.lines.withLock(\.self).max() ?? 0) <= 8)
    }

    @Test("a device has so many replicas and no more, however often it calls; the one that wrote stays")
    func manyReplicas() async throws {
        var world = try await world()
        let change = world.forge(.text("k"))
        _ = try await world.metadata.push(world.replica.push([change]), by: caller)
        for number in 1...UInt128(ReplicaTable.countPerDevice + 8) {
            let replica = TestReplica(number << 64, device: StoreFixture.device, milliseconds: 1)
            let answer = try await world.metadata.contact(replica.contact(), ticket: nil, by: caller)
            #expect(answer.verdict.remedy == .proceed)
        }
        let replicas = try await world.metadata.replicas(of: StoreFixture.device)
        #expect(replicas.count == ReplicaTable.countPerDevice)
        #expect(replicas.contains { $0.incarnation == world.replica.author.replica && $0.acknowledged == 1 })
        let next = world.forge(.text("l"))
        #expect(try await world.metadata.push(world.replica.push([next]), by: caller).refused == [])
    }

    @Test("refusals are kept for one push, and of a large change only why it was refused")
    func refusals() async throws {
        var world = try await world()
        let large = FieldValue.bytes([UInt8](repeating: 7, count: APILimits.deltaByteCount))
        for _ in 0..<2 {
            let changes = (0..<600).map { world.forge($0 == 599 ? large : .bool(true), field: .purge) }
            let answer = try await world.metadata.push(world.replica.push(changes), by: caller)
            #expect(answer.refused.count == 600)
        }
        let (count, bytes) = try await world.metadata.database.read { database in
            (
                try Int.fetchOne(database, sql: "SELECT count(*) FROM refused_change"),
                try Int.fetchOne(database, sql: "SELECT max(length(delta)) FROM refused_change")
            )
        }
        #expect(count == APILimits.pushCount)
        #expect((bytes ?? .max) < 1025)
    }
}
