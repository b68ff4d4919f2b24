import Authorization
import LibraryAPI
import LibraryStore
import PhotoModel
import Replication
import TestSupport
import Testing

extension MetadataStoreConformance {
    static let pushing = [
        Promise(name: "changes in one push are judged, merged and numbered as each of them in a push of its own") {
            suite in
            let seed = environmentNumber("TINTYPE_SEED") ?? UInt64.random(in: 0..<(1 << 48))
            let together = try await suite.pushed(seed, atOnce: 1000)
            let apart = try await suite.pushed(seed, atOnce: 1)
            #expect(together.refused == apart.refused && !together.refused.isEmpty, "seed \(seed)")
            #expect(together.history == apart.history && together.history.count > 200, "seed \(seed)")
            #expect(together.assets == apart.assets, "seed \(seed)")
            #expect(together.feed == apart.feed, "seed \(seed)")
            #expect(together.found == apart.found, "seed \(seed)")
        }
    ]

    /// What a library has taken of random changes.
    private struct Outcome {
        var refused: [String] = []
        var history: [String] = []
        var assets: [String] = []
        var feed: [String] = []
        var found: [Int] = []
    }

    /// Pushes the changes that belong to a seed to a new store, this many at once.
    private func pushed(_ seed: UInt64, atOnce count: Int) async throws -> Outcome {
        let (world, store) = try await self.store()
        // Named here: the store draws identifiers from the same source.
        let ids = (UInt128(1)...40).map { AssetID(rawValue: $0 << 64 | 0xA) }
        for id in ids { try await world.save(world.manifest(id: id), to: store) }
        var random = RandomChanges(
            generator: SeededGenerator(seed: seed),
            replica: world.replica(0xABC),
            assets: ids
        )
        _ = try await store.contact(random.replica.contact(), ticket: nil, by: caller)
        _ = try await store.push(random.album(), by: caller)
        let before = try await store.identity().lastChange
        var outcome = Outcome()
        let changes = try (0..<400).flatMap { _ in try random.next() }
        for start in stride(from: 0, to: changes.count, by: count) {
            let part = Array(changes[start..<min(start + count, changes.count)])
            let answer = try await store.push(random.replica.push(part), by: caller)
            outcome.refused += answer.refused.map { "\($0.counter) \($0.problem.code?.rawValue ?? "")" }
        }
        outcome.history = try await store.history(of: nil, after: before, limit: 1000).map {
            "\($0.number.rawValue - before.rawValue) \($0.actor) \($0.entity) \($0.what)"
        }
        for id in ids {
            let asset = try #require(try await store.asset(id, in: .everything))
            outcome.assets.append(
                """
                \(asset.title ?? "-") \(asset.isFavorite) \(asset.isHidden) \(asset.rating) \
                \(asset.keywords.map(\.text).sorted()) \(asset.albums.count)
                """
            )
        }
        let feed = try await store.changes(after: nil, limit: 1000, for: .everything(grantVersion: 1))
        outcome.feed = feed.changes.map { "\($0.entity)" }
        for text in ["title", "title 1", "north"] {
            let options = FetchOptions(filter: .text(text), includesHidden: true)
            outcome.found.append(try await store.count(options, in: .everything))
        }
        return outcome
    }
}

/// Changes as a device makes them, some of which a library refuses.
private struct RandomChanges {
    var generator: SeededGenerator
    var replica: TestReplica
    let assets: [AssetID]
    private let albumID: UInt128 = 5

    init(generator: SeededGenerator, replica: TestReplica, assets: [AssetID]) {
        self.generator = generator
        self.replica = replica
        self.assets = assets
    }

    /// The album for the others: one that appears gives its photos new numbers after the push.
    mutating func album() throws -> ChangePush {
        let changes: [Change?] = [
            try replica.state.confirmAlbum(albumID, by: &replica.author),
            try replica.state.set(.text("Gate"), field: AlbumField.title, of: .album(albumID), by: &replica.author),
        ]
        return try replica.push(changes)
    }

    /// The changes of one edit.
    mutating func next() throws -> [Change] {
        let asset = generator.oneIn(20) ? AssetID(rawValue: 9) : generator.pick(assets)
        let keyword = FieldValue.text(generator.pick(["north", "gate", "snow"]))
        let id = EntityReference.asset(asset).id
        switch generator.below(9) {
        case 0: return try set(.bool(generator.oneIn(2)), AssetField.favorite, of: id)
        case 1: return try set(.bool(generator.oneIn(2)), AssetField.hidden, of: id)
        case 2: return try set(.integer(Int64(generator.below(6))), AssetField.rating, of: id)
        case 3: return try set(.text("title \(generator.below(3))"), AssetField.title, of: id)
        // Nobody can type this.
        case 4: return try set(.text(generator.oneIn(4) ? "a\0" : "what is seen"), AssetField.caption, of: id)
        case 5: return [try replica.state.add(keyword, to: AssetField.keyword, of: id, by: &replica.author)]
        case 6:
            let change = try replica.state.remove(keyword, from: AssetField.keyword, of: id, by: &replica.author)
            return [change].compactMap(\.self)
        case 7:
            let keys = try PositionKey.run(of: 1, between: nil, nil, by: replica.author.replica)
            return try replica.state.place(asset: asset.rawValue, in: albumID, at: keys[0], by: &replica.author)
        default:
            let change = try replica.state.takeOut(asset: asset.rawValue, of: albumID, by: &replica.author)
            return [change].compactMap(\.self)
        }
    }

    private mutating func set(_ value: FieldValue, _ field: FieldID, of id: EntityID) throws -> [Change] {
        [try replica.state.set(value, field: field, of: id, by: &replica.author)].compactMap(\.self)
    }
}
