import LibraryAPI
import LibraryStore
import PhotoModel

/// The maintenance tasks of a library shared by several servers, as records: any server can report and cancel them.
struct TaskRecords: Sendable {
    /// The number of tasks kept.
    private static let maximumCount = 20

    let store: any MetadataStore
    /// Identifies this run of this server.
    let server: Int64

    private struct Document: StoredDocument {
        static let kind = RecordKind(rawValue: "maintenanceTask")

        var task: MaintenanceTask
        /// The server run that executes the task.
        let server: Int64
        /// Whether it was asked to end.
        var isCancelled = false
    }

    /// Saves a task of this server, and returns whether it was asked to end.
    func save(_ task: MaintenanceTask) async throws -> Bool {
        let saved = try await store.updateRecord(Self.id(task.id), of: Document.kind, audit: nil) { [server] record in
            var document = try record.map(Document.init) ?? Document(task: task, server: server)
            document.task = task
            return StoredRecord(id: Self.id(task.id), document: try document.text())
        }
        return try saved.map(Document.init)?.isCancelled ?? false
    }

    /// Asks a task to end; nil if it is unknown.
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

    /// A task of any server; nil if it is unknown.
    func task(_ id: MaintenanceTaskID) async throws -> MaintenanceTask? {
        guard let record = try await store.record(Self.id(id), of: Document.kind) else { return nil }
        return try await shown([record]).first
    }

    /// The latest tasks of all servers, newest first.
    func tasks() async throws -> [MaintenanceTask] {
        try await shown(store.records(of: Document.kind).sorted { $0.id.rawValue > $1.id.rawValue })
    }

    /// Deletes the oldest tasks.
    func trim() async throws {
        try await store.updateRecords(of: Document.kind, ownedBy: nil) { records in
            var changes = RecordChanges()
            // Identifiers are ordered by time.
            let old = records.map(\.id).sorted { $0.rawValue > $1.rawValue }.dropFirst(Self.maximumCount)
            changes.removed = Array(old)
            return changes
        }
    }

    /// Decodes records; a task whose server is gone counts as failed.
    private func shown(_ records: [StoredRecord]) async throws -> [MaintenanceTask] {
        let alive = Set(try await store.duties.servers().filter(\.isAlive).map(\.id))
        return try records.map { record in
            let document = try Document(record)
            var task = document.task
            if task.state == .running, !alive.contains(document.server) {
                task.state = .failed(
                    problem: ProblemDetails(.unavailable, "The server that ran the task stopped: start the task again.")
                )
            }
            return task
        }
    }

    private static func id(_ task: MaintenanceTaskID) -> RecordID { RecordID(rawValue: task.rawValue) }
}
