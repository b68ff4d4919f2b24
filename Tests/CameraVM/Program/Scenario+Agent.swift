import Capture
import Foundation
import MediaEncoding
import MediaFormats
import PhotoModel

extension Scenario {
    /// The built `tintype-agent`, as a person runs it.
    static let agent = [
        Scenario("agent.cameras") { report in
            let table = try runAgent(["cameras"])
            await report.check(
                "the table names the camera and its identity",
                table.hasPrefix("vivid  platform:vivid.0/vivid-000-vid-cap  consent: authorized\n"),
                table
            )
            await report.check(
                "it shows formats with their rates, best first",
                table.contains("  FORMAT  SIZE ") && table.contains("\n  NV12    640x480  25, "),
                table
            )
            await report.check(
                "and controls with their values",
                table.contains("  CONTROL ") && table.contains("Brightness ") && table.contains("  0 to 255"),
                table
            )
            let document = try JSONDecoder().decode(
                CameraList.self,
                from: Data(try runAgent(["cameras", "--json"]).utf8)
            )
            let camera = document.cameras.first
            await report.check("JSON has the same formats", camera?.formats.first?.size == "640x480", camera)
            let pattern = camera?.controls.first { $0.name == "Test Pattern" }
            await report.check("and controls with their menus", pattern?.menu.first?.value == 0, pattern)
        },

        Scenario("agent.controls") { report in
            func control(_ name: String) throws -> String {
                try Machine.run("v4l2-ctl", ["--device", "/dev/video0", "--get-ctrl", name])
            }
            let before = try runAgent(["cameras", "controls"])
            await report.check("values are shown", before.contains("  CONTROL ") && before.contains("  VALUE "), before)
            let table = try runAgent(["cameras", "controls", "brightness=77", "gain_automatic=off", "gain=12"])
            await report.check("what was set is shown", table.contains("77 "), table)
            await report.check("the driver has the value", try control("brightness") == "brightness: 77\n")
            await report.check("and what an automatic set", try control("gain") == "gain: 12\n", try control("gain"))
            let refused = try? runAgent(["cameras", "controls", "brightness=256"])
            await report.check("a value out of range is refused", refused == nil, refused ?? "")
            await report.check("and changes nothing", try control("brightness") == "brightness: 77\n")
            _ = try runAgent(["cameras", "controls", "brightness=default", "gain_automatic=default"])
            await report.check("defaults are put back", try control("gain_automatic") == "gain_automatic: 1\n")
        },

        Scenario("agent.consent") { report in
            let opened = try OpenCounter("/dev/video0")
            for arguments in [["consent", "show"], ["doctor"], ["capture", "--output", folder]] {
                _ = try? runAgent(arguments, consent: "ask")
            }
            let table = try runAgent(["cameras"], consent: "ask")
            await report.check("001.5: before somebody allows it, nothing opens a camera", opened.take() == 0)
            await report.check(
                "it is shown by its identity all the same",
                table.hasPrefix("vivid-000-vid-cap  platform:vivid.0/vivid-000-vid-cap  consent: notDetermined\n"),
                table
            )
            _ = try runAgent(["consent", "set", "camera", "authorized"], consent: "ask")
            await report.check("nor does the decision", opened.take() == 0)
            let known = try runAgent(["cameras"], consent: "ask")
            await report.check("afterwards it is asked for its formats", known.contains("640x480"), known)
            await report.check("which opens it", opened.take() > 0)
            _ = try runAgent(["consent", "reset", "camera"], consent: "ask")
        },

        Scenario("agent.encoder") { report in
            let opened = try OpenCounter("/dev/video0")
            let size = PixelSize(width: 64, height: 48)
            let camera = SyntheticCamera(clock: Cameras.clock, size: size, compressor: try TurboFrameCompressor())
            for (number, mayOpen) in [(20, false), (21, true)] as [(UInt128, Bool)] {
                try await Studio.open(camera, try camera.format(.motionJPEG, size), mayOpenVideoNodes: mayOpen) {
                    studio in
                    let result = try await studio.shoot(number, isLivePhoto: true)
                    await report.check("a movie is made of another camera", result.movie != nil, result.movieError)
                }
                let what = mayOpen ? "looking for an encoder in hardware opens cameras" : "without leave none is opened"
                await report.check("001.5: \(what)", (opened.take() > 0) == mayOpen)
            }
        },

        Scenario("agent.lock") { report in
            let profile = "\(Machine.folder)/locked.yaml"
            try Machine.write(
                "camera:\n  lock: [exposure]\nshot:\n  mode: live\nlive:\n  sound: off\n".utf8,
                to: profile
            )
            func automatic() throws -> String {
                try Machine.run("v4l2-ctl", ["--device", "/dev/video0", "--get-ctrl", "gain_automatic"])
            }
            await report.check("the camera adjusts itself", try automatic() == "gain_automatic: 1\n")
            let arguments = agentArguments(["capture", "--profile", profile, "--output", folder])
            let program = try Machine.start(Machine.agent, arguments)
            defer { program.end() }
            try await Machine.wait(for: "it is stopped from that") { try automatic() == "gain_automatic: 0\n" }
            try await Machine.wait(for: "the agent to end") { !program.isRunning }
            await report.check("afterwards it adjusts itself again", try automatic() == "gain_automatic: 1\n")
        },

        Scenario("agent.live-photo", .vivid(hasSound: true)) { report in
            let tone = try Tone()
            defer { tone.end() }
            let text = try runAgent(["capture", "--live-photo", "--output", folder, "--json"])
            let shots = try JSONDecoder().decode(ShotList.self, from: Data(text.utf8))
            guard let shot = shots.captures.first, let movie = shot.files.first(where: { $0.hasSuffix(".MOV") })
            else { return await report.check("there is a pair", false, text) }
            await report.check("the pair is whole", shot.flags == [] && shot.files.count == 2, text)
            let samples = "\(Machine.folder)/sound.raw"
            let arguments = ["-v", "error", "-i", movie, "-map", "0:a", "-ac", "1", "-f", "s16le", "-y", samples]
            let complaints = try Machine.run("ffmpeg", arguments)
            await report.check("ffmpeg decodes its sound without a complaint", complaints.isEmpty, complaints)
            let levels = level(try Machine.read(samples))
            await report.check("and hears the tone all the way", levels.allSatisfy { $0 > 6000 }, levels)
        },

        Scenario("agent.cold-start") { report in
            let still = "\(Machine.folder)/still.jpg"
            let camera = ["-f", "v4l2", "-video_size", "640x480", "-i", "/dev/video0", "-frames:v", "1"]
            let programs: [(name: String, run: () throws -> Void)] = [
                ("tintype-agent", { _ = try runAgent(["capture", "--output", folder]) }),
                ("ffmpeg", { try Machine.run("ffmpeg", ["-v", "error", "-y"] + camera + [still]) }),
                ("fswebcam", { try Machine.run("fswebcam", ["-q", "-d", "/dev/video0", "-r", "640x480", still]) }),
                ("tintype-agent --version", { try Machine.run(Machine.agent, ["--version"]) }),
            ]
            // The second and third run find their files in memory, as on a machine that has been up for a while.
            let best = try programs.map { program in
                try (0..<3).map { _ in
                    let start = ContinuousClock.now
                    try program.run()
                    return (ContinuousClock.now - start).inSeconds
                }.min() ?? 0
            }
            await report.check("each takes a still", best.allSatisfy { $0 > 0 })
            func digits(_ number: Double) -> Double { (number * 100).rounded() / 100 }
            let times = zip(programs, best).map { "\($0.name) \(digits($1)) s" }
            await report.note("from cold start to a still: \(times.joined(separator: ", "))")
            let (ffmpeg, fswebcam) = (digits(best[0] / best[1]), digits(best[0] / best[2]))
            await report.note(
                "ratio to ffmpeg \(ffmpeg), to fswebcam \(fswebcam): they take the first frame, and it the first one after "
                    + "exposure has settled; \(Machine.isOptimized ? "optimized" : "debug") build"
            )
        },
    ]

    static let folder = "\(Machine.folder)/pictures"

    /// Runs the agent with settings under which nobody is asked, or under which somebody would have to answer.
    static func runAgent(_ arguments: [String], consent: String = "authorized") throws -> String {
        try Machine.run(Machine.agent, agentArguments(arguments, consent: consent))
    }

    private static func agentArguments(_ arguments: [String], consent: String = "authorized") -> [String] {
        let settings = [
            "agent.path=\(Machine.folder)/agent", "capture.consent=\(consent)", "capture.camera.usage=Testing",
            "capture.microphone.usage=Testing",
        ]
        return arguments + settings.flatMap { ["--set", $0] }
    }

    /// The loudest sample of each quarter of a recording.
    private static func level(_ bytes: [UInt8]) -> [Int] {
        let samples = stride(from: 0, to: bytes.count - 1, by: 2).map { offset in
            abs(Int(Int16(truncatingIfNeeded: Int(bytes[offset]) | Int(bytes[offset + 1]) << 8)))
        }
        let quarter = max(1, samples.count / 4)
        return (0..<4).map { samples.dropFirst($0 * quarter).prefix(quarter).max() ?? 0 }
    }
}

/// What `tintype-agent cameras --json` prints.
private struct CameraList: Decodable, Sendable {
    struct Camera: Decodable, Sendable {
        struct Format: Decodable, Sendable {
            let pixelFormat: String
            let size: String
            let framesPerSecond: Double
        }

        struct Control: Decodable, Sendable {
            struct MenuItem: Decodable, Sendable {
                let value: Int64
                let name: String
            }

            let id: UInt32
            let name: String
            let kind: String
            let minimum: Int64
            let maximum: Int64
            let step: UInt64
            let defaultValue: Int64
            let isWritable: Bool
            let menu: [MenuItem]
        }

        let id: String
        let model: String
        let consent: String
        let formats: [Format]
        let controls: [Control]
    }

    let cameras: [Camera]
}

/// What `tintype-agent capture --json` prints.
struct ShotList: Decodable, Sendable {
    struct Shot: Decodable, Sendable {
        let files: [String]
        let flags: [String]
    }

    let captures: [Shot]
}
