import AgentStore
import LibraryAPI
import Persistence
import PhotoModel
import Replication
import TestSupport
import Testing

/// A box with a replica, and the library that it syncs with.
private struct Scene {
    let folder = StoreFolder()
    var store: AgentStore
    var library = ModelLibrary()
    var incarnations: UInt128 = 100

    init() throws {
        store = try folder.open()
    }

    mutating func fresh() -> ReplicaID {
        incarnations += 1
        return ReplicaID(rawValue: incarnations)
    }

    /// Reads the feed until nothing more is there.
    func pull(pageLimit: Int = 3) throws {
        while true {
            guard let page = library.page(after: try store.changeToken(), limit: pageLimit) else {
                try store.beginEnumeration()
                continue
            }
            try store.apply(page)
            if !page.end.hasMore { return }
        }
    }

    /// Sends what waits.
    mutating func push() throws {
        while let push = try store.pendingPush(limit: 2) {
            guard let answer = try library.take(push) else { return try reconcile() }
            #expect(try store.acknowledge(push, answer) > 0)
        }
    }

    /// What a contact does after a restore of the library.
    mutating func reconcile() throws {
        let author = try store.author(orBegin: fresh())
        let known = library.acknowledged(author.incarnation.replica.description)
        _ = try store.reconcile(known, fresh: fresh(), watermark: nil, now: Draft.start)
    }

    mutating func change(at milliseconds: UInt64 = 2000, _ body: (inout ReplicaDraft) throws -> Void) throws {
        let fresh = fresh()
        try store.add([CaptureDraft](), now: Draft.start) { transaction in
            try transaction.change(fresh: fresh, serverMilliseconds: milliseconds, now: Draft.start, body)
        }
    }

    var view: Set<Asset> {
        get throws {
            Set(try store.fetchAssets(FetchOptions(includesHidden: true)))
                .union(try store.fetchAssets(FetchOptions(includesHidden: true, showsTrash: true)))
        }
    }
}

extension AssetEdit {
    fileprivate static func making(_ configure: (inout AssetEdit) -> Void) -> AssetEdit {
        var edit = AssetEdit()
        configure(&edit)
        return edit
    }
}

struct ReplicaTests {
    @Test("D4: a box lists and filters by the clocks at the places of the captures")
    func localDates() throws {
        var scene = try Scene()
        // 20:46:40 at UTC−7, though later than 01:00:00 of the next day at UTC.
        let west = scene.library.add(100_000, utcOffsetSeconds: -25_200)
        let east = scene.library.add(90_000)
        try scene.pull()
        #expect(try scene.store.fetchAssets().map(\.id) == [east, west])
        let day = LocalTime("1970-01-02").map(AssetFilter.DateBound.local)
        var options = FetchOptions(filter: .captured(.init(from: day, until: nil)))
        #expect(try scene.store.fetchAssets(options).map(\.id) == [east])
        options.filter = .captured(.init(from: nil, until: day))
        #expect(try scene.store.fetchAssets(options).map(\.id) == [west])
    }

    @Test("A view comes down page by page, changes with the library, and forgets what leaves it")
    func feed() throws {
        var scene = try Scene()
        let ids = (1...7).map { scene.library.add($0) }
        try scene.pull()
        #expect(try scene.store.fetchAssets().map(\.id) == ids.reversed(), "newest first")
        let start = try scene.store.viewSequence()
        try scene.library.edit(ids[0], milliseconds: 1500, .making { $0.isFavorite = true })
        scene.library.setVisible(ids[1], false)
        try scene.pull()
        #expect(try scene.view == scene.library.view)
        let changes = try #require(try scene.store.viewChanges(after: start))
        #expect(changes.assets.updated == [ids[0]] && changes.assets.deleted == [ids[1]])
        let favorites = FetchOptions(filter: .kind(.favorites), fetchLimit: 1)
        #expect(try scene.store.fetchAssets(favorites).map(\.id) == [ids[0]])
    }

    @Test(
        "T173: an edit whose answer was lost is kept until a backup contains the next one, and no longer",
        arguments: [false, true]
    )
    func lostAnswer(isBackedUp: Bool) throws {
        var scene = try Scene()
        let id = scene.library.add(1)
        try scene.pull()
        try scene.change { try $0.edit(id, .making { $0.isFavorite = true }) }
        let first = try #require(try scene.store.pendingPush())
        var repeated = try #require(try scene.library.take(first))
        repeated.changeNumber = nil
        #expect(try scene.store.acknowledge(first, repeated) == 1)
        try scene.change { try $0.edit(id, .making { $0.caption = "Here" }) }
        let second = try #require(try scene.store.pendingPush())
        let answer = try #require(try scene.library.take(second))
        #expect(try scene.store.acknowledge(second, answer) == 1)
        let number = try #require(answer.changeNumber).rawValue
        let watermark = ChangeNumber(rawValue: isBackedUp ? number : number - 1)
        let fresh = scene.fresh()
        _ = try scene.store.reconcile(answer.acknowledged, fresh: fresh, watermark: watermark, now: Draft.start)
        // What a library that was restored to the time before them gets again.
        let count = try scene.store.reconcile(0, fresh: fresh, watermark: watermark, now: Draft.start)
        #expect(count == (isBackedUp ? 0 : 2))
    }

    @Test("An edit is shown at once, waits, and merges with what changed elsewhere meanwhile")
    func offlineEdit() throws {
        var scene = try Scene()
        let id = scene.library.add(1)
        try scene.pull()
        try scene.change { draft in
            try draft.edit(
                id,
                .making { edit in
                    edit.caption = "Here"
                    edit.addedKeywords = [Keyword("snow")].compactMap(\.self)
                }
            )
        }
        #expect(try scene.store.asset(id)?.caption == "Here")
        try scene.library.edit(
            id,
            milliseconds: 1000,
            .making { edit in
                edit.isFavorite = true
                edit.addedKeywords = [Keyword("gate")].compactMap(\.self)
            }
        )
        try scene.pull()
        #expect(try scene.store.asset(id)?.caption == "Here", "what waits is not overwritten by what comes down")
        try scene.push()
        try scene.pull()
        let merged = try #require(scene.library.asset(id))
        #expect(merged.caption == "Here" && merged.isFavorite && merged.keywords.count == 2)
        #expect(try scene.view == scene.library.view)
        #expect(try scene.store.pendingPush() == nil)
    }

    @Test("A view that may not be seen any more is gone; what waits to be told stays, and the view comes back with it")
    func dropped() throws {
        var scene = try Scene()
        let id = scene.library.add(1)
        try scene.pull()
        try scene.change { draft in try draft.edit(id, .making { $0.caption = "Here" }) }
        for _ in 0..<2 { try scene.store.dropView() }
        #expect(try scene.view.isEmpty && scene.store.asset(id) == nil && scene.store.changeToken() == nil)
        try scene.pull()
        #expect(try scene.store.asset(id)?.caption == "Here")
        try scene.push()
        #expect(scene.library.asset(id)?.caption == "Here")
    }

    @Test("A page that was asked for before the view was dropped, or begun anew, is left out")
    func latePages() throws {
        var scene = try Scene()
        let id = scene.library.add(1)
        let start = try scene.store.feedPosition()
        let first = try #require(scene.library.page(after: nil, limit: 10))
        try scene.pull()
        let position = try scene.store.feedPosition()
        let empty = try #require(scene.library.page(after: position.token, limit: 10))
        try scene.store.beginIncarnation(scene.fresh())
        #expect(try !scene.store.apply(empty, at: position))
        #expect(try scene.store.asset(id) != nil, "an empty page ends no enumeration")
        try scene.store.dropView()
        #expect(try !scene.store.apply(first, at: start))
        let told = try #require(first.changes.first)
        #expect(try scene.store.mend(.init(), by: [told], at: position) == 0)
        #expect(try scene.view.isEmpty)
        try scene.pull()
        #expect(try scene.store.asset(id) != nil)
    }

    @Test("A refused change is kept with its reason, no longer shown, and blocks nothing behind it")
    func refused() throws {
        var scene = try Scene()
        let ids = (1...2).map { scene.library.add($0) }
        try scene.pull()
        scene.library.sealed = [ids[0]]
        try scene.change { draft in
            for id in ids { try draft.edit(id, .making { $0.isFavorite = true }) }
        }
        #expect(try scene.store.asset(ids[0])?.isFavorite == true)
        try scene.push()
        #expect(try scene.store.asset(ids[0])?.isFavorite == false)
        #expect(try scene.store.asset(ids[1])?.isFavorite == true)
        let dead = try scene.store.refusedChanges()
        #expect(dead.map(\.entity) == [.asset(ids[0])] && dead[0].problem.code == .notFound)
        #expect(try scene.store.dropRefusedChanges() == 1)
    }

    @Test("A block of changes is all or nothing, and what is not in the view cannot be changed")
    func atomic() throws {
        var scene = try Scene()
        let id = scene.library.add(1)
        try scene.pull()
        let error = #expect(throws: AgentStoreError.self) {
            try scene.change { draft in
                try draft.edit(id, .making { $0.isFavorite = true })
                try draft.trash(AssetID(rawValue: 99))
            }
        }
        #expect(error?.code == .notFound)
        #expect(try scene.store.asset(id)?.isFavorite == false)
        #expect(try scene.store.pendingPush() == nil)
    }

    @Test("Albums made here hold assets at once, in order, and are the library's once they were sent")
    func albums() throws {
        var scene = try Scene()
        let ids = (1...3).map { scene.library.add($0) }
        let album = AlbumID(rawValue: 50)
        try scene.pull()
        try scene.change { draft in
            try draft.createAlbum(album, title: "Winter")
            try draft.add([ids[1], ids[0]], to: album)
        }
        try scene.change { draft in try draft.add([ids[1], ids[2]], to: album) }
        #expect(try scene.store.fetchAlbums().map(\.title) == ["Winter"])
        let members = FetchOptions(filter: .album(album))
        #expect(Set(try scene.store.fetchAssets(members).map(\.id)) == Set(ids))
        try scene.change { draft in try draft.remove([ids[0]], from: album) }
        try scene.push()
        try scene.pull()
        #expect(try scene.view == scene.library.view)
        #expect(Set(try scene.store.fetchAssets(members).map(\.id)) == [ids[1], ids[2]])
        try scene.change { draft in try draft.deleteAlbum(album) }
        #expect(try scene.store.fetchAlbums().isEmpty)
    }

    @Test("T114: an asset that a page puts into many albums is shown once for all of them, not once for each")
    func manyAlbums() throws {
        var scene = try Scene()
        let id = scene.library.add(1)
        try scene.pull()
        try scene.change { draft in
            for number in 1...20 {
                let album = AlbumID(rawValue: UInt128(1000 + number))
                try draft.createAlbum(album, title: "Album \(number)")
                try draft.add([id], to: album)
            }
        }
        try scene.push()
        try scene.pull()
        try scene.store.dropView()
        let before = try scene.store.viewSequence()
        try scene.pull(pageLimit: 1000)
        #expect(try scene.store.asset(id)?.albums.count == 20)
        #expect(try scene.view == scene.library.view)
        // The asset, the albums, and the asset once more.
        #expect(try scene.store.viewSequence() - before <= 22)
    }

    @Test("A token that has expired costs an enumeration and no edit; what it does not tell any more is forgotten")
    func enumeration() throws {
        var scene = try Scene()
        let ids = (1...5).map { scene.library.add($0) }
        let earlier = scene.library
        let late = scene.library.add(9)
        try scene.pull()
        try scene.change { draft in try draft.edit(ids[0], .making { $0.title = "Kept" }) }
        scene.library.restore(earlier)
        try scene.pull()
        #expect(try scene.store.asset(late) == nil, "the restored library does not have it")
        #expect(try scene.store.asset(ids[0])?.title == "Kept")
    }

    @Test("A library that was restored gets the changes again that it had acknowledged; none is lost")
    func restored() throws {
        var scene = try Scene()
        let id = scene.library.add(1)
        try scene.pull()
        try scene.change { draft in try draft.edit(id, .making { $0.rating = Rating(rawValue: 3) }) }
        try scene.push()
        let earlier = scene.library
        try scene.change { draft in try draft.edit(id, .making { $0.caption = "Later" }) }
        try scene.push()
        scene.library.restore(earlier)
        try scene.reconcile()
        try scene.pull()
        try scene.push()
        try scene.pull()
        #expect(scene.library.asset(id)?.caption == "Later")
        #expect(try scene.view == scene.library.view)
    }

    @Test("A new incarnation writes what waits once more under its own name, with a history of its own")
    func newIncarnation() throws {
        var scene = try Scene()
        let id = scene.library.add(1)
        try scene.pull()
        try scene.change { draft in try draft.edit(id, .making { $0.title = "First" }) }
        try scene.push()
        try scene.change { draft in try draft.edit(id, .making { $0.title = "Second" }) }
        let fresh = scene.fresh()
        try scene.store.beginIncarnation(fresh)
        let author = try scene.store.author(orBegin: scene.fresh())
        #expect(author.incarnation.replica == fresh && author.incarnation.counter == 1)
        try scene.pull()
        try scene.push()
        try scene.pull()
        #expect(scene.library.asset(id)?.title == "Second")
        #expect(try scene.view == scene.library.view)
    }

    @Test("A push has no more bytes than a library takes at once, and all of them arrive in their order")
    func largePushes() throws {
        var scene = try Scene()
        let id = scene.library.add(1)
        try scene.pull()
        let caption = String(repeating: "c", count: APILimits.captionByteCount - 3)
        for number in 100..<300 {
            try scene.change { draft in try draft.edit(id, .making { $0.caption = "\(caption)\(number)" }) }
        }
        var pushes = 0
        while let push = try scene.store.pendingPush() {
            #expect(push.changes.reduce(0) { $0 + $1.delta.bytes.count } <= APILimits.pushByteCount / 2)
            let answer = try scene.library.take(push)
            _ = try scene.store.acknowledge(push, #require(answer))
            pushes += 1
        }
        #expect(pushes > 1 && scene.library.asset(id)?.caption == "\(caption)299")
    }

    @Test("An edit that no library takes is refused as it is made")
    func limits() throws {
        var scene = try Scene()
        let id = scene.library.add(1)
        try scene.pull()
        let text = String(repeating: "c", count: APILimits.captionByteCount + 1)
        for edit in [AssetEdit.making({ $0.caption = text }), .making { $0.title = String(text.prefix(513)) }] {
            #expect(throws: AgentStoreError.self) { try scene.change { draft in try draft.edit(id, edit) } }
        }
        #expect(try scene.store.pendingPush() == nil)
    }

    @Test("A push that the library cannot judge is kept with its reason; what is behind it goes under a new name")
    func unjudged() throws {
        var scene = try Scene()
        let id = scene.library.add(1)
        try scene.pull()
        try scene.change { draft in
            try draft.edit(id, .making { $0.title = "Never" })
            try draft.edit(id, .making { $0.caption = "Behind it" })
        }
        let push = try #require(try scene.store.pendingPush(limit: 1))
        let fresh = scene.fresh()
        try scene.store.refuse(push, ProblemDetails(.malformedRequest, "no change"), fresh: fresh)
        #expect(try scene.store.refusedChanges().map(\.problem.detail) == ["no change"])
        let next = try #require(try scene.store.pendingPush())
        #expect(next.incarnation == fresh.description && next.changes.map(\.counter) == [1])
        try scene.push()
        try scene.pull()
        #expect(scene.library.asset(id)?.caption == "Behind it" && scene.library.asset(id)?.title == nil)
        #expect(try scene.view == scene.library.view, "what was refused is shown no longer")
    }

    @Test("Stamps that the library refuses are given anew; the history is that of what is sent")
    func restamped() throws {
        var scene = try Scene()
        let id = scene.library.add(1)
        try scene.pull()
        try scene.change(at: 9_000_000) { draft in
            try draft.edit(id, .making { $0.title = "Ahead" })
            try draft.edit(id, .making { $0.title = "Ahead again" })
        }
        try scene.store.restamp(serverMilliseconds: 5000)
        let push = try #require(try scene.store.pendingPush())
        let changes = try push.changes.flatMap { try Delta(encoded: $0.delta.bytes).changes }
        #expect(changes.map(\.stamp.milliseconds) == [5000, 5000] && changes[0].stamp < changes[1].stamp)
        let author = try scene.store.author(orBegin: scene.fresh())
        var history = HistoryChain(of: author.incarnation.replica, hash: .sha256)
        #expect(push.priorHash?.bytes == history.hash.bytes)
        for change in changes { try history.append(change, hash: .sha256) }
        #expect(history == author.history, "what the contact tells is what was sent")
        try scene.push()
        #expect(scene.library.asset(id)?.title == "Ahead again")
        try scene.change { draft in try draft.edit(id, .making { $0.title = "Later" }) }
        #expect(
            try scene.store.pendingPush()?.priorHash?.bytes == history.hash.bytes,
            "and the next push goes on there"
        )
    }

    @Test("An observer from too far back is told to fetch everything again")
    func expiredObserver() throws {
        var scene = try Scene()
        _ = scene.library.add(1)
        try scene.pull()
        #expect(try scene.store.viewChanges(after: 1_000_000) == nil)
        #expect(try scene.store.viewChanges(after: 0)?.assets.inserted.count == 1)
    }

    @Test("However edits, pages, lost answers, restores and new incarnations come, box and library agree in the end")
    func convergence() {
        checkProperty("box and library agree", cases: 60, maximumSize: 40) { generator, size in
            do {
                return try Self.story(&generator, steps: size)
            } catch {
                return "\(error)"
            }
        }
    }

    private static func story(_ generator: inout SeededGenerator, steps: Int) throws -> String? {
        var scene = try Scene()
        var ids = (1...3).map { scene.library.add($0) }
        var earlier = scene.library
        var next: UInt128 = 10
        var milliseconds: UInt64 = 1000
        try scene.pull()
        for _ in 0..<steps {
            milliseconds += UInt64(generator.below(100))
            switch generator.below(11) {
            case 0:
                next += 1
                ids.append(scene.library.add(next))
            case 1: try scene.library.edit(generator.pick(ids), milliseconds: milliseconds, randomEdit(&generator))
            case 2, 3, 4:
                let edit = randomEdit(&generator)
                guard let shown = try scene.store.fetchAssets(FetchOptions(includesHidden: true)).first?.id else {
                    break
                }
                try scene.change(at: milliseconds) { draft in try draft.edit(shown, edit) }
            case 5: scene.library.setVisible(generator.pick(ids), generator.oneIn(2))
            case 6: try scene.pull(pageLimit: 1 + generator.below(4))
            case 7: try scene.push()
            case 8:
                // The answer is lost.
                if let push = try scene.store.pendingPush(limit: 3) { _ = try scene.library.take(push) }
            case 9:
                if generator.oneIn(3) {
                    scene.library.restore(earlier)
                    ids = ids.filter { scene.library.assets[$0] != nil }
                    try scene.reconcile()
                } else {
                    earlier = scene.library
                }
            default:
                if generator.oneIn(4) {
                    let fresh = scene.fresh()
                    try scene.store.beginIncarnation(fresh)
                }
            }
        }
        try scene.reconcile()
        try scene.pull()
        try scene.push()
        try scene.pull()
        if try scene.store.pendingPush() != nil { return "changes still wait" }
        return try scene.view == scene.library.view ? nil : "the box shows something else than the library"
    }

    private static func randomEdit(_ generator: inout SeededGenerator) -> AssetEdit {
        var edit = AssetEdit()
        switch generator.below(4) {
        case 0: edit.isFavorite = generator.oneIn(2)
        case 1: edit.caption = "caption \(generator.below(100))"
        case 2: edit.addedKeywords = [Keyword("k\(generator.below(3))")].compactMap(\.self)
        default: edit.removedKeywords = [Keyword("k\(generator.below(3))")].compactMap(\.self)
        }
        return edit
    }
}
