import Authorization
import DeviceIdentity
import Foundation
import LibraryAPI
import LibraryStore
import PhotoModel
import Testing

@testable import LibraryServer

/// Picker sessions: the caller has no library access, a person chooses, and the caller gets that and nothing else.
struct PickerTests {
    private struct Scene {
        let photos: [TestPhoto]
        let caller: TestDevice
        let session: PickerSession
        let secret: String

        var path: String { "/v1/picker/sessions/\(session.id)" }
        var pick: String { "/v1/picks/\(session.id)" }

        func choose(_ assets: [AssetID], _ admin: TestClient) async throws -> TestClient.Answer {
            try await send("PUT", "/selection", PickChoice(assets: assets), admin)
        }

        func send(
            _ method: String,
            _ rest: String,
            _ value: some Encodable,
            _ admin: TestClient
        ) async throws -> TestClient.Answer {
            try await admin.send(
                method,
                pick + rest,
                headers: [("Content-Type", "application/json"), (PickerRoutes.secretField, secret)],
                body: Array(try JSONEncoder().encode(value))
            )
        }
    }

    /// A library with three photos, and a session of a device that may only add.
    private func scene(
        at server: RunningServer,
        _ configure: (inout PickerRequest, [TestPhoto]) -> Void = { _, _ in }
    ) async throws -> Scene {
        let owner = try await TestDevice.enroll(at: server, maximum: "readWrite")
        let photos = try (0..<3).map { _ in try TestPhoto.random(byteCount: 500) }
        try await owner.call(server) { client in for photo in photos { _ = try await client.save(photo) } }
        let caller = try await TestDevice.enroll(at: server)
        var request = PickerRequest(purpose: "A picture for the badge.")
        request.strip = []
        configure(&request, photos)
        let answer = try await caller.call(server) { client in
            try await client.send("POST", "/v1/picker/sessions", json: request)
        }
        #expect(answer.status == 201, "\(answer.text)")
        let session = try answer.json(PickerSession.self)
        #expect(session.pickURI?.hasPrefix("/pick/\(session.id)#") == true)
        return Scene(photos: photos, caller: caller, session: session, secret: try session.secret)
    }

    @Test("A caller without library access gets exactly what was chosen, and only while the session lives")
    func wholeStory() async throws {
        try await RunningServer.run { server in
            let scene = try await scene(at: server)
            let chosen = scene.photos[1]
            try await server.withOperator { admin in
                let document = try await scene.send("GET", "", EmptyBody(), admin).json(PickDocument.self)
                #expect(document.code == scene.session.code)
                #expect(document.request.purpose == "A picture for the badge.")
                #expect(document.deviceID == scene.caller.id)
                let page = try await scene.send("GET", "/assets", EmptyBody(), admin).json(AssetPage.self)
                #expect(page.assets.count == 3)
                #expect(try await scene.choose([chosen.manifest.id], admin).status == 200)
                #expect(try await scene.send("POST", "/done", EmptyBody(), admin).status == 200)
            }
            try await scene.caller.call(server) { client in
                #expect(try await client.send("GET", scene.path).json(PickerSession.self).state == .done)
                let items = try await client.send("GET", "\(scene.path)/items").json(PickedItemPage.self).items
                let item = try #require(items.first).id
                #expect(items.count == 1 && item != chosen.manifest.id, "the session's own name, not the library's")
                let bytes = try await client.send("GET", "\(scene.path)/items/\(item)")
                #expect(bytes.body == chosen.bytes)
                let part = try await client.send(
                    "GET",
                    "\(scene.path)/items/\(item)",
                    headers: [("Range", "bytes=10-19")]
                )
                #expect(part.status == 206 && part.body == Array(chosen.bytes[10..<20]))
                for other in [scene.photos[0].manifest.id, chosen.manifest.id] {
                    let answer = try await client.send("GET", "\(scene.path)/items/\(other)")
                    #expect(answer.status == 404, "not chosen, or not by this name")
                }
                #expect(try await client.send("GET", "/v1/assets/\(chosen.manifest.id)").status == 403)
                #expect(try await client.send("DELETE", scene.path).status == 204)
                let late = try await client.send("GET", "\(scene.path)/items/\(item)")
                #expect(try late.json(ProblemDetails.self).code == .pickerEnded)
            }
            let audit = try await server.withOperator { admin in
                try await admin.send("GET", "/v1/admin/audit?limit=1000").json(AuditPage.self).entries
            }
            let events = audit.map(\.content.event)
            for event: AuditEvent in [.pickerCreate, .pickerPick, .pickerFetch, .pickerEnd] {
                #expect(events.count { $0 == event } == 1, "\(event)")
            }
        }
    }

    @Test("T26: a session that is guessed, or another caller's, is not found")
    func sealed() async throws {
        try await RunningServer.run { server in
            let scene = try await scene(at: server)
            let stranger = try await TestDevice.enroll(at: server, maximum: "readWrite")
            let unknown = PickerSessionID(rawValue: 7)
            try await stranger.call(server) { client in
                var answers: [String] = []
                for id in [scene.session.id, unknown] {
                    for (method, rest) in [("GET", ""), ("DELETE", ""), ("GET", "/items")] {
                        let answer = try await client.send(method, "/v1/picker/sessions/\(id)\(rest)")
                        var problem = try answer.json(ProblemDetails.self)
                        problem.instance = nil
                        answers.append("\(method)\(rest) \(answer.status) \(problem)")
                    }
                }
                #expect(answers[0..<3].elementsEqual(answers[3...]))
                #expect(answers.allSatisfy { $0.contains(" 404 ") })
            }
            try await server.withOperator { admin in
                for secret in ["", String(scene.secret.reversed()), scene.secret + "0"] {
                    let answer = try await admin.send(
                        "GET",
                        scene.pick,
                        headers: [(PickerRoutes.secretField, secret)]
                    )
                    #expect(answer.status == 404)
                }
                #expect(try await admin.send("GET", scene.pick).status == 404)
            }
        }
    }

    @Test("T27: the person's address is gone after done, cancel, delete, and the caller's revocation")
    func endedAddresses() async throws {
        try await RunningServer.run { server in
            for ending in ["done", "cancel", "delete", "revoke"] {
                let scene = try await scene(at: server)
                try await server.withOperator { admin in
                    switch ending {
                    case "delete":
                        _ = try await scene.caller.call(server) { try await $0.send("DELETE", scene.path) }
                    case "revoke":
                        let path = "/v1/admin/devices/\(scene.caller.id)/revoke"
                        #expect(try await admin.send("POST", path, json: StateChangeRequest()).status == 200)
                    default: #expect(try await scene.send("POST", "/\(ending)", EmptyBody(), admin).status == 200)
                    }
                    let answer = try await scene.send("GET", "", EmptyBody(), admin)
                    #expect(try answer.json(ProblemDetails.self).code == .pickerEnded, "\(ending)")
                    let again = try await scene.choose([], admin)
                    #expect(again.status == 410, "\(ending)")
                }
            }
        }
    }

    @Test("T28: items before the person is done are answered with 409 and when to ask again")
    func notDone() async throws {
        try await RunningServer.run { server in
            let scene = try await scene(at: server)
            try await scene.caller.call(server) { client in
                let answer = try await client.send("GET", "\(scene.path)/items")
                #expect(answer.status == 409)
                #expect(try answer.json(ProblemDetails.self).code == .pickerNotDone)
                #expect(answer.headers["retry-after"] == "2")
            }
        }
    }

    @Test("004.49: the person may keep back more than was asked for, never less, and decides on the encoding")
    func options() async throws {
        try await RunningServer.run { server in
            let scene = try await scene(at: server) { request, _ in request.strip = [.captions] }
            let assets = [scene.photos[0].manifest.id]
            try await server.withOperator { admin in
                func settled(_ choice: PickChoice) async throws -> PickDocument {
                    try await scene.send("PUT", "/selection", choice, admin).json(PickDocument.self)
                }
                let more = try await settled(PickChoice(assets: assets, strip: [.location], encoding: .compatible))
                #expect(more.strip == [.location, .captions] && more.encoding == .compatible)
                let less = try await settled(PickChoice(assets: assets, strip: []))
                #expect(less.strip == [.captions] && less.encoding == .compatible)
                let odd = ["assets": assets.map(\.description), "encoding": ["bitmap"]]
                #expect(try await scene.send("PUT", "/selection", odd, admin).status == 400)
                let original = PickChoice(assets: assets, encoding: .original)
                #expect(try await scene.send("PUT", "/selection", original, admin).status == 400, "nobody asked for it")
            }
        }
    }

    @Test("004.64: originals before an edit go only to callers that may read all, when they ask and when they fetch")
    func originals() async throws {
        try await RunningServer.run { server in
            let scene = try await scene(at: server) { request, _ in request.encoding = .current }
            var request = PickerRequest(purpose: "A picture for the badge.")
            request.encoding = .original
            request.strip = []
            let asked = try await scene.caller.call(server) { client in
                try await client.send("POST", "/v1/picker/sessions", json: request)
            }
            #expect(try asked.json(ProblemDetails.self).code == .insufficientScope)
            let reader = try await TestDevice.enroll(at: server, maximum: "readWrite")
            let opened = try await reader.call(server) { client in
                try await client.send("POST", "/v1/picker/sessions", json: request)
            }
            let session = try opened.json(PickerSession.self)
            let items = "/v1/picker/sessions/\(session.id)/items"
            try await server.withOperator { admin in
                let secret = try session.secret
                let fields = [("Content-Type", "application/json"), (PickerRoutes.secretField, secret)]
                let choice = Array(try JSONEncoder().encode(PickChoice(assets: [scene.photos[0].manifest.id])))
                let path = "/v1/picks/\(session.id)"
                let chosen = try await admin.send("PUT", "\(path)/selection", headers: fields, body: choice)
                let done = try await admin.send("POST", "\(path)/done", headers: fields)
                #expect(chosen.status == 200 && done.status == 200)
            }
            let paths = [items, "\(items)/\(scene.photos[0].manifest.id)"]
            func statuses() async throws -> [Int] {
                try await reader.call(server) { client in
                    var statuses: [Int] = []
                    for path in paths { statuses.append(try await client.send("GET", path).status) }
                    return statuses
                }
            }
            let before = try await statuses()
            try await server.withOperator { admin in
                let decision = DecisionRequest(answer: "add-only")
                _ = try await admin.send("POST", "/v1/admin/devices/\(reader.id)/decision", json: decision)
            }
            let after = try await statuses()
            #expect(before == [200, 200])
            #expect(after == [403, 403])
        }
    }

    @Test("004.43-004.46: what the caller keeps from the person is refused by the server, and unknown names at once")
    func closed() async throws {
        try await RunningServer.run { server in
            let scene = try await scene(at: server) { request, _ in
                request.isContinuous = true
                request.filter = .images
                request.disabledCapabilities = PickerCapability.allCases.map(\.rawValue)
            }
            try await server.withOperator { admin in
                let album = AlbumID(rawValue: 4).description
                let filters = [
                    (#"{"text":"door"}"#, 403), (#"{"all":[{"not":{"album":"\#(album)"}}]}"#, 403),
                    (#"{"rating":1}"#, 200), (#""images""#, 200),
                ]
                for (filter, status) in filters {
                    let text = try #require(filter.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
                    for list in ["assets", "timeline"] {
                        let answer = try await scene.send("GET", "/\(list)?filter=\(text)", EmptyBody(), admin)
                        #expect(answer.status == status, "\(filter) \(answer.text)")
                    }
                }
                for list in ["assets?hidden=true", "assets?trash=true", "timeline?trash=true"] {
                    #expect(try await scene.send("GET", "/\(list)", EmptyBody(), admin).status == 400, "\(list)")
                }
                let timeline = try await scene.send("GET", "/timeline?unit=day", EmptyBody(), admin).json(Timeline.self)
                let count = timeline.spans.map(\.count).reduce(0, +)
                #expect(count == 3)
                for ending in ["done", "cancel"] {
                    #expect(try await scene.send("POST", "/\(ending)", EmptyBody(), admin).status == 403)
                }
            }
            try await scene.caller.call(server) { client in
                var request = PickerRequest(purpose: "A picture for the badge.")
                for (names, isContinuous, status) in [
                    (["telepathy"], true, 400), (["selectionActions"], false, 400), (["selectionActions"], true, 201),
                ] {
                    request.disabledCapabilities = names
                    request.isContinuous = isContinuous
                    let answer = try await client.send("POST", "/v1/picker/sessions", json: request)
                    #expect(answer.status == status, "\(names) \(answer.text)")
                }
            }
        }
    }

    @Test("004.50: a limit of 0 is as many as the server allows, which the answer says")
    func unlimited() async throws {
        try await RunningServer.run { server in
            let scene = try await scene(at: server) { request, _ in request.selectionLimit = 0 }
            #expect(scene.session.selectionLimit == APILimits.pickCount)
            try await server.withOperator { admin in
                let all = try await scene.choose(scene.photos.map(\.manifest.id), admin)
                #expect(all.status == 200)
            }
        }
    }

    @Test("004.58, 004.59: the caller takes out and moves what is chosen; a choice made upon the old one is refused")
    func rearranged() async throws {
        try await RunningServer.run { server in
            let scene = try await scene(at: server) { request, _ in
                request.selectionLimit = 3
                request.isContinuous = true
                request.isOrdered = true
            }
            let ids = scene.photos.map(\.manifest.id)
            try await server.withOperator { admin in
                let all = try await scene.choose(ids, admin)
                #expect(all.status == 200)
            }
            func items() async throws -> [AssetID] {
                try await scene.caller.call(server) { client in
                    try await client.send("GET", "\(scene.path)/items").json(PickedItemPage.self).items.map(\.id)
                }
            }
            let names = try await items()
            let edits: [(PickerEdit, [Int])] = [
                (PickerEdit(moved: [.init(id: names[2], after: nil)]), [2, 0, 1]),
                (PickerEdit(moved: [.init(id: names[2], after: names[0])]), [0, 2, 1]),
                (PickerEdit(moved: [.init(id: names[0], after: names[1])]), [2, 1, 0]),
                (PickerEdit(moved: [.init(id: names[0], after: names[0])]), [2, 1, 0]),
                (PickerEdit(moved: [.init(id: AssetID(rawValue: 9), after: nil)]), [2, 1, 0]),
                (PickerEdit(deselected: [names[1], AssetID(rawValue: 9)]), [2, 0]),
            ]
            for (edit, order) in edits {
                let answer = try await scene.caller.call(server) { try await $0.send("PATCH", scene.path, json: edit) }
                let now = try await items()
                #expect(answer.status == 200 && now == order.map { names[$0] }, "\(edit) \(now)")
            }
            let revision = try await scene.caller.call(server) { client in
                try await client.send("GET", scene.path).json(PickerSession.self).revision
            }
            #expect(revision == 5, "each change once: the choice, three moves, one taken out")
            try await server.withOperator { admin in
                let stale = PickChoice(assets: ids, revision: 1)
                let refused = try await scene.send("PUT", "/selection", stale, admin)
                #expect(try refused.json(ProblemDetails.self).code == .pickerChanged)
                let fresh = PickChoice(assets: ids, revision: revision)
                #expect(try await scene.send("PUT", "/selection", fresh, admin).status == 200)
            }
        }
    }

    @Test("T29: too many, filtered-out, hidden, trashed and unknown assets are refused by the server")
    func refusedChoices() async throws {
        try await RunningServer.run { server in
            let scene = try await scene(at: server) { request, photos in
                request.selectionLimit = 2
                request.filter = .not(.favorites)
                request.preselected = [photos[0].manifest.id]
            }
            #expect(scene.session.count == 0)
            let ids = scene.photos.map(\.manifest.id)
            try await server.withOperator { admin in
                #expect(try await scene.choose(ids, admin).status == 400, "three of two")
                #expect(try await scene.choose([ids[0], ids[0]], admin).status == 400, "one twice")
                #expect(try await scene.choose([AssetID(rawValue: 5)], admin).status == 400, "unknown")
                let favorite = AssetEdit.making { $0.isFavorite = true }
                #expect(try await admin.send("PATCH", "/v1/assets/\(ids[0])", json: favorite).status == 200)
                #expect(try await scene.choose([ids[0]], admin).status == 400, "filtered out")
                let hidden = AssetEdit.making { $0.isHidden = true }
                _ = try await admin.send("PATCH", "/v1/assets/\(ids[1])", json: hidden)
                #expect(try await scene.choose([ids[1]], admin).status == 400, "hidden")
                _ = try await admin.send("DELETE", "/v1/assets/\(ids[2])")
                #expect(try await scene.choose([ids[2]], admin).status == 400, "in the trash")
                #expect(try await scene.choose([], admin).status == 200)
            }
        }
    }

    @Test("004.36: the picker, and nothing else, is framed by the origins that the operator names")
    func embedding() async throws {
        try await RunningServer.run(
            flags: ["picker.embeddingOrigins=https://wall.example,https://b.example:8443"]
        ) { server in
            let scene = try await scene(at: server)
            try await server.withOperator { admin in
                let page = try await admin.send("GET", "/pick/\(scene.session.id)")
                let policy = try #require(page.headers["content-security-policy"])
                #expect(policy.contains("frame-ancestors https://wall.example https://b.example:8443;"), "\(policy)")
                #expect(page.headers["x-frame-options"] == nil)
                #expect(page.text.contains(#"content="https://wall.example https://b.example:8443""#))
                let gallery = try await admin.send("GET", "/")
                #expect(gallery.headers["x-frame-options"] == "DENY")
                #expect(gallery.headers["content-security-policy"]?.contains("frame-ancestors 'none'") == true)
            }
        }
    }

    @Test(
        "An origin that could be more than a name in a header is none",
        arguments: [
            "http://wall.example", "https://wall.example/", "https://*.example", "https://a;b", "https://a b",
            "https://",
            "https://wall.example:443", "https://wall.example:0", "https://wall.example:x", "https://Wall.example",
            "https://a'b", "'self'", "*",
        ]
    )
    func wrongOrigins(text: String) {
        #expect(WebOrigin(text) == nil)
    }

    @Test("T30: the page of a session is framed by nobody, and runs nothing")
    func framing() async throws {
        try await RunningServer.run { server in
            let scene = try await scene(at: server)
            let page = try await server.withOperator { try await $0.send("GET", "/pick/\(scene.session.id)") }
            #expect(page.status == 200)
            #expect(page.headers["x-frame-options"] == "DENY")
            #expect(page.headers["content-security-policy"]?.contains("frame-ancestors 'none'") == true)
            #expect(page.headers["content-security-policy"]?.contains("default-src 'none'") == true)
            #expect(!page.text.contains(scene.secret))
        }
    }

    @Test("T31: a chosen asset that was hidden or deleted since is gone, and the audit stays whole")
    func goneItems() async throws {
        try await RunningServer.run { server in
            let scene = try await scene(at: server) { request, _ in request.selectionLimit = 2 }
            let ids = scene.photos.prefix(2).map(\.manifest.id)
            try await server.withOperator { admin in
                #expect(try await scene.choose(ids, admin).status == 200)
                #expect(try await scene.send("POST", "/done", EmptyBody(), admin).status == 200)
                let hidden = AssetEdit.making { $0.isHidden = true }
                _ = try await admin.send("PATCH", "/v1/assets/\(ids[0])", json: hidden)
                _ = try await admin.send("DELETE", "/v1/assets/\(ids[1])")
                _ = try await admin.send("DELETE", "/v1/trash/\(ids[1])")
            }
            try await scene.caller.call(server) { client in
                let items = try await client.send("GET", "\(scene.path)/items").json(PickedItemPage.self).items
                #expect(items.count == 2 && items.allSatisfy { !$0.isAvailable })
                for item in items {
                    let answer = try await client.send("GET", "\(scene.path)/items/\(item.id)")
                    #expect(answer.status == 410, "\(answer.text)")
                }
            }
        }
    }

    @Test(
        "T46: preselected assets of a continuous session show nothing to the caller before a person acts",
        arguments: ["undetermined", "add-only", "selected", "none"]
    )
    func preselected(answer: String) async throws {
        try await RunningServer.run { server in
            let scene = try await scene(at: server)
            try await server.withOperator { admin in
                let device = "/v1/admin/devices/\(scene.caller.id)"
                let decided =
                    answer == "undetermined"
                    ? try await admin.send("DELETE", "\(device)/decision")
                    : try await admin.send("POST", "\(device)/decision", json: DecisionRequest(answer: answer))
                #expect(decided.status == 200, "\(decided.text)")
            }
            var request = PickerRequest(purpose: "A picture for the badge.")
            request.isContinuous = true
            request.selectionLimit = 3
            request.strip = []
            var answers: Set<String> = []
            for preselected in [scene.photos.map(\.manifest.id), [AssetID(rawValue: 5)], []] {
                request.preselected = preselected
                request.filter = .not(.favorites)
                let session = try await scene.caller.call(server) { client in
                    let session = try await client.send("POST", "/v1/picker/sessions", json: request)
                        .json(PickerSession.self)
                    let path = "/v1/picker/sessions/\(session.id)"
                    let items = try await client.send("GET", "\(path)/items")
                    let again = try await client.send("GET", path).json(PickerSession.self)
                    answers.insert("\(session.count) \(again.count) \(items.status) \(items.text)")
                    for photo in scene.photos {
                        let bytes = try await client.send("GET", "\(path)/items/\(photo.manifest.id)")
                        #expect(bytes.status == 404)
                    }
                    return session
                }
                let shown = try await server.withOperator { admin in
                    let secret = try session.secret
                    let fields = [(PickerRoutes.secretField, secret)]
                    let shown = try await admin.send("GET", "/v1/picks/\(session.id)", headers: fields)
                    let done = try await admin.send("POST", "/v1/picks/\(session.id)/done", headers: fields)
                    #expect(done.status == 200)
                    return try shown.json(PickDocument.self)
                }
                #expect(shown.picked.isEmpty, "the caller was given none of them, and may read none")
            }
            #expect(answers.count == 1, "\(answers)")
        }
    }

    @Test(
        "T46: preselection names what a person gave the caller before, also in a session that it ended, and what it may read",
        arguments: [false, true]
    )
    func givenBefore(isEnded: Bool) async throws {
        try await RunningServer.run { server in
            let first = try await scene(at: server) { request, _ in request.selectionLimit = 3 }
            try await server.withOperator { admin in
                let chosen = try await first.choose([first.photos[0].manifest.id], admin)
                let done = try await first.send("POST", "/done", EmptyBody(), admin)
                #expect(chosen.status == 200 && done.status == 200)
            }
            var request = PickerRequest(purpose: "The same picture again.")
            let reader = try await TestDevice.enroll(at: server, maximum: "readWrite")
            for (caller, isReader) in [(first.caller, false), (reader, true)] {
                let session = try await caller.call(server) { client in
                    let given = try await client.send("GET", "\(first.path)/items")
                    let items = isReader ? [] : try given.json(PickedItemPage.self).items.map(\.id)
                    request.preselected = isReader ? [first.photos[0].manifest.id] : items
                    if isEnded, !isReader {
                        let ended = try await client.send("DELETE", first.path)
                        #expect(ended.status == 204)
                    }
                    return try await client.send("POST", "/v1/picker/sessions", json: request).json(PickerSession.self)
                }
                try await server.withOperator { admin in
                    let secret = try session.secret
                    let fields = [(PickerRoutes.secretField, secret)]
                    let shown = try await admin.send("GET", "/v1/picks/\(session.id)", headers: fields)
                    let done = try await admin.send("POST", "/v1/picks/\(session.id)/done", headers: fields)
                    let picked = try shown.json(PickDocument.self).picked
                    #expect(picked == [first.photos[0].manifest.id] && done.status == 200)
                }
                try await caller.call(server) { client in
                    let items = try await client.send("GET", "/v1/picker/sessions/\(session.id)/items")
                        .json(PickedItemPage.self).items.map(\.id)
                    #expect(items.count == 1)
                    #expect((items == [first.photos[0].manifest.id]) == isReader)
                }
            }
        }
    }

    @Test("T55: of forty sessions opened at once exactly the cap is made, and ended ones of a caller are few")
    func caps() async throws {
        try await RunningServer.run { server in
            let caller = try await TestDevice.enroll(at: server)
            let statuses = try await caller.call(server) { client in
                try await withThrowingTaskGroup(of: Int.self) { group in
                    for _ in 0..<40 {
                        group.addTask {
                            let request = PickerRequest(purpose: "A picture for the badge.")
                            return try await client.send("POST", "/v1/picker/sessions", json: request).status
                        }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
            }
            #expect(statuses.count { $0 == 201 } == APILimits.openPickersPerCaller, "\(statuses)")
            try await caller.call(server) { client in
                for _ in 0..<APILimits.endedPickersPerCaller * 2 {
                    let own = try await server.environment.store.metadata.records(
                        of: .pickerSession,
                        ownedBy: PickerDocument.ownerKey(of: .device(caller.id))
                    )
                    #expect(own.count <= APILimits.openPickersPerCaller + APILimits.endedPickersPerCaller)
                    for record in own {
                        let id = PickerSessionID(rawValue: record.id.rawValue)
                        _ = try await client.send("DELETE", "/v1/picker/sessions/\(id)")
                    }
                    let request = PickerRequest(purpose: "A picture for the badge.")
                    #expect(try await client.send("POST", "/v1/picker/sessions", json: request).status == 201)
                }
            }
        }
    }

    @Test("One request identifier is one session, sessions of a caller are capped, and operators list and end them")
    func limits() async throws {
        try await RunningServer.run { server in
            let scene = try await scene(at: server) { request, _ in request.requestID = "badge 7" }
            try await scene.caller.call(server) { client in
                var request = PickerRequest(purpose: "A picture for the badge.")
                request.strip = []
                request.requestID = "badge 7"
                let again = try await client.send("POST", "/v1/picker/sessions", json: request)
                #expect(try again.json(PickerSession.self).id == scene.session.id)
                #expect(try again.json(PickerSession.self).pickURI != scene.session.pickURI)
                request.requestID = nil
                for _ in 1..<APILimits.openPickersPerCaller {
                    #expect(try await client.send("POST", "/v1/picker/sessions", json: request).status == 201)
                }
                let full = try await client.send("POST", "/v1/picker/sessions", json: request)
                #expect(try full.json(ProblemDetails.self).code == .pickerExhausted)
                let silent = try await client.send("POST", "/v1/picker/sessions", json: PickerRequest(purpose: " "))
                #expect(silent.status == 422)
            }
            try await server.withOperator { admin in
                let all = try await admin.send("GET", "/v1/admin/picker-sessions").json(PickDocumentPage.self).sessions
                #expect(all.count == APILimits.openPickersPerCaller)
                let path = "/v1/admin/picker-sessions/\(scene.session.id)"
                #expect(try await admin.send("DELETE", path).status == 204)
            }
            let ended = try await scene.caller.call(server) { try await $0.send("GET", scene.path) }
            #expect(try ended.json(PickerSession.self).state == .ended)
        }
    }
}

/// `{}`.
struct EmptyBody: Encodable {}

extension PickerSession {
    /// What stands behind `#` in the person's address.
    var secret: String {
        get throws { String(try #require(pickURI?.split(separator: "#").last)) }
    }
}
