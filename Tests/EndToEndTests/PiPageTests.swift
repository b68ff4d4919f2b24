import Foundation
import Testing

/// The steps of docs/install.md for a Raspberry Pi's camera, followed as a person would, with a stand-in for rpicam-vid.
@Suite(.serialized)
struct PiPageTests {
    /// Lists one camera, and films a test picture with the sensor's times, as rpicam-vid 1.9 does.
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
        due, number = time.clock_gettime(time.CLOCK_MONOTONIC), 0
        while True:
            stamp = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
            sys.stdout.buffer.write(frames[number % 5])
            sys.stdout.buffer.flush()
            metadata.write(f'{"," if number else ""}\n{{\n    "SensorTimestamp": {stamp},\n    "ExposureTime": 9999\n}}')
            metadata.flush()
            number, due = number + 1, due + 1 / rate
            time.sleep(max(0, due - time.clock_gettime(time.CLOCK_MONOTONIC)))
        """#

    @Test("From the camera's list to a Live Photo with the sensor's name and times")
    func page() throws {
        let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "docs/install.md")
        let text = try String(contentsOf: page, encoding: .utf8)
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

        // 1. Try the camera. 2. Name the program. 4. See it, allow it.
        #expect(try run(["rpicam-vid", "--list-cameras"]).output.contains("imx708"))
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
        let still = try tool("exiftool", ["-s3", "-Model", "-ImageSize", folder.appending(path: names[0]).path])
        #expect(still.output.hasPrefix("imx708\n"), "\(still)")
        let movie = folder.appending(path: names[1]).path
        let decoded = try tool("ffmpeg", ["-v", "error", "-i", movie, "-f", "null", "-"])
        #expect(decoded.status == 0 && decoded.errors.isEmpty, "\(decoded.errors)")
    }
}
