import Foundation
import LibraryAPI
import LibraryStoreTestSupport
import PhotoModel
import Replication
import Testing

@testable import LibraryStore

/// How many albums an asset is in at most.
struct AlbumCountTests {
    private static let caller = StoreCaller.device(StoreFixture.device)
    private static let administrator = StoreCaller.administrator("ana")

    /// A library with an asset of a device, which may do everything.
    private struct World {
        let fixture: StoreFixture
        let store: LibraryStore
        let metadata: SQLMetadataStore
        let manifest: AssetManifest
        let bytes: [[UInt8]]
        var replica: TestReplica

        init(in engine: RowEngine) async throws {
            fixture = try StoreFixture(in: engine)
            store = try await fixture.create()
            metadata = try #require(store.metadata as? SQLMetadataStore)
            (manifest, bytes) = fixture.capture()
            try await fixture.save(manifest, bytes, to: store)
            let time = UInt64(fixture.clock.now.millisecondsSince1970)
            replica = TestReplica(0xABC, device: StoreFixture.device, milliseconds: time)
            _ = try await store.metadata.contact(replica.contact(), ticket: nil, by: AlbumCountTests.caller)
        }

        /// Puts the asset straight into rows of this many albums.
        func fill(to count: Int) async throws {
            try await metadata.store.write([.library]) { [asset = manifest.id] database in
                let key = try #require(try AssetTable.key(of: asset, database))
                for number in 0..<count {
                    let id = AlbumID(rawValue: 0xA000 + UInt128(number))
                    try AlbumTable.save(Album(id: id, title: "Album \(number)"), database)
                    try database.execute(
                        "INSERT INTO album_asset (album, asset, position) VALUES (?, ?, ?)",
                        [id.blob, key, Data([1])]
                    )
                }
            }
        }

        /// The number of albums that a list names.
        func listed() async throws -> Int? {
            try await metadata.page(AssetQuery(), in: .everything).assets.first?.albums.count
        }

        /// The code with which an operator is refused to add the asset; nil if it is added.
        func refusal(addingTo album: AlbumID) async -> ErrorCode? {
            do {
                try await metadata.add(
                    [manifest.id],
                    to: album,
                    in: .everything,
                    by: AlbumCountTests.administrator
                )
                return nil
            } catch {
                return StoreError.wrapping(error).code
            }
        }

        /// A change that says that an album or a membership exists.
        mutating func confirmation(of entity: EntityReference) -> Change {
            let isAlbum = if case .album = entity { true } else { false }
            return change(of: entity, isAlbum ? AlbumField.presence : MembershipField.presence, to: .bool(true))
        }

        /// A change of a membership's position.
        mutating func move(of entity: EntityReference) -> Change {
            change(of: entity, MembershipField.position, to: .bytes([0x80]))
        }

        private mutating func change(of entity: EntityReference, _ field: FieldID, to value: FieldValue) -> Change {
            Change(
                entity: entity.id,
                field: field,
                dot: replica.author.incarnation.nextDot(),
                after: 0,
                stamp: HybridTimestamp(milliseconds: replica.author.milliseconds),
                value: value,
                superseded: []
            )
        }

        mutating func push(_ changes: [Change]) async throws -> ChangePushResponse {
            try await metadata.push(replica.push(changes), by: AlbumCountTests.caller)
        }
    }

    @Test("T153: an asset is in a thousand albums at most, whoever adds it", arguments: RowEngine.installed)
    func additions(in engine: RowEngine) async throws {
        var world = try await World(in: engine)
        let (metadata, asset, most) = (world.metadata, world.manifest.id, APILimits.albumsPerAsset)
        try await world.fill(to: most - 2)
        var albums: [AlbumID] = []
        var changes: [Change] = []
        for number in 0..<4 {
            let edit = AlbumEdit(title: "New \(number)")
            let album = try await metadata.createAlbum(edit, by: Self.administrator).id
            albums.append(album)
            changes.append(world.confirmation(of: .membership(album: album, asset: asset)))
        }
        // Said again, they are no more than before.
        changes.append(world.confirmation(of: .membership(album: albums[0], asset: asset)))
        let answer = try await world.push(changes)
        #expect(answer.acknowledged == 5 && answer.refused.map(\.counter) == [3, 4])
        #expect(answer.refused.allSatisfy { $0.problem.code == .tooLarge })
        #expect(try await world.listed() == most)

        try await metadata.add([asset], to: albums[1], in: .everything, by: Self.administrator)
        #expect(await world.refusal(addingTo: albums[2]) == .tooLarge)
        // A photo that comes again is saved all the same.
        var again = world.manifest
        again.desiredAlbum = .id(albums[3])
        let other = StoreCaller.device(StoreFixture.otherDevice)
        let saved = try await world.fixture.save(again, world.bytes, by: other, to: world.store)
        #expect(saved.album == .deferred(.full))
        #expect(try await world.listed() == most)

        try await metadata.remove(asset, from: albums[0], in: .everything, by: Self.administrator)
        try await metadata.add([asset], to: albums[2], in: .everything, by: Self.administrator)
        #expect(try await world.listed() == most)
    }

    @Test(
        "T153: albums that appear after their memberships take an asset into no more than a thousand either",
        arguments: RowEngine.installed,
        [false, true]
    )
    func laterAlbums(in engine: RowEngine, areMoved: Bool) async throws {
        var world = try await World(in: engine)
        let (asset, most) = (world.manifest.id, APILimits.albumsPerAsset)
        try await world.fill(to: most - 1)
        let albums = (1...3).map { AlbumID(rawValue: UInt128($0)) }
        var changes = albums.map { world.confirmation(of: .membership(album: $0, asset: asset)) }
        var answer = try await world.push(changes)
        #expect(answer.acknowledged == 3 && answer.refused.isEmpty)
        #expect(try await world.listed() == most - 1)
        changes = albums.map { world.confirmation(of: .album($0)) }
        // A change of theirs in the same turn must not let them in before their album is settled.
        if areMoved { changes += albums.map { world.move(of: .membership(album: $0, asset: asset)) } }
        answer = try await world.push(changes)
        #expect(answer.acknowledged == (areMoved ? 9 : 6) && answer.refused.isEmpty)
        #expect(try await world.listed() == most)
        // The feed tells every replica so.
        let live = try await world.metadata.store.read { database in
            try database.value(
                Int.self,
                "SELECT count(*) FROM entity WHERE kind = 5 AND second = ? AND removed IS NULL",
                [asset.blob]
            )
        }
        #expect(live == 1)
    }
}
