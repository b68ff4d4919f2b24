import AgentStore
import Foundation
import LibraryAPI
import Persistence
import PhotoModel
import Testing

/// Changes up and down between a box, its library and an operator, by the real programs over TLS.
@Suite(.serialized)
struct ReplicaTests {
    /// A server, and a box that may read and change its library, with a few photos in it.
    private struct Scene {
        let programs: Programs
        let device: String
        let files: [URL]

        init(_ sizes: [Int] = [1000, 2000, 3000]) throws {
            programs = try Programs()
            try programs.start()
            let token = try programs.token(maximum: "readWrite")
            let enrolled = try programs.agent("enroll", programs.url, "--token", token, "--json")
            device = try #require(enrolled.json()["deviceID"] as? String, "\(enrolled.errors)")
            files = try programs.photos(sizes)
            #expect(try programs.agent("import", files[0].deletingLastPathComponent().path).status == 0)
            try sync()
        }

        func sync(box: String = "box", expect status: Int32 = 0) throws {
            for _ in 0..<2 {
                let result = try programs.agent("sync", "--once", box: box)
                #expect(result.status == status, "\(result.output) \(result.errors)")
            }
        }

        func assets(_ arguments: String..., box: String = "box") throws -> [[String: Any]] {
            let result = try programs.agent(["assets", "list", "--json"] + arguments, box: box)
            return try #require(
                JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [[String: Any]],
                "\(result.errors)"
            )
        }

        func ids(box: String = "box") throws -> Set<String> {
            Set(try assets(box: box).compactMap { $0["id"] as? String })
        }

        func edit(_ arguments: String...) throws {
            let result = try programs.agent(["assets", "edit"] + arguments)
            #expect(result.status == 0, "\(result.errors)")
        }
    }

    @Test("The box sees the library, and edits from both sides merge, those made without a network too")
    func bothSides() throws {
        let scene = try Scene()
        let id = try #require(scene.ids().sorted().first)
        #expect(try scene.ids().count == 3, "what it saved came back down the feed")
        scene.programs.stop()
        try scene.edit(id, "--favorite", "--caption", "First snow", "--keyword", "snow", "--album", "Winter")
        let shown = try #require(scene.assets().first { $0["id"] as? String == id })
        #expect(shown["caption"] as? String == "First snow" && shown["isFavorite"] as? Bool == true)
        #expect(try scene.programs.agent("status", "--json").json()["waitingChanges"] as? Int ?? 0 > 0)
        try scene.programs.start()
        _ = try scene.programs.call("PATCH", "/v1/assets/\(id)", #"{"rating":4,"addedKeywords":["gate"]}"#)
        try scene.sync()
        let there = try scene.programs.call("GET", "/v1/assets/\(id)")
        let here = try #require(scene.assets().first { $0["id"] as? String == id })
        for asset in [there, here] {
            #expect(asset["caption"] as? String == "First snow")
            #expect(asset["isFavorite"] as? Bool == true)
            #expect(asset["rating"] as? Int == 4)
            #expect(Set(asset["keywords"] as? [String] ?? []) == ["snow", "gate"])
            #expect((asset["albums"] as? [String])?.count == 1)
        }
        #expect(try scene.programs.agent("status", "--json").json()["waitingChanges"] as? Int == 0)
        let again = try scene.programs.agent("sync", "--once", "--json").json()
        #expect(again["outcome"] as? String == "nothingToDo")
    }

    @Test("002.24: what a box knew of the library goes when it may not see it any more, and comes back with the grant")
    func viewIsDropped() throws {
        let scene = try Scene()
        #expect(try scene.ids().count == 3)
        for (answer, status) in [("none", Int32(77)), ("all", 0)] {
            let body = #"{"answer":"\#(answer)","reason":"test"}"#
            _ = try scene.programs.call("POST", "/v1/admin/devices/\(scene.device)/decision", body)
            _ = try scene.programs.agent("sync", "--once")
            #expect(try scene.programs.agent("assets", "list").status == status, "\(answer)")
        }
        #expect(try scene.ids().count == 3)
        _ = try scene.programs.call("POST", "/v1/admin/devices/\(scene.device)/revoke", "{}")
        _ = try scene.programs.agent("sync", "--once")
        let revoked = try scene.programs.agent("assets", "list")
        #expect(revoked.status == 77 && revoked.errors.contains("was revoked"), "\(revoked)")
    }

    @Test("T7: of two copies of a disk that both edit before either calls, no edit is lost, and the copies are found")
    func copies() throws {
        let scene = try Scene()
        let id = try #require(scene.ids().sorted().first)
        let root = scene.programs.root
        try FileManager.default.copyItem(at: root.appending(path: "box"), to: root.appending(path: "copy"))
        try scene.edit(id, "--caption", "Heard first")
        let edited = try scene.programs.agent(
            "assets",
            "edit",
            id,
            "--favorite",
            "--keyword",
            "snow",
            "--rating",
            "3",
            box: "copy"
        )
        #expect(edited.status == 0, "\(edited.errors)")
        // Once: a ticket is good until the one after it is used, so that the copy is not found by its ticket.
        #expect(try scene.programs.agent("sync", "--once").status == 0)
        try scene.sync(box: "copy")
        let asset = try scene.programs.call("GET", "/v1/assets/\(id)")
        #expect(asset["caption"] as? String == "Heard first")
        #expect(asset["isFavorite"] as? Bool == true && asset["rating"] as? Int == 3)
        #expect(asset["keywords"] as? [String] == ["snow"])
        _ = try scene.programs.agent("sync", "--once")
        let device = try scene.programs.call("GET", "/v1/admin/devices/\(scene.device)")
        #expect(device["state"] as? String == "suspect")
        for box in ["box", "copy"] {
            let told = try scene.programs.agent("sync", "--once", box: box)
            #expect(told.status == 4 && told.output.contains("two copies of this device"), "\(box): \(told.output)")
            #expect(told.output.contains("tintypectl device resolve ") && !told.output.contains("<"), "\(told.output)")
            let document = try scene.programs.agent("sync", "--once", "--json", box: box).json()
            #expect(document["hold"] as? String == "suspect" && document["outcome"] as? String == "held")
        }
        #expect(try scene.programs.operate("device", "resolve", scene.device, "--yes").status == 0)
        try scene.sync()
    }

    @Test("What the box puts into the trash leaves the library's list, and comes back when an operator restores it")
    func trash() throws {
        let scene = try Scene([1000])
        let id = try #require(scene.ids().first)
        try scene.edit(id, "--trash")
        #expect(try scene.ids().isEmpty)
        try scene.sync()
        #expect(try scene.programs.call("GET", "/v1/assets/\(id)")["trashedAt"] != nil)
        _ = try scene.programs.call("PATCH", "/v1/assets/\(id)", #"{"restores":true}"#)
        try scene.sync()
        #expect(try scene.ids() == [id])
    }

    @Test(
        "004.5, 004.92: a limited box holds its selection alone; what leaves is gone from it, and an edit of it is refused with a reason"
    )
    func limited() throws {
        let scene = try Scene()
        let all = try scene.ids().sorted()
        let token = try scene.programs.token(maximum: "readWrite")
        let enrolled = try scene.programs.agent("enroll", scene.programs.url, "--token", token, "--json", box: "frame")
        let frame = try #require(enrolled.json()["deviceID"] as? String)
        func select(_ assets: [String]) throws {
            let list = assets.map { #""\#($0)""# }.joined(separator: ",")
            let body = #"{"assets":[\#(list)],"rules":[],"grantedAlbums":[]}"#
            _ = try scene.programs.call("PUT", "/v1/admin/selections/\(frame)", body)
        }
        let path = "/v1/admin/devices/\(frame)/decision"
        _ = try scene.programs.call("POST", path, #"{"answer":"selected"}"#)
        try select([all[0], all[1]])
        try scene.sync(box: "frame")
        #expect(try scene.ids(box: "frame") == [all[0], all[1]])
        let fetched = try scene.programs.agent("assets", "fetch", all[0], "--json", box: "frame")
        #expect(fetched.status == 0, "\(fetched.errors)")
        let cache = scene.programs.root.appending(path: "frame/cache")
        #expect(try FileManager.default.contentsOfDirectory(atPath: cache.path).count == 1)
        let asked = try scene.programs.agent("selection", "expand", "--reason", "More snow", box: "frame")
        #expect(asked.status == 0, "\(asked.errors)")
        let listed = try scene.programs.agent("assets", "list", box: "frame")
        #expect(listed.errors.contains("sees a selection") && listed.errors.contains("selection expand"))
        let shown = try scene.programs.agent("status", box: "frame").output
        #expect(shown.contains("limited: a selection; tintype-agent selection expand asks for more"), "\(shown)")
        let edited = try scene.programs.agent("assets", "edit", all[0], "--favorite", box: "frame")
        #expect(edited.status == 0, "\(edited.errors)")
        try select([all[1], all[2]])
        _ = try scene.programs.agent("sync", "--once", box: "frame")
        _ = try scene.programs.agent("sync", "--once", box: "frame")
        #expect(try scene.ids(box: "frame") == [all[1], all[2]])
        #expect(try FileManager.default.contentsOfDirectory(atPath: cache.path).isEmpty, "its bytes are gone too")
        let status = try scene.programs.agent("status", "--json", box: "frame").json()
        #expect((status["refusedChanges"] as? [String])?.count == 1, "\(status)")
        #expect(try scene.programs.call("GET", "/v1/assets/\(all[0])")["isFavorite"] as? Bool == false)
    }

    @Test("A limited box asks to see more, an operator answers, and what they name comes into its view")
    func expansion() throws {
        let scene = try Scene()
        let all = try scene.ids().sorted()
        let token = try scene.programs.token(maximum: "readWrite")
        let enrolled = try scene.programs.agent("enroll", scene.programs.url, "--token", token, "--json", box: "frame")
        let frame = try #require(enrolled.json()["deviceID"] as? String)
        #expect(try scene.programs.operate("device", "decide", frame, "--as", "selected").status == 0)
        try scene.sync(box: "frame")
        #expect(try scene.ids(box: "frame").isEmpty)
        let asked = try scene.programs.agent("selection", "expand", "--reason", "More snow", box: "frame")
        #expect(asked.status == 0, "\(asked.errors)")
        #expect(try scene.programs.operate("request", "list").output.contains("More snow"))
        let answered = try scene.programs.operate("request", "expand", frame, "--asset", all[1])
        #expect(answered.status == 0, "\(answered.errors)")
        try scene.sync(box: "frame")
        #expect(try scene.ids(box: "frame") == [all[1]])
    }

    @Test(
        "000.20, 002.16: an album that a box may not touch waits for the decision, and is then applied without a second upload"
    )
    func deferredAlbum() throws {
        let programs = try Programs()
        try programs.start()
        let enrolled = try programs.agent("enroll", programs.url, "--token", try programs.token(), "--json")
        let device = try #require(enrolled.json()["deviceID"] as? String, "\(enrolled.errors)")
        let folder = try programs.photos([1000, 2000])[0].deletingLastPathComponent()
        #expect(try programs.agent("import", folder.path, "--albums-from-folders").status == 0)
        let saved = try programs.agent("sync", "--once")
        #expect(saved.status == 0 && saved.output.contains("2 saved without the requested album"), "\(saved.output)")
        #expect(try programs.agent("status", "--explain").output.contains("the library keeps the request"))
        let asked = try programs.operate("request", "list").output
        #expect(asked.contains("Edits photos in tests"), "002.16: the question is in the inbox: \(asked)")
        func albums() throws -> [[String: Any]] {
            try programs.call("GET", "/v1/albums")["albums"] as? [[String: Any]] ?? []
        }
        #expect(try albums().isEmpty, "who may only add changes no album")
        #expect(try programs.operate("device", "decide", device, "--as", "all").status == 0)
        #expect(try albums().compactMap { $0["assetCount"] as? Int } == [2])
        let again = try programs.agent("sync", "--once", "--json").json()
        #expect(again["saved"] as? Int == 0 && again["deferredAlbums"] as? Int == 0, "\(again)")
    }

    @Test("A box that may only add shows nothing, and an edit there ends with status 77 and the next step")
    func addOnly() throws {
        let programs = try Programs()
        try programs.start()
        #expect(try programs.agent("enroll", programs.url, "--token", try programs.token()).status == 0)
        let files = try programs.photos([1000])
        #expect(try programs.agent("import", files[0].path).status == 0)
        #expect(try programs.agent("sync", "--once").status == 0)
        let list = try programs.agent("assets", "list", "--json")
        #expect(try list.status == 77 && list.json()["error"] as? String == "notAllowed", "\(list)")
        let edit = try programs.agent("assets", "edit", "0198f3c2-0000-7000-8000-000000000000", "--favorite")
        #expect(edit.status == 77 && edit.errors.contains("authorize"), "\(edit.errors)")
    }
}

extension ReplicaTests {
    @Test(
        "000.12: the example saves a photo, prints its favourite's file, follows the library, and later needs no network"
    )
    func example() throws {
        let programs = try Programs()
        try programs.start()
        let early = try programs.startExample("hallway-frame", []).end()
        #expect(early.status == 1 && early.output.hasPrefix("The frame stops: "), "\(early)")
        let token = try programs.token(maximum: "readWrite")
        #expect(try programs.agent("enroll", programs.url, "--token", token).status == 0)
        let photo = try programs.photos([2000])[0]
        #expect(try programs.agent("import", photo.path).status == 0)
        #expect(try programs.agent("sync", "--once").status == 0)
        #expect(try programs.agent("sync", "--once").status == 0)
        let listed = try programs.agent("assets", "list", "--json").output
        let assets = try #require(JSONSerialization.jsonObject(with: Data(listed.utf8)) as? [[String: Any]])
        let id = try #require(assets.first?["id"] as? String)
        #expect(try programs.agent("assets", "edit", id, "--favorite").status == 0)
        let agent = try programs.startAgent(["run"])
        defer { agent.process.terminate() }
        let saved = try programs.photos([4000], seed: 91)[0]
        let frame = try programs.startExample("hallway-frame", [saved.path])
        defer { frame.process.terminate() }
        try programs.eventually("the favourite is printed") {
            try frame.lines().contains { $0.contains("originals/\(id)") || $0.contains("cache/") }
        }
        try programs.eventually("what the frame saved is in the library, and seen by the frame") {
            try programs.originals().isSuperset(of: Programs.digests([saved]))
                && frame.lines().contains("1 new, 0 gone")
        }
        _ = try programs.call("PATCH", "/v1/assets/\(id)", #"{"caption":"From the operator"}"#)
        try programs.eventually("the change is seen") { try frame.lines().contains("0 new, 0 gone") }
        frame.process.terminate()
        frame.process.waitUntilExit()
        agent.process.terminate()
        agent.process.waitUntilExit()
        programs.stop()
        let offline = try programs.startExample("hallway-frame", [])
        defer { offline.process.terminate() }
        try programs.eventually("the favourite is printed without agent and library, or the frame has ended") {
            try !offline.lines().isEmpty || !offline.process.isRunning
        }
        #expect(try offline.lines().contains { $0.contains("originals/\(id)") || $0.contains("cache/") })
    }

    @Test("What the box knows is held against the library by hashes, and only what differs is mended")
    func compared() throws {
        let scene = try Scene([1000, 2000, 3000, 4000])
        let ids = try scene.ids().sorted()
        try scene.edit(ids[0], "--favorite", "--caption", "First snow", "--album", "Winter")
        try scene.sync()
        _ = try scene.programs.call("PATCH", "/v1/assets/\(ids[1])", #"{"rating":4}"#)
        try scene.sync()
        func mended() throws -> Int? {
            try scene.programs.agent("sync", "--once", "--compare", "--json").json()["entitiesMended"] as? Int
        }
        #expect(try mended() == 0, "what a sync has told is what the library has")
        // What a failing disk or a fault of ours may leave: an asset is missing, and one is there that nobody has.
        do {
            let box = Path(scene.programs.root.appending(path: "box").path)
            let store = try AgentStore(root: box, now: WallTime(microsecondsSince1970: 0))
            let token = try #require(try store.changeToken())
            let gone = try #require(AssetID(ids[3]).flatMap { try store.asset($0) })
            let id = AssetID(rawValue: 4711)
            let ghost = Asset(id: id, mediaType: .image, captureTime: gone.captureTime, resources: gone.resources)
            let changes = [
                EntityChange(.inserted, .asset(ghost.id), asset: ghost), EntityChange(.removed, .asset(gone.id)),
            ]
            try store.apply(ChangeFeedPage(changes: changes, end: .init(token: token, hasMore: false)))
        }
        #expect(try scene.ids() != Set(ids))
        #expect(try mended() == 2)
        #expect(try scene.ids() == Set(ids))
        #expect(try mended() == 0)
    }
}
