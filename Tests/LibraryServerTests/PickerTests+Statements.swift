import Authorization
import GRDB
import LibraryAPI
import Persistence
import PhotoModel
import Synchronization
import TestSupport
import Testing

@testable import LibraryServer
@testable import LibraryStore

extension PickerTests {
    @Test(
        "T46: before a person acts, a session takes the same statements whatever its preselected asset is, and if none is",
        arguments: [true, false]
    )
    func preselectedStatements(isContinuous: Bool) async throws {
        try await RunningServer.run { server in
            let owner = try await TestDevice.enroll(at: server, maximum: "readWrite")
            let photos = try (0..<3).map { _ in try TestPhoto.random(byteCount: 50) }
            try await owner.call(server) { client in for photo in photos { _ = try await client.save(photo) } }
            let ids = photos.map(\.manifest.id)
            try await server.withOperator { admin in
                let edit = AssetEdit.making { $0.isHidden = true }
                let hidden = try await admin.send("PATCH", "/v1/assets/\(ids[1])", json: edit)
                let trashed = try await admin.send("DELETE", "/v1/assets/\(ids[2])")
                #expect(hidden.status < 300 && trashed.status < 300, "\(hidden.text) \(trashed.text)")
            }
            let caller = try await TestDevice.enroll(at: server)
            let pickers = try await TracedPickers(of: caller, at: server)
            var request = PickerRequest(purpose: "A picture for the badge.")
            request.isContinuous = isContinuous
            request.filter = .not(.favorites)
            let none = try await pickers.trace(request)
            #expect(!none.statements.isEmpty)
            let preselections = [
                ("in the library", ids[0]), ("never there", AssetID(rawValue: 5)), ("hidden", ids[1]),
                ("in the trash", ids[2]),
            ]
            for (name, id) in preselections {
                request.preselected = [id]
                let trace = try await pickers.trace(request)
                #expect(trace == none, "\(name)")
            }
            // Changed by the caller, it tells nothing more.
            request.isOrdered = true
            request.selectionLimit = 2
            request.preselected = nil
            let other = AssetID(rawValue: 6)
            let unnamed = try await pickers.trace(request, edit: Self.swap(ids[0], other))
            var answers: Set<[String]> = []
            for (name, id) in preselections {
                request.preselected = [id, other]
                let trace = try await pickers.trace(request, edit: Self.swap(id, other))
                #expect(trace.statements == unnamed.statements, "\(name)")
                answers.insert(trace.answers)
            }
            #expect(answers.count == 1, "\(answers)")
        }
    }

    /// Moves the second preselected asset before the first, and takes the first out.
    private static func swap(_ first: AssetID, _ second: AssetID) -> PickerEdit {
        PickerEdit(deselected: [first], moved: [PickerEdit.Move(id: second, after: nil)])
    }
}

/// What one device does with picker sessions of a running server's library, whose statements are recorded.
private struct TracedPickers {
    /// What a session took, and what its caller was told.
    struct Trace: Equatable {
        let statements: [String]
        let answers: [String]
    }

    private let pickers: Pickers
    private let origin: Pickers.Origin
    private let statements = RecordedStatements()

    init(of caller: TestDevice, at server: RunningServer) async throws {
        let metadata = try #require(server.environment.store.metadata as? SQLMetadataStore)
        // The server's own services would run statements in between.
        let traced = try await offTheSharedThreads { [statements] in
            try SQLMetadataStore(
                over: TracedRowStore(rows: metadata.store, statements: statements),
                library: metadata.library,
                isNew: false,
                timeZone: nil,
                effects: metadata.effects,
                blocking: metadata.blocking
            )
        }
        pickers = Pickers(store: traced, active: ActiveRequests(), now: server.environment.now)
        origin = Pickers.Origin(actor: .device(caller.id), context: AuditContext())
    }

    /// Opens a session, may change it, asks for its status and items, and ends it.
    func trace(_ request: PickerRequest, edit: PickerEdit? = nil) async throws -> Trace {
        _ = statements.take()
        let session = try await pickers.open(request, for: origin)
        if let edit { _ = try await pickers.edit(session.id, edit, by: origin) }
        let status = try await pickers.session(session.id, of: origin.actor)
        let items: String
        do {
            items = "\(try await pickers.items(session.id, by: origin, after: nil))"
        } catch let problem as ProblemDetails {
            items = problem.code?.rawValue ?? problem.title
        }
        try await pickers.end(session.id, of: origin.actor, by: origin)
        let answers = [session, status].map { "\($0.state) \($0.count) \($0.revision ?? -1)" }
        return Trace(statements: statements.take(), answers: answers + [items])
    }
}

/// The texts of statements.
final class RecordedStatements: Sendable {
    private let texts = Mutex<[String]>([])

    /// Records those of a connection to SQLite from now on.
    func begin(_ session: any SQLSession) throws {
        let database = try #require(session as? SQLiteSession).database
        database.trace { [self] event in
            guard case .statement(let statement) = event else { return }
            texts.withLock { $0.append(statement.sql) }
        }
    }

    /// Records those of a connection no longer.
    func end(_ session: any SQLSession) { (session as? SQLiteSession)?.database.trace() }

    /// Those since the last call.
    func take() -> [String] {
        texts.withLock { texts in
            defer { texts = [] }
            return texts
        }
    }
}

/// Rows in SQLite that record the statements of their transactions.
private struct TracedRowStore: RowStore {
    let rows: any RowStore
    let statements: RecordedStatements

    var signals: any LibrarySignals { rows.signals }
    var readerCount: Int { rows.readerCount }

    func duties(isShared: Bool, now: @escaping @Sendable () -> WallTime) -> any LibraryDuties {
        rows.duties(isShared: isShared, now: now)
    }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLSession) throws -> Value
    ) async throws -> Value {
        try await rows.read { [statements] in try Self.trace($0, statements, body) }
    }

    func write<Value: Sendable>(
        _ locks: [RowLock],
        _ body: @escaping @Sendable (any SQLSession) throws -> Value
    ) async throws -> Value {
        try await rows.write(locks) { [statements] in try Self.trace($0, statements, body) }
    }

    func writeBlocking<Value>(_ locks: [RowLock], _ body: (any SQLSession) throws -> Value) throws -> Value {
        try rows.writeBlocking(locks) { try Self.trace($0, statements, body) }
    }

    func guardHistory(_ begin: @escaping @Sendable (any SQLSession, _ reason: String) throws -> LibraryEpoch) {}

    func refreshPlans() async throws { try await rows.refreshPlans() }

    func copy(to path: Path) async throws { try await rows.copy(to: path) }

    private static func trace<Value>(
        _ session: any SQLSession,
        _ statements: RecordedStatements,
        _ body: (any SQLSession) throws -> Value
    ) throws -> Value {
        try statements.begin(session)
        defer { statements.end(session) }
        return try body(session)
    }
}
