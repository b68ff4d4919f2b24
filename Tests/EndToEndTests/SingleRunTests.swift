import Foundation
import Testing

/// `tintype-agent run --once`, as a real-time clock or a timer starts it.
@Suite(.serialized)
struct SingleRunTests {
    /// One moment a week, which is due on any day where a week's delay is allowed.
    private static let weekly = """
        camera:
          device: synthetic-camera
        trigger:
          interval:
            milliseconds: 604800000
        """
    /// Accepts connections and says nothing.
    private static let silence = """
        import socket, sys
        listener, held = socket.create_server(("127.0.0.1", int(sys.argv[1]))), []
        print("listening", flush=True)
        while True:
            held.append(listener.accept())
            print("accepted", flush=True)
        """

    @Test("Each wake captures what is due once, takes in what lies in a watched folder, and names the next wake")
    func withoutLibrary() throws {
        let box = try Box()
        try box.profile("weekly", Self.weekly)
        let drop = box.root.appending(path: "drop")
        try FileManager.default.createDirectory(at: drop, withIntermediateDirectories: true)
        try Data([0xFF, 0xD8, 0xFF, 0xE0, 1, 2, 3, 0xFF, 0xD9]).write(to: drop.appending(path: "a.jpg"))
        try box.profile("drop", "watch:\n  folder: \(drop.path)\n  settleMilliseconds: 100\n")
        let command = ["run", "--once", "--json", "--late", "7d", "--profile", "weekly", "--profile", "drop"]
        let first = try box.agent(command)
        #expect(first.status == 0, "\(first)")
        let report = try first.json()
        #expect((report["captures"] as? [[String: Any]])?.compactMap { $0["profile"] as? String } == ["weekly"])
        #expect((report["folders"] as? [[String: Any]])?.compactMap { $0["taken"] as? Int } == [1])
        #expect(report["sync"] == nil && report["problem"] == nil)
        let next = try #require(report["nextWake"] as? [String: Any])
        let time = try #require((next["time"] as? String).flatMap { try? Date($0, strategy: .iso8601) })
        let seconds = try #require(next["seconds"] as? Int)
        #expect(1...604_800 ~= seconds && time > .now && next["profile"] as? String == "weekly")
        #expect(try box.entries().count == 2)
        let second = try box.agent(command).json()
        let isSameWeek = (second["nextWake"] as? [String: Any])?["moment"] as? String == next["moment"] as? String
        #expect(!isSameWeek || (second["captures"] as? [Any])?.isEmpty == true)
        let words = try box.agent(["run", "--once", "--profile", "weekly"])
        #expect(words.status == 0 && words.output.contains("Next wake: 20"), "\(words)")
    }

    @Test("What was captured is sent within the deadline; a library that is away is told by status 69, and asked again")
    func sending() throws {
        let programs = try Programs()
        try programs.start()
        let token = try programs.token(maximum: "addOnly")
        #expect(try programs.agent("enroll", programs.url, "--token", token).status == 0)
        let profile = programs.root.appending(path: "weekly.yaml")
        try Self.weekly.write(to: profile, atomically: true, encoding: .utf8)
        let command = ["run", "--once", "--json", "--late", "7d", "--deadline", "5min", "--profile", profile.path]
        programs.stop()
        let alone = try programs.agent(command)
        #expect(alone.status == 69, "\(alone)")
        #expect((try alone.json()["captures"] as? [Any])?.count == 1)
        #expect((try alone.json()["sync"] as? [String: Any])?["outcome"] as? String == "unreachable")
        #expect(try alone.json()["nextWake"] != nil, "the box must sleep all the same")
        try programs.start()
        let sent = try programs.agent(command)
        #expect(sent.status == 0, "\(sent)")
        #expect((try sent.json()["sync"] as? [String: Any])?["saved"] as? Int ?? 0 >= 1)
        let assets = try programs.call("GET", "/v1/assets?limit=500")["assets"] as? [[String: Any]] ?? []
        #expect(!assets.isEmpty)
    }

    @Test(
        "A library that accepts a connection and is silent keeps no box awake: the deadline ends the sync, and is told"
    )
    func deadline() throws {
        let programs = try Programs()
        try programs.start()
        let token = try programs.token()
        #expect(try programs.agent("enroll", programs.url, "--token", token).status == 0)
        programs.stop()
        let photo = try programs.photos([1000])[0]
        #expect(try programs.agent("import", photo.path).status == 0)
        let profile = try programs.file("weekly.yaml", Self.weekly)
        let silent = try PythonStandIn(Self.silence, ["\(programs.port)"])
        #expect(try silent.line() == "listening")
        let start = ContinuousClock.now
        let outcome = try programs.agent(["run", "--once", "--json", "--deadline", "8s", "--profile", profile])
        #expect(start.duration(to: .now) < .seconds(60))
        #expect(silent.stop().contains("accepted"))
        // A run without deadline would find the library unreachable, by a timeout of its own.
        #expect(outcome.status == 3, "\(outcome)")
        let report = try outcome.json()
        let sync = try #require(report["sync"] as? [String: Any], "\(outcome)")
        #expect(sync["outcome"] as? String == "partly" && sync["saved"] as? Int == 0, "\(outcome)")
        #expect(sync["waiting"] as? Int ?? 0 >= 1, "\(outcome)")
        let next = report["nextWake"] as? [String: Any]
        #expect(next?["profile"] as? String == "weekly", "the box must sleep all the same")
    }

    @Test("Folders get half of the deadline at most: a file that is not complete by then stays, and what waits is sent")
    func slowFolder() throws {
        let programs = try Programs()
        try programs.start()
        let token = try programs.token()
        #expect(try programs.agent("enroll", programs.url, "--token", token).status == 0)
        let photo = try programs.photos([1000])[0]
        #expect(try programs.agent("import", photo.path).status == 0)
        let drop = programs.root.appending(path: "drop")
        try FileManager.default.createDirectory(at: drop, withIntermediateDirectories: true)
        let file = drop.appending(path: "a.jpg")
        try Data([0xFF, 0xD8, 0xFF, 0xE0, 1, 2, 3, 0xFF, 0xD9]).write(to: file)
        // Nothing settles within the run.
        let profile = try programs.file("drop.yaml", "watch:\n  folder: \(drop.path)\n  settleMilliseconds: 600000\n")
        let outcome = try programs.agent(["run", "--once", "--json", "--deadline", "16s", "--profile", profile])
        #expect(outcome.status == 0, "\(outcome)")
        let report = try outcome.json()
        #expect((report["folders"] as? [[String: Any]])?.compactMap { $0["taken"] as? Int } == [0], "\(outcome)")
        let sync = try #require(report["sync"] as? [String: Any], "\(outcome)")
        #expect(sync["outcome"] as? String == "done" && sync["saved"] as? Int == 1, "\(outcome)")
        #expect(FileManager.default.fileExists(atPath: file.path))
    }

    @Test("The sample that switches a box off reads the next wake, and takes an hour where it cannot")
    func sleep() throws {
        let box = try Box()
        try box.profile("weekly", Self.weekly)
        let outcome = try box.agent(["run", "--once", "--json", "--late", "7d", "--profile", "weekly"])
        let seconds = try #require((try outcome.json()["nextWake"] as? [String: Any])?["seconds"] as? Int)
        let told = box.root.appending(path: "wake.json")
        try outcome.output.write(to: told, atomically: true, encoding: .utf8)
        let rtcwake = box.root.appending(path: "rtcwake")
        try "#!/bin/sh\necho \"$@\"\n".write(to: rtcwake, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: rtcwake.path)
        let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "deploy/systemd/tintype-sleep").path
        func sleep(
            _ file: String,
            stay: String = "nothing",
            status: Int = 0,
            result: String = "success"
        ) throws -> String {
            let path = "PATH=\(box.root.path):/usr/bin:/bin"
            let stay = "TINTYPE_STAY_AWAKE=\(box.root.path)/\(stay)"
            let told = ["EXIT_STATUS=\(status)", "SERVICE_RESULT=\(result)"]
            return try tool("env", [path, stay] + told + ["sh", script, file]).output
        }
        #expect(try sleep(told.path) == "-m off -s \(max(30, seconds))\n")
        #expect(try sleep("/nonexistent") == "-m off -s 3600\n")
        #expect(try sleep(told.path, status: 130).hasPrefix("not switched off"))
        #expect(try sleep(told.path, status: 130, result: "timeout").hasPrefix("-m off"), "nobody stopped it")
        #expect(try sleep(told.path, stay: "wake.json").hasPrefix("not switched off"))
    }

    @Test("What cannot be captured is named, with status 77, and the rest is done all the same")
    func refused() throws {
        let box = try Box()
        try box.profile("weekly", Self.weekly)
        #expect(try box.agent(["consent", "set", "camera", "denied", "--device", "synthetic-camera"]).status == 0)
        let outcome = try box.agent(["run", "--once", "--json", "--late", "7d", "--profile", "weekly"])
        #expect(outcome.status == 77, "\(outcome)")
        let report = try outcome.json()
        #expect((report["failures"] as? [[String: Any]])?.first?["profile"] as? String == "weekly")
        #expect((report["problem"] as? String)?.contains("tintype-agent consent set") == true)
        #expect(report["nextWake"] != nil)
        let alone = try box.agent(["run", "--deadline", "5min"])
        #expect(alone.status == 64 && alone.errors.contains("go with --once"), "\(alone)")
    }
}
