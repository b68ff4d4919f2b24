import Foundation
package import PostgreSQL
import Synchronization
import TestSupport

/// A PostgreSQL server for the tests of one process: reached by a socket in a temporary folder, durable as by default, and
/// ended with the process, however that ends.
package final class TestServer: Sendable {
    /// The folder of its socket, data and log.
    package let folder: String
    /// Takes commands; its end stops the server and removes the folder.
    private let commands: FileHandle
    private let answers: FileHandle

    /// The folder of its programs; nil where Debian's package `postgresql` is not installed.
    package static let programs: String? = {
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
        return versions.compactMap(Int.init).filter { $0 >= 15 }.max().map { "/usr/lib/postgresql/\($0)/bin" }
    }()

    /// Whether there is a server to test with.
    package static var isInstalled: Bool { programs != nil }

    private static let running = Mutex<TestServer?>(nil)

    /// The server of this process; starts it on the first call, which takes some seconds.
    package static func shared() async throws -> TestServer {
        try await offTheSharedThreads {
            try running.withLock { server in
                if let server { return server }
                let started = try TestServer()
                server = started
                return started
            }
        }
    }

    /// Starts a server of its own, for a test that stops it.
    ///
    /// Blocks. Root starts it as the user `postgres`.
    package init() throws {
        guard let programs = Self.programs else { throw TestServerError.notInstalled }
        (commands, answers) = try Self.run(Self.script, programs)
        guard let line = try answers.nextLine() else { throw TestServerError.notStarted }
        folder = line
    }

    /// Runs a script in which PostgreSQL's programs can be started, which refuse to run as root.
    ///
    /// - Parameters:
    ///   - script: what the shell runs; it ends when its standard input does.
    ///   - arguments: the script's arguments.
    /// - Returns: its standard input and output.
    /// - Throws: when there is no shell.
    static func run(_ script: String, _ arguments: String...) throws -> (commands: FileHandle, answers: FileHandle) {
        let process = Process()
        let isRoot = geteuid() == 0
        process.executableURL = URL(filePath: isRoot ? "/usr/sbin/runuser" : "/bin/sh")
        process.arguments = (isRoot ? ["-u", "postgres", "--", "/bin/sh"] : []) + ["-c", script, "sh"] + arguments
        process.currentDirectoryURL = URL(filePath: "/tmp")
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        try process.runAlone()
        return (input.fileHandleForWriting, output.fileHandleForReading)
    }

    /// Prints the folder as soon as the server takes connections, then runs each line of the standard input as arguments of
    /// `pg_ctl`, and stops the server when there are no more.
    private static let script = """
        set -eu
        export PGCTLTIMEOUT=600
        folder=$(mktemp -d /tmp/tintype-postgresql-XXXXXX)
        trap 'rm -rf "$folder"' EXIT
        "$1/initdb" -D "$folder/data" -U tintype -A trust -E UTF8 --locale=C >"$folder/log" 2>&1
        cat >>"$folder/data/postgresql.conf" <<END
        listen_addresses = ''
        unix_socket_directories = '$folder'
        max_connections = 1000
        shared_buffers = 64MB
        END
        printf 'local all secretive scram-sha-256\\nlocal all all trust\\n' >"$folder/data/pg_hba.conf"
        "$1/pg_ctl" -D "$folder/data" -l "$folder/log" -w start >/dev/null 2>&1 || { cat "$folder/log" >&2; exit 1; }
        echo "$folder"
        while read -r arguments; do
            if "$1/pg_ctl" -D "$folder/data" -l "$folder/log" -w $arguments >/dev/null 2>&1
            then echo done; else echo failed; fi
        done
        "$1/pg_ctl" -D "$folder/data" -m immediate stop >/dev/null 2>&1 || true
        """

    /// Stops the server or starts it again, and returns when that is done.
    ///
    /// - Parameter arguments: of `pg_ctl`, for example `stop -m immediate`.
    /// - Throws: `refused` if `pg_ctl` fails.
    package func control(_ arguments: String) async throws {
        let answer = try await offTheSharedThreads { [self] in
            try commands.write(contentsOf: Data("\(arguments)\n".utf8))
            return try answers.nextLine()
        }
        guard answer == "done" else { throw TestServerError.refused(arguments) }
    }

    /// The address of a database on it; it waits for a connection as long as a busy machine needs.
    package func address(user: String = "tintype", database: String = "postgres") throws -> ServerAddress {
        try ServerAddress("postgres:///\(database)?host=\(folder)&user=\(user)&connect_timeout=300")
    }

    /// Settings with a schema that nobody else has.
    package func settings(user: String = "tintype", database: String = "postgres") throws -> ConnectionSettings {
        try ConnectionSettings(address(user: user, database: database), schema: Self.newSchema())
    }

    /// The name of a schema that is not there yet.
    static func newSchema() -> String {
        "test_" + UUID().uuidString.lowercased().replacing("-", with: "")
    }

    /// Gives a test settings with schemas of its own, which are dropped afterwards.
    ///
    /// - Parameters:
    ///   - pooler: what the test's connections go through; nil connects them to the server itself.
    ///   - body: the test; gets what makes settings with a schema that is not there yet.
    /// - Returns: the body's result.
    /// - Throws: what the body throws.
    package static func withSchemas<Value>(
        through pooler: TestPooler? = nil,
        _ body: (_ make: @escaping @Sendable () throws -> ConnectionSettings) async throws -> Value
    ) async throws -> Value {
        let server = try await shared()
        let names = Mutex<[String]>([])
        let make = { @Sendable () throws -> ConnectionSettings in
            let settings = try pooler?.settings() ?? server.settings()
            names.withLock { $0.append(settings.schema) }
            return settings
        }
        do {
            let value = try await body(make)
            try await server.drop(names.withLock { $0 })
            return value
        } catch {
            try await server.drop(names.withLock { $0 })
            throw error
        }
    }

    private func drop(_ schemas: [String]) async throws {
        let pool = ConnectionPool(try settings())
        for name in schemas {
            try await pool.write(lock: "") { try $0.run("DROP SCHEMA IF EXISTS \(name) CASCADE") }
        }
    }

    /// Makes a schema for the time of a test.
    ///
    /// - Parameters:
    ///   - change: changes the settings of the test's connections.
    ///   - body: the test; gets the pool.
    /// - Returns: the body's result.
    /// - Throws: what the body throws.
    @discardableResult
    package static func withPool<Value>(
        _ change: (inout ConnectionSettings) -> Void = { _ in },
        _ body: (ConnectionPool) async throws -> Value
    ) async throws -> Value {
        try await withSchemas { make in
            var settings = try make()
            change(&settings)
            let (pool, name) = (ConnectionPool(settings), settings.schema)
            try await pool.write(lock: "") { try $0.run("CREATE SCHEMA \(name)") }
            return try await body(pool)
        }
    }
}

extension ConnectionPool {
    /// Ends the connections that listen on a channel, as a failover or an administrator does.
    ///
    /// - Parameter channel: the channel.
    /// - Returns: how many were ended.
    /// - Throws: the server's refusal.
    @discardableResult
    package func endListeners(on channel: String) async throws -> Int {
        try await write(lock: "") { connection in
            try connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = ?",
                [.text(channel)]
            ).count
        }
    }
}

/// Why there is no server to test with.
package enum TestServerError: Error {
    case notInstalled
    case notStarted
    case refused(String)
}

extension FileHandle {
    /// The next line; nil at the end.
    func nextLine() throws -> String? {
        var line: [UInt8] = []
        while let byte = try read(upToCount: 1)?.first {
            if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
            line.append(byte)
        }
        return nil
    }
}
