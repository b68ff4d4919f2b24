import FoundationEssentials
import LibraryAPI
import LibraryStoreTestSupport
import Persistence
import PhotoModel
import PostgreSQLTestSupport
import Testing

@testable import LibraryStore

/// What servers of one library divide among themselves.
@Suite(.enabled(if: TestServer.isInstalled, "PostgreSQL is not installed"))
struct DutyTests {
    private static let hour = "3600000000"

    private static func server(_ host: String, authority: String = "key") -> ServerDescription {
        ServerDescription(
            host: host,
            version: "1",
            folder: "/var/lib/tintype",
            authority: ContentHasher.digest(Array(authority.utf8))
        )
    }

    private static func joined(_ library: SharedLibrary) async throws -> [any LibraryDuties] {
        let all = [library.first.metadata.duties, library.second.metadata.duties]
        try await all[0].join(server("one"))
        try await all[1].join(server("two"))
        // Nobody beats here, however long a test takes.
        try await library.change("UPDATE server SET seen = seen + 24 * \(hour)")
        return all
    }

    /// Makes a server silent for long enough to be taken for dead.
    private static func silence(_ host: String, _ library: SharedLibrary) async throws {
        try await library.change("UPDATE server SET seen = \(PostgreSQLDialect.now) - 16000000 WHERE host = '\(host)'")
    }

    @Test("one server has a duty; another gets it when the first leaves, gives it back, or is silent for too long")
    func leases() async throws {
        try await SharedLibrary.run { library in
            let duties = try await Self.joined(library)
            #expect(try await duties[0].take(.sweep))
            #expect(try await duties[0].take(.sweep), "it has it already")
            #expect(try await !duties[1].take(.sweep))
            #expect(try await duties[1].take(.upkeep), "each duty by itself")
            try await duties[1].giveBack(.sweep)
            #expect(try await !duties[1].take(.sweep), "nobody gives back what another has")
            try await duties[0].giveBack(.sweep)
            #expect(try await duties[1].take(.sweep))
            try await Self.silence("two", library)
            #expect(try await duties[0].take(.sweep))
            _ = try await duties[1].beat()
            #expect(try await !duties[1].take(.sweep), "it has passed on")
            try await duties[0].leave()
            #expect(try await duties[1].take(.sweep))
        }
    }

    @Test("servers see each other, a silent one as such; one that was forgotten comes back by itself")
    func presence() async throws {
        try await SharedLibrary.run { library in
            let duties = try await Self.joined(library)
            #expect(try await duties[0].servers().map(\.host) == ["one", "two"])
            try await Self.silence("one", library)
            #expect(try await duties[1].servers().map(\.isAlive) == [false, true])
            try await library.change("DELETE FROM server WHERE host = 'one'")
            _ = try await duties[0].beat()
            #expect(try await duties[1].servers().count == 2)
        }
    }

    @Test("servers tell each other their folders and clocks; one that is silent for an hour is forgotten")
    func presenceDetails() async throws {
        try await SharedLibrary.run { library in
            let duties = try await Self.joined(library)
            _ = try await duties[0].beat()
            // A beat tells what the last one measured.
            #expect(try await duties[1].servers().map(\.clockAhead) == [nil, nil])
            _ = try await duties[0].beat()
            let servers = try await duties[1].servers()
            #expect(servers.map(\.folder) == ["/var/lib/tintype", "/var/lib/tintype"])
            // The fixture's clock stands in the past.
            #expect(try #require(servers[0].clockAhead) < .seconds(-1000))
            #expect(servers[1].clockAhead == nil)
            let old = "UPDATE server SET seen = \(PostgreSQLDialect.now)"
            try await library.change("\(old) - \(Self.hour) + 600000000 WHERE host = 'one'")
            _ = try await duties[1].beat()
            #expect(try await duties[1].servers().map(\.host) == ["one", "two"])
            try await library.change("\(old) - \(Self.hour) - 1000000 WHERE host = 'one'")
            _ = try await duties[1].beat()
            #expect(try await duties[1].servers().map(\.host) == ["two"])
        }
    }

    @Test("servers tell each other their duties; a silent one has none")
    func dutiesTold() async throws {
        try await SharedLibrary.run { library in
            let duties = try await Self.joined(library)
            #expect(try await duties[0].servers().map(\.duties) == [[], []])
            for duty in [Duty.upkeep, .sweep] { #expect(try await duties[0].take(duty)) }
            #expect(try await duties[1].take(.maintenance))
            #expect(try await duties[1].servers().map(\.duties) == [[.sweep, .upkeep], [.maintenance]])
            try await Self.silence("one", library)
            #expect(try await duties[1].servers().map(\.duties) == [[], [.maintenance]])
        }
    }

    @Test("a server with other keys is refused, now and later")
    func foreignAuthority() async throws {
        try await SharedLibrary.run { library in
            try await library.first.metadata.duties.join(Self.server("one"))
            await #expect(throws: DutyError.foreignAuthority) {
                try await library.second.metadata.duties.join(Self.server("two", authority: "other"))
            }
            try await library.first.metadata.duties.leave()
            await #expect(throws: DutyError.foreignAuthority) {
                try await library.second.metadata.duties.join(Self.server("two", authority: "other"))
            }
            try await library.second.metadata.duties.join(Self.server("two"))
        }
    }

    @Test("a clock more than ten seconds from the database's takes readiness away until it is right")
    func clocks() async throws {
        try await SharedLibrary.run { library in
            // The fixture's clock stands in the past.
            let duties = library.first.metadata.duties
            try await duties.join(Self.server("one"))
            #expect(try await duties.beat() < .seconds(-1000))
            #expect(await errorCode { try await library.first.checkReadiness() } == .unavailable)
        }
    }

    @Test(
        "a clock ten minutes ahead of the database's or behind it takes readiness away, the right time does not",
        arguments: [600, -600, 0]
    )
    func wrongClocks(seconds: Int) async throws {
        try await TestServer.withSchemas { make in
            let rows = try await PostgreSQLStoreTests.store(make()).store
            let duties = rows.duties(isShared: true) {
                let microseconds = Int64((Date().timeIntervalSince1970 * 1_000_000).rounded())
                return WallTime(microsecondsSince1970: microseconds + Int64(seconds) * 1_000_000)
            }
            try await duties.join(Self.server("one"))
            let ahead = try await duties.beat()
            if seconds == 0 {
                try duties.checkReadiness()
            } else {
                #expect(throws: StoreError.self) { try duties.checkReadiness() }
                #expect((ahead > .zero) == (seconds > 0), "\(ahead)")
            }
        }
    }

    @Test("a server whose schema a newer version migrates while it runs is no longer ready, and says why")
    func newerSchema() async throws {
        try await SharedLibrary.run { library in
            func refusal() async throws -> String {
                let duties = library.first.metadata.duties
                _ = try await duties.beat()
                do {
                    try duties.checkReadiness()
                    return ""
                } catch {
                    return StoreError.wrapping(error).message
                }
            }
            try await library.first.metadata.duties.join(Self.server("one"))
            #expect(try await !refusal().contains("newer version"))
            // A mark of a move is no migration.
            let insert = "INSERT INTO schema_migrations (number, name, fingerprint) VALUES"
            try await library.change("\(insert) (\(SchemaMark.number), 'arriving', '')")
            #expect(try await !refusal().contains("newer version"))
            try await library.change("\(insert) (99, 'from a newer version', '')")
            #expect(try await refusal().contains("newer version"))
        }
    }

    @Test(
        "a job is claimed by one server; a silent server's jobs are freed by the others, a server that leaves frees its own"
    )
    func jobs() async throws {
        try await SharedLibrary.run { library in
            let duties = try await Self.joined(library)
            let stores = [library.first.metadata, library.second.metadata]
            for _ in 0..<6 {
                let (manifest, bytes) = library.fixture.capture(sizes: [10])
                try await library.fixture.save(manifest, bytes, to: library.first)
            }
            func claim(_ store: any MetadataStore, _ limit: Int) async throws -> [JobID] {
                try await store.claimJobs(limit: limit, lease: .seconds(900)).map(\.id)
            }
            async let mine = claim(stores[0], 4)
            async let others = claim(stores[1], 4)
            let claimed = try await (mine, others)
            var all = claimed.0 + claimed.1
            // Rows that the other was claiming were left out.
            for store in stores { all += try await claim(store, 6) }
            #expect(all.count == 6 && Set(all).count == 6)
            // A start frees nobody else's.
            try await stores[1].releaseJobs()
            _ = try await duties[1].beat()
            #expect(try await claim(stores[1], 6) == [])
            try await Self.silence("one", library)
            _ = try await duties[1].beat()
            let freed = try await claim(stores[1], 6)
            #expect(Set(freed).isSubset(of: all))
            try await duties[1].leave()
            #expect(try await claim(stores[0], 6).count == 6)
        }
    }

    @Test("rows in PostgreSQL and originals in a folder: one server, and the next only after it left or fell silent")
    func folder() async throws {
        try await TestServer.withSchemas { make in
            let settings = try make()
            func store(isNew: Bool) async throws -> SQLMetadataStore {
                try await PostgreSQLStoreTests.store(settings, isNew: isNew)
            }
            let (first, second) = (try await store(isNew: true).duties, try await store(isNew: false).duties)
            let pool = try await store(isNew: false).store
            func move(_ difference: String) async throws {
                try await pool.write([]) { try $0.execute("UPDATE server SET seen = seen \(difference)") }
            }
            try await first.join(Self.server("one"))
            try await move("+ \(Self.hour)")
            await #expect(throws: DutyError.taken(host: "one")) { try await second.join(Self.server("two")) }
            try await first.leave()
            try await second.join(Self.server("two"))
            try await move("+ \(Self.hour)")
            await #expect(throws: DutyError.taken(host: "two")) { try await first.join(Self.server("one")) }
            try await move("- \(Self.hour) - 16000000")
            try await first.join(Self.server("one"))
            try await move("+ \(Self.hour)")
            _ = try await second.beat()
            #expect(throws: StoreError.self) { try second.checkReadiness() }
        }
    }
}
