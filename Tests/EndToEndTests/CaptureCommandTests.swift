import Foundation
import TestSupport
import Testing

/// `tintype-agent capture` and its like as people and programs meet them; the judges are exiftool and ffprobe.
@Suite(.serialized)
struct CaptureCommandTests {
    @Test("003.1, 003.20: on a machine without a camera a Live Photo comes out that exiftool and ffprobe accept")
    func livePhoto() throws {
        let box = try Box()
        let folder = box.root.appending(path: "pictures")
        let outcome = try box.agent(["capture", "--live-photo", "--output", folder.path])
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output.hasPrefix("Live Photo ") && outcome.output.contains("1 taken"))
        #expect(outcome.errors.isEmpty, "no progress where there is no terminal")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        try #require(names.count == 2 && names[0].hasSuffix(".JPG") && names[1].hasSuffix(".MOV"), "\(names)")
        #expect(names[0].dropLast(4) == names[1].dropLast(4))
        let paths = names.map { folder.appending(path: $0).path }
        let tags = try exif(paths)
        #expect(tags.allSatisfy { $0["Warning"] == nil && $0["Error"] == nil })
        let still = try #require(tags[0]["ContentIdentifier"] as? String ?? tags[0]["MediaGroupUUID"] as? String)
        #expect(tags[1]["ContentIdentifier"] as? String == still)
        #expect(tags[1]["StillImageTime"] as? Int == -1)
        for (tag, value) in [("Make", "Tintype"), ("Model", "Synthetic Camera"), ("SerialNumber", "synthetic-camera")] {
            #expect(tags[0][tag] as? String == value, "\(tag)")
        }
        for tag in ["SubSecDateTimeOriginal", "OffsetTimeOriginal", "ImageUniqueID", "Software", "Orientation"] {
            #expect(tags[0][tag] != nil, "\(tag)")
        }
        for tag in ["ExposureTime", "FNumber", "ISO", "FocalLength", "Flash", "GPSLatitude"] {
            #expect(tags[0][tag] == nil, "\(tag) is not known, so it is not said")
        }
        #expect(try decodingErrors(paths[1]) == "")
        let probed = try tool(
            "ffprobe",
            [
                "-v", "error", "-show_entries", "stream=codec_name,codec_tag_string,start_time", "-of", "csv=p=0",
                paths[1],
            ]
        )
        #expect(probed.output.contains("h264") && probed.output.contains("aac"), "\(probed.output)")
        let mark = try #require(probed.output.split(separator: "\n").first { $0.contains("mebx") })
        let time = try #require(mark.split(separator: ",").last.flatMap { Double($0) })
        // A busy machine leaves out frames before the shutter, and the movie begins later: the mark is never late.
        #expect(1.0...1.55 ~= time, "\(mark)")
    }

    @Test("The place of the settings goes into still and movie; a place that is none is refused with 78")
    func place() throws {
        let box = try Box()
        let folder = box.root.appending(path: "pictures")
        let place = ["capture.location=47.3769,8.5417,408"]
        let outcome = try box.agent(["capture", "--live-photo", "--output", folder.path], settings: place)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        for tags in try exif(names.map { folder.appending(path: $0).path }) {
            let latitude = try #require(tags["GPSLatitude"] as? Double)
            let longitude = try #require(tags["GPSLongitude"] as? Double)
            #expect(abs(latitude - 47.3769) < 0.0001 && abs(longitude - 8.5417) < 0.0001)
        }
        let wrong = try box.agent(["capture"], settings: ["capture.location=147,8"])
        #expect(wrong.status == 78 && wrong.errors.contains("capture.location"))
    }

    @Test("With --json a capture prints one object with everything that is known of it")
    func json() throws {
        let box = try Box()
        let outcome = try box.agent(["capture", "--count", "2", "--json", "--output", box.root.path])
        #expect(outcome.status == 0 && outcome.errors.isEmpty)
        #expect(outcome.output.split(separator: "\n").count == 1)
        let captures = try #require(try outcome.json()["captures"] as? [[String: Any]])
        #expect(captures.count == 2)
        for capture in captures {
            let known = Set(capture.keys)
            let wanted: Set = [
                "id", "isLivePhoto", "camera", "trigger", "requestedTime", "captureTime", "lagMilliseconds",
                "byteCount",
                "files", "flags",
            ]
            #expect(known.isSuperset(of: wanted), "\(known)")
            #expect(capture["trigger"] as? String == "command")
            let files = try #require(capture["files"] as? [String])
            #expect(files.allSatisfy { FileManager.default.fileExists(atPath: $0) })
        }
    }

    @Test("On a terminal a line tells what is going on, and is gone at the end")
    func progress() throws {
        let box = try Box()
        let program = try #require(box.process([]).executableURL?.path)
        let command = "\(program) capture --output \(box.root.path) --set agent.path=\(box.agentPath.path)"
        let outcome = try tool("script", ["-qec", command, "/dev/null"])
        #expect(outcome.status == 0, "\(outcome.output)")
        #expect(outcome.output.contains("opening the camera…") && outcome.output.contains("taking a photo…"))
        let afterLastLine = outcome.output.components(separatedBy: "\r\u{1B}[K").last ?? ""
        #expect(afterLastLine.hasPrefix("photo "), "\(outcome.output)")
    }

    @Test("A burst takes frames in a row, and an order that contradicts itself is a usage error")
    func burst() throws {
        let box = try Box()
        let outcome = try box.agent(["capture", "--burst", "10", "--json", "--output", box.root.path])
        #expect(try (outcome.json()["captures"] as? [Any])?.count == 10)
        for arguments in [["--burst", "0"], ["--count", "0"], ["--burst", "2", "--live-photo"], ["--nonsense"]] {
            #expect(try box.agent(["capture"] + arguments).status == 64, "\(arguments)")
        }
    }

    @Test("001.4, 001.14: consents are shown, decided and forgotten; without one a capture ends with 77 or 4")
    func consent() throws {
        let box = try Box()
        let shown = try box.agent(["consent", "show", "--json"]).json()["consents"] as? [[String: String]]
        #expect(shown?.contains { $0["capability"] == "camera" && $0["status"] == "authorized" } == true)
        #expect(try box.agent(["consent", "set", "camera", "denied"]).status == 0)
        let denied = try box.agent(["capture", "--output", box.root.path])
        #expect(denied.status == 77 && denied.errors.contains("consent set camera authorized"), "\(denied.errors)")
        #expect(try box.agent(["consent", "reset", "camera"]).status == 0)
        #expect(try box.agent(["capture", "--output", box.root.path]).status == 0)
        let restricted = try box.agent(
            ["capture", "--output", box.root.path],
            settings: ["capture.consent=restricted"]
        )
        #expect(restricted.status == 77)
        #expect(try box.agent(["consent", "set", "camera", "perhaps"]).status == 64)
    }

    @Test(
        "000.10, 001.6, 001.7: the service does not start without the text that a profile needs, and names its key with 78",
        arguments: [
            ("shot:\n  mode: still", [], "capture.camera.usage"),
            ("shot:\n  mode: live", ["capture.camera.usage=Sees the gate"], "capture.microphone.usage"),
        ] as [(String, [String], String)]
    )
    func usage(profile: String, settings: [String], key: String) throws {
        let box = try Box()
        try box.profile("gate", profile)
        let outcome = try box.agent(["run", "--profile", "gate"], settings: settings)
        #expect(outcome.status == 78 && outcome.errors.contains(key), "\(outcome.errors)")
    }

    @Test("A setting or profile that is wrong ends every command with 78 and says what is right")
    func wrongSettings() throws {
        let box = try Box()
        let unknown = try box.agent(["cameras"], settings: ["capture.devise=x"])
        #expect(unknown.status == 78 && unknown.errors.contains("capture.device"))
        let profile = try box.agent(["capture", "--profile", "nowhere"])
        #expect(profile.status == 78 && profile.errors.contains("nowhere.yaml"), "\(profile.errors)")
    }

    @Test("Variables that other programs of ours read do not stop the agent")
    func environment() throws {
        let box = try Box()
        let process = box.process(["cameras", "--json"])
        process.environment = ProcessInfo.processInfo.environment.merging(["TINTYPE_SOCKET": "/x"]) { $1 }
        process.standardOutput = FileHandle.nullDevice
        try process.runAlone()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }

    @Test("The agent starts without the libraries that only some of its commands need")
    func loadsLate() throws {
        let process = try Box().process(["--version"])
        // The loader tells what it would load, and ends (ld.so(8)).
        process.environment = ["LD_TRACE_LOADED_OBJECTS": "1"]
        let output = Pipe()
        process.standardOutput = output
        try process.runAlone()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(text.contains("libsqlite3"))
        for library in ["avcodec", "avformat", "heif", "curl", "ssl", "crypto"] {
            #expect(!text.contains("lib\(library).so"), "\(text)")
        }
    }

    @Test("001.5: cameras and doctor tell what is there and what to mend")
    func camerasAndDoctor() throws {
        let box = try Box()
        let cameras = try box.agent(["cameras"])
        #expect(cameras.status == 0 && cameras.output.contains("synthetic-camera"))
        #expect(cameras.output.contains("30*") && cameras.output.contains("1280x720"), "\(cameras.output)")
        let listed = try box.agent(["cameras", "--json"]).json()["cameras"] as? [[String: Any]]
        #expect((listed?.first?["formats"] as? [[String: Any]])?.contains { $0["isChosen"] as? Bool == true } == true)
        let doctor = try box.agent(["doctor"])
        #expect(doctor.status == 0 && doctor.output.contains("synthetic"), "\(doctor.output)")
        let broken = try box.agent(["doctor", "--json"], settings: ["capture.profiles=nowhere"])
        #expect(broken.status == 1 && broken.output.contains("nowhere"), "\(broken.output)")
    }

    @Test("Controls are of cameras of this machine alone, and a change that cannot be read is a wrong command line")
    func controls() throws {
        let box = try Box()
        let synthetic = try box.agent(["cameras", "controls", "brightness=1", "--camera", "synthetic-camera"])
        #expect(synthetic.status == 1 && synthetic.errors.contains("only a camera of this machine"), "\(synthetic)")
        let absent = try box.agent(["cameras", "controls", "--camera", "usb:9-9:1.0/X"])
        #expect(absent.status == 1 && absent.errors.contains("tintype-agent cameras"), "\(absent)")
        let malformed = try box.agent(["cameras", "controls", "brightness"])
        #expect(malformed.status == 64 && malformed.errors.contains("NAME=VALUE"), "\(malformed)")
    }

    @Test(
        "The help of each command has examples and its exit statuses",
        arguments: [["capture"], ["cameras"], ["cameras", "controls"], ["consent"], ["doctor"], ["run"]]
    )
    func help(command: [String]) throws {
        let outcome = try Box().agent(command + ["--help"])
        #expect(outcome.status == 0)
        #expect(outcome.output.contains("EXAMPLES") && outcome.output.contains("EXIT STATUS"), "\(outcome.output)")
    }

    @Test(
        "003.21: whenever a capture is killed, the next start finds each of its shots whole, incomplete, or not at all"
    )
    func killed() throws {
        let box = try Box()
        let seed = environmentNumber("TINTYPE_SEED") ?? UInt64.random(in: 0..<1 << 48)
        var generator = SeededGenerator(seed: seed)
        for round in 1...6 {
            let process = box.process(["capture", "--live-photo", "--count", "5"])
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.runAlone()
            usleep(UInt32.random(in: 1_500_000...5_000_000, using: &generator))
            // On a busy machine none may have come so far by then.
            if round == 6 { try box.eventually("a still is durable") { hasStill(box) } }
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
        // The first command after a crash takes in what it left.
        let entries = try box.entries()
        #expect(!entries.isEmpty, "seed \(seed)")
        let spool = box.agentPath.appending(path: "spool").path
        #expect(try FileManager.default.contentsOfDirectory(atPath: spool).isEmpty)
        for entry in entries {
            let manifest = try #require(entry["manifest"] as? [String: Any])
            let resources = try #require(manifest["resources"] as? [[String: Any]])
            let isIncomplete = entry["isIncompleteLivePhoto"] as? Bool
            #expect(isIncomplete == (resources.count == 1), "seed \(seed): \(entry)")
            let id = try #require(entry["id"] as? String)
            let folder = box.agentPath.appending(path: "originals/\(id)")
            for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) where name.hasSuffix(".mov") {
                let path = folder.appending(path: name).path
                #expect(try decodingErrors(path) == "", "seed \(seed)")
            }
        }
    }

    /// Whether a box has a still that is whole: what is being written has a hidden name.
    private func hasStill(_ box: Box) -> Bool {
        let files = FileManager.default.enumerator(at: box.agentPath, includingPropertiesForKeys: nil)
        while let file = files?.nextObject() as? URL {
            if file.pathExtension == "jpg", !file.lastPathComponent.hasPrefix(".") { return true }
        }
        return false
    }

    private func exif(_ paths: [String]) throws -> [[String: Any]] {
        let outcome = try tool("exiftool", ["-j", "-n", "-ee", "-api", "LargeFileSupport=1"] + paths)
        return try #require(
            JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [[String: Any]],
            "\(outcome.output)"
        )
    }
}
