import LibraryAPI
import LibraryStore
import PhotoModel

/// The maintenance tasks of a library that several servers share, as records: any server answers for them, and any may cancel
/// them.
struct TaskRecords: Sendable {
    /// How many are kept.
    private static let maximumCount = 20

    let store: any MetadataStore
    /// This run of a server.
    let server: Int64

    private struct Document: StoredDocument {
        static let kind = RecordKind(rawValue: "maintenanceTask")

        var task: MaintenanceTask
        /// The run of the server that does it.
        let server: Int64
        /// Whether somebody asked for its end.
        var isCancelled = false
    }

    /// Writes a task of this server.
    ///
    /// - Parameter task: how far it is.
    /// - Returns: whether somebody asked for its end.
    /// - Throws: the database's errors.
    func save(_ task: MaintenanceTask) async throws -> Bool {
        let saved = try await store.updateRecord(Self.id(task.id), of: Document.kind, audit: nil) { [server] record in
            var document = try record.map(Document.init) ?? Document(task: task, server: server)
            document.task = task
            return StoredRecord(id: Self.id(task.id), document: try document.text())
        }
        return try saved.map(Document.init)?.isCancelled ?? false
    }

    /// Asks for the end of a task; nil if it is not known.
    func cancel(_ id: MaintenanceTaskID) async throws -> MaintenanceTask? {
        guard try await task(id) != nil else { return nil }
        _ = try await store.updateRecord(Self.id(id), of: Document.kind, audit: nil) { record in
            guard let record else { return nil }
            var document = try Document(record)
            document.isCancelled = true
            return StoredRecord(id: record.id, document: try document.text())
        }
        return try await task(id)
    }

    /// A task of any server; nil if it is not known.
    func task(_ id: MaintenanceTaskID) async throws -> MaintenanceTask? {
        guard let record = try await store.record(Self.id(id), of: Document.kind) else { return nil }
        return try await shown([record]).first
    }

    /// The latest tasks of all servers, newest first.
    func tasks() async throws -> [MaintenanceTask] {
        try await shown(store.records(of: Document.kind).sorted { $0.id.rawValue > $1.id.rawValue })
    }

    /// Forgets the oldest.
    func trim() async throws {
        try await store.updateRecords(of: Document.kind, ownedBy: nil) { records in
            var changes = RecordChanges()
            // Identifiers are ordered by time.
            let old = records.map(\.id).sorted { $0.rawValue > $1.rawValue }.dropFirst(Self.maximumCount)
            changes.removed = Array(old)
            return changes
        }
    }

    /// What a server that is gone left running has ended with it.
    private func shown(_ records: [StoredRecord]) async throws -> [MaintenanceTask] {
        let alive = Set(try await store.duties.servers().filter(\.isAlive).map(\.id))
        return try records.map { record in
            let document = try Document(record)
            var task = document.task
            if task.state == .running, !alive.contains(document.server) {
                task.state = .failed(
                    problem: ProblemDetails(.unavailable, "The server that ran it stopped: start it again.")
                )
            }
            return task
        }
    }

    private static func id(_ task: MaintenanceTaskID) -> RecordID { RecordID(rawValue: task.rawValue) }
}
