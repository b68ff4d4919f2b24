import Authorization
import FoundationEssentials
import LibraryAPI
import LibraryStoreTestSupport
import Logging
import Persistence
import PhotoModel
import PostgreSQL
import PostgreSQLTestSupport
import TestSupport
import Testing

@testable import LibraryStore

/// Two servers' stores over one schema: what each hears of the other.
@Suite(.enabled(if: TestServer.isInstalled, "PostgreSQL is not installed"))
struct PostgreSQLSignalTests {
    private static let device = ConformanceWorld.device

    /// Two stores over one library, and what the second one hears.
    private struct Servers {
        let first: SQLMetadataStore
        let second: SQLMetadataStore
        let pool: ConnectionPool
        /// What the first and the second server hear.
        let heard: [Heard]
    }

    /// What a server hears.
    private final class Heard: Sendable {
        private let stream: AsyncStream<LibrarySignal>
        let continuation: AsyncStream<LibrarySignal>.Continuation

        init() { (stream, continuation) = AsyncStream.makeStream() }

        /// Everything up to a signal.
        func until(_ isLast: (LibrarySignal) -> Bool) async -> [LibrarySignal] {
            var signals: [LibrarySignal] = []
            for await signal in stream {
                signals.append(signal)
                if isLast(signal) { break }
            }
            return signals
        }
    }

    private static func withServers(
        hearing isHearing: Bool = true,
        _ body: (Servers) async throws -> Void
    ) async throws {
        try await TestServer.withSchemas { make in
            var settings = try make()
            if !isHearing { settings.noticeAddress = nil }
            let world = ConformanceWorld()
            let open: @Sendable (Bool) async throws -> SQLMetadataStore = { [settings] isNew in
                try await offTheSharedThreads {
                    try SQLMetadataStore(
                        over: PostgreSQLRowStore(settings, isNew: isNew, timeZone: .gmt),
                        library: LibraryID(rawValue: 1),
                        isNew: isNew,
                        effects: world.effects,
                        blocking: BlockingPool(width: 2)
                    )
                }
            }
            let first = try await open(true)
            try await world.addDevices(to: first)
            let stores = [first, try await open(false)]
            let heard = [Heard(), Heard()]
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (store, heard) in zip(stores, heard) {
                    group.addTask {
                        await store.signals.run(Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }) { signal in
                            heard.continuation.yield(signal)
                        }
                    }
                }
                if isHearing { for store in stores { try await listens(store) } }
                try await body(
                    Servers(first: stores[0], second: stores[1], pool: ConnectionPool(settings), heard: heard)
                )
                group.cancelAll()
            }
        }
    }

    private static func listens(_ store: SQLMetadataStore) async throws {
        while store.signals.counts?.isListening != true { try await Task.sleep(for: .milliseconds(1)) }
    }

    private static func decide(_ answer: AccessDecision.Answer, in store: SQLMetadataStore) async throws {
        _ = try await store.decide(
            device,
            .answer(answer, for: Set(AccessLevel.allCases)),
            by: .administrator("ana"),
            reason: "",
            audit: AuditContext()
        )
    }

    @Test(
        "T67: a decision on one server closes the device's requests on the other, with notices and without, not its own"
    )
    func decisions() async throws {
        for isHearing in [true, false] {
            try await Self.withServers(hearing: isHearing) { servers in
                try await Self.decide(.none, in: servers.first)
                let party = Party.device(Self.device)
                _ = await servers.heard[1].until { $0 == .closure(party) }
                #expect(servers.second.signals.counts?.closures == 1)
                // The second server's own decision, by which the first has looked at both.
                try await Self.decide(.addOnly, in: servers.second)
                let first = await servers.heard[0].until { $0 == .closure(party) }
                #expect(first.filter { $0 == .closure(party) }.count == 1)
                #expect(servers.first.signals.counts?.closures == 1, "its own decision is no news")
            }
        }
    }

    @Test("T67: records whose end closes somebody's requests tell the other server, in the order of the decisions")
    func records() async throws {
        try await Self.withServers(hearing: false) { servers in
            let parties: [Party] = [
                .webSession(WebSessionID(rawValue: 7)), .operatorKey(ContentHasher.digest("key".utf8)),
                .pickerSession(PickerSessionID(rawValue: 7)),
            ]
            let id = RecordID(rawValue: 7)
            for party in parties {
                _ = try await servers.first.updateRecord(id, of: .webLogin, closing: [party], audit: nil) { _ in nil }
            }
            _ = try await servers.first.updateProfile(of: Self.device, closing: [.device(Self.device)], audit: nil) {
                _ in
            }
            // A transaction that fails closes nobody.
            await #expect(throws: CancellationError.self) {
                _ = try await servers.first.updateRecord(
                    id,
                    of: .webLogin,
                    closing: [.device(DeviceID(rawValue: 99))],
                    audit: nil
                ) { _ in throw CancellationError() }
            }
            try await Self.decide(.none, in: servers.first)
            var closed: [Party] = []
            while closed.count < 5 {
                guard case .closure(let party)? = await servers.heard[1].until({ $0 != .changes }).last else { return }
                closed.append(party)
            }
            #expect(closed == parties + [.device(Self.device), .device(Self.device)])
        }
    }

    @Test("a kind of party that only a newer server knows is passed over, and old closures are dropped")
    func unknownAndOld() async throws {
        try await Self.withServers(hearing: false) { servers in
            let kept = ClosureTable.keptCount
            try await servers.pool.write(lock: "SELECT id FROM library FOR UPDATE") { connection in
                try connection.run(
                    """
                    DELETE FROM closure;
                    INSERT INTO closure VALUES (2, 0, 'tenant', '\\x00'), (\(kept + 1), 0, 'tenant', '\\x01');
                    UPDATE library SET closure_number = \(kept + 1)
                    """
                )
            }
            try await Self.decide(.none, in: servers.first)
            let heard = await servers.heard[1].until { if case .closure = $0 { true } else { false } }
            #expect(heard.last == .closure(.device(Self.device)))
            let numbers = try await servers.first.store.read { database in
                try database.values(Int64.self, "SELECT number FROM closure ORDER BY number")
            }
            #expect(numbers == [kept + 1, kept + 2])
        }
    }

    @Test("after its connection for notices was ended a server looks, connects again and hears notices again")
    func reconnects() async throws {
        try await Self.withServers { servers in
            let id = UploadID(rawValue: 5)
            servers.first.signals.tell(.upload(id, turn: 1))
            _ = await servers.heard[1].until { $0 == .upload(id, turn: 1) }
            #expect(try await servers.pool.endListeners(on: "tintype_\(servers.pool.settings.schema)") == 2)
            // Whatever was told meanwhile is found by looks, and jobs are looked for once it listens again.
            try await Self.decide(.none, in: servers.first)
            var missing: Set<LibrarySignal> = [.closure(.device(Self.device)), .jobs]
            _ = await servers.heard[1].until { signal in
                missing.remove(signal)
                return missing.isEmpty
            }
            // The sender connects again in its own time; what it tells before is lost.
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    while !Task.isCancelled {
                        servers.first.signals.tell(.upload(id, turn: 2))
                        try? await Task.sleep(for: .milliseconds(10))
                    }
                }
                _ = await servers.heard[1].until { $0 == .upload(id, turn: 2) }
                group.cancelAll()
            }
        }
    }

    @Test("T67: what strangers notify on the channel wakes nobody and ends nothing")
    func strangers() async throws {
        try await Self.withServers { servers in
            let channel = "tintype_\(servers.pool.settings.schema)"
            let hostile = ["closure:1", "look look look", "upload:x:1", String(repeating: "x", count: 7999)]
            for payload in hostile {
                try await servers.pool.write(lock: "") { connection in
                    try connection.execute("SELECT pg_notify(?, ?)", [.text(channel), .text(payload)])
                }
            }
            servers.first.signals.tell(.upload(UploadID(rawValue: 1), turn: 1))
            let heard = await servers.heard[1].until { if case .upload = $0 { true } else { false } }
            #expect(heard.last == .upload(UploadID(rawValue: 1), turn: 1))
            #expect(!heard.contains { if case .closure = $0 { true } else { false } })
        }
    }
}
