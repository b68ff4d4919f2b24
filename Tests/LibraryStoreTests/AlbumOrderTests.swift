import Authorization
import LibraryAPI
import LibraryStore
import PhotoModel
import TestSupport
import Testing

/// Albums in the order of people.
struct AlbumOrderTests {
    private let caller = StoreCaller.administrator("ana")

    private struct Scene {
        let store: LibraryStore
        let album: AlbumID
        let assets: [AssetID]

        func order(limit: Int = 100) async throws -> [AssetID] {
            var list: [AssetID] = []
            var cursor: ListCursor?
            repeat {
                let page = try await store.metadata.page(ofAlbum: album, limit: limit, cursor: cursor, in: .everything)
                list += page.assets.map(\.id)
                cursor = page.next
            } while cursor != nil
            return list
        }
    }

    private func scene(count: Int) async throws -> Scene {
        let fixture = try StoreFixture()
        let store = try await fixture.create()
        let album = try await store.metadata.createAlbum(AlbumEdit(title: "Hills"), by: caller)
        var assets: [AssetID] = []
        for _ in 0..<count {
            let (manifest, bytes) = fixture.capture()
            try await fixture.save(manifest, bytes, to: store)
            assets.append(manifest.id)
            fixture.clock.advance(days: 1)
        }
        try await store.metadata.add(assets, to: album.id, in: .everything, by: caller)
        return Scene(store: store, album: album.id, assets: assets)
    }

    @Test("an album may be shown by date instead, either way round")
    func dates() async throws {
        let scene = try await scene(count: 4)
        let edits: [(Album.Order, [AssetID])] = [
            (.newestFirst, scene.assets.reversed()), (.captureDate, scene.assets), (.custom, scene.assets),
        ]
        try await scene.store.metadata.move(
            inAlbum: scene.album,
            behind: nil,
            [scene.assets[3]],
            in: .everything,
            by: caller
        )
        try await scene.store.metadata.move(
            inAlbum: scene.album,
            behind: scene.assets[2],
            [scene.assets[3]],
            in: .everything,
            by: caller
        )
        for (order, expected) in edits {
            let edit = AlbumEdit(order: order)
            _ = try await scene.store.metadata.editAlbum(scene.album, edit, by: caller)
            #expect(try await scene.order(limit: 3) == expected, "\(order.rawValue)")
        }
    }

    @Test("a thousand moves to one place use its positions up, and the order is right all the same")
    func crowded() async throws {
        let scene = try await scene(count: 3)
        var expected = scene.assets
        for round in 0..<1000 {
            let moved = expected[round.isMultiple(of: 2) ? 2 : 1]
            try await scene.store.metadata.move(
                inAlbum: scene.album,
                behind: expected[0],
                [moved],
                in: .everything,
                by: caller
            )
            expected = [expected[0], moved] + expected.dropFirst().filter { $0 != moved }
        }
        #expect(try await scene.order() == expected)
    }

    @Test("T125: whoever uses up the positions of one place has only its neighbours rewritten, not a large album")
    func crowdedPlace() async throws {
        let scene = try await scene(count: 150)
        let metadata = scene.store.metadata
        var expected = scene.assets
        var (changes, moves) = (Int64(1), 0)
        while changes == 1, moves < 1000 {
            let moved = expected[12]
            let before = try await metadata.identity().lastChange
            try await metadata.move(inAlbum: scene.album, behind: expected[10], [moved], in: .everything, by: caller)
            changes = try await metadata.identity().lastChange.rawValue - before.rawValue
            expected = Array(expected[...10]) + [moved] + expected[11...].filter { $0 != moved }
            moves += 1
        }
        #expect(2..<130 ~= changes, "after \(moves) moves")
        #expect(try await scene.order() == expected)
        try await metadata.move(inAlbum: scene.album, behind: nil, [expected[149]], in: .everything, by: caller)
        expected = [expected[149]] + expected.dropLast()
        #expect(try await scene.order() == expected)
    }
}
