import Foundation
import Testing

/// `tintype-agent run` as a service that captures, asked from outside.
@Suite(.serialized)
struct CaptureServiceCommandTests {
    private static let usage = ["capture.camera.usage=Sees the gate", "capture.microphone.usage=Hears the gate"]
    private static let synthetic = "camera:\n  device: synthetic-camera\n"

    @Test(
        "000.5, 003.12: a box without library captures by command, signal and interval, and files all of it when it ends"
    )
    func service() throws {
        let box = try Box()
        try box.profile(
            "gate",
            Self.synthetic + "trigger:\n  signal: true\n  interval:\n    milliseconds: 700\nalbum: Gate\n"
        )
        let service = try box.start(["gate"], settings: Self.usage)
        func taken() throws -> Int? {
            let shots = try box.status()?.cameras.first?["shots"] as? [String: Any]
            return shots?["taken"] as? Int
        }
        // A camera that had to be opened first would be half a second late each time; a busy machine may be late once.
        try box.eventually("the picture is of the moment") {
            let asked = try box.agent(["capture", "--json"])
            #expect(asked.status == 0, "\(asked.errors)")
            let shot = try #require((try asked.json()["captures"] as? [[String: Any]])?.first)
            #expect(shot["profile"] as? String == "gate")
            let lag = try #require(shot["lagMilliseconds"] as? Double)
            return abs(lag) <= 150
        }
        // The queue can be looked at beside the service.
        func triggers() throws -> Set<Substring> {
            let found = try box.entries().map { entry in
                let manifest = try #require(entry["manifest"] as? [String: Any])
                let facts = try #require(manifest["captureFacts"] as? [String: Any])
                #expect(manifest["captureTime"] != nil && facts["lagMicroseconds"] != nil)
                return try #require((facts["trigger"] as? String)?.split(separator: " ").first)
            }
            return Set(found)
        }
        let before = try #require(try taken())
        kill(service.processIdentifier, SIGUSR1)
        try box.eventually("interval and signal fired") {
            try (taken() ?? 0) >= before + 3 && triggers().isSuperset(of: ["signal", "interval"])
        }
        #expect(box.stop() == 0)
        #expect(try triggers() == ["command", "signal", "interval"])
        let socket = box.agentPath.appending(path: "agent.sock").path
        #expect(!FileManager.default.fileExists(atPath: socket))
    }

    @Test("003.14: over the socket an order chooses the mode; a path in it is refused with 400")
    func socket() throws {
        let box = try Box()
        try box.profile("gate", Self.synthetic + "shot:\n  mode: live\nlive:\n  preRollMilliseconds: 500\n")
        _ = try box.start(["gate"], settings: Self.usage)
        func post(_ body: String) throws -> String {
            let socket = box.agentPath.appending(path: "agent.sock").path
            return try tool(
                "curl",
                ["-s", "-w", "\n%{http_code}", "--unix-socket", socket, "http://box/v1/captures", "-d", body]
            ).output
        }
        let still = try post(#"{"mode": "still"}"#)
        #expect(still.hasSuffix("\n200") && still.contains(#""isLivePhoto":false"#), "\(still)")
        let path = try post(#"{"path": "/tmp/movie.mov"}"#)
        #expect(path.hasSuffix("\n400") && path.contains("where the service puts them"), "\(path)")
        let live = try box.agent(["capture", "--json"])
        #expect(live.output.contains(#""isLivePhoto":true"#), "\(live.output) \(live.errors)")
        #expect(box.stop() == 0)
    }

    @Test("001.4: consent set by the command stops a running camera at once, and starts it again")
    func consent() throws {
        let box = try Box()
        try box.profile("gate", Self.synthetic)
        _ = try box.start(["gate"], settings: Self.usage)
        func state() throws -> String? { try box.status()?.cameras.first?["state"] as? String }
        #expect(try box.agent(["consent", "set", "camera", "denied"]).status == 0)
        try box.eventually("the camera stops") { try state() == "waiting" }
        #expect(try box.agent(["capture"]).status == 77)
        try box.eventually("the status says what to do") {
            try box.agent(["status", "--explain"]).output.contains("consent set camera authorized")
        }
        #expect(try box.agent(["consent", "set", "camera", "authorized"]).status == 0)
        try box.eventually("the camera runs") { try state() == "running" }
        #expect(try box.agent(["capture"]).status == 0)
        #expect(box.stop() == 0)
    }

    @Test("A service that is killed in the middle of its work has every shot that it reported after its next start")
    func killed() throws {
        let box = try Box()
        try box.profile(
            "gate",
            Self.synthetic + "shot:\n  mode: live\nlive:\n  preRollMilliseconds: 500\n  postRollMilliseconds: 500\n"
                + "trigger:\n  interval:\n    milliseconds: 300\n"
        )
        let service = try box.start(["gate"], settings: Self.usage)
        var reported: Set<String> = []
        for _ in 0..<2 {
            let captures = try box.agent(["capture", "--json"]).json()["captures"] as? [[String: Any]] ?? []
            reported.formUnion(captures.compactMap { $0["id"] as? String })
        }
        kill(service.processIdentifier, SIGKILL)
        service.waitUntilExit()
        let entries = try box.entries()
        #expect(reported.count == 2)
        #expect(Set(entries.compactMap { $0["id"] as? String }).isSuperset(of: reported))
        for entry in entries where entry["isIncompleteLivePhoto"] as? Bool != true {
            let resources = (entry["manifest"] as? [String: Any])?["resources"] as? [Any]
            #expect(resources?.count == 2)
        }
        let spool = box.agentPath.appending(path: "spool").path
        #expect(try FileManager.default.contentsOfDirectory(atPath: spool).isEmpty)
    }
}
