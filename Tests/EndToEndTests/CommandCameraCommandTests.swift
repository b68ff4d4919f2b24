import Foundation
import TestSupport
import Testing

/// A camera whose pictures a program writes, through the built agent: ffmpeg for real, and a stand-in for rpicam-vid.
@Suite(.serialized)
struct CommandCameraCommandTests {
    private static let identity = "command:bench"

    /// A box with a camera that is ffmpeg's test picture; the program notes that it was started.
    private static func box() throws -> (box: Box, settings: [String], started: URL) {
        let box = try Box()
        let started = box.root.appending(path: "started")
        let picture = "testsrc2=size=320x240:rate=30"
        let yaml = """
            command: [sh, -c, "echo >> '\(started.path)'; exec ffmpeg -nostdin -v error -re -f lavfi -i \(picture) -f mjpeg -"]
            size: 320x240
            manufacturer: Bench
            model: Moving picture
            """
        try Data(yaml.utf8).write(to: box.root.appending(path: "bench.yaml"))
        let settings = [
            "capture.cameraFolder=\(box.root.path)", "capture.commandCameras=bench", "capture.device=\(identity)",
        ]
        return (box, settings, started)
    }

    @Test("Nothing is started before a yes; then ffmpeg's pictures become a Live Photo with the camera's name")
    func ffmpeg() throws {
        let (box, settings, started) = try Self.box()
        let usage = settings + ["capture.camera.usage=Watches the bench."]
        let listed = try box.agent(["cameras"], settings: usage)
        #expect(listed.output.contains("Moving picture  \(Self.identity)  consent: notDetermined"), "\(listed)")
        let folder = box.root.appending(path: "pictures")
        let order = ["capture", "--live-photo", "--no-sound", "--output", folder.path]
        #expect(try box.agent(order, settings: usage).status == 4)
        #expect(!FileManager.default.fileExists(atPath: started.path))
        #expect(try box.agent(["consent", "set", "camera", "authorized"], settings: usage).status == 0)
        let shown = try box.agent(["cameras"], settings: usage)
        #expect(shown.output.contains("consent: authorized") && shown.output.contains("320x240"), "\(shown)")
        let taken = try box.agent(order, settings: usage)
        try #require(taken.status == 0, "\(taken.errors)")
        #expect(FileManager.default.fileExists(atPath: started.path))
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        try #require(names.count == 2)
        let path = folder.appending(path: names[0]).path
        let still = try tool("exiftool", ["-s3", "-Make", "-Model", "-ImageSize", path])
        #expect(still.output.split(separator: "\n").map(String.init) == ["Bench", "Moving picture", "320x240"])
        let movie = folder.appending(path: names[1]).path
        #expect(try decodingErrors(movie) == "")
    }

    @Test("001.2: the person at the terminal is asked once, with the box's name and reason; the answer is remembered")
    func question() throws {
        let (box, settings, started) = try Self.box()
        let usage = settings + ["capture.camera.usage=Watches the bench.", "agent.name=bench box"]
        let order = ["capture", "--output", box.root.appending(path: "pictures").path]
        // What is typed, how the command ends, and whether it asked; the third time, the answer was forgotten before.
        let rounds: [(answer: String, status: Int32, isAsked: Bool)] = [
            ("n", 77, true), ("y", 77, false), ("y", 0, true), ("n", 0, false),
        ]
        for (index, (answer, status, isAsked)) in rounds.enumerated() {
            if index == 2 { #expect(try box.agent(["consent", "reset", "camera"], settings: usage).status == 0) }
            let said = try box.agentOnTerminal(order, typing: answer, settings: usage)
            #expect(said.status == status, "\(said.output)")
            #expect(said.output.matches(of: /Allow\?/).count == (isAsked ? 1 : 0), "\(said.output)")
            let question = ["“bench box” wants to use the camera", "Watches the bench."]
            let isQuoted = question.allSatisfy { said.output.contains($0) }
            #expect(isQuoted == isAsked, "\(said.output)")
            #expect(FileManager.default.fileExists(atPath: started.path) == (status == 0), "opened before a yes")
        }
    }

    @Test("A program that is not there, or gives no picture, is told by cameras, doctor and capture; no test picture")
    func broken() throws {
        let box = try Box()
        let settings = [
            "capture.libcamera.program=/nonexistent/rpicam-vid", "capture.camera.usage=Watches.",
            "capture.consent=authorized",
        ]
        let cameras = try box.agent(["cameras", "--json"], settings: settings).json()
        #expect((cameras["problems"] as? [String])?.first?.contains("/nonexistent/rpicam-vid") == true)
        let doctor = try box.agent(["doctor"], settings: settings)
        #expect(doctor.status == 1 && doctor.output.contains("/nonexistent/rpicam-vid"), "\(doctor.output)")
        let capture = try box.agent(["capture"], settings: settings)
        #expect(capture.status == 1 && capture.errors.contains("/nonexistent/rpicam-vid"), "\(capture)")
        let missing = try box.agent(["cameras"], settings: ["capture.commandCameras=nowhere"])
        #expect(missing.status == 78 && missing.errors.contains("nowhere.yaml"), "\(missing)")
    }
}
