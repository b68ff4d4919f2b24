import Authorization
import Foundation
import LibraryAPI
import LibraryStore
import PhotoModel
import Testing

extension MetadataStoreConformance {
    static let reading = [
        Promise(name: "a list is newest first, its pages join, and the encoded page is the same page") { suite in
            let (world, store) = try await suite.store()
            var ids: [AssetID] = []
            for _ in 0..<7 { ids.append(try await world.save(to: store).receipt.receipt.assetID) }
            var query = AssetQuery(limit: 3)
            var found: [AssetID] = []
            while true {
                let page = try await store.page(query, in: .everything)
                let encoded = Data(try await store.encodedPage(query, in: .everything))
                #expect(try JSONDecoder().decode(AssetPage.self, from: encoded) == page)
                found += page.assets.map(\.id)
                guard let next = page.next else { break }
                query.cursor = next
            }
            #expect(found == ids.reversed())
            let exact = try await store.page(AssetQuery(limit: 7), in: .everything)
            #expect(exact.assets.count == 7 && exact.next == nil, "a full page that is the last one leads nowhere")
            let short = try await store.page(AssetQuery(limit: 6), in: .everything)
            #expect(short.assets.count == 6 && short.next != nil)
            var rest = AssetQuery(limit: 6)
            rest.cursor = short.next
            #expect(try await store.page(rest, in: .everything).assets.map(\.id) == [ids[0]])
            #expect(try await store.count(FetchOptions(), in: .everything) == 7)
            let spans = try await store.spans(FetchOptions(), by: .month, in: .everything)
            #expect(spans.map(\.count).reduce(0, +) == 7)
        },
        Promise(name: "a view shows what it holds and is silent about the rest, by list, by name and by digest") {
            suite in
            let (world, store) = try await suite.store()
            let (mine, theirs) = (world.manifest(), world.manifest())
            try await world.save(mine, to: store)
            try await world.save(theirs, by: suite.other, to: store)
            let view = LibraryView.own(ConformanceWorld.device)
            #expect(try await store.page(AssetQuery(), in: view).assets.map(\.id) == [mine.id])
            #expect(try await store.asset(mine.id, in: view) != nil)
            #expect(try await store.asset(theirs.id, in: view) == nil)
            let digests = [mine, theirs].map(\.resources[0].digest)
            #expect(try await store.knownDigests(digests, in: view) == [digests[0]])
            var edit = AssetEdit()
            edit.title = "x"
            #expect(
                await refusal { _ = try await store.edit(theirs.id, edit, in: view, by: suite.caller) } == .notFound
            )
        },
        Promise(name: "what is edited is found: words, keywords, stars, hidden ones not") { suite in
            let (world, store) = try await suite.store()
            let id = try await world.save(to: store).receipt.receipt.assetID
            try await world.save(to: store)
            var edit = AssetEdit()
            edit.title = "Café by the harbour"
            edit.rating = Rating(rawValue: 4)
            edit.addedKeywords = Keyword("Snow").map { [$0] }
            _ = try await store.edit(id, edit, in: .everything, by: suite.caller)
            let filters: [AssetFilter] = [
                .text("cafe harb"), .keyword(try #require(Keyword("Snow"))),
                .rating(atLeast: try #require(Rating(rawValue: 4))), .not(.text("nothing")),
            ]
            for filter in filters.dropLast() {
                let query = AssetQuery(options: FetchOptions(filter: filter))
                #expect(try await store.page(query, in: .everything).assets.map(\.id) == [id], "\(filter)")
            }
            #expect(try await store.count(FetchOptions(filter: filters[3]), in: .everything) == 2)
            edit = AssetEdit()
            edit.isHidden = true
            _ = try await store.edit(id, edit, in: .everything, by: suite.caller)
            #expect(try await store.count(FetchOptions(), in: .everything) == 1)
            #expect(try await store.history(of: id, after: .zero, limit: 10).count == 3)
        },
        Promise(name: "a search finds assets by their file's name and their place's, also after an edit of the title") {
            suite in
            let (world, store) = try await suite.store()
            var manifest = world.manifest(filename: FileName("DSC_0815 Übergang.NEF"))
            manifest.placeName = "Bad Ischl"
            try await world.save(manifest, to: store)
            try await world.save(world.manifest(filename: FileName("IMG_0816.JPG")), to: store)
            func found(_ words: String) async throws -> [AssetID] {
                let query = AssetQuery(options: FetchOptions(filter: .text(words)))
                return try await store.page(query, in: .everything).assets.map(\.id)
            }
            for words in ["isch", "ISCHL bad", "dsc 0815", "ubergang", "nef ischl", "0815"] {
                #expect(try await found(words) == [manifest.id], "\(words)")
            }
            for words in ["schl", "815", "bad jpg"] { #expect(try await found(words) == [], "\(words)") }
            #expect(try await found("081").count == 2)
            var edit = AssetEdit()
            edit.title = "Bridge"
            _ = try await store.edit(manifest.id, edit, in: .everything, by: suite.caller)
            #expect(try await found("bridge ischl 0815") == [manifest.id])
        },
        Promise(name: "the feed tells what came, changed and went after a token, and old tokens expire") { suite in
            let (world, store) = try await suite.store()
            let viewer = ChangeViewer.everything(grantVersion: 1)
            let first = try await world.save(to: store).receipt.receipt.assetID
            let start = try await store.changes(after: nil, limit: 10, for: viewer)
            #expect(start.changes.map(\.entity) == [.asset(first)] && start.changes[0].kind == .inserted)
            var edit = AssetEdit()
            edit.isFavorite = true
            _ = try await store.edit(first, edit, in: .everything, by: suite.caller)
            let second = try await world.save(to: store).receipt.receipt.assetID
            let next = try await store.changes(after: start.position, limit: 1, for: viewer)
            #expect(next.changes.map(\.kind) == [.updated] && next.hasMore)
            let last = try await store.changes(after: next.position, limit: 1, for: viewer)
            #expect(last.changes.map(\.entity) == [.asset(second)] && !last.hasMore)
            _ = try await store.trash(first, in: .everything, by: suite.caller)
            _ = try await store.purge(first, by: .administrator("ana"))
            let gone = try await store.changes(after: last.position, limit: 9, for: viewer)
            #expect(gone.changes.map(\.kind) == [.removed])
            let other = StoreCaller.device(ConformanceWorld.otherDevice)
            let purged = world.manifest(id: first)
            #expect(await refusal { try await world.save(purged, by: other, to: store) } == .assetPurged)
            try await store.beginEpoch(LibraryEpoch(rawValue: 9))
            let code = await refusal { _ = try await store.changes(after: gone.position, limit: 1, for: viewer) }
            #expect(code == .tokenExpired)
        },
        Promise(name: "the feed tells what went, also after it came back; not what was never seen") { suite in
            let (world, store) = try await suite.store()
            let viewer = ChangeViewer.everything(grantVersion: 1)
            let asset = try await world.save(to: store).receipt.receipt.assetID
            let (kept, late) = (
                try await store.createAlbum(AlbumEdit(title: "Kept"), by: suite.caller).id,
                try await store.createAlbum(AlbumEdit(title: "Late"), by: suite.caller).id
            )
            try await store.add([asset], to: kept, in: .everything, by: suite.caller)
            let start = try await store.changes(after: nil, limit: 99, for: viewer).position
            for album in [kept, late] {
                for _ in 1...2 {
                    try await store.add([asset], to: album, in: .everything, by: suite.caller)
                    try await store.remove(asset, from: album, in: .everything, by: suite.caller)
                }
            }
            let changes = try await store.changes(after: start, limit: 99, for: viewer).changes
            let gone = changes.filter { $0.kind == .removed }.map(\.entity)
            #expect(gone == [.membership(album: kept, asset: asset)], "\(changes)")
            let all = try await store.changes(after: nil, limit: 99, for: viewer).changes
            #expect(!all.contains { $0.kind == .removed }, "who begins has seen nothing")
        },
        Promise(name: "albums hold assets in order, and an album that goes leaves its assets") { suite in
            let (world, store) = try await suite.store()
            var ids: [AssetID] = []
            for _ in 0..<3 { ids.append(try await world.save(to: store).receipt.receipt.assetID) }
            let album = try await store.createAlbum(AlbumEdit(title: "Gate"), by: suite.caller)
            try await store.add(ids, to: album.id, in: .everything, by: suite.caller)
            try await store.remove(ids[1], from: album.id, in: .everything, by: suite.caller)
            #expect(try await store.albums(in: .everything, limit: 9, cursor: nil).albums.map(\.assetCount) == [2])
            let inside = AssetQuery(options: FetchOptions(filter: .album(album.id)))
            #expect(Set(try await store.page(inside, in: .everything).assets.map(\.id)) == [ids[0], ids[2]])
            try await store.deleteAlbum(album.id, by: suite.caller)
            #expect(try await store.album(album.id) == nil)
            #expect(try await store.count(FetchOptions(), in: .everything) == 3)
        },
    ]
}
