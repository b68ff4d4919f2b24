import Foundation
import GRDB
import LibraryAPI
import LibraryStore
import Persistence
import Testing

@testable import LibraryServer

/// What monitoring is given to work with.
struct MonitoringTests {
    private static let folder = URL(filePath: #filePath)
        .deletingLastPathComponent().appending(path: "../../deploy/monitoring")

    @Test("Alerts and dashboard name metrics that the server has", arguments: ["alerts.yaml", "dashboard.json"])
    func names(_ file: String) async throws {
        let text = try String(contentsOf: Self.folder.appending(path: file), encoding: .utf8)
        let named = Set(text.matches(of: /tintype_[a-z_]+/).map { String($0.output) })
        #expect(named.count > 5)
        try await RunningServer.run { server in
            let answer = try await server.withOperator { try await $0.send("GET", "/metrics").text }
            let known = Set(answer.matches(of: /# HELP ([a-z_]+)/).map { String($0.output.1) })
            for name in named {
                let base = name.hasSuffix("_bucket") ? String(name.dropLast("_bucket".count)) : name
                #expect(known.contains(base), "\(file) names \(name)")
            }
        }
    }

    @Test("The dashboard repeats a row for each server, whose panels show that server alone")
    func rowOfServer() throws {
        let data = try Data(contentsOf: Self.folder.appending(path: "dashboard.json"))
        let dashboard = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        let variables = (dashboard["templating"] as? [String: Any])?["list"] as? [[String: Any]] ?? []
        #expect(variables.contains { $0["name"] as? String == "server" })
        let panels = try #require(dashboard["panels"] as? [[String: Any]])
        let row = try #require(panels.firstIndex { $0["repeat"] as? String == "server" })
        #expect(panels[row]["type"] as? String == "row")
        let shown = panels[(row + 1)...].prefix { $0["type"] as? String != "row" }
        let queries = shown.flatMap { $0["targets"] as? [[String: Any]] ?? [] }.map { $0["expr"] as? String ?? "" }
        #expect(shown.count == 4)
        for query in queries {
            let chosen = query.matches(of: /tintype_[a-z_]+\{instance="\$server"\}/).count
            #expect(chosen > 0 && chosen == query.matches(of: /tintype_/).count, "\(query)")
        }
        #expect(Set(panels.map { $0["id"] as? Int }).count == panels.count)
    }

    @Test("The server is not ready while its rows or its originals cannot be reached, though it lives")
    func readiness() async throws {
        let folder = try TemporaryFolder()
        try await RunningServer.run(in: folder.path) { server in
            let layout = LibraryLayout(root: Path("\(folder.path)/library"))
            let pool = try SQLiteRowStore.opening(layout.database).open()
            let id = try #require(try await pool.read { try Data.fetchOne($0, sql: "SELECT id FROM library") })
            try await server.withClient { client in
                for (stored, status) in [(id, 200), (Data(), 500), (id, 200)] {
                    try await pool.write { database in
                        try database.execute(sql: "UPDATE library SET id = ?", arguments: [stored])
                    }
                    #expect(try await client.send("GET", "/readyz").status == status)
                    #expect(try await client.send("GET", "/healthz").status == 200)
                }
                let (originals, aside) = (layout.originals.text, "\(folder.path)/aside")
                for (old, new, isReady) in [(originals, aside, false), (aside, originals, true)] {
                    try FileManager.default.moveItem(atPath: old, toPath: new)
                    #expect((try await client.send("GET", "/readyz").status == 200) == isReady)
                }
            }
        }
    }

    @Test("What the library holds is counted when somebody asks")
    func gauges() async throws {
        try await RunningServer.run { server in
            _ = try await TestDevice.enroll(at: server)
            let text = try await server.withOperator { try await $0.send("GET", "/metrics").text }
            #expect(text.contains("tintype_library_devices{state=\"active\"} 1"))
            #expect(text.contains("tintype_library_assets{state=\"visible\"} 0"))
            #expect(text.contains("tintype_library_backup_timestamp_seconds 0"))
            let free = try #require(text.firstMatch(of: /tintype_library_free_bytes ([0-9]+)/))
            #expect(Int64(free.output.1) ?? 0 > 0)
        }
    }

    @Test("Operators are told what is free, what is kept free, and what that means", arguments: [0, 1_000_000_000])
    func room(reservedMebibytes: Int64) async throws {
        try await RunningServer.run(flags: ["library.reservedMebibytes=\(reservedMebibytes)"]) { server in
            let counts = try await server.withOperator {
                try await $0.send("GET", "/v1/admin/library/statistics").json(LibraryStatistics.self)
            }
            #expect(try #require(counts.freeBytes) > 0)
            #expect(counts.reservedBytes == reservedMebibytes << 20)
            #expect((counts.room == .full) == (reservedMebibytes > 0), "\(counts)")
        }
    }

    @Test("Operators are told what holds the library, and note a backup by other tools up to a change that there is")
    func externalBackup() async throws {
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server)
            try await device.call(server) { _ = try await $0.save(try TestPhoto.random(byteCount: 100)) }
            try await server.withOperator { client in
                func statistics() async throws -> LibraryStatistics {
                    try await client.send("GET", "/v1/admin/library/statistics").json()
                }
                func note(_ number: ChangeNumber) async throws -> MaintenanceTask.State {
                    let request = MaintenanceTask.Request.noteBackup(upTo: number)
                    var task: MaintenanceTask =
                        try await client.send("POST", "/v1/admin/library/tasks", json: request).json()
                    try await eventually {
                        task = try await client.send("GET", "/v1/admin/library/tasks/\(task.id)").json()
                        return task.state != .running
                    }
                    return task.state
                }
                let before = try await statistics()
                #expect(before.storage?.rows.hasPrefix("SQLite 3.") == true && before.storage?.originals == "folder")
                #expect(before.servers == nil, "only one can open the file")
                #expect(try await note(before.lastChange) == .noted(upTo: before.lastChange))
                #expect(try await statistics().backupWatermark == before.lastChange)
                let beyond = ChangeNumber(rawValue: before.lastChange.rawValue + 1)
                guard case .failed = try await note(beyond) else {
                    Issue.record("a change that is yet to come was noted")
                    return
                }
                #expect(try await statistics().backupWatermark == before.lastChange)
            }
        }
    }

    @Test("A task that is cancelled before it is begun does nothing")
    func cancelledEarly() async throws {
        try await RunningServer.run { server in
            let environment = server.environment
            let runner = MaintenanceRunner(
                store: environment.store,
                now: environment.now,
                logger: RunningServer.silence
            )
            let id = try await runner.start(.collect).id
            _ = try await runner.cancel(id)
            let running = Task { try await runner.run() }
            while try await runner.task(id)?.state == .running { try await Task.sleep(for: .milliseconds(1)) }
            #expect(try await runner.task(id)?.state == .cancelled)
            running.cancel()
        }
    }
}
