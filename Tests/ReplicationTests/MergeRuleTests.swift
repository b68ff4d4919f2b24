import Replication
import TestSupport
import Testing

/// Each row of the table of data and rules.
struct MergeRuleTests {
    private static func authors(_ count: Int) -> [Author] {
        (1...count).map {
            Author(incarnation: Incarnation(replica: ReplicaID(rawValue: UInt128($0))), milliseconds: UInt64($0))
        }
    }

    private let asset = EntityID.asset(1)
    private let album: UInt128 = 9

    @Test("of concurrent writes the greater stamp shows, eight losers are listed, the rest is retired by a change")
    func boundedLosers() throws {
        var changes: [Change] = []
        for var author in Self.authors(12) {
            var state = ReplicaState()
            let value = FieldValue.text("by \(author.milliseconds)")
            changes += try [state.set(value, field: AssetField.title, of: asset, by: &author)].compactMap { $0 }
        }
        var state = ReplicaState(applying: changes.reversed())
        let register = try #require(state.entityView(asset)?.register(AssetField.title))
        #expect(register.value == .text("by 12"))
        #expect(register.superseded.map(\.value) == (4...11).reversed().map { .text("by \($0)") })
        #expect(register.surplus.count == 3)
        var server = Author(incarnation: Incarnation(replica: ReplicaID(rawValue: 99)), milliseconds: 20)
        let retiring = try #require(try state.retireSurplus(of: AssetField.title, of: asset, by: &server))
        #expect(state.entityView(asset)?.register(AssetField.title)?.surplus == [])
        #expect(state.entityView(asset)?.register(AssetField.title)?.superseded == register.superseded)
        #expect(try state.retireSurplus(of: AssetField.title, of: asset, by: &server) == nil)
        #expect(ReplicaState(applying: [retiring] + changes).canonicalBytes == state.canonicalBytes)
        #expect(throws: ReplicationError.self) { try Schema.library.admit(retiring, isFromServer: false) }
        #expect(throws: Never.self) { try Schema.library.admit(retiring, isFromServer: true) }
    }

    @Test("restoring a loser is an ordinary write, which all concurrent values give way to")
    func restoreLoser() throws {
        var authors = Self.authors(2)
        var first = ReplicaState()
        var second = ReplicaState()
        _ = try first.set(.text("loser"), field: AssetField.caption, of: asset, by: &authors[0])
        _ = try second.set(.text("winner"), field: AssetField.caption, of: asset, by: &authors[1])
        first.merge(second)
        let register = try #require(first.entityView(asset)?.register(AssetField.caption))
        #expect(register.value == .text("winner"))
        let loser = try #require(register.superseded.first)
        _ = try first.set(loser.value, field: AssetField.caption, of: asset, by: &authors[0])
        second.merge(first)
        #expect(second.entityView(asset)?.value(AssetField.caption) == .text("loser"))
        #expect(second.entityView(asset)?.register(AssetField.caption)?.superseded == [])
    }

    @Test("with equal stamps the greater replica wins, on both sides")
    func tie() throws {
        var states = [ReplicaState(), ReplicaState()]
        for index in 0..<2 {
            var author = Author(
                incarnation: Incarnation(replica: ReplicaID(rawValue: UInt128(2 - index))),
                milliseconds: 5
            )
            _ = try states[index].set(.integer(Int64(index + 1)), field: AssetField.rating, of: asset, by: &author)
        }
        let copy = states[0]
        states[0].merge(states[1])
        states[1].merge(copy)
        #expect(states.map { $0.entityView(asset)?.value(AssetField.rating) } == [.integer(1), .integer(1)])
    }

    @Test("a group is replaced as one: two concurrent overrides never mix")
    func groups() throws {
        var authors = Self.authors(2)
        var states = [ReplicaState(), ReplicaState()]
        let values = [FieldValue.group([.double(1), .double(2)]), .group([.double(3), .double(4)])]
        for index in 0..<2 {
            _ = try states[index].set(values[index], field: AssetField.locationOverride, of: asset, by: &authors[index])
        }
        states[0].merge(states[1])
        #expect(states[0].entityView(asset)?.value(AssetField.locationOverride) == values[1])
        #expect(
            states[0].entityView(asset)?.register(AssetField.locationOverride)?.superseded.map(\.value) == [values[0]]
        )
    }

    @Test("an add beats a concurrent remove; a remove that saw all adds removes")
    func addWins() throws {
        var authors = Self.authors(2)
        var states = [ReplicaState(), ReplicaState()]
        let word = FieldValue.text("sea")
        _ = try states[0].add(word, to: AssetField.keyword, of: asset, by: &authors[0])
        states[1].merge(states[0])
        _ = try states[0].add(word, to: AssetField.keyword, of: asset, by: &authors[0])
        #expect(try states[1].remove(word, from: AssetField.keyword, of: asset, by: &authors[1]) != nil)
        states[0].merge(states[1])
        states[1].merge(states[0])
        #expect(states.map { $0.entityView(asset)?.set(AssetField.keyword).contains(word) } == [true, true])
        #expect(try states[1].remove(word, from: AssetField.keyword, of: asset, by: &authors[1]) != nil)
        #expect(try states[1].remove(word, from: AssetField.keyword, of: asset, by: &authors[1]) == nil)
        states[0].merge(states[1])
        #expect(states[0].entityView(asset)?.set(AssetField.keyword).elements == [])
    }

    @Test("adding or removing one element leaves the others and the other fields alone")
    func elements() throws {
        var author = Self.authors(1)[0]
        var state = ReplicaState()
        let words = ["sea", "sand", "sun"].map { FieldValue.text($0) }
        _ = try state.set(words[0], field: AssetField.title, of: asset, by: &author)
        for word in words + words {
            _ = try state.add(word, to: AssetField.keyword, of: asset, by: &author)
        }
        #expect(state.entityView(asset)?.writes(AssetField.keyword).count == 3)
        #expect(try state.remove(words[0], from: AssetField.keyword, of: asset, by: &author) != nil)
        #expect(state.entityView(asset)?.set(AssetField.keyword).elements == [words[1], words[2]])
        #expect(state.entityView(asset)?.value(AssetField.title) == words[0])
    }

    @Test("an edit does not untrash")
    func trash() throws {
        var authors = Self.authors(2)
        var states = [ReplicaState(), ReplicaState()]
        _ = try states[0].set(.integer(5), field: AssetField.trashed, of: asset, by: &authors[0])
        _ = try states[1].set(.text("new"), field: AssetField.title, of: asset, by: &authors[1])
        states[0].merge(states[1])
        #expect(states[0].entityView(asset)?.value(AssetField.trashed) == .integer(5))
        #expect(states[0].entityView(asset)?.value(AssetField.title) == .text("new"))
    }

    @Test("a purge wins over edits, also those that arrive later, and a purged entity takes no more")
    func purge() throws {
        var authors = Self.authors(2)
        var state = ReplicaState()
        var other = ReplicaState()
        _ = try state.set(.text("old"), field: AssetField.title, of: asset, by: &authors[0])
        let purge = try state.purge(asset, by: &authors[0])
        let edit = try #require(try other.set(.text("new"), field: AssetField.title, of: asset, by: &authors[1]))
        let isEditNews = state.apply(edit)
        let isPurgeNews = other.apply(purge)
        #expect(!isEditNews)
        #expect(isPurgeNews)
        #expect(state.canonicalBytes == other.canonicalBytes)
        #expect(state.entityView(asset)?.fields == [.purge])
        #expect(throws: ReplicationError.self) { try Schema.library.admit(purge, isFromServer: false) }
        #expect(throws: Never.self) { try Schema.library.admit(purge, isFromServer: true) }
        #expect(throws: ReplicationError.self) {
            try state.set(.text("late"), field: AssetField.title, of: asset, by: &authors[0])
        }
    }

    @Test("a resource is immutable and never removed; of two under one key the first stays for all")
    func resources() throws {
        var authors = Self.authors(2)
        var states = [ReplicaState(), ReplicaState()]
        let first = FieldValue.group([.identifier(7), .bytes([1])])
        let second = FieldValue.group([.identifier(7), .bytes([2])])
        let change = try #require(try states[0].insert(first, into: AssetField.resource, of: asset, by: &authors[0]))
        #expect(try states[0].insert(second, into: AssetField.resource, of: asset, by: &authors[0]) == nil)
        _ = try states[1].insert(second, into: AssetField.resource, of: asset, by: &authors[1])
        states[1].merge(states[0])
        states[0].merge(states[1])
        #expect(states.map { $0.entityView(asset)?.map(AssetField.resource).values } == [[first], [first]])
        let removal = Change(
            entity: asset,
            field: AssetField.resource,
            dot: Dot(replica: ReplicaID(rawValue: 5), counter: 1),
            after: 0,
            stamp: change.stamp,
            value: nil,
            superseded: [change.dot]
        )
        #expect(throws: ReplicationError.self) { try Schema.library.admit(removal, isFromServer: true) }
        #expect(throws: Never.self) { try Schema.library.admit(change, isFromServer: false) }
    }

    @Test("a deleted album is revived and flagged by an addition that did not know; the next one that knows settles it")
    func albums() throws {
        var authors = Self.authors(2)
        var states = [ReplicaState(), ReplicaState()]
        let position = try PositionKey.between(nil, nil, by: authors[0].replica)
        _ = try states[0].confirmAlbum(album, by: &authors[0])
        states[1].merge(states[0])
        #expect(try states[0].deleteAlbum(album, by: &authors[0]) != nil)
        #expect(states[0].entityView(.album(album))?.albumPresence == .deleted)
        #expect(try states[0].deleteAlbum(album, by: &authors[0]) == nil)
        _ = try states[1].place(asset: 1, in: album, at: position, by: &authors[1])
        states[1].merge(states[0])
        #expect(states[1].entityView(.album(album))?.albumPresence == .revived)
        _ = try states[1].place(asset: 2, in: album, at: position, by: &authors[1])
        #expect(states[1].entityView(.album(album))?.albumPresence == .present)
        states[0].merge(states[1])
        #expect(states[0].entityView(.album(album))?.albumPresence == .present)
    }

    @Test("a re-add after a concurrent removal survives; a move makes no second membership")
    func memberships() throws {
        var authors = Self.authors(2)
        var states = [ReplicaState(), ReplicaState()]
        let id = EntityID.membership(album: album, asset: 1)
        let keys = try PositionKey.run(of: 3, between: nil, nil, by: authors[0].replica)
        #expect(try states[0].place(asset: 1, in: album, at: keys[0], by: &authors[0]).count == 3)
        states[1].merge(states[0])
        #expect(try states[0].takeOut(asset: 1, of: album, by: &authors[0]) != nil)
        #expect(try states[0].takeOut(asset: 1, of: album, by: &authors[0]) == nil)
        #expect(states[0].entityView(id)?.isPresent(MembershipField.presence) == false)
        #expect(try states[1].takeOut(asset: 1, of: album, by: &authors[1]) != nil)
        _ = try states[1].place(asset: 1, in: album, at: keys[1], by: &authors[1])
        states[0].merge(states[1])
        #expect(states[0].entityView(id)?.position == keys[1])
        #expect(try states[0].place(asset: 1, in: album, at: keys[2], by: &authors[0]).count == 1)
        #expect(states[0].entityView(id)?.position == keys[2])
        #expect(states[0].identifiers.filter { $0.kind == .membership }.count == 1)
    }

    @Test("a default is never written as a change, and reads as if it had been")
    func defaults() throws {
        var author = Self.authors(1)[0]
        var state = ReplicaState()
        #expect(try state.set(.bool(false), field: AssetField.favorite, of: asset, by: &author) == nil)
        #expect(state.count == 0)
        _ = try state.set(.text("x"), field: AssetField.title, of: asset, by: &author)
        #expect(state.entityView(asset)?.value(AssetField.favorite) == .bool(false))
        _ = try state.set(.bool(true), field: AssetField.favorite, of: asset, by: &author)
        #expect(try state.set(.bool(false), field: AssetField.favorite, of: asset, by: &author) != nil)
    }

    @Test("forgetting is no deletion: the entity comes back whole, and later writes hide none that was not sent")
    func forget() throws {
        var author = Self.authors(1)[0]
        var device = ReplicaState()
        let unsent = try #require(try device.set(.text("t"), field: AssetField.title, of: asset, by: &author))
        author.incarnation.noteForgotten()
        device.forget(asset)
        #expect(device.count == 0)
        let later = try #require(try device.set(.text("c"), field: AssetField.caption, of: asset, by: &author))
        var server = ReplicaState()
        server.apply(later)
        server.apply(unsent)
        #expect(server.entityView(asset)?.value(AssetField.title) == .text("t"))
        #expect(server.entityView(asset)?.value(AssetField.caption) == .text("c"))
        device.merge(server)
        #expect(device.canonicalBytes == server.canonicalBytes)
    }

    @Test("forgetting one entity leaves the others where they are read and written")
    func forgetsOneOfMany() throws {
        var author = Self.authors(1)[0]
        let ids = (1...4).map { EntityID.asset($0) }
        for forgotten in ids {
            var state = ReplicaState()
            for id in ids { _ = try state.set(.text("\(id)"), field: AssetField.title, of: id, by: &author) }
            state.forget(forgotten)
            #expect(state.count == 3)
            #expect(state.entityView(forgotten) == nil)
            for id in ids where id != forgotten {
                #expect(state.entityView(id)?.value(AssetField.title) == .text("\(id)"))
                _ = try state.set(.text("of \(id)"), field: AssetField.caption, of: id, by: &author)
            }
            #expect(state.count == 3)
            for id in ids where id != forgotten {
                #expect(state.entityView(id)?.value(AssetField.title) == .text("\(id)"))
                #expect(state.entityView(id)?.value(AssetField.caption) == .text("of \(id)"))
            }
        }
    }

    @Test("the library's schema: numbers and names are unique, and never change their rule")
    func schema() {
        let rules: [EntityKind: [MergeRule]] = [
            .asset: [.purge, .growOnlyMap] + Array(repeating: .latest, count: 7) + [.addWinsSet]
                + Array(repeating: .latest, count: 4),
            .album: [.purge, .presence, .tombstone, .latest, .latest, .latest],
            .membership: [.purge, .presence, .latest],
        ]
        #expect(Schema.library.knownKinds == rules.keys.sorted())
        for (kind, expected) in rules {
            let fields = Schema.library.fields(of: kind)
            #expect(fields.map(\.rule) == expected)
            #expect(fields.map { Int($0.id.rawValue) } == Array(0..<expected.count))
            #expect(Set(fields.map(\.name)).count == fields.count)
        }
    }
}
