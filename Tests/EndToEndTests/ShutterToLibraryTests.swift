import Foundation
import Testing

/// From the shutter to the library and back over real TLS, with a server that is away and an administrator who decides.
@Suite(.serialized)
struct ShutterToLibraryTests {
    /// A server, and a box that was enrolled by a token.
    private struct Scene {
        let programs: Programs
        let device: String

        init(maximum: String = "addOnly") throws {
            programs = try Programs()
            try programs.start()
            let token = try programs.token(maximum: maximum)
            let enrolled = try programs.agent("enroll", programs.url, "--token", token, "--json")
            device = try #require(enrolled.json()["deviceID"] as? String, "\(enrolled.errors)")
        }

        /// Takes shots with the synthetic camera into the queue.
        func capture(_ arguments: String...) throws {
            let all = ["capture", "--camera", "synthetic-camera", "--json"] + arguments
            let shots = try programs.agent(all)
            #expect(shots.status == 0, "\(shots.errors)")
        }

        func queue() throws -> [[String: Any]] {
            let listed = try programs.agent("queue", "list", "--json")
            return try #require(
                JSONSerialization.jsonObject(with: Data(listed.output.utf8)) as? [[String: Any]],
                "\(listed.errors)"
            )
        }

        func states() throws -> [String] { try queue().compactMap { $0["state"] as? String } }

        /// The library's assets as its operator sees them.
        func library() throws -> [[String: Any]] {
            try programs.call("GET", "/v1/assets?limit=500")["assets"] as? [[String: Any]] ?? []
        }

        func decide(_ answer: String) throws {
            let body = #"{"answer":"\#(answer)","reason":"test"}"#
            _ = try programs.call("POST", "/v1/admin/devices/\(device)/decision", body)
        }
    }

    @Test(
        """
        000.5, 002: photos and Live Photos captured while the server is down are in the library exactly once, with receipts
        """
    )
    func serverDown() throws {
        let scene = try Scene()
        scene.programs.stop()
        try scene.capture("--count", "2")
        try scene.capture("--live-photo")
        let captured = Set(try scene.queue().compactMap { $0["id"] as? String })
        #expect(captured.count == 3)
        #expect(try scene.programs.agent("sync", "--once").status == 69, "nobody is there")
        try scene.programs.start()
        #expect(try scene.programs.agent("sync", "--once").status == 0)
        let shown = try scene.programs.operate("device", "show", scene.device).output
        #expect(shown.contains("nothing, as of"), "what went does not wait: \(shown)")
        let again = try scene.programs.agent("sync", "--once", "--json").json()
        #expect(again["outcome"] as? String == "nothingToDo", "nothing is sent twice: \(again)")
        let assets = try scene.library()
        #expect(Set(assets.compactMap { $0["id"] as? String }) == captured && assets.count == 3)
        let live = assets.filter { ($0["resources"] as? [[String: Any]])?.count == 2 }
        #expect(live.count == 1, "the Live Photo came whole")
        for entry in try scene.queue() {
            #expect(entry["state"] as? String == "committed")
            let receipt = (entry["receipt"] as? [String: Any])?["receipt"] as? [String: Any]
            #expect(receipt?["assetID"] as? String == entry["id"] as? String, "each has the library's word")
        }
    }

    @Test("001.4: a box that captures on command, without profiles, reports consents, which can be withdrawn")
    func consentsOnCommand() throws {
        let scene = try Scene()
        try scene.capture()
        #expect(try scene.programs.agent("sync", "--once").status == 0)
        let device = try scene.programs.call("GET", "/v1/admin/devices/\(scene.device)")
        let consents = device["consents"] as? [[String: Any]] ?? []
        let camera = consents.first { $0["device"] as? String == "synthetic-camera" }
        #expect(camera?["status"] as? String == "authorized", "\(consents)")
        let withdrawn = try scene.programs.operate("device", "withdraw-consent", scene.device, "camera")
        #expect(withdrawn.status == 0, "\(withdrawn.errors)")
        #expect(try scene.programs.agent("sync", "--once").status == 0)
        #expect(try scene.programs.agent("capture", "--camera", "synthetic-camera").status == 77)
    }

    @Test("002.20: a denied device holds its queue, and the decision drains it while the agent goes on running")
    func decisionDrains() throws {
        let scene = try Scene()
        try scene.decide("none")
        try scene.capture("--count", "2")
        let running = try scene.programs.startAgent(["sync"])
        defer { running.process.terminate() }
        try scene.programs.eventually("the queue is held, and says why") {
            try scene.queue().allSatisfy { $0["state"] as? String == "held" && $0["hold"] as? String == "denied" }
        }
        #expect(try scene.library().isEmpty)
        try scene.decide("add-only")
        try scene.programs.eventually("the queue drains without a restart") {
            try scene.states() == ["committed", "committed"]
        }
        #expect(running.process.isRunning)
        #expect(try scene.library().count == 2)
        running.process.terminate()
        let ended = try running.end()
        #expect(ended.status == 0 && ended.output.hasPrefix("Stopped. 2 saved"), "\(ended.output) \(ended.errors)")
    }

    @Test("002.24: a revoked device is cut off while it runs: what it captures then stays on it, and is not lost")
    func revoked() throws {
        let scene = try Scene()
        try scene.capture()
        #expect(try scene.programs.agent("sync", "--once").status == 0)
        _ = try scene.programs.call("POST", "/v1/admin/devices/\(scene.device)/revoke", "{}")
        try scene.capture()
        let running = try scene.programs.startAgent(["sync"])
        defer { running.process.terminate() }
        try scene.programs.eventually("what is left is held") { try scene.states().sorted() == ["committed", "held"] }
        #expect(try scene.library().count == 1, "nothing came of a device that is none any more")
        let originals = scene.programs.root.appending(path: "box/originals")
        #expect(try FileManager.default.contentsOfDirectory(atPath: originals.path).count == 2)
        try scene.capture("--live-photo")
        #expect(running.process.isRunning, "a shot beside a sync waits for nothing and stops nothing")
        #expect(try FileManager.default.contentsOfDirectory(atPath: originals.path).count == 3)
    }

    @Test("A box that was revoked is admitted again by a token, and sends what it captured before once that is adopted")
    func admittedAgain() throws {
        let scene = try Scene()
        try scene.capture()
        _ = try scene.programs.call("POST", "/v1/admin/devices/\(scene.device)/revoke", "{}")
        #expect(try scene.programs.agent("sync", "--once").status == 77)
        let found = try scene.programs.agent("doctor")
        #expect(found.output.contains("queue retry --all --adopt"), "doctor names the way back: \(found.output)")
        let told = try scene.programs.agent("status", "--explain").output
        #expect(told.contains("was revoked") && !told.contains("may add"), "a former grant is none: \(told)")
        let token = try scene.programs.token(maximum: "addOnly")
        let enrolled = try scene.programs.agent("enroll", scene.programs.url, "--token", token)
        #expect(enrolled.status == 0 && enrolled.errors.contains("queue retry --all --adopt"), "\(enrolled.errors)")
        try scene.capture()
        #expect(try scene.programs.agent("queue", "retry", "--all", "--adopt").status == 0)
        let synced = try scene.programs.agent("sync", "--once")
        #expect(synced.status == 0 && synced.output.contains("2 saved"), "\(synced.output) \(synced.errors)")
        #expect(try scene.library().count == 2)
        #expect(try scene.programs.agent("sync", "--once").status == 0, "it is no copy of the box that was revoked")
        #expect(try scene.programs.agent("status").output.contains("may add"))
    }

    @Test("A capture whose bytes went missing is told and set aside; the others are sent, and can be taken out")
    func cutShort() throws {
        let scene = try Scene()
        try scene.capture("--count", "3")
        let lost = try #require(try scene.queue().first?["id"] as? String)
        let folder = scene.programs.root.appending(path: "box/originals/\(lost)")
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) where name != "entry.json" {
            try FileManager.default.removeItem(at: folder.appending(path: name))
        }
        let rescued = scene.programs.root.appending(path: "rescued").path
        let exported = try scene.programs.agent("queue", "export", rescued)
        #expect(exported.status == 1 && exported.output.contains("2 exported") && exported.errors.contains(lost))
        let synced = try scene.programs.agent("sync", "--once")
        #expect(synced.status == 3 && synced.output.contains("2 saved"), "\(synced.output) \(synced.errors)")
        let entry = try scene.queue().first { $0["id"] as? String == lost }
        #expect(entry?["state"] as? String == "deadLetter", "\(entry ?? [:])")
        #expect((entry?["problem"] as? String)?.contains("missing or truncated") == true, "\(entry ?? [:])")
        let doctor = try scene.programs.agent("doctor")
        #expect(doctor.status == 1 && doctor.output.contains("1 rejected permanently"), "\(doctor.output)")
    }

    @Test("A box that is drained while it is away keeps what it has, then delivers all of it, and ends its own rights")
    func drained() throws {
        let scene = try Scene()
        scene.programs.stop()
        try scene.capture("--count", "2")
        try scene.capture("--live-photo")
        try scene.programs.start()
        let asked = try scene.programs.operate("device", "drain", scene.device, "--yes", "--reason", "is replaced")
        #expect(asked.status == 0 && asked.output.contains("draining"), "\(asked.errors)")
        let listed = try scene.programs.operate("device", "list").output
        #expect(listed.contains("draining") && listed.contains("does not know yet"), "\(listed)")
        #expect(try scene.states() == ["captured", "captured", "captured"], "nobody has told the box")

        let synced = try scene.programs.agent("sync", "--once")
        #expect(synced.status == 0 && synced.output.contains("3 saved"), "\(synced.output) \(synced.errors)")
        #expect(synced.output.contains("this box is retired"), "\(synced.output)")
        #expect(try scene.library().count == 3)
        #expect(try scene.states() == ["committed", "committed", "committed"], "each has the library's word")
        let shown = try scene.programs.operate("device", "show", scene.device).output
        #expect(shown.contains("revoked") && shown.contains("delivered all it had announced"), "\(shown)")

        let shot = try scene.programs.agent("capture", "--camera", "synthetic-camera")
        #expect(shot.status == 77 && shot.errors.contains("takes nothing new"), "\(shot.errors)")
        let card = try scene.programs.photos([2000], seed: 78)
        let imported = try scene.programs.agent("import", card[0].path)
        #expect(imported.status == 77 && imported.errors.contains("takes nothing new"), "\(imported.errors)")
        #expect(try scene.queue().count == 3, "nothing was taken in")
        #expect(try scene.programs.agent("status").output.contains("is over"))
        let again = try scene.programs.agent("sync", "--once")
        #expect(again.status == 77 && again.errors.contains("enroll"), "\(again.errors)")
    }

    @Test("A running box hears of its draining at once; taken back before the end, it goes on as before")
    func drainTakenBack() throws {
        let scene = try Scene()
        try scene.decide("none")
        try scene.capture()
        let running = try scene.programs.startAgent(["run"])
        defer { running.process.terminate() }
        try scene.programs.eventually("the queue is held") { try scene.states() == ["held"] }
        #expect(try scene.programs.operate("device", "drain", scene.device, "--yes").status == 0)
        try scene.programs.eventually("the box has announced what it holds, and keeps it") {
            try scene.programs.operate("device", "list").output.contains("1 capture left to send")
        }
        #expect(try scene.programs.agent("status").output.contains("1 capture left to send"))
        let refused = try scene.programs.agent("capture", "--camera", "synthetic-camera")
        #expect(refused.status == 77 && refused.errors.contains("takes nothing new"), "\(refused.errors)")
        #expect(try scene.programs.operate("device", "drain", scene.device, "--cancel", "--yes").status == 0)
        try scene.programs.eventually("the box takes captures again") {
            try scene.programs.agent("capture", "--camera", "synthetic-camera").status == 0
        }
        try scene.decide("add-only")
        try scene.programs.eventually("everything arrives") { try scene.states() == ["committed", "committed"] }
    }

    @Test("A running agent lets originals go once receipts and retention allow it, and takes captures again when full")
    func freed() throws {
        let scene = try Scene()
        let settings = ["--set", "queue.retentionDays=0", "--set", "queue.maximumBytes=200000"]
        let running = try scene.programs.startAgent(["run"] + settings)
        defer { running.process.terminate() }
        try scene.programs.eventually("more was captured than the queue holds") {
            _ = try scene.programs.agent(["capture", "--camera", "synthetic-camera"] + settings)
            return try scene.states().filter { $0 == "freed" }.count > 3
        }
        try scene.programs.eventually("nothing stays on the box") { try Set(scene.states()) == ["freed"] }
    }

    @Test("A second sync at the same time waits for a moment and then says who has the queue; nothing is sent twice")
    func twice() throws {
        let scene = try Scene()
        let running = try scene.programs.startAgent(["sync"])
        defer { running.process.terminate() }
        try scene.programs.eventually("the first has the queue") {
            try !scene.programs.agent("status").output.contains("never")
        }
        let second = try scene.programs.agent("sync", "--once")
        #expect(second.status == 1 && second.errors.contains("another tintype-agent"), "\(second.errors)")
        running.process.terminate()
        _ = try running.end()
        #expect(try scene.programs.agent("sync", "--once").status == 0, "it goes on once the first is gone")
    }

    @Test("Beside a running agent its view is listed and edited, and what is edited reaches the library")
    func besideTheService() throws {
        let scene = try Scene(maximum: "readWrite")
        try scene.capture()
        let running = try scene.programs.startAgent(["run"])
        defer { running.process.terminate() }
        try scene.programs.eventually("the capture came back in the view") {
            try scene.programs.agent("assets", "list", "--json").output != "[]\n"
        }
        let id = try #require(try scene.queue().first?["id"] as? String)
        let edited = try scene.programs.agent("assets", "edit", id, "--favorite", "--caption", "Beside the service")
        #expect(edited.status == 0, "\(edited.errors)")
        try scene.programs.eventually("the library has the edit") {
            try scene.library().first?["isFavorite"] as? Bool == true
        }
        _ = try scene.programs.call("PATCH", "/v1/assets/\(id)", #"{"rating":4}"#)
        try scene.programs.eventually("the operator's edit and ours are one state") {
            let listed = try scene.programs.agent("assets", "list", "--json").output
            let asset = try JSONSerialization.jsonObject(with: Data(listed.utf8)) as? [[String: Any]]
            return asset?.first?["rating"] as? Int == 4 && asset?.first?["caption"] as? String == "Beside the service"
        }
        let card = try scene.programs.photos([2000], seed: 77)
        #expect(try scene.programs.agent("import", card[0].path).status == 0, "a card is taken in beside the service")
        try scene.programs.eventually("what came beside the service reaches the library at once") {
            try scene.library().count == 2
        }
    }
}
