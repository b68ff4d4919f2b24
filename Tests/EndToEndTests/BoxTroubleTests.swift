import Foundation
import Glibc
import Testing

/// What a box says of its own trouble: no room, no rights, nobody there.
@Suite(.serialized)
struct BoxTroubleTests {
    private static let camera = ["capture.device=synthetic-camera", "capture.camera.usage=Sees the gate"]

    @Test("Of shots that were asked for, those before the queue is full are told; status and doctor tell of the rest")
    func fullQueue() throws {
        let box = try Box()
        let small = Self.camera + ["queue.maximumBytes=150000"]
        let taken = try box.agent(["capture", "--count", "30"], settings: small)
        #expect(taken.status == 73, "\(taken.errors)")
        let count = try box.entries().count
        #expect(count > 0 && taken.output.contains("\n\(count) taken"), "\(taken.output)")
        #expect(taken.errors.contains("queue.maximumBytes"))
        let status = try box.agent(["status", "--explain"], settings: small)
        #expect(status.output.contains("find no room"), "\(status.output)")
        #expect(status.output.contains("queue.maximumBytes"), "\(status.output)")
        #expect(!status.output.contains("Nothing is held back"))
        let doctor = try box.agent(["doctor"], settings: small)
        #expect(doctor.status == 1 && doctor.output.contains("captures find no room"), "\(doctor.output)")
        let roomy = try box.agent(["status", "--explain"], settings: Self.camera)
        #expect(!roomy.output.contains("find no room"), "where there is room again nothing is said")
        #expect(try box.agent(["doctor"], settings: Self.camera).status == 0)
    }

    @Test("Beside a service, capture says who sends what it took")
    func besideService() throws {
        let box = try Box()
        try box.profile("gate", "camera:\n  device: synthetic-camera\n")
        _ = try box.start(["gate"], settings: Self.camera)
        let taken = try box.agent(["capture"])
        #expect(taken.status == 0 && taken.output.contains("the service that runs here"), "\(taken.output)")
        #expect(!taken.output.contains("sync --once"))
    }

    @Test(
        "doctor says what a user may not do, instead of failing or finding all well",
        .enabled(if: Box.othersMayRunPrograms, "another user's eyes need root, and programs that all users can run")
    )
    func otherUser() throws {
        let box = try Box()
        try #require(unsafe chmod(box.root.path, 0o755) == 0)
        #expect(try box.agent(["status"]).status == 0)
        func doctor(_ path: String) throws -> Box.Outcome {
            let process = box.process(["doctor"], ["agent.path=\(path)"])
            let program = try #require(process.executableURL)
            let arguments = process.arguments ?? []
            let outcome = try tool(
                "setpriv",
                ["--reuid=65534", "--regid=65534", "--clear-groups", program.path] + arguments
            )
            return Box.Outcome(status: outcome.status, output: outcome.output, errors: outcome.errors)
        }
        let missing = try doctor(box.root.appending(path: "none/yet").path)
        #expect(missing.status == 1, "\(missing.output) \(missing.errors)")
        #expect(missing.output.contains("may not make the agent's folder"), "\(missing.output)")
        try #require(unsafe chmod(box.agentPath.path, 0o700) == 0)
        let closed = try doctor(box.agentPath.path)
        #expect(closed.status == 1 && !closed.errors.contains("error:"), "\(closed.errors)")
        #expect(closed.output.contains("MEND") && closed.output.contains("sudo -u tintype-agent"), "\(closed.output)")
    }

    @Test(
        "root leaves nothing in the folder of the agent's user, whose service could not use it",
        .enabled(if: geteuid() == 0, "giving a folder away needs root"),
        arguments: [["consent", "set", "camera", "authorized"], ["capture"], ["queue", "list"]]
    )
    func rootInAnothersFolder(command: [String]) throws {
        let box = try Box()
        try FileManager.default.createDirectory(at: box.agentPath, withIntermediateDirectories: true)
        try #require(unsafe chown(box.agentPath.path, 65534, 65534) == 0)
        let outcome = try box.agent(command)
        #expect(outcome.status == 78 && outcome.errors.contains("sudo -u nobody"), "\(outcome)")
        let doctor = try box.agent(["doctor"])
        #expect(doctor.status == 1 && doctor.output.contains("run the command as that user"), "\(doctor)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: box.agentPath.path).isEmpty)
    }

    @Test("doctor says what to do about a server that is not there, and names its address once in a problem")
    func deadServer() throws {
        let programs = try Programs()
        try programs.start()
        #expect(try programs.agent("enroll", programs.url, "--token", try programs.token()).status == 0)
        programs.stop()
        let doctor = try programs.agent("doctor")
        #expect(doctor.status == 1 && doctor.output.contains("curl -k \(programs.url)/v1/ca"), "\(doctor.output)")
        let enroll = try programs.agent("enroll", programs.url, "--ca-fingerprint", programs.authority, box: "other")
        #expect(enroll.status == 69)
        #expect(enroll.errors.components(separatedBy: programs.url).count == 2, "\(enroll.errors)")
    }

    @Test("T23: commands that change nothing, or were told no, end with a status that says so")
    func statuses() throws {
        let programs = try Programs()
        try programs.start()
        #expect(try programs.agent("enroll", programs.url, "--token", try programs.token()).status == 0)
        #expect(try programs.agent("sync", "--once").status == 0)
        let asset = "0198f3c2-0000-7000-8000-000000000000"
        let nothing = try programs.agent("assets", "edit", asset)
        #expect(nothing.status == 64 && nothing.errors.contains("--favorite"), "\(nothing.errors)")
        let denied = try programs.agent("assets", "edit", asset, "--favorite")
        #expect(denied.status == 77 && denied.errors.contains("tintype-agent authorize --read-write"))
        let hidden = try programs.agent("assets", "list")
        #expect(hidden.status == 77 && hidden.output.isEmpty, "\(hidden)")
        #expect(hidden.errors.contains("may not read the library: tintype-agent authorize --read-write"), "\(hidden)")
        let expand = try programs.agent("selection", "expand", "--reason", "More")
        #expect(expand.status == 77 && expand.errors.contains("authorize"), "\(expand.errors)")
        for reason in ["", "two\nlines", String(repeating: "x", count: 281)] {
            let odd = try programs.agent("selection", "expand", "--reason", reason)
            #expect(odd.status == 64 && odd.errors.contains("the reason "), "\(odd.errors)")
        }
        let level = try programs.agent("authorize", "--read-write")
        #expect(level.status == 4 || level.status == 77, "\(level.output)")
        let device = try #require(
            programs.operate("device", "list", "--quiet").output.split(separator: "\n").first.map(String.init)
        )
        #expect(try programs.operate("device", "decide", device, "--as", "none").status == 0)
        let refused = try programs.agent("authorize", "--read-write")
        #expect(refused.status == 77 && !refused.output.contains("<fingerprint>"), "\(refused.output)")
        programs.stop()
        let offline = try programs.agent("authorize", "--read-write")
        #expect(offline.status == 77 && offline.output == refused.output, "what was decided is known: \(offline)")
        try programs.start()
        #expect(try programs.operate("device", "show", device).output.contains("<") == false)
        #expect(try programs.agent("pick", programs.root.path, "--purpose", "").status == 64)
    }

    @Test("T23: commands that use the view of a revoked box say that it was revoked, when, and what to do next")
    func revoked() throws {
        let programs = try Programs()
        try programs.start()
        let token = try programs.token(maximum: "readWrite")
        let enrolled = try programs.agent("enroll", programs.url, "--token", token, "--json")
        let device = try #require(enrolled.json()["deviceID"] as? String, "\(enrolled.errors)")
        #expect(try programs.agent("import", programs.photos([1000])[0].path).status == 0)
        for _ in 0..<2 { #expect(try programs.agent("sync", "--once").status == 0) }
        let list = try programs.agent("assets", "list")
        let asset = try #require(list.output.split(separator: "\n").last?.prefix(36))
        #expect(list.status == 0 && asset.count == 36, "\(list)")
        _ = try programs.call("POST", "/v1/admin/devices/\(device)/revoke", "{}")
        for _ in 0..<2 { #expect(try programs.agent("sync", "--once").status == 77) }
        for arguments in [
            ["list"], ["list", "--filter", "favorites"], ["edit", String(asset), "--favorite"],
            ["fetch", String(asset)],
        ] {
            let refused = try programs.agent(["assets"] + arguments)
            #expect(refused.status == 77 && refused.output.isEmpty, "\(arguments): \(refused)")
            let words = /this device was revoked, as the library said at 2\d+-\S+Z\. Next: enrol again: tintype-agent/
            #expect(refused.errors.contains(words), "\(arguments): \(refused.errors)")
        }
        let expand = try programs.agent("selection", "expand", "--reason", "More")
        #expect(expand.status == 77 && expand.errors.contains("was revoked"), "\(expand.errors)")
        #expect(!expand.errors.contains("authorize"), "\(expand.errors)")
        let wire = try programs.agent("assets", "list", "--json")
        #expect(try wire.status == 77 && wire.json()["error"] as? String == "notAllowed", "\(wire)")
        #expect(try programs.agent("status").output.contains("revoked, as the library said at 2"))
        let again = try programs.token(maximum: "readWrite")
        #expect(try programs.agent("enroll", programs.url, "--token", again).status == 0)
        for _ in 0..<2 { #expect(try programs.agent("sync", "--once").status == 0) }
        #expect(try programs.agent("assets", "list").output.contains(asset))
    }

    @Test("The queue shows names and albums, and takes as much of an identifier as only one entry has")
    func queue() throws {
        let programs = try Programs()
        let photo = try programs.photos([1000])[0]
        #expect(try programs.agent(["import", photo.path, "--set", "library.album=Gate"]).status == 0)
        let list = try programs.agent("queue", "list").output
        #expect(list.contains(photo.lastPathComponent) && list.contains("Gate"), "\(list)")
        let id = try #require(list.split(separator: "\n").last?.prefix(36))
        let show = try programs.agent("queue", "show", String(id.prefix(28)))
        #expect(show.status == 0 && show.output.contains(photo.lastPathComponent), "\(show.errors)")
        #expect(show.output.contains("Gate"))
        #expect(try programs.agent("queue", "show", "0198").status == 64)
        let nameless = try programs.agent("import", "")
        #expect(nameless.status != 0 && !nameless.errors.contains("open :"), "\(nameless.errors)")
    }

    @Test("The queue's list fits a terminal of 80 columns, and loses nothing elsewhere")
    func queueOnTerminal() throws {
        let box = try Box()
        let name = String(repeating: "gate ", count: 12) + "1.jpg"
        let photo = box.root.appending(path: name)
        try Data([0xFF, 0xD8, 0xFF, 0xD9]).write(to: photo)
        let settings = ["library.add.usage=Keeps photos in tests", "library.album=Gate"]
        #expect(try box.agent(["import", photo.path], settings: settings).status == 0)
        let shown = try box.agentOnTerminal(["queue", "list"], typing: "", settings: settings).output
        let lines = shown.split(whereSeparator: \.isNewline)
        #expect(lines.count == 2 && lines.allSatisfy { $0.count <= 80 }, "\(shown)")
        let piped = try box.agent(["queue", "list"], settings: settings).output
        #expect(piped.contains(name) && piped.contains("Gate"), "\(piped)")
    }

    @Test("D4: a box lists photos by the time at the place of the capture; programs read the instant")
    func localTime() throws {
        let programs = try Programs()
        try programs.start()
        let token = try programs.token(maximum: "readWrite")
        #expect(try programs.agent("enroll", programs.url, "--token", token).status == 0)
        let photo = programs.root.appending(path: "evening.jpg").path
        let picture = ["-v", "error", "-f", "lavfi", "-i", "color=s=16x16", "-frames:v", "1", photo]
        #expect(try tool("ffmpeg", picture).status == 0)
        let date = ["-q", "-DateTimeOriginal=2026:05:31 22:00:00", "-OffsetTimeOriginal=-07:00", photo]
        #expect(try tool("exiftool", date).status == 0)
        #expect(try programs.agent("import", photo).status == 0)
        for _ in 0..<2 { #expect(try programs.agent("sync", "--once").status == 0) }
        let list = try programs.agent("assets", "list").output
        #expect(list.contains("2026-05-31T22:00:00-07:00"), "\(list)")
        let wire = try programs.agent("assets", "list", "--json").output
        #expect(wire.contains("2026-06-01T05:00:00Z"), "\(wire)")
    }

    @Test("A list that ends at its limit says how many there are; changes that wait are counted")
    func counts() throws {
        let programs = try Programs()
        try programs.start()
        let token = try programs.token(maximum: "readWrite")
        #expect(try programs.agent("enroll", programs.url, "--token", token).status == 0)
        let photos = try programs.photos([1000, 2000, 3000])
        #expect(try programs.agent("import", photos[0].deletingLastPathComponent().path).status == 0)
        for _ in 0..<2 { #expect(try programs.agent("sync", "--once").status == 0) }
        let some = try programs.agent("assets", "list", "--limit", "2")
        #expect(some.errors.contains("2 of 3"), "\(some.errors)")
        #expect(try programs.agent("assets", "list", "--limit", "3").errors == "")
        programs.stop()
        let id = try #require(some.output.split(separator: "\n").last?.prefix(36))
        #expect(try programs.agent("assets", "edit", String(id), "--favorite").status == 0)
        let sync = try programs.agent("sync", "--once", "--json")
        #expect(sync.status == 69)
        #expect(try sync.json()["changesWaiting"] as? Int == 1, "\(sync.output)")
        let words = try programs.agent("sync", "--once").output
        #expect(words.contains("1 change waiting"), "\(words)")
        try programs.start()
        #expect(try programs.agent("sync", "--once").output.contains("1 change sent"))
    }
}
