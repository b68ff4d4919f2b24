import FoundationEssentials
import LibraryAPI
import PhotoModel
import Terminal
import Testing

@testable import AdminCommands

struct HealthCommandTests {
    private let library = StubLibrary()
    private let checkup = Checkup(now: Samples.now)

    private func statistics(_ change: (inout LibraryStatistics) -> Void) -> LibraryStatistics {
        var counts = LibraryStatistics()
        counts.freeBytes = 100 << 30
        change(&counts)
        return counts
    }

    private func ago(_ seconds: Int64) -> WallTime { Samples.now.advanced(by: .seconds(-seconds)) }

    @Test("clocks that differ by more than half a minute are told, in words and direction")
    func clock() {
        #expect(checkup.clock(server: ago(29)).outcome == .good)
        let ahead = checkup.clock(server: ago(3700))
        #expect(ahead.outcome == .warning && ahead.words.contains("1 h 1 min ahead of"))
        #expect(checkup.clock(server: ago(-3600)).words.contains("behind"))
    }

    @Test("a certificate is to be renewed two weeks before it ends")
    func certificate() {
        #expect(checkup.certificate(ending: nil).outcome == .good)
        #expect(checkup.certificate(ending: ago(-15 * 86_400)).outcome == .good)
        #expect(checkup.certificate(ending: ago(-13 * 86_400)).outcome == .warning)
    }

    @Test("lost bytes and a full disk are bad, purged files in quarantine are not; each says what to do")
    func contents() {
        #expect(checkup.contents(statistics { $0.missing = 1 }).outcome == .bad)
        let purged = checkup.contents(statistics { $0.quarantined = 3 })
        #expect(purged.outcome == .good && purged.words.contains("3 more in quarantine"))
        #expect(checkup.contents(statistics { _ in }).outcome == .good)
        #expect(checkup.disk(statistics { $0.freeBytes = 1 << 30 }).outcome == .bad)
        #expect(checkup.disk(statistics { $0.freeBytes = nil }).outcome == .warning)
        #expect(checkup.disk(statistics { _ in }).outcome == .good)
    }

    @Test("what holds rows and originals is named; asynchronous standbys are a warning, a store that is away is bad")
    func storage() {
        #expect(checkup.rows(statistics { _ in }).isEmpty && checkup.originals(statistics { _ in }).isEmpty)
        func held(
            _ replication: LibraryStatistics.Storage.Replication?,
            _ originals: String = "folder",
            problem: String? = nil
        ) -> LibraryStatistics {
            statistics { counts in
                counts.freeBytes = nil
                counts.storage = .init(rows: "PostgreSQL 15.18", replication: replication)
                counts.storage?.originals = originals
                counts.storage?.problem = problem
            }
        }
        for replication in [nil, LibraryStatistics.Storage.Replication.none, .synchronous] {
            #expect(checkup.rows(held(replication)).map(\.outcome) == [.good])
        }
        #expect(checkup.rows(held(.asynchronous)).map(\.outcome) == [.warning])
        let bucket = held(.synchronous, "s3://photos/ at s3.example")
        #expect(checkup.originals(bucket).map(\.words) == ["s3://photos/ at s3.example"])
        #expect(checkup.disk(bucket).outcome == .good, "a bucket has no disk")
        let away = checkup.originals(held(.synchronous, "s3://photos/ at s3.example", problem: "no answer"))
        #expect(away.map(\.outcome) == [.bad] && away[0].words.contains("no answer"))
    }

    private func server(
        _ host: String,
        folder: String = "/var/lib/tintype",
        version: String = "1",
        seenSecondsAgo: Int64 = 2,
        isAlive: Bool = true,
        clockAheadMilliseconds: Int64? = nil
    ) -> LibraryStatistics.Server {
        .init(
            id: host + folder,
            host: host,
            folder: folder,
            version: version,
            seen: ago(seenSecondsAgo),
            isAlive: isAlive,
            clockAheadMilliseconds: clockAheadMilliseconds
        )
    }

    @Test("each server is named with its version and when it was seen; silence, clocks and versions are told")
    func servers() {
        func found(_ servers: LibraryStatistics.Server...) -> [Finding] {
            checkup.servers(statistics { $0.servers = servers })
        }
        #expect(checkup.servers(statistics { _ in }).isEmpty, "rows in a file have one server")
        let well = found(server("one", clockAheadMilliseconds: 2000), server("two", clockAheadMilliseconds: -2000))
        #expect(well.map(\.outcome) == [.good, .good])
        #expect(well.map(\.words) == ["one: version 1, seen 2 s ago", "two: version 1, seen 2 s ago"])
        let silent = found(server("one"), server("two", version: "0", seenSecondsAgo: 300, isAlive: false))
        #expect(silent.map(\.outcome) == [.good, .warning], "a silent server's version does not count")
        #expect(silent[1].words == "two: version 0, seen 5 min ago, silent")
        #expect(silent[1].next?.contains("two") == true)
        let mixed = found(server("one"), server("two", version: "2"))
        #expect(mixed.map(\.outcome) == [.good, .good, .warning] && mixed[2].words.hasSuffix("1, 2"))
        // The database's clock may be ahead of this machine's.
        let twins = found(server("one", seenSecondsAgo: -9), server("one", folder: "/srv/two"))
        #expect(
            twins.map(\.words) == [
                "one /var/lib/tintype: version 1, seen now", "one /srv/two: version 1, seen 2 s ago",
            ]
        )
    }

    @Test(
        "a server's clock that is off by more than 2 s is a warning, by more than 10 s bad: it is not ready",
        arguments: [
            (2001, .warning, "2 s ahead of"), (-10_000, .warning, "10 s behind"), (10_001, .bad, "10 s ahead of"),
            (-61_000, .bad, "1 min 1 s behind"),
        ] as [(Int64, Finding.Outcome, String)]
    )
    func serverClock(milliseconds: Int64, outcome: Finding.Outcome, words: String) {
        let off = server("one", clockAheadMilliseconds: milliseconds)
        let findings = checkup.servers(statistics { $0.servers = [off, server("two")] })
        #expect(findings.map(\.outcome) == [outcome, .good])
        #expect(findings[0].words.contains("its clock is \(words) the database's"))
        #expect(findings[0].words.hasSuffix("not ready") == (outcome == .bad))
        #expect(findings[0].next?.contains("one") == true)
    }

    @Test("no backup is bad once there is something to lose; an old one is a warning only while changes are missing")
    func backup() {
        #expect(checkup.backup(statistics { _ in }).outcome == .good)
        #expect(checkup.backup(statistics { $0.assets = 1 }).outcome == .bad)
        func backedUp(_ age: Int64, change: Int64) -> Finding {
            checkup.backup(
                statistics { counts in
                    counts.assets = 1
                    counts.lastChange = ChangeNumber(rawValue: change)
                    counts.backupWatermark = ChangeNumber(rawValue: 5)
                    counts.backupTime = ago(age)
                }
            )
        }
        #expect(backedUp(3600, change: 9).outcome == .good)
        #expect(backedUp(8 * 86_400, change: 9).outcome == .warning)
        #expect(backedUp(8 * 86_400, change: 5).outcome == .good)
    }

    @Test("devices that hold captures, have a twin, wait or are silent are named with the next command")
    func devices() {
        var holding = Samples.device(1)
        holding.status = .init(queuedAssets: 2, queuedBytes: 9, freeBytes: 9, holds: ["denied": 2], build: "x")
        var silent = Samples.device(2)
        silent.lastSeen = ago(8 * 86_400)
        let all = [
            holding, silent, Samples.device(3), Samples.device(4, state: .suspect), Samples.device(5, state: .pending),
            Samples.device(6, state: .revoked),
        ]
        let findings = checkup.devices(all)
        #expect(findings.count == 4 && findings.allSatisfy { $0.outcome == .warning && $0.next != nil })
        #expect(findings[0].words.contains("holds 2 captures back"))
        holding.status?.holds = ["denied": 0]
        #expect(checkup.devices([holding, Samples.device(3)]).map(\.outcome) == [.good])
    }

    private func hold(missing: Int = 0, servers: [LibraryStatistics.Server]? = nil) throws {
        var device = Samples.device(1, name: "gate at the very end of the long road behind the house")
        device.status = .init(queuedAssets: 2, queuedBytes: 9 << 20, freeBytes: 9, holds: ["denied": 2], build: "x")
        try library.answer("GET /v1/admin/devices", with: DevicePage(devices: [device]))
        try library.answer(
            "GET /v1/admin/library/statistics",
            with: statistics {
                $0.missing = missing
                $0.uploads = 1
                $0.servers = servers
            }
        )
        let jobs = JobPage(jobs: [], next: nil, isPaused: false, counts: ["waiting": 3])
        try library.answer("GET /v1/admin/jobs?limit=1", with: jobs)
        try library.answer("POST /v1/admin/audit/verify", with: AuditVerification(entryCount: 3, signedHeadCount: 1))
        try library.answer("GET /v1/admin/requests", with: AccessRequestPage(requests: []))
        try library.answer(
            "GET /v1/admin/web-logins/current",
            with: WebLoginResponse(csrfToken: "", name: "uid:0", expires: Samples.now)
        )
        let photo = Samples.livePhoto().asset
        let uploads = photo.resources.map { resource in
            UploadStatus(
                id: UploadID(rawValue: 1),
                resourceID: resource.id,
                offset: 1250,
                length: 2500,
                isComplete: false,
                expires: Samples.now
            )
        }
        try library.answer(
            "GET /v1/admin/devices/\(device.id)/uploads",
            with: PendingUploadPage(assets: [.init(manifest: AssetManifest(photo), uploads: uploads)])
        )
    }

    @Test("the doctor ends with 1 only where something is bad, and says every next step whole")
    func doctor() async throws {
        try hold()
        var runner = CommandRunner(library: library)
        runner.terminal = TerminalTraits(columnCount: 60)
        let warned = await runner.run(["doctor"])
        #expect(warned.status == 0)
        #expect(warned.output.contains("! ") && warned.notes.contains("next: device: tintypectl device show"))
        try hold(missing: 2)
        let bad = await runner.run(["doctor", "--json"])
        #expect(bad.status == 1 && bad.notes.contains("repair"))
        let told = await runner.run(["doctor"])
        #expect(told.notes.ranges(of: "tintypectl library repair").count == 1, "\(told.notes)")
        #expect(bad.output.contains(#""check" : "contents""#) && bad.output.contains(#""outcome" : "bad""#))
        #expect(library.requests.allSatisfy { $0.line.hasPrefix("GET") || $0.line.hasSuffix("/verify") })
    }

    @Test("the doctor and the counts name every server; the next step of each that needs one is told")
    func serverList() async throws {
        let silent = server("two", seenSecondsAgo: 300, isAlive: false)
        try hold(servers: [server("one", clockAheadMilliseconds: 12_000), silent, server("three")])
        let runner = CommandRunner(library: library)
        let doctor = await runner.run(["doctor"])
        #expect(doctor.status == 1)
        #expect(doctor.notes.contains("next: server: start two again") && doctor.notes.contains("the clock of one"))
        for name in ["one", "two", "three"] { #expect(doctor.output.contains("\(name): version 1")) }
        let counts = await runner.run(["library", "stats"]).output
        #expect(counts.contains("two: version 1, seen 5 min ago, silent"), "\(counts)")
        #expect(counts.contains("three: version 1, seen 2 s ago\n"), "\(counts)")
        let wire = await runner.run(["library", "stats", "--json"]).output
        #expect(wire.contains(#""clockAheadMilliseconds" : 12000"#), "\(wire)")
        try hold()
        #expect(!(await runner.run(["library", "stats"]).output.contains("Server")))
        #expect(!(await runner.run(["library", "stats", "--json"]).output.contains("servers")))
    }

    @Test(
        "watching draws a screen that fits a terminal, and elsewhere writes one JSON line a round",
        arguments: [60, 80, 140]
    )
    func watch(columnCount: Int) async throws {
        try hold()
        var runner = CommandRunner(library: library)
        runner.terminal = TerminalTraits(columnCount: columnCount)
        let screen = await runner.run(["watch", "--count", "1"])
        #expect(screen.status == 0, "\(screen.notes)")
        #expect(screen.output.hasPrefix("\u{1B}[H\u{1B}[J"))
        #expect(screen.output.contains("2 denied") && screen.output.contains("50 %"))
        for line in screen.output.split(separator: "\n").dropFirst() {
            #expect(InertText(String(line)).width <= columnCount, "\(line)")
        }
        let lines = await runner.run(["watch", "--count", "2", "--json"]).output.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines[0].hasPrefix("{\"areJobsPaused\":false,"))
    }
}
