import Foundation
import TestSupport
import Testing

/// A camera box without library or camera: the real agent in a folder of its own.
final class Box {
    struct Outcome {
        let status: Int32
        let output: String
        let errors: String

        func json() throws -> [String: Any] {
            try #require(JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any], "\(output) \(errors)")
        }
    }

    let root = FileManager.default.temporaryDirectory.appending(path: "tt-\(UUID().uuidString.prefix(8))")
    private var service: Process?

    init() throws {
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
    }

    deinit {
        service?.terminate()
        service?.waitUntilExit()
        try? FileManager.default.removeItem(at: root)
    }

    /// Whether another user can run the built programs: not where they, or the toolchain, lie in a closed home.
    static var othersMayRunPrograms: Bool {
        guard geteuid() == 0 else { return false }
        let agent = Bundle.main.bundleURL.appending(path: "tintype-agent").path
        let user = ["--reuid=65534", "--regid=65534", "--clear-groups", agent, "--version"]
        return (try? tool("setpriv", user).status) == 0
    }

    var agentPath: URL { root.appending(path: "box") }

    /// Runs a command of the agent to its end.
    func agent(_ arguments: [String], settings: [String] = []) throws -> Outcome {
        let process = process(arguments, settings)
        let files = ["out", "err"].map { root.appending(path: "\(UUID().uuidString).\($0)") }
        for file in files { _ = FileManager.default.createFile(atPath: file.path, contents: nil) }
        process.standardOutput = try FileHandle(forWritingTo: files[0])
        process.standardError = try FileHandle(forWritingTo: files[1])
        process.standardInput = FileHandle.nullDevice
        try process.runAlone()
        process.waitUntilExit()
        let texts = try files.map { try String(contentsOf: $0, encoding: .utf8) }
        return Outcome(status: process.terminationStatus, output: texts[0], errors: texts[1])
    }

    /// Runs a command of the agent on a terminal to its end, where somebody types an answer; what is shown is the output.
    func agentOnTerminal(_ arguments: [String], typing answer: String, settings: [String] = []) throws -> Outcome {
        let process = process(arguments, settings)
        let program = try #require(process.executableURL)
        let words = [program.path] + (process.arguments ?? [])
        let command = words.map { "'\($0)'" }.joined(separator: " ")
        let outcome = try tool("sh", ["-c", #"echo "$0" | script -qec "$1" /dev/null"#, answer, command])
        return Outcome(status: outcome.status, output: outcome.output, errors: outcome.errors)
    }

    /// A process of the agent that was not started yet.
    func process(_ arguments: [String], _ settings: [String] = []) -> Process {
        let process = Process()
        process.executableURL = Bundle.main.bundleURL.appending(path: "tintype-agent")
        let all = ["agent.path=\(agentPath.path)", "capture.profileFolder=\(root.path)"] + settings
        process.arguments = arguments + all.flatMap { ["--set", $0] }
        return process
    }

    /// Writes a profile.
    func profile(_ name: String, _ yaml: String) throws {
        try yaml.write(to: root.appending(path: "\(name).yaml"), atomically: true, encoding: .utf8)
    }

    /// Starts the service and returns once all its cameras run.
    func start(_ profiles: [String], settings: [String] = []) throws -> Process {
        let process = process(["run"] + profiles.flatMap { ["--profile", $0] }, settings)
        process.standardError = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        try process.runAlone()
        service = process
        try eventually("the cameras run") {
            try status()?.cameras.allSatisfy { $0["state"] as? String == "running" } == true
        }
        return process
    }

    /// Ends the service as systemd does; its exit status.
    func stop() -> Int32? {
        guard let service else { return nil }
        service.terminate()
        service.waitUntilExit()
        self.service = nil
        return service.terminationStatus
    }

    /// What the service says of itself; nil when it does not listen yet.
    func status() throws -> (capture: [String: Any], cameras: [[String: Any]])? {
        guard FileManager.default.fileExists(atPath: agentPath.appending(path: "agent.sock").path) else { return nil }
        let outcome = try agent(["status", "--json"])
        guard outcome.status == 0, let capture = try outcome.json()["capture"] as? [String: Any] else { return nil }
        return (capture, capture["cameras"] as? [[String: Any]] ?? [])
    }

    /// The entries of the queue.
    func entries() throws -> [[String: Any]] {
        let outcome = try agent(["queue", "list", "--limit", "100000", "--json"])
        return try #require(
            JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [[String: Any]],
            "\(outcome.errors)"
        )
    }

    /// Looks at something until it holds; fails after three minutes, which are a moment on a crowded machine.
    func eventually(_ what: String, _ holds: () throws -> Bool) throws {
        let deadline = ContinuousClock.now.advanced(by: .seconds(180))
        while try !holds() {
            try #require(ContinuousClock.now < deadline, "never: \(what)")
            usleep(50_000)
        }
    }
}

/// Runs a program of the system to its end.
func tool(_ name: String, _ arguments: [String]) throws -> (status: Int32, output: String, errors: String) {
    let outcome = try ChildProcess.run(name, arguments)
    return (outcome.status, outcome.text, outcome.errors)
}

/// What a decoder says while it decodes every frame of a movie; nothing if all is well.
///
/// Without a muxer: that of a conversion assumes a rate, and finds frames that came sooner after one another wrong.
func decodingErrors(_ path: String) throws -> String {
    let frames = ["-v", "error", "-count_frames", "-show_entries", "stream=nb_read_frames", path]
    let outcome = try tool("ffprobe", frames)
    return outcome.status == 0 ? outcome.errors : "status \(outcome.status): \(outcome.errors)"
}
