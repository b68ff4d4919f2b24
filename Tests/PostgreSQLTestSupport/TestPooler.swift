import Foundation
package import PostgreSQL
import Synchronization
import TestSupport

/// PgBouncer in front of the tests' PostgreSQL, in transaction mode: each transaction may run on another connection.
///
/// It ends with the process, however that ends.
package final class TestPooler: Sendable {
    /// The folder of its socket and log.
    private let folder: String
    private let commands: FileHandle

    /// Whether Debian's package `pgbouncer` is installed.
    package static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: program) }

    private static let program = "/usr/sbin/pgbouncer"
    private static let running = Mutex<TestPooler?>(nil)

    /// The pooler of this process, in front of the server of this process.
    package static func shared() async throws -> TestPooler {
        let server = try await TestServer.shared()
        return try await offTheSharedThreads {
            try running.withLock { pooler in
                if let pooler { return pooler }
                let started = try TestPooler(before: server)
                pooler = started
                return started
            }
        }
    }

    private init(before server: TestServer) throws {
        let answers: FileHandle
        (commands, answers) = try TestServer.run(Self.script, Self.program, server.folder)
        guard let line = try answers.nextLine() else { throw TestServerError.notStarted }
        folder = line
    }

    /// Prints the folder as soon as the pooler takes connections, and ends it when there is no more standard input.
    ///
    /// It has fewer connections than its clients, so that a transaction seldom gets the one of before.
    private static let script = """
        set -eu
        folder=$(mktemp -d /tmp/tintype-pgbouncer-XXXXXX)
        trap 'rm -rf "$folder"' EXIT
        cat >"$folder/pgbouncer.ini" <<END
        [databases]
        * = host=$2 user=tintype
        [pgbouncer]
        listen_addr =
        unix_socket_dir = $folder
        auth_type = any
        pool_mode = transaction
        default_pool_size = 24
        max_client_conn = 2000
        client_login_timeout = 600
        server_connect_timeout = 600
        query_wait_timeout = 600
        logfile = $folder/log
        END
        "$1" --quiet "$folder/pgbouncer.ini" &
        pooler=$!
        until [ -S "$folder/.s.PGSQL.6432" ]; do
            kill -0 $pooler 2>/dev/null || { cat "$folder/log" >&2; exit 1; }
            sleep 0.05
        done
        echo "$folder"
        read -r _ || true
        kill -KILL $pooler
        """

    /// Settings with a schema that nobody else has, for connections through the pooler.
    package func settings() throws -> ConnectionSettings {
        let place = "postgres:///postgres?host=\(folder)&port=6432&user=tintype"
        let address = try ServerAddress("\(place)&connect_timeout=300")
        var settings = try ConnectionSettings(address, schema: TestServer.newSchema())
        settings.keepsSession = false
        return settings
    }
}
