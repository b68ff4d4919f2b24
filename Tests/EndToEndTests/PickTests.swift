import Foundation
import Glibc
import Testing

/// `tintype-agent pick` over TLS against the real server; the test is the person who chooses.
@Suite(.serialized)
struct PickTests {
    /// A server with photos in its library, and a device that may do nothing but pick.
    private struct Scene {
        let programs: Programs
        let files: [URL]
        var folder: URL { programs.root.appending(path: "picked") }

        init(_ sizes: [Int] = [1000, 700_000, 3_000_000]) throws {
            programs = try Programs()
            try programs.start()
            #expect(try programs.agent("enroll", programs.url, "--token", try programs.token()).status == 0)
            files = try programs.photos(sizes)
            #expect(try programs.agent("import", files[0].deletingLastPathComponent().path).status == 0)
            #expect(try programs.agent("sync", "--once").status == 0)
            let caller = try programs.agent(
                "enroll",
                programs.url,
                "--token",
                try programs.token(),
                "--json",
                box: "caller"
            )
            let device = try #require(caller.json()["deviceID"] as? String)
            _ = try programs.call("POST", "/v1/admin/devices/\(device)/decision", #"{"answer":"none"}"#)
        }

        /// Starts a pick and reads the session that it announces.
        func pick(_ arguments: String...) throws -> (Programs.Started, session: [String: Any]) {
            let all = ["pick", folder.path, "--purpose", "A picture for the badge", "--json"] + arguments
            let started = try programs.startAgent(all, box: "caller")
            try programs.eventually("the session is announced") {
                try !started.lines().isEmpty || !started.process.isRunning
            }
            let errors = started.process.isRunning ? "" : try started.end().errors
            let line = try #require(try started.lines().first, "\(errors)")
            let session = try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            return (started, session)
        }

        /// A call as the page makes it for the person who chooses.
        func choose(_ session: [String: Any], _ method: String, _ rest: String, _ body: String = "") throws
            -> [String: Any]
        {
            let text = try #require(session["link"] as? String)
            let link = try #require(URL(string: text))
            #expect(link.absoluteString.hasPrefix("\(programs.url)/pick/"))
            let secret = try #require(link.fragment)
            return try programs.call(
                method,
                "/v1/picks/\(link.lastPathComponent)\(rest)",
                body,
                headers: ["Tintype-Pick-Secret: \(secret)"]
            )
        }

        /// The assets that the person is shown, by their files' sizes.
        func candidates(_ session: [String: Any]) throws -> [Int: String] {
            let page = try choose(session, "GET", "/assets")
            let assets = try #require(page["assets"] as? [[String: Any]])
            return try assets.reduce(into: [:]) { found, asset in
                let resource = try #require((asset["resources"] as? [[String: Any]])?.first)
                found[try #require(resource["byteCount"] as? Int)] = asset["id"] as? String
            }
        }
    }

    @Test(
        "004.15, 004.20: a device without access gets exactly what a person chose, and nothing once the session is over"
    )
    func wholeStory() throws {
        let scene = try Scene()
        let (started, session) = try scene.pick("--count", "2", "--ordered", "--keep-location")
        let document = try scene.choose(session, "GET", "")
        #expect(document["code"] as? String == session["code"] as? String, "both sides show one code")
        #expect((document["request"] as? [String: Any])?["purpose"] as? String == "A picture for the badge")
        let shown = try scene.candidates(session)
        #expect(shown.count == 3)
        let sizes = try scene.files.map { try Data(contentsOf: $0).count }
        let wanted = try [sizes[2], sizes[0]].map { try #require(shown[$0]) }
        let choice = #"{"assets":["\#(wanted[0])","\#(wanted[1])"]}"#
        _ = try scene.choose(session, "PUT", "/selection", choice)
        #expect(try scene.choose(session, "POST", "/done", "{}")["state"] as? String == "done")
        let result = try started.end()
        #expect(result.status == 0, "\(result.errors)")
        let line = try #require(result.output.split(separator: "\n").last)
        let items = try #require(
            (JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])?["items"] as? [[String: Any]]
        )
        let names = Set(items.compactMap { $0["id"] as? String })
        #expect(names.count == 2 && names.isDisjoint(with: wanted), "named by the session, not by the library")
        let paths = items.flatMap { $0["files"] as? [String] ?? [] }
        let picked = try paths.map { try Data(contentsOf: URL(filePath: $0)) }
        #expect(try picked == [scene.files[2], scene.files[0]].map { try Data(contentsOf: $0) })
        let all = try FileManager.default.contentsOfDirectory(atPath: scene.folder.path)
        #expect(all.count == 2, "nothing else came, and nothing is left over: \(all)")
        let ended = try scene.programs.call("GET", "/v1/admin/picker-sessions")["sessions"] as? [[String: Any]]
        #expect(ended?.allSatisfy { $0["state"] as? String == "ended" } == true, "the command ends its session")
    }

    @Test(
        "004.37, 004.46: each photo comes as it is chosen and goes when it is taken back, and only the caller ends it"
    )
    func continuous() throws {
        let scene = try Scene([500, 700_000])
        let (started, session) = try scene.pick(
            "--continuous",
            "--count",
            "0",
            "--disable",
            "selectionActions",
            "--disable",
            "search",
            "--keep-location"
        )
        func files() -> [String] { (try? FileManager.default.contentsOfDirectory(atPath: scene.folder.path)) ?? [] }
        let shown = try scene.candidates(session).values.sorted()
        var lines = 1
        for choice in [shown, [shown[0]]] {
            let ids = choice.map { "\"\($0)\"" }.joined(separator: ",")
            _ = try scene.choose(session, "PUT", "/selection", #"{"assets":[\#(ids)]}"#)
            lines += 1
            try scene.programs.eventually("the choice is told") { try started.lines().count == lines }
            #expect(files().count == choice.count)
        }
        let text = try #require(session["link"] as? String)
        let id = try #require(URL(string: text)).lastPathComponent
        let words = try scene.programs.call(
            "GET",
            "/v1/picks/\(id)/assets?filter=%7B%22text%22:%22door%22%7D",
            headers: ["Tintype-Pick-Secret: \(try #require(URL(string: text)?.fragment))"]
        )
        #expect(words["type"] as? String == "/v1/problems/picker.capability_disabled", "\(words)")
        #expect(try scene.choose(session, "POST", "/done", "{}")["status"] as? Int == 403)
        kill(started.process.processIdentifier, SIGINT)
        let result = try started.end()
        #expect(result.status == 130 && files().count == 1, "\(result.errors)")
    }

    @Test("A name that is taken is not overwritten")
    func takenName() throws {
        let scene = try Scene([500])
        let name = scene.files[0].lastPathComponent
        try FileManager.default.createDirectory(at: scene.folder, withIntermediateDirectories: true)
        try Data("mine".utf8).write(to: scene.folder.appending(path: name))
        let (started, session) = try scene.pick("--keep-location")
        let asset = try #require(scene.candidates(session).values.first)
        _ = try scene.choose(session, "PUT", "/selection", #"{"assets":["\#(asset)"]}"#)
        _ = try scene.choose(session, "POST", "/done", "{}")
        #expect(try started.end().status == 0)
        #expect(try String(contentsOf: scene.folder.appending(path: name), encoding: .utf8) == "mine")
        #expect(try FileManager.default.contentsOfDirectory(atPath: scene.folder.path).count == 2)
    }

    @Test("004.18, 004.52: a person who cancels gives an empty result; an operator's end of the session is status 5")
    func nothingChosen() throws {
        let scene = try Scene([500])
        for isCancelled in [true, false] {
            let (started, session) = try scene.pick("--filter", "images")
            let id = try #require(session["session"] as? String)
            if isCancelled {
                _ = try scene.choose(session, "POST", "/cancel", "{}")
            } else {
                _ = try scene.programs.call("DELETE", "/v1/admin/picker-sessions/\(id)")
            }
            let result = try started.end()
            #expect(result.status == (isCancelled ? 0 : 5), "\(result.errors)")
            if isCancelled { #expect(result.output.hasSuffix(#"{"items":[]}"# + "\n"), "\(result.output)") }
            #expect(!FileManager.default.fileExists(atPath: scene.folder.path))
        }
    }

    @Test("A pick that is interrupted ends its session, and one whose folder cannot be made asks nobody")
    func interrupted() throws {
        let scene = try Scene([500])
        func sessions() throws -> [String] {
            let all = try scene.programs.call("GET", "/v1/admin/picker-sessions")["sessions"] as? [[String: Any]]
            return (all ?? []).compactMap { $0["state"] as? String }
        }
        for signal in [SIGINT, SIGTERM] {
            let (started, _) = try scene.pick()
            kill(started.process.processIdentifier, signal)
            let result = try started.end()
            #expect(result.status == 130 && result.errors.contains("interrupted"), "\(result.status) \(result.errors)")
            #expect(!FileManager.default.fileExists(atPath: scene.folder.path))
        }
        let file = scene.files[0].appending(path: "below-a-file").path
        let refused = try scene.programs.agent("pick", file, "--purpose", "A picture for the badge", box: "caller")
        #expect(refused.status == 1 && !refused.errors.contains("Choose here"), "\(refused.errors)")
        #expect(try sessions().allSatisfy { $0 == "ended" })
    }

    @Test("What may be chosen is what --filter says; a box that is no device and a purpose that is missing are told so")
    func filtersAndErrors() throws {
        let scene = try Scene([500])
        let (started, session) = try scene.pick("--filter", "videos")
        #expect(try scene.candidates(session).isEmpty)
        _ = try scene.choose(session, "POST", "/cancel", "{}")
        #expect(try started.end().status == 0)
        let unknown = try scene.programs.agent("pick", scene.folder.path, "--purpose", "x", box: "nobody")
        #expect(unknown.status == 78 && unknown.errors.contains("enroll"), "\(unknown.errors)")
        let silent = try scene.programs.agent("pick", scene.folder.path, box: "caller")
        #expect(silent.status == 64)
    }
}
