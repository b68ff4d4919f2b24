import Foundation
import TestSupport
import Testing

/// The real programs from the build folder, in folders of their own.
final class Programs {
    struct Result {
        let status: Int32
        let output: String
        let errors: String

        func json() throws -> [String: Any] {
            if output.isEmpty { return [:] }
            return try #require(JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any])
        }
    }

    let root = FileManager.default.temporaryDirectory.appending(path: "tt-\(UUID().uuidString.prefix(8))")
    /// Below those that the system gives to connections going out: none of them can be in the way.
    let port = Int.random(in: 10_000..<32_000)
    /// The fingerprint of the library's authority, as `init` prints it.
    private(set) var authority = ""
    private var server: Process?

    init() throws {
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
        let made = try run("tintype-server", ["init", "--set", "library.path=\(library.path)"])
        #expect(made.status == 0, "\(made.errors)")
        let words = (made.output + made.errors).split { !$0.isHexDigit }
        authority = words.first { $0.count == 64 }.map(String.init) ?? ""
    }

    deinit {
        stop()
        try? FileManager.default.removeItem(at: root)
    }

    /// The name of the library's folder, which a move changes.
    var libraryName = "lib"
    var library: URL { root.appending(path: libraryName) }
    var url: String { "https://localhost:\(port)" }

    /// Starts the server and returns once it listens.
    func start(settings: [String] = []) throws {
        let all = ["library.path=\(library.path)", "server.listen=127.0.0.1:\(port)"] + settings
        let process = process("tintype-server", ["serve"] + all.flatMap { ["--set", $0] })
        let errors = Pipe()
        process.standardError = errors
        process.standardOutput = FileHandle.nullDevice
        try process.runAlone()
        server = process
        var text = ""
        while !text.contains(" listening address=") {
            let data = errors.fileHandleForReading.availableData
            try #require(!data.isEmpty, "the server ended: \(text)")
            text += String(decoding: data, as: UTF8.self)
        }
        // Drained, so that the server never waits for a reader of its log.
        errors.fileHandleForReading.readabilityHandler = { _ = $0.availableData }
    }

    func stop() {
        server?.terminate()
        server?.waitUntilExit()
        server = nil
    }

    func agent(_ arguments: String..., box: String = "box") throws -> Result {
        try agent(arguments, box: box)
    }

    /// Runs a command of the agent in one of several boxes to its end.
    func agent(_ arguments: [String], box: String = "box") throws -> Result {
        try run("tintype-agent", arguments + agentSettings(box: box))
    }

    /// Runs a command of the agent on a terminal to its end; what it says there is the output.
    func agentOnTerminal(_ arguments: [String], box: String = "box") throws -> Result {
        let program = Bundle.main.bundleURL.appending(path: "tintype-agent").path
        let words = [program] + arguments + agentSettings(box: box)
        let command = words.map { "'\($0)'" }.joined(separator: " ")
        let outcome = try tool("script", ["-qec", command, "/dev/null"])
        return Result(status: outcome.status, output: outcome.output, errors: outcome.errors)
    }

    /// Runs a command of the agent that reads a text from its standard input.
    func agent(reading input: String, _ arguments: [String], box: String = "box") throws -> Result {
        let program = Bundle.main.bundleURL.appending(path: "tintype-agent").path
        let words = ([program] + arguments + agentSettings(box: box)).map { "'\($0)'" }.joined(separator: " ")
        let outcome = try tool("sh", ["-c", "printf '%s\\n' '\(input)' | \(words)"])
        return Result(status: outcome.status, output: outcome.output, errors: outcome.errors)
    }

    /// Starts a command of the agent; its output goes into files that can be read meanwhile.
    func startAgent(_ arguments: [String], box: String = "box") throws -> Started {
        try start(process("tintype-agent", arguments + agentSettings(box: box)))
    }

    /// Starts a command of the server, beside the one that serves.
    func startServerCommand(_ arguments: [String]) throws -> Started {
        try start(process("tintype-server", arguments))
    }

    /// Starts `tintypectl` on the server's socket.
    func startOperating(_ arguments: [String]) throws -> Started {
        try start(process("tintypectl", arguments + ["--socket", library.appending(path: "admin.sock").path]))
    }

    /// Starts an example program beside a box's agent.
    func startExample(_ name: String, _ arguments: [String], box: String = "box") throws -> Started {
        let example = process(name, [root.appending(path: box).path] + arguments)
        // What it prints is wanted line by line, also where it goes into a file.
        example.arguments = ["-oL", example.executableURL?.path ?? name] + (example.arguments ?? [])
        example.executableURL = URL(filePath: "/usr/bin/stdbuf")
        return try start(example)
    }

    private func start(_ process: Process) throws -> Started {
        let files = ["out", "err"].map { root.appending(path: "\(UUID().uuidString).\($0)") }
        for file in files { _ = FileManager.default.createFile(atPath: file.path, contents: nil) }
        process.standardOutput = try FileHandle(forWritingTo: files[0])
        process.standardError = try FileHandle(forWritingTo: files[1])
        try process.runAlone()
        return Started(process: process, output: files[0], errors: files[1])
    }

    /// A command that was started and goes on.
    struct Started {
        let process: Process
        fileprivate let output: URL
        fileprivate let errors: URL

        /// The lines that it has printed so far.
        func lines() throws -> [String] {
            try String(contentsOf: output, encoding: .utf8).split(separator: "\n").map(String.init)
        }

        /// Waits for its end.
        func end() throws -> Result {
            process.waitUntilExit()
            return Result(
                status: process.terminationStatus,
                output: try String(contentsOf: output, encoding: .utf8),
                errors: try String(contentsOf: errors, encoding: .utf8)
            )
        }
    }

    private func agentSettings(box: String) -> [String] {
        [
            "agent.path=\(root.appending(path: box).path)", "agent.name=\(box)",
            "library.add.usage=Proves the main path in tests", "library.readWrite.usage=Edits photos in tests",
            "sync.contactIntervalSeconds=5",
        ].flatMap { ["--set", $0] }
    }

    /// Looks at something until it holds; fails after a minute.
    func eventually(_ what: String, _ holds: () throws -> Bool) throws {
        let deadline = ContinuousClock.now.advanced(by: .seconds(180))
        while try !holds() {
            try #require(ContinuousClock.now < deadline, "never: \(what)")
            usleep(50_000)
        }
    }

    /// Runs `tintypectl` on the server's socket; `offline` for commands that need no server.
    func operate(_ arguments: String..., offline: Bool = false) throws -> Result {
        try operate(arguments, offline: offline)
    }

    func operate(_ arguments: [String], offline: Bool = false) throws -> Result {
        let socket = offline ? [] : ["--socket", library.appending(path: "admin.sock").path]
        return try run("tintypectl", arguments + socket)
    }

    /// The server stops, its disk is gone, and the library is brought back from a backup.
    func loseDiskAndRestore(from backup: String) throws -> Result {
        stop()
        try FileManager.default.removeItem(at: library)
        return try operate("library", "restore", backup, "--into", library.path, offline: true)
    }

    /// Runs `tintypectl` with an environment of its own and no socket.
    func control(_ arguments: [String], environment: [String: String] = [:]) throws -> Result {
        let settings = environment.map { "\($0.key)=\($0.value)" }
        let program = Bundle.main.bundleURL.appending(path: "tintypectl").path
        return try launch(URL(filePath: "/usr/bin/env"), settings + [program] + arguments)
    }

    /// An operator's call through the server's socket.
    func call(
        _ method: String,
        _ path: String,
        _ body: String = "",
        headers: [String] = []
    ) throws -> [String: Any] {
        let socket = library.appending(path: "admin.sock").path
        var arguments = ["-s", "--unix-socket", socket, "-X", method, "http://localhost\(path)"]
        arguments += headers.flatMap { ["-H", $0] }
        if !body.isEmpty { arguments += ["-H", "Content-Type: application/json", "-d", body] }
        return try launch(URL(filePath: "/usr/bin/curl"), arguments).json()
    }

    func token(maximum: String = "addOnly") throws -> String {
        let body = #"{"maximum":"\#(maximum)","uses":1,"expiresSeconds":3600}"#
        return try #require(call("POST", "/v1/admin/enrollment-tokens", body)["token"] as? String)
    }

    /// SHA-256 of every original that the server keeps, which is also its file's name.
    func originals() throws -> Set<String> {
        // What a batch brought becomes plain files a little after its receipts; a verification waits for that.
        _ = try operate("library", "verify")
        let folder = library.appending(path: "originals")
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        var digests: Set<String> = []
        while let file = files?.nextObject() as? URL {
            guard file.pathExtension != "", let sum = try? launch(URL(filePath: "/usr/bin/sha256sum"), [file.path])
            else {
                continue
            }
            let digest = String(sum.output.prefix(64))
            #expect(file.lastPathComponent.hasPrefix(digest), "an original's name is not its digest")
            digests.insert(digest)
        }
        return digests
    }

    private func process(_ name: String, _ arguments: [String]) -> Process {
        let process = Process()
        process.executableURL = Bundle.main.bundleURL.appending(path: name)
        process.arguments = arguments
        return process
    }

    func run(_ name: String, _ arguments: [String]) throws -> Result {
        try launch(Bundle.main.bundleURL.appending(path: name), arguments)
    }

    private func launch(_ program: URL, _ arguments: [String]) throws -> Result {
        let process = Process()
        process.executableURL = program
        process.arguments = arguments
        // Files, so that neither stream can fill a pipe while the other is read.
        let files = ["out", "err"].map { root.appending(path: "\(UUID().uuidString).\($0)") }
        for file in files { _ = FileManager.default.createFile(atPath: file.path, contents: nil) }
        process.standardOutput = try FileHandle(forWritingTo: files[0])
        process.standardError = try FileHandle(forWritingTo: files[1])
        try process.runAlone()
        process.waitUntilExit()
        let texts = try files.map { try String(contentsOf: $0, encoding: .utf8) }
        return Result(status: process.terminationStatus, output: texts[0], errors: texts[1])
    }
}
