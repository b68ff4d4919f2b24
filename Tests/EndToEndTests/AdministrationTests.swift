import Foundation
import Testing

/// What a person does who has only `--help`: every command used here is one that the help above it names.
@Suite(.serialized)
struct AdministrationTests {
    @Test(
        "014: a second box is approved by its code for a limited selection, sees that and nothing else, and is revoked"
    )
    func secondDevice() throws {
        let programs = try Programs()
        try programs.start(settings: ["enrollment.open=true"])
        #expect(try programs.agent("enroll", programs.url, "--token", try programs.token()).status == 0)
        let photos = try programs.photos([1000, 2000], seed: 1)
        #expect(try programs.agent("import", photos[0].deletingLastPathComponent().path).status == 0)
        #expect(try programs.agent("sync", "--once").status == 0)

        let asked = try programs.agent(
            ["enroll", programs.url, "--ca-fingerprint", programs.authority],
            box: "frame"
        )
        #expect(asked.status == 4, "\(asked.errors)")
        let code = try #require(asked.errors.firstMatch(of: /[B-Z]{4}-[B-Z]{4}/)).output
        let waiting = try Guide(programs).run("request", "list")
        #expect(waiting.output.contains("frame") && waiting.output.contains(code))
        #expect(waiting.errors.contains("tintypectl device approve"))
        let fingerprint = try #require(waiting.output.split(separator: "\n").last?.prefix { $0 != " " })
        let wrong = try Guide(programs).run(
            "device",
            "approve",
            String(fingerprint),
            "--as",
            "selected",
            "--expect-code",
            "BBBB-BBBB"
        )
        #expect(wrong.status == 1 && wrong.errors.contains("a different code"))
        let approved = try Guide(programs).run(
            "device",
            "approve",
            String(fingerprint),
            "--as",
            "selected",
            "--expect-code",
            String(code)
        )
        #expect(approved.status == 0 && approved.output.contains("limited"), "\(approved.errors)")
        let shown = try Guide(programs).run("asset", "list", "--quiet").output.split(separator: "\n").map(String.init)
        #expect(shown.count == 2)
        let selected = try Guide(programs).run("selection", "add", String(fingerprint), "--asset", shown[0])
        #expect(selected.status == 0, "\(selected.errors)")

        let admitted = try programs.agent("enroll", box: "frame")
        #expect(admitted.status == 0, "\(admitted.errors)")
        let seen = try programs.read(asBox: "frame", "/v1/assets")
        #expect(seen.status == 200 && seen.body.contains(shown[0]) && !seen.body.contains(shown[1]), "\(seen.body)")
        #expect(try programs.read(asBox: "frame", "/v1/assets/\(shown[1])").status == 404)

        let unasked = try Guide(programs).run("device", "revoke", String(fingerprint))
        #expect(unasked.status == 64 && unasked.errors.contains("--yes"))
        #expect(try Guide(programs).run("device", "revoke", String(fingerprint), "--yes").status == 0)
        #expect(try programs.read(asBox: "frame", "/v1/assets").status == 401)
        #expect(try Guide(programs).run("device", "show", String(fingerprint)).output.contains("revoked"))
    }

    @Test("000.20: why a capture is held is read on the box and at the desk, and goes once it is decided")
    func held() throws {
        let programs = try Programs()
        try programs.start()
        #expect(try programs.agent("enroll", programs.url, "--token", try programs.token()).status == 0)
        let device = try #require(
            try Guide(programs).run("device", "list", "--quiet").output.split(separator: "\n").first
        )
        let denied = try Guide(programs).run("device", "decide", String(device), "--as", "none", "--reason", "test")
        #expect(denied.status == 0, "\(denied.errors)")
        let photos = try programs.photos([1000], seed: 2)
        #expect(try programs.agent("import", photos[0].path).status == 0)
        // The second contact tells what became of the first.
        #expect(try programs.agent("sync", "--once").status == 77)
        #expect(try programs.agent("sync", "--once").status == 77)
        let onBox = try programs.agent("status", "--explain")
        #expect(onBox.output.contains("does not let this device add"), "\(onBox.output)")
        let shown = try Guide(programs).run("device", "show", String(device))
        #expect(shown.output.contains("Waits on the box:  1 capture"), "\(shown.output)")
        #expect(shown.output.contains("an administrator does not let this device add"), "\(shown.output)")
        #expect(shown.output.contains("--as add-only"), "the next command")
        let doctor = try Guide(programs).run("doctor")
        #expect(doctor.output.contains("holds 1 capture back"), "\(doctor.output)")
        #expect(try Guide(programs).run("device", "decide", String(device), "--as", "add-only").status == 0)
        #expect(try programs.agent("sync", "--once").status == 0)
        #expect(try programs.originals() == Programs.digests(photos))
    }

    @Test("a backup is made, the library lost, and brought back with what it held")
    func backup() throws {
        let programs = try Programs()
        try programs.start()
        let photos = try programs.photos([1000, 70_000], seed: 3)
        let taken = try Guide(programs).run("import", photos[0].deletingLastPathComponent().path)
        #expect(taken.status == 0 && taken.output.contains("2 assets"), "\(taken.errors)")
        let backup = programs.root.appending(path: "backup").path
        #expect(try Guide(programs).run("doctor").status == 1, "there is no backup yet")
        #expect(try Guide(programs).run("library", "backup", backup).status == 0)
        #expect(try Guide(programs).run("doctor").status == 0)
        let restored = try programs.loseDiskAndRestore(from: backup)
        #expect(restored.status == 0, "\(restored.errors)")
        try programs.start()
        #expect(try programs.originals() == Programs.digests(photos))
        #expect(try Guide(programs).run("library", "verify", "--hash").status == 0)
    }

    @Test("from another machine: a request, a certificate, a context; revoked, it opens nothing")
    func remotely() throws {
        let programs = try Programs()
        try programs.start()
        let home = ["XDG_CONFIG_HOME": programs.root.appending(path: "config").path]
        let request = try programs.control(["context", "request", "home"], environment: home)
        #expect(request.status == 0 && request.output.contains("BEGIN CERTIFICATE REQUEST"))
        #expect(!request.output.contains("PRIVATE"))
        let asked = try programs.file("ada.csr", request.output)
        let issued = try Guide(programs).run("operator", "add", "ada", "--request", asked, "--server", programs.url)
        #expect(issued.status == 0 && !issued.output.contains("PRIVATE"), "\(issued.errors)")
        let answer = try programs.file("ada.json", issued.output)
        let added = try programs.control(["context", "add", "home", "--from", answer, "--use"], environment: home)
        #expect(added.status == 0, "\(added.errors)")
        let file = programs.root.appending(path: "config/tintype/contexts.json").path
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        #expect(mode == 0o600)

        #expect(try programs.control(["album", "create", "Gate"], environment: home).status == 0)
        let listed = try programs.control(["album", "list"], environment: home)
        #expect(listed.output.contains("Gate"), "\(listed.errors)")
        #expect(try Guide(programs).run("library", "history").output.contains("administrator ada"))
        let link = try programs.control(["web", "login", "--quiet"], environment: home)
        #expect(link.output.hasPrefix(programs.url))

        let certificate = try Guide(programs).run("operator", "list", "--quiet").output.filter { $0 != "\n" }
        #expect(try Guide(programs).run("operator", "revoke", certificate, "--yes").status == 0)
        let refused = try programs.control(["album", "list", "--explain"], environment: home)
        #expect(refused.status == 77, "\(refused.errors)")
        #expect(refused.errors.contains("why: identity") && refused.errors.contains("next: "))
    }

    @Test("what was exported is imported into another library, words and pairs and all; neither run disturbs anything")
    func exportAndImport() throws {
        let programs = try Programs()
        try programs.start()
        let shots = programs.root.appending(path: "shots").path
        let captured = try programs.agent(
            "capture",
            "--live-photo",
            "--output",
            shots,
            "--set",
            "capture.camera.usage=Takes test photos",
            "--set",
            "capture.microphone.usage=Records test sound"
        )
        try #require(captured.status == 0, "\(captured.errors)")
        #expect(try Guide(programs).run("import", shots, "--album", "Gate").status == 0)
        let asset = try Guide(programs).run("asset", "list", "--type", "live-photos", "--quiet").output
            .filter { $0 != "\n" }
        let edited = try Guide(programs).run(
            "asset",
            "edit",
            asset,
            "--title",
            "At the gate",
            "--add-keyword",
            "gate",
            "--rating",
            "4",
            "--favourite"
        )
        #expect(edited.status == 0, "\(edited.errors)")

        let out = programs.root.appending(path: "out")
        let theirs = out.appending(path: "Gate")
        try FileManager.default.createDirectory(at: theirs, withIntermediateDirectories: true)
        let name = try #require(
            try FileManager.default.contentsOfDirectory(atPath: shots).first { $0.hasSuffix("JPG") }
        )
        try Data("somebody else's".utf8).write(to: theirs.appending(path: name))
        let exported = try Guide(programs).run("export", out.path, "--template", "{album}/{name}", "--json")
        #expect(exported.status == 0, "\(exported.errors)")
        #expect(try exported.json()["written"] as? Int == 3)
        #expect(try String(contentsOf: theirs.appending(path: name), encoding: .utf8) == "somebody else's")
        let files = try FileManager.default.contentsOfDirectory(atPath: theirs.path).filter { $0 != name }.sorted()
        #expect(Set(files.map { $0.prefix { $0 != "." } }).count == 1, "one name for the pair and its words: \(files)")
        let again = try Guide(programs).run("export", out.path, "--template", "{album}/{name}", "--json")
        #expect(try again.json()["written"] as? Int == 0)
        #expect(try again.json()["unchanged"] as? Int == 3)

        let other = try Programs()
        try other.start()
        try FileManager.default.removeItem(at: theirs.appending(path: name))
        let taken = try Guide(other).run("import", out.path, "--json")
        #expect(try taken.json()["added"] as? Int == 1, "\(taken.output) \(taken.errors)")
        let shown = try Guide(other).run("asset", "show", asset)
        for word in ["live photo", "At the gate", "gate", "4 of 5", "Favourite"] {
            #expect(shown.output.contains(word), "\(word) is not in \(shown.output)")
        }
        #expect(try other.originals() == programs.originals())
        let repeated = try Guide(other).run("import", out.path, "--json")
        #expect(repeated.status == 0, "the library has the sidecar's words: \(repeated.output) \(repeated.errors)")
        #expect(try repeated.json()["known"] as? Int == 1)
    }
}

extension AdministrationTests {
    @Test("a Live Photo leaves as one Motion Photo that others open, and comes back as the same Live Photo")
    func motionPhoto() throws {
        let programs = try Programs()
        try programs.start()
        let shots = programs.root.appending(path: "shots")
        let usage = ["capture.camera.usage=Takes test photos", "capture.microphone.usage=Records test sound"]
        let captured = try programs.agent(
            ["capture", "--live-photo", "--output", shots.path] + usage.flatMap { ["--set", $0] }
        )
        try #require(captured.status == 0, "\(captured.errors)")
        #expect(try Guide(programs).run("import", shots.path).status == 0)
        let out = programs.root.appending(path: "out")
        let exported = try Guide(programs).run("export", out.path, "--motion-photo", "--template", "{name}")
        #expect(exported.status == 0, "\(exported.errors)")
        let names = try FileManager.default.contentsOfDirectory(atPath: out.path).filter { !$0.hasPrefix(".") }
        let name = try #require(names.first, "nothing was written")
        #expect(names.count == 1 && name.uppercased().hasSuffix(".MP.JPG"), "\(names)")
        let file = out.appending(path: name).path
        #expect(try tool("exiftool", ["-s3", "-XMP:MotionPhoto", file]).output.hasPrefix("1"))
        let movie = programs.root.appending(path: "movie.mov").path
        #expect(try tool("sh", ["-c", "exiftool -ee -b -EmbeddedVideo '\(file)' > '\(movie)'"]).status == 0)
        let streams = ["-v", "error", "-show_entries", "stream=codec_type", "-of", "csv=p=0", movie]
        let found = try tool("ffprobe", streams).output
        #expect(found.contains("video") && found.contains("audio"), "\(found)")

        let other = try Programs()
        try other.start()
        #expect(try Guide(other).run("import", out.path).status == 0)
        let live = try Guide(other).run("asset", "list", "--type", "live-photos", "--quiet").output
        #expect(live.split(separator: "\n").count == 1, "the Motion Photo is one Live Photo")
    }

    @Test("what is in the trash or was purged does not go before its time, and comes back meanwhile")
    func collect() throws {
        let programs = try Programs()
        try programs.start()
        let photos = try programs.photos([1000, 2000], seed: 4)
        let folder = photos[0].deletingLastPathComponent().path
        #expect(try Guide(programs).run("import", folder).status == 0)
        let shown = try Guide(programs).run("asset", "list", "--quiet").output.split(separator: "\n").map(String.init)
        try #require(shown.count == 2)
        #expect(try Guide(programs).run("asset", "trash", shown[0]).status == 0)
        #expect(try Guide(programs).run("asset", "trash", shown[1]).status == 0)
        #expect(try Guide(programs).run("asset", "purge", shown[1], "--yes").status == 0)
        let unasked = try Guide(programs).run("library", "gc")
        #expect(unasked.status == 64 && unasked.errors.contains("--yes"))
        let collected = try Guide(programs).run("library", "gc", "--yes")
        #expect(collected.status == 0, "\(collected.errors)")
        #expect(collected.output.contains("0 assets purged, 0 files deleted"), "\(collected.output)")
        #expect(try Guide(programs).run("asset", "restore", shown[0]).status == 0)
        let left = try Guide(programs).run("asset", "list", "--quiet").output.split(separator: "\n").map(String.init)
        #expect(left == [shown[0]])
        #expect(try Guide(programs).run("library", "verify", "--hash").status == 0)
    }
}

/// Runs `tintypectl` as somebody who knows only what its help says.
private struct Guide {
    let programs: Programs

    init(_ programs: Programs) { self.programs = programs }

    func run(_ arguments: String...) throws -> Programs.Result {
        var known: [String] = []
        for word in arguments.prefix(2) where !word.hasPrefix("-") && word.allSatisfy({ $0.isLetter || $0 == "-" }) {
            let help = try programs.control(known + ["--help"]).output
            guard help.contains("SUBCOMMANDS:") else { break }
            #expect(
                help.contains("  \(word) ") || help.contains("  \(word), "),
                "the help of \(known) does not name “\(word)”"
            )
            known.append(word)
        }
        let help = try programs.control(known + ["--help"]).output
        for flag in arguments where flag.hasPrefix("--") {
            #expect(help.contains(flag), "the help of \(known) does not name \(flag)")
        }
        return try programs.operate(arguments)
    }
}
