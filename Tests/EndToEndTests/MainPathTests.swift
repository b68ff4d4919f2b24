import Foundation
import Persistence
import PhotoModel
import Testing

@Suite(.serialized)
struct MainPathTests {
    @Test(
        "A bare box becomes a device, takes photos in, and the library has them byte for byte; again there is nothing to do"
    )
    func mainPath() throws {
        let programs = try Programs()
        try programs.start()
        let enrolled = try programs.agent("enroll", programs.url, "--token", try programs.token())
        #expect(enrolled.status == 0, "\(enrolled.errors)")
        let files = try programs.photos([1000, 500_000, 20_000_000])
        #expect(try programs.agent("import", files[0].deletingLastPathComponent().path).status == 0)
        let sync = try programs.agent("sync", "--once", "--json")
        #expect(sync.status == 0, "\(sync.errors)")
        #expect(try sync.json()["saved"] as? Int == 3)
        #expect(try programs.originals() == Programs.digests(files))
        let again = try programs.agent("sync", "--once", "--json")
        #expect(try again.json()["outcome"] as? String == "nothingToDo")
        let repeated = try programs.agent("import", files[0].deletingLastPathComponent().path, "--json")
        #expect(try repeated.json()["known"] as? Int == 3, "an import known by its bytes makes no second asset")
    }

    @Test("On a terminal a bar tells how far a sync is, and is gone at the end; elsewhere there is none")
    func progress() throws {
        let programs = try Programs()
        try programs.start()
        #expect(try programs.agent("enroll", programs.url, "--token", try programs.token()).status == 0)
        let files = try programs.photos([1000, 2000])
        #expect(try programs.agent("import", files[0].deletingLastPathComponent().path).status == 0)
        let shown = try programs.agentOnTerminal(["sync", "--once"])
        #expect(shown.status == 0 && shown.output.contains("░ 0 %  0 of 2 captures"), "\(shown.output)")
        let afterLastLine = shown.output.components(separatedBy: "\r\u{1B}[K").last ?? ""
        #expect(afterLastLine.hasPrefix("2 saved "), "\(shown.output)")
        let more = try programs.photos([3000], seed: 1)
        #expect(try programs.agent("import", more[0].path).status == 0)
        let quiet = try programs.agent("sync", "--once")
        #expect(quiet.output.hasPrefix("1 saved ") && !quiet.errors.contains("\u{1B}"), "\(quiet.errors)")
    }

    @Test("An import that sends what it has read ends with all of it in the library, and tells of both")
    func importWithSync() throws {
        let programs = try Programs()
        try programs.start()
        let files = try programs.photos([1000, 500_000, 20_000_000])
        let folder = files[0].deletingLastPathComponent().path
        let early = try programs.agent("import", folder, "--sync")
        #expect(early.status == 78 && early.output.isEmpty, "before the enrolment nothing is taken: \(early)")
        #expect(try programs.agent("enroll", programs.url, "--token", try programs.token()).status == 0)
        let taken = try programs.agent("import", folder, "--sync", "--json")
        #expect(taken.status == 0, "\(taken)")
        let report = try taken.json()
        #expect(report["added"] as? Int == 3)
        #expect((report["sync"] as? [String: Any])?["saved"] as? Int == 3, "\(report)")
        #expect(try programs.originals() == Programs.digests(files))
        let more = try programs.photos([3000, 4000], seed: 1)
        let shown = try programs.agentOnTerminal(["import", more[0].deletingLastPathComponent().path, "--sync"])
        #expect(shown.status == 0, "\(shown.output)")
        #expect(["read ", "sent "].allSatisfy(shown.output.contains), "\(shown.output)")
        let words = try #require(shown.output.components(separatedBy: "\r\u{1B}[K").last)
        #expect(words.contains(" new, ") && words.contains("2 saved "), "\(shown.output)")
    }

    @Test("A card that two boxes take in and send at the same time is in the library once, its Live Photo whole")
    func twoBoxes() throws {
        let programs = try Programs()
        try programs.start()
        let photos = try programs.photos([1000, 60_000])
        let movie = photos[1].deletingPathExtension().appendingPathExtension("mov")
        let bytes: [UInt8] = [0, 0, 0, 20] + Array("ftypqt  ".utf8) + [UInt8](repeating: 7, count: 3000)
        try Data(bytes).write(to: movie)
        let boxes = ["box", "attic"]
        var devices: [String] = []
        for box in boxes {
            let token = try programs.token()
            let enrolled = try programs.agent("enroll", programs.url, "--token", token, "--json", box: box)
            devices.append(try #require(enrolled.json()["deviceID"] as? String, "\(enrolled.errors)"))
            let imported = try programs.agent("import", movie.deletingLastPathComponent().path, "--json", box: box)
            let report = try imported.json()
            #expect(report["added"] as? Int == 2 && report["livePhotos"] as? Int == 1, "\(report)")
        }
        let syncs = try boxes.map { try programs.startAgent(["sync", "--once", "--json"], box: $0) }
        for sync in syncs {
            let ended = try sync.end()
            #expect(try ended.status == 0 && ended.json()["saved"] as? Int == 2, "\(ended.output) \(ended.errors)")
        }
        let assets = try programs.call("GET", "/v1/assets?limit=500")["assets"] as? [[String: Any]] ?? []
        #expect(assets.map { ($0["resources"] as? [Any])?.count ?? 0 }.sorted() == [1, 2], "one is a Live Photo")
        #expect(try programs.originals() == Programs.digests(photos + [movie]))
        for (box, device) in zip(boxes, devices) {
            let receipts = try self.receipts(programs, box)
            #expect(Set(receipts.map { $0["assetID"] as? String }) == Set(assets.map { $0["id"] as? String }))
            #expect(receipts.map { $0["deviceID"] as? String } == [device, device], "each has a word of its own")
        }
    }

    @Test("000.5: what is captured while the server is away is kept, and sent when it is back")
    func serverAway() throws {
        let programs = try Programs()
        try programs.start()
        #expect(try programs.agent("enroll", programs.url, "--token", try programs.token()).status == 0)
        programs.stop()
        let files = try programs.photos([1000, 3_000_000])
        #expect(try programs.agent("import", files[0].deletingLastPathComponent().path).status == 0)
        let away = try programs.agent("sync", "--once", "--json")
        #expect(away.status == 69)
        #expect(try away.json()["waiting"] as? Int == 2)
        try programs.start()
        #expect(try programs.agent("sync", "--once").status == 0)
        #expect(try programs.originals() == Programs.digests(files))
    }

    @Test("An import that fills the queue tells what it took before it tells why it ended; with room the rest comes in")
    func fullQueue() throws {
        let programs = try Programs()
        let card = try programs.photos([1000, 1000, 1000])[0].deletingLastPathComponent().path
        let full = try programs.agent("import", card, "--json", "--set", "queue.maximumBytes=2500")
        #expect(full.status == 73, "\(full.output) \(full.errors)")
        #expect(try full.json()["added"] as? Int == 2)
        #expect(full.errors.contains("queue.maximumBytes") && full.errors.contains("imported again"), "\(full.errors)")
        let rest = try programs.agent("import", card)
        #expect(rest.status == 0 && rest.output.hasPrefix("1 new, 2 known"), "\(rest.output) \(rest.errors)")
    }

    @Test("000.20, 002.20: a device that is denied keeps its captures and says so; they go after the decision")
    func denied() throws {
        let programs = try Programs()
        try programs.start()
        let enrolled = try programs.agent("enroll", programs.url, "--token", try programs.token(), "--json")
        let device = try #require(enrolled.json()["deviceID"] as? String)
        let files = try programs.photos([1000])
        #expect(try programs.agent("import", files[0].path).status == 0)
        try decide(programs, device, "none")
        let held = try programs.agent("sync", "--once", "--json")
        #expect(held.status == 77, "\(held.output) \(held.errors)")
        #expect(try held.json()["holds"] as? [String: Int] == ["denied": 1])
        try decide(programs, device, "add-only")
        #expect(try programs.agent("sync", "--once").status == 0)
        #expect(try programs.originals() == Programs.digests(files))
    }

    @Test(
        "000.7, 000.10, 001.22, 001.24, 004.12: without the reason of the settings nothing is asked for; with it, it is shown"
    )
    func reasons() throws {
        let programs = try Programs()
        try programs.start()
        let path = "agent.path=\(programs.root.appending(path: "box").path)"
        let bare = ["--set", path, "--set", "library.add.usage=Saves what it sees"]
        let token = try programs.token()
        let silent = try programs.run("tintype-agent", ["enroll", programs.url, "--token", token, "--set", path])
        #expect(silent.status == 78 && silent.errors.contains("library.add.usage"), "\(silent.errors)")
        #expect(try programs.operate("device", "list", "--quiet").output.isEmpty)
        let enrolled = try programs.run("tintype-agent", ["enroll", programs.url, "--token", token] + bare)
        #expect(enrolled.status == 0, "\(enrolled.errors)")
        let mute = try programs.run("tintype-agent", ["sync", "--once", "--set", path])
        #expect(mute.status == 78 && mute.errors.contains("library.add.usage"), "\(mute.errors)")
        let idle = try programs.run("tintype-agent", ["run", "--once", "--set", path])
        #expect(idle.status == 78 && idle.errors.contains("library.add.usage"), "\(idle.errors)")
        #expect(idle.output.isEmpty, "refused before anything is captured or sent: \(idle.output)")
        let refused = try programs.run("tintype-agent", ["authorize", "--read-write"] + bare)
        #expect(refused.status == 78 && refused.errors.contains("library.readWrite.usage"), "\(refused.errors)")
        #expect(try programs.operate("request", "list", "--quiet").output.isEmpty)
        let asked = try programs.agent("authorize", "--read-write")
        #expect(asked.status == 4, "\(asked.errors)")
        let shown = try programs.operate("request", "list")
        #expect(shown.output.contains("Edits photos in tests"), "\(shown.output)")
    }

    @Test("T11: a box does not enrol with a server that is not the one it was invited to")
    func impostor() throws {
        let programs = try Programs()
        try programs.start()
        let wrong = try programs.agent("enroll", programs.url, "--ca-fingerprint", String(repeating: "ab", count: 32))
        #expect(wrong.status == 69 && wrong.errors.contains("nothing was sent"), "\(wrong.errors)")
    }

    /// What the library has said to a box, an entry of its queue each.
    private func receipts(_ programs: Programs, _ box: String) throws -> [[String: Any]] {
        let listed = try programs.agent("queue", "list", "--json", box: box)
        let entries = try JSONSerialization.jsonObject(with: Data(listed.output.utf8)) as? [[String: Any]] ?? []
        return entries.compactMap { ($0["receipt"] as? [String: Any])?["receipt"] as? [String: Any] }
    }

    private func decide(_ programs: Programs, _ device: String, _ answer: String) throws {
        _ = try programs.call(
            "POST",
            "/v1/admin/devices/\(device)/decision",
            #"{"answer":"\#(answer)","reason":"test"}"#
        )
    }
}
