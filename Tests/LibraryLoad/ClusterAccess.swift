package import Foundation
import Glibc
package import LibraryClient

/// A cluster that `deploy/cluster` started: its front, and how its parts are ended and started again.
package struct ClusterAccess: LoadTarget {
    /// How many servers it has.
    package let servers: Int
    /// Which servers answered whom.
    let spread = RequestSpread()
    let folder: URL
    private let port: Int
    private let options: [String]

    /// Names a cluster that runs.
    ///
    /// - Parameters:
    ///   - folder: the folder of `deploy/cluster`.
    ///   - port: where HAProxy listens.
    ///   - servers: how many servers it has.
    ///   - options: further options of `deploy/cluster`.
    package init(folder: URL, port: Int, servers: Int, options: [String]) {
        self.folder = folder
        self.port = port
        self.servers = servers
        self.options = options
    }

    package func operators() throws -> LibraryClient {
        try .operators(at: folder.appending(path: "server-1/admin.sock"))
    }

    package func client(identity: CurlSettings.Identity?, connections: Int) throws -> LibraryClient {
        let library = folder.appending(path: "server-1")
        let client = try LibraryClient.overTLS(
            at: port,
            authorityOf: library,
            identity: identity,
            connections: connections
        )
        return LibraryClient(SpreadTransport(transport: client.transport, spread: spread))
    }

    /// Ends a part at once (`SIGKILL`), within microseconds: `deploy/cluster kill` takes tens of milliseconds to start.
    ///
    /// - Parameter part: for example `server-2`.
    /// - Returns: whether it ran.
    func kill(_ part: String) -> Bool {
        // Its process and when that began: another process may have the number by now.
        let file = try? String(contentsOf: folder.appending(path: "run/\(part)"), encoding: .utf8)
        let words = file?.split(whereSeparator: \.isWhitespace).map(String.init) ?? []
        guard words.count == 2, let process = Int32(words[0]), ProcessUsage.beginning(of: process) == words[1] else {
            return false
        }
        return Glibc.kill(process, SIGKILL) == 0
    }

    /// Runs `deploy/cluster` and waits for its end; what it says goes where this program's own words go.
    ///
    /// - Parameter command: for example `kill`, `server-2`.
    /// - Throws: when it fails, which it says on the standard error.
    package func control(_ command: String...) async throws {
        let places = ["--folder", folder.path, "--port", "\(port)", "--servers", "\(servers)", "--as-built"]
        let line = (["deploy/cluster"] + command + places + options).map { "'\($0)'" }.joined(separator: " ")
        // Not Foundation's Process: it takes the end of one for that of all that were started beside it.
        let status = await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: unsafe system(line)) }
        }
        guard status == 0 else { throw LoadError("\(line) failed; its last words are above") }
    }
}
