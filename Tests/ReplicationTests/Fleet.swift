import Replication
import TestSupport

/// One replica with the changes it knows.
struct TestReplica {
    var state = ReplicaState()
    var author: Author
    /// The changes it made or was given.
    var known: Set<Change> = []

    mutating func take(_ change: Change) {
        state.apply(change)
        known.insert(change)
    }

    mutating func record(_ changes: [Change?]) {
        known.formUnion(changes.compactMap { $0 })
    }
}

/// Replicas that edit a few entities and exchange changes in random order; the source of the histories for the laws.
struct Fleet {
    var replicas: [TestReplica]
    var changes: [Change] = []

    static let assets: [UInt128] = [1, 2]
    /// The same number as an asset, so that a membership may be a pair of one identifier.
    static let albums: [UInt128] = [1]

    init(count: Int, using generator: inout SeededGenerator) {
        replicas = (0..<count).map { _ in
            TestReplica(
                author: Author(incarnation: Incarnation(replica: ReplicaID(using: &generator)), milliseconds: 1000)
            )
        }
    }

    /// A history of `steps` random edits and deliveries.
    static func history(
        replicas count: Int = 4,
        steps: Int,
        purges: Bool = true,
        using generator: inout SeededGenerator
    ) throws -> Fleet {
        var fleet = Fleet(count: count, using: &generator)
        for _ in 0..<steps {
            try fleet.step(purges: purges, using: &generator)
        }
        return fleet
    }

    mutating func step(purges: Bool, using generator: inout SeededGenerator) throws {
        let who = generator.below(replicas.count)
        if generator.oneIn(3), let change = changes.isEmpty ? nil : generator.pick(changes) {
            return replicas[who].take(change)
        }
        let made = try replicas[who].edit(purges: purges, using: &generator)
        replicas[who].record(made)
        changes += made
    }
}

extension TestReplica {
    /// Makes one random edit: any kind of write that the library knows, and fields and kinds it does not.
    mutating func edit(purges: Bool, using generator: inout SeededGenerator) throws -> [Change] {
        author.milliseconds += UInt64(generator.below(3))
        let asset = generator.pick(Fleet.assets)
        let album = generator.pick(Fleet.albums)
        let id = EntityID.asset(asset)
        let word = FieldValue.text("word\(generator.below(3))")
        guard state.entityView(id)?.isPurged != true else { return [] }
        switch generator.below(purges ? 13 : 12) {
        case 0, 1:
            return try [state.set(.integer(Int64(generator.below(6))), field: AssetField.rating, of: id, by: &author)]
                .compactMap { $0 }
        case 2:
            let text = String(repeating: "long text ", count: generator.below(4)) + "x"
            return try [state.set(.text(text), field: AssetField.title, of: id, by: &author)].compactMap { $0 }
        case 3, 4:
            return try [state.add(word, to: AssetField.keyword, of: id, by: &author)]
        case 5:
            return try [state.remove(word, from: AssetField.keyword, of: id, by: &author)].compactMap { $0 }
        case 6:
            let place = try PositionKey.between(nil, nil, by: author.replica)
            return try state.place(asset: asset, in: album, at: place, by: &author)
        case 7:
            return try [state.takeOut(asset: asset, of: album, by: &author)].compactMap { $0 }
        case 8:
            return try [state.deleteAlbum(album, by: &author)].compactMap { $0 }
        case 9:
            let resource = FieldValue.group([.identifier(UInt128(generator.below(3))), .bytes(generator.bytes(32))])
            return try [state.insert(resource, into: AssetField.resource, of: id, by: &author)].compactMap { $0 }
        case 10:
            let moment: FieldValue = generator.oneIn(2) ? .nothing : .integer(Int64(author.milliseconds))
            return try [state.set(moment, field: AssetField.trashed, of: id, by: &author)].compactMap { $0 }
        case 11:
            let unknown = EntityID(kind: EntityKind(rawValue: generator.oneIn(2) ? 77 : 78), asset, album)
            let field = FieldID(rawValue: 300)
            return try [state.set(.unrecognized([200, 1]), field: field, of: unknown, by: &author)].compactMap { $0 }
        default:
            guard generator.oneIn(4) else { return [] }
            return try [state.purge(id, by: &author)]
        }
    }
}

extension Array {
    /// The elements in random order, some of them more than once.
    func scrambled(using generator: inout SeededGenerator) -> Self {
        (self + filter { _ in generator.oneIn(3) }).shuffled(using: &generator)
    }
}

extension ReplicaState {
    /// The state of a replica that was given these changes.
    init(applying changes: some Sequence<Change>) {
        self.init()
        for change in changes { apply(change) }
    }
}
