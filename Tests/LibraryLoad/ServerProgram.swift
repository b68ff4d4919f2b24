package import Foundation
import Glibc
package import LibraryClient
import Synchronization
import TestSupport

/// The real `tintype-server` over a library of its own: started, stopped, killed and started again at will.
///
/// The port is chosen by the system at the first start and kept, so that devices find the server where it was.
package final class ServerProgram: LoadTarget {
    private struct State {
        var process: Process?
        var port = 0
        var errors: [String] = []
    }

    /// The library's folder.
    package let library: URL
    private let executable: URL
    private let settings: [String]
    private let state = Mutex(State())

    /// Makes a library; nothing is served yet.
    ///
    /// - Parameters:
    ///   - executable: the server's program.
    ///   - library: an empty or missing folder.
    ///   - settings: more settings, each `key=value`.
    /// - Throws: when the program cannot be run, or makes no library.
    package init(_ executable: URL, library: URL, settings: [String] = []) throws {
        self.executable = executable
        self.library = library
        self.settings = settings + Self.bucketSettings(library)
        let process = Self.process(executable)
        process.arguments =
            ["init", "--set", "library.path=\(library.path)"] + Self.flags(self.settings)
        process.standardOutput = FileHandle.nullDevice
        try process.runAlone()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw LoadError("tintype-server init ended with \(process.terminationStatus)")
        }
    }

    /// Another server of a library that servers can share, with a copy of its keys; nothing is served yet.
    ///
    /// - Parameters:
    ///   - first: the server that made the library, not started yet.
    ///   - library: a missing folder.
    /// - Throws: when the folder cannot be copied.
    package init(sharing first: ServerProgram, library: URL) throws {
        executable = first.executable
        self.library = library
        settings = first.settings
        try FileManager.default.copyItem(at: first.library, to: library)
    }

    deinit { kill() }

    /// Puts originals below a prefix of their own in the bucket that the environment names, if it names one.
    ///
    /// How to reach it is set by the environment too, as for any server: `TINTYPE_S3_ENDPOINT` and the like.
    private static func bucketSettings(_ library: URL) -> [String] {
        guard let bucket = ProcessInfo.processInfo.environment["LIBRARY_BUCKET"] else { return [] }
        let prefix = library.pathComponents.suffix(2).joined(separator: "-")
        return ["library.originals=s3://\(bucket)/\(prefix)"]
    }

    private static func flags(_ settings: [String]) -> [String] { settings.flatMap { ["--set", $0] } }

    /// The port that the server listens at; 0 before the first start.
    package var port: Int { state.withLock(\.port) }

    /// The last lines of the server's log that are errors.
    package var errors: [String] { state.withLock(\.errors) }

    /// The server's process; nil when none runs.
    package var processIdentifier: Int32? { state.withLock { $0.process?.processIdentifier } }

    /// Starts the server and returns once it listens.
    ///
    /// - Throws: when it ends instead, with what it said.
    package func start() throws {
        let output = try launch()
        var text = ""
        var found = Self.port(in: text)
        while found == nil {
            let data = output.availableData
            guard !data.isEmpty else { throw LoadError("the server ended: \(text)") }
            text += String(decoding: data, as: UTF8.self)
            found = Self.port(in: text)
        }
        // Drained, so that the server never waits for a reader of its log.
        output.readabilityHandler = { [weak self] handle in
            let data = handle.availableData
            if data.isEmpty { handle.readabilityHandler = nil }
            let lines = String(decoding: data, as: UTF8.self).split(separator: "\n").filter { $0.contains(" error") }
            self?.state.withLock { $0.errors = ($0.errors + lines.map(String.init)).suffix(20) }
        }
        if let found { state.withLock { $0.port = found } }
    }

    /// The port in the line that says that both listeners are open; nil until it is there.
    private static func port(in log: String) -> Int? {
        let parts = log.components(separatedBy: "address=")
        guard parts.count > 1, let address = parts[1].split(whereSeparator: \.isWhitespace).first,
            parts[1].contains("\n")
        else { return nil }
        return address.split(separator: ":").last.flatMap { Int($0) }
    }

    /// Starts the server without waiting for anything.
    ///
    /// - Returns: where it writes its log.
    /// - Throws: when it cannot be started.
    @discardableResult
    package func launch() throws -> FileHandle {
        let process = Self.process(executable)
        process.arguments =
            ["serve"]
            + (["library.path=\(library.path)", "server.listen=127.0.0.1:\(port)"] + settings).flatMap {
                ["--set", $0]
            }
        let log = Pipe()
        process.standardError = log
        process.standardOutput = FileHandle.nullDevice
        try process.runAlone()
        state.withLock { $0.process = process }
        return log.fileHandleForReading
    }

    /// A process without settings from this one's environment, where tests have theirs, but those of a bucket.
    private static func process(_ executable: URL) -> Process {
        let process = Process()
        process.executableURL = executable
        process.environment = ProcessInfo.processInfo.environment.filter {
            !$0.key.hasPrefix("TINTYPE_") || $0.key.hasPrefix("TINTYPE_S3_")
        }
        return process
    }

    /// Ends the server at once (`SIGKILL`), wherever it is.
    package func kill() { end(SIGKILL) }

    /// Lets the server finish what it does (`SIGTERM`).
    package func stop() { end(SIGTERM) }

    private func end(_ signal: Int32) {
        let process = state.withLock { state in
            defer { state.process = nil }
            return state.process
        }
        guard let process else { return }
        _ = Glibc.kill(process.processIdentifier, signal)
        process.waitUntilExit()
    }

    package func operators() throws -> LibraryClient {
        try .operators(at: library.appending(path: "admin.sock"))
    }

    package func client(identity: CurlSettings.Identity? = nil, connections: Int = 4) throws -> LibraryClient {
        try .overTLS(at: port, authorityOf: library, identity: identity, connections: connections)
    }
}

/// What keeps a load from being made.
package struct LoadError: Error, CustomStringConvertible {
    /// What happened.
    package let description: String

    /// Describes it.
    package init(_ description: String) { self.description = description }
}
