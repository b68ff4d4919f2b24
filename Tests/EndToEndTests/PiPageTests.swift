import Foundation
import Testing

/// The steps of docs/install.md for a Raspberry Pi's camera, followed as a person would, with a stand-in for rpicam-vid.
@Suite(.serialized)
struct PiPageTests {
    private static let repository = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// Lists one camera, and films a test picture with the sensor's times, as rpicam-vid 1.9 does.
    ///
    /// A picture comes 40 ms after its exposure began. Its time comes first, so that a busy machine cannot make it late,
    /// and is noted in a file beside the program.
    private static let standIn = #"""
        #!/usr/bin/env python3
        import os, subprocess, sys, tempfile, time
        arguments = sys.argv[1:]
        if arguments == ["--list-cameras"]:
            print("""Available cameras
        -----------------
        0 : imx708 [4608x2592 10-bit RGGB] (/base/soc/i2c0mux/i2c@1/imx708@1a)
            Modes: 'SRGGB10_CSI2P' : 1536x864 [120.13 fps - (768, 432)/3072x1728 crop]
                                     2304x1296 [56.03 fps - (0, 0)/4608x2592 crop]
        """)
            sys.exit()
        def value(name): return arguments[arguments.index("--" + name) + 1]
        size, rate = value("width") + "x" + value("height"), float(value("framerate"))
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", f"testsrc2=size={size}:rate=10",
                            "-frames:v", "5", "-q:v", "4", folder + "/%d.jpg"], check=True)
            frames = [open(f"{folder}/{number}.jpg", "rb").read() for number in range(1, 6)]
        metadata = os.fdopen(os.open(value("metadata"), os.O_WRONLY), "w")
        metadata.write("[")
        told = open(sys.argv[0] + ".times", "a", buffering=1)
        due, number = time.clock_gettime(time.CLOCK_MONOTONIC), 0
        while True:
            stamp = time.clock_gettime_ns(time.CLOCK_MONOTONIC) - 40_000_000
            told.write(f"{stamp}\n")
            metadata.write(f'{"," if number else ""}\n{{\n    "SensorTimestamp": {stamp},\n    "ExposureTime": 9999\n}}')
            metadata.flush()
            sys.stdout.buffer.write(frames[number % 5])
            sys.stdout.buffer.flush()
            number, due = number + 1, due + 1 / rate
            time.sleep(max(0, due - time.clock_gettime(time.CLOCK_MONOTONIC)))
        """#

    /// Takes two pictures with a raw one each, a minute apart, and names them as rpicam-still 1.9 does.
    private static let stillStandIn = #"""
        #!/usr/bin/env python3
        import os, sys, time
        arguments = sys.argv[1:]
        def value(name, default): return arguments[arguments.index("--" + name) + 1] if "--" + name in arguments else default
        output = value("output", "")
        folder = output if output.endswith("/") else output + "/"
        for number in range(2):
            with open(sys.argv[0] + ".shots", "a+") as shots:
                shots.write(".")
                now = 1_790_000_000 + 60 * shots.tell()
            if "--datetime" in arguments:
                name = folder + time.strftime("%m%d%H%M%S", time.localtime(now)) + ".jpg"
            elif "--timestamp" in arguments: name = f"{folder}{now}.jpg"
            else: name = output % number
            raw = [name[:name.rindex(".")] + ".dng"] if "--raw" in arguments else []
            for file in [name] + raw:
                with open(file, "a") as picture: picture.write("x")
        """#

    @Test("rpicam-still, started again as the page says, overwrites no picture that the watched folder still has")
    func stills() throws {
        let text = try String(contentsOf: Self.repository.appending(path: "docs/install.md"), encoding: .utf8)
        let chapter = try #require(text.split(separator: "\n## ").first { $0.hasPrefix("Raspberry Pi cameras") })
        let command = try #require(chapter.firstMatch(of: /have `(rpicam-still [^`]*)` write into a folder/)?.1)
        #expect(command.contains("/srv/camera"))
        let box = try Box()
        let (programs, folder) = (box.root.appending(path: "bin"), box.root.appending(path: "camera"))
        for place in [programs, folder] {
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        }
        let standIn = programs.appending(path: "rpicam-still")
        try Self.stillStandIn.write(to: standIn, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: standIn.path)
        let words = command.replacing("/srv/camera", with: folder.path).split(separator: " ").map(String.init)
        for _ in 0..<2 {
            let outcome = try tool("env", ["PATH=\(programs.path):/usr/bin:/bin"] + words)
            try #require(outcome.status == 0, "\(outcome)")
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        let stems = Set(names.map { String($0.prefix { $0 != "." }) })
        #expect(stems.count == 4 && names == stems.sorted().flatMap { ["\($0).dng", "\($0).jpg"] }, "\(names)")
        for name in names {
            #expect(try String(contentsOf: folder.appending(path: name), encoding: .utf8) == "x", "\(name)")
        }
    }

    @Test("From the camera's list to a Live Photo with the sensor's name and times")
    func page() throws {
        let text = try String(contentsOf: Self.repository.appending(path: "docs/install.md"), encoding: .utf8)
        let chapter = try #require(text.split(separator: "\n## ").first { $0.hasPrefix("Raspberry Pi cameras") })
        let block = try #require(chapter.firstMatch(of: /```yaml\n([^`]*)```/)?.1)
        // The block is indented below its step.
        let yaml = block.split(separator: "\n").map { String($0.dropFirst(3)) }.joined(separator: "\n")
        #expect(yaml.contains("program: rpicam-vid"))

        let box = try Box()
        let programs = box.root.appending(path: "bin")
        try FileManager.default.createDirectory(at: programs, withIntermediateDirectories: true)
        let standIn = programs.appending(path: "rpicam-vid")
        try Self.standIn.write(to: standIn, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: standIn.path)
        let settings = box.root.appending(path: "agent.yaml")
        try "\(yaml)\n  camera:\n    usage: Sees the gate.\n".write(to: settings, atomically: true, encoding: .utf8)
        func run(_ arguments: [String]) throws -> (status: Int32, output: String, errors: String) {
            let path = "PATH=\(programs.path):/usr/bin:/bin"
            return try tool("env", [path] + arguments)
        }
        func agent(_ arguments: String...) throws -> (status: Int32, output: String, errors: String) {
            let process = box.process(arguments + ["--config", settings.path])
            return try run([process.executableURL?.path ?? ""] + (process.arguments ?? []))
        }

        // 1. Try the camera. 2. Name the program. 3. Let the service reach its nodes. 4. See it, allow it.
        #expect(try run(["rpicam-vid", "--list-cameras"]).output.contains("imx708"))
        let devices = try Self.installDropIn(chapter, in: box.root.appending(path: "machine"))
        #expect(devices == ["char-media rw", "char-dma_heap rw"])
        let listed = try agent("cameras")
        #expect(listed.output.contains("libcamera:/base/soc/i2c0mux/i2c@1/imx708@1a"), "\(listed)")
        #expect(listed.output.contains("notDetermined") && listed.output.contains("imx708"), "\(listed)")
        #expect(try agent("capture").status == 4)
        #expect(try agent("consent", "set", "camera", "authorized").status == 0)
        let allowed = try agent("cameras")
        #expect(allowed.output.contains("authorized") && allowed.output.contains("1920x1080"), "\(allowed)")
        let folder = box.root.appending(path: "pictures")
        let taken = try agent("capture", "--live-photo", "--no-sound", "--output", folder.path, "--json")
        try #require(taken.status == 0, "\(taken)")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        try #require(names.count == 2, "\(taken)")
        let picture = folder.appending(path: names[0]).path
        let still = try tool("exiftool", ["-s3", "-Model", "-ImageSize", picture])
        #expect(still.output.hasPrefix("imx708\n"), "\(still)")
        try Self.expectSensorTime(taken.output, picture, told: programs.appending(path: "rpicam-vid.times"))
        let movie = folder.appending(path: names[1]).path
        #expect(try decodingErrors(movie) == "")
    }

    /// Does what the third step says in a folder that stands for the machine; the devices that the service then has more.
    private static func installDropIn(_ chapter: Substring, in machine: URL) throws -> [String] {
        let step = try #require(chapter.firstMatch(of: /`sudo install -D -m 644 (\/\S+) (\/\S+)`/))
        let name = try #require(step.1.split(separator: "/").last)
        #expect(step.1 == "/usr/share/doc/tintype-agent/examples/\(name)")
        #expect(step.2 == "/etc/systemd/system/tintype-agent.service.d/\(name)")
        let examples = repository.appending(path: "deploy/debian/debian/tintype-agent.examples")
        let shipped = try String(contentsOf: examples, encoding: .utf8).split(separator: "\n")
        #expect(shipped.contains("debian/\(name)"), "the package has no such example")
        let place = machine.path + String(step.2)
        let source = repository.appending(path: "deploy/systemd/\(name)").path
        let installed = try tool("install", ["-D", "-m", "644", source, place])
        #expect(installed.status == 0, "\(installed)")
        let lines = try String(contentsOf: URL(filePath: place), encoding: .utf8).split(separator: "\n")
        return lines.filter { $0.hasPrefix("DeviceAllow=") }.map { String($0.dropFirst("DeviceAllow=".count)) }
    }

    /// Expects a shot's time to be one that the sensor told, and the still to have it.
    private static func expectSensorTime(_ report: String, _ still: String, told file: URL) throws {
        let document = try #require(JSONSerialization.jsonObject(with: Data(report.utf8)) as? [String: Any])
        let capture = try #require((document["captures"] as? [[String: Any]])?.first)
        let time = try #require(capture["captureTime"] as? [String: Any])
        let nanoseconds = try #require(time["monotonicNanoseconds"] as? Int)
        let told = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").compactMap { Int($0) }
        #expect(told.contains(nanoseconds), "\(nanoseconds) is none of \(told.count) times")
        let wall = try #require(time["wall"] as? String)
        let seconds = try #require(wall.dropLast().split(separator: ":").last.flatMap { Double($0) })
        let fields = try tool("exiftool", ["-s3", "-d", "%S", "-DateTimeOriginal", "-SubSecTimeOriginal", still]).output
        let written = try #require(Double(fields.split(separator: "\n").joined(separator: ".")), "\(fields)")
        #expect(abs(written - seconds) < 0.002, "\(fields) \(wall)")
    }
}
