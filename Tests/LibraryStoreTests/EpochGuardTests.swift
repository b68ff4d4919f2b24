import Authorization
import Foundation
import LibraryAPI
import LibraryStoreTestSupport
import Persistence
import PhotoModel
import PostgreSQL
import PostgreSQLTestSupport
import TestSupport
import Testing

@testable import LibraryStore

/// A database that lost what was told.
@Suite(.enabled(if: TestServer.isInstalled, "PostgreSQL is not installed"))
struct EpochGuardTests {
    private static func store(
        _ settings: ConnectionSettings,
        isNew: Bool,
        beginsHistory: Bool = false,
        _ world: ConformanceWorld
    ) async throws -> SQLMetadataStore {
        try await offTheSharedThreads {
            try SQLMetadataStore(
                over: PostgreSQLRowStore(settings, isNew: isNew, timeZone: .gmt),
                library: LibraryID(rawValue: 1),
                isNew: isNew,
                beginsHistory: beginsHistory,
                effects: world.effects,
                blocking: BlockingPool(width: 2)
            )
        }
    }

    private static func run(_ program: String, _ arguments: String...) throws {
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        try process.runAlone()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }

    @Test("Set back while servers run: the first that looks begins a new history, once, and writes it into the audit")
    func setBack() async throws {
        let server = try await offTheSharedThreads { try TestServer() }
        let world = ConformanceWorld()
        let settings = try server.settings()
        let store = try await Self.store(settings, isNew: true, world)
        try await world.addDevices(to: store)
        _ = try await world.save(world.manifest(), to: store)
        let early = try await store.identity()
        try await server.control("stop -m fast")
        try Self.run("/bin/cp", "-a", "\(server.folder)/data", "\(server.folder)/copy")
        try await server.control("start")
        let other = try await Self.store(settings, isNew: false, world)
        let lost = world.manifest()
        _ = try await world.save(lost, to: store)
        let late = try await store.identity()
        #expect(try await other.identity() == late && late.lastChange > early.lastChange && late.epoch == early.epoch)

        try await server.control("stop -m immediate")
        try Self.run("/bin/rm", "-rf", "\(server.folder)/data")
        try Self.run("/bin/mv", "\(server.folder)/copy", "\(server.folder)/data")
        try await server.control("start")

        // One writes before anybody reads: its numbers must not be taken for those that were lost.
        _ = try await world.save(world.manifest(), to: store)
        let now = try await store.identity()
        #expect(now.epoch != late.epoch)
        #expect(try await other.identity() == now, "a second server takes over what the first began")
        let entry = try #require(try await store.lastAuditEntry()?.content)
        #expect(entry.event == .epochBegin && entry.reason?.contains("\(late.lastChange)") == true)
        let position = ChangePosition(epoch: late.epoch, viewVersion: 0, number: late.lastChange)
        await #expect(throws: StoreError.self) {
            _ = try await store.changes(after: position, limit: 10, for: .everything(grantVersion: 0))
        }
        // What was lost comes back by the device.
        _ = try await world.save(lost, to: other)
        #expect(try await store.identity().epoch == now.epoch)
        #expect(try await store.statistics().assets == 3)
    }

    @Test("Reading alone notices it too")
    func setBackRead() async throws {
        try await TestServer.withSchemas { make in
            let world = ConformanceWorld()
            let settings = try make()
            let store = try await Self.store(settings, isNew: true, world)
            try await world.addDevices(to: store)
            _ = try await world.save(world.manifest(), to: store)
            let before = try await store.identity()
            try await ConnectionPool(settings).write(lock: "") {
                try $0.run("UPDATE library SET change_number = change_number - 1")
            }
            let now = try await store.identity()
            #expect(now.epoch != before.epoch)
            #expect(try await store.identity() == now)
        }
    }

    @Test("A device's request notices it before its ticket is judged by rows that went back")
    func setBackContact() async throws {
        try await TestServer.withSchemas { make in
            let world = ConformanceWorld()
            let settings = try make()
            let store = try await Self.store(settings, isNew: true, world)
            try await world.addDevices(to: store)
            _ = try await world.save(world.manifest(), to: store)
            let before = try await store.identity()
            try await ConnectionPool(settings).write(lock: "") {
                try $0.run("UPDATE library SET change_number = change_number - 1")
            }
            let key = try #require(try await store.keys(of: ConformanceWorld.device).first)
            let owner = try #require(try await store.device(withKey: key.fingerprint))
            #expect(owner.record.device == ConformanceWorld.device)
            let epoch = try await ConnectionPool(settings).read { connection in
                try connection.execute("SELECT epoch FROM library").value(0, 0)
            }
            #expect(epoch != .blob(before.epoch.bytes))
        }
    }

    @Test("A standby that took over without synchronous replication begins a new history, also for later servers, once")
    func failover() async throws {
        let server = try await offTheSharedThreads { try TestServer() }
        let world = ConformanceWorld()
        let settings = try server.settings()
        let store = try await Self.store(settings, isNew: true, world)
        try await world.addDevices(to: store)
        let before = try await store.identity()
        try await server.control("stop -m fast")
        try Data().write(to: URL(filePath: "\(server.folder)/data/standby.signal"))
        try await server.control("start")
        try await server.control("promote")
        let later = try await Self.store(settings, isNew: false, world)
        let now = try await later.identity()
        #expect(now.epoch != before.epoch)
        #expect(try await store.identity() == now)
        _ = try await world.save(world.manifest(), to: store)
        #expect(try await later.identity().epoch == now.epoch)
    }

    @Test("begin-epoch begins one history: none beside it for the timeline on which a restore continues")
    func restored() async throws {
        let server = try await offTheSharedThreads { try TestServer() }
        let world = ConformanceWorld()
        let settings = try server.settings()
        let store = try await Self.store(settings, isNew: true, world)
        // A change, with which the timeline is recorded.
        try await world.addDevices(to: store)
        let before = try await store.identity()
        try await server.control("stop -m fast")
        try Data().write(to: URL(filePath: "\(server.folder)/data/standby.signal"))
        try await server.control("start")
        try await server.control("promote")
        let command = try await Self.store(settings, isNew: false, beginsHistory: true, world)
        let now = try await command.identity()
        let later = try await Self.store(settings, isNew: false, world)
        #expect(try await later.identity() == now, "a server that starts afterwards begins none either")
        let entries = try await later.audit(after: 0, device: nil, limit: 100).map(\.content)
        let begun = entries.filter { $0.event == .epochBegin }
        #expect(begun.map(\.reason) == ["restored"], "\(begun)")
        #expect(begun.first?.old?.hasPrefix("\(before.epoch), ") == true && begun.first?.new == "\(now.epoch)")
    }

    @Test("begin-epoch begins a history also where nothing tells that the rows were reset")
    func restoredUnseen() async throws {
        try await TestServer.withSchemas { make in
            let world = ConformanceWorld()
            let settings = try make()
            let before = try await Self.store(settings, isNew: true, world).identity()
            let now = try await Self.store(settings, isNew: false, beginsHistory: true, world).identity()
            #expect(now.epoch != before.epoch && now.lastChange == before.lastChange)
            #expect(try await Self.store(settings, isNew: false, world).identity() == now)
        }
    }
}
