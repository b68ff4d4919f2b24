import Hummingbird
import LibraryAPI
import Persistence

/// Backups and verifications, started, monitored and cancelled by operators.
struct MaintenanceRoutes {
    private static let maximumSnapshotCount = 1000

    let desk: MaintenanceRunner

    func register(in registry: inout RouteRegistry) throws {
        try registry.on(.adminStartTask) { [desk] call, _ in
            let request: MaintenanceTask.Request = try await call.json()
            if case .backup(let folder, let keep) = request {
                guard folder.hasPrefix("/"), !folder.utf8.contains(0) else {
                    throw ProblemDetails(.malformedRequest, "Name a folder of the server's machine by its whole path.")
                }
                guard 1...Self.maximumSnapshotCount ~= keep else {
                    throw ProblemDetails(.malformedRequest, "Keep 1 to \(Self.maximumSnapshotCount) snapshots.")
                }
            }
            return try .json(try await desk.start(request), status: .accepted)
        }
        try registry.on(.adminTasks) { [desk] _, _ in try .json(try await desk.tasks()) }
        try registry.on(.adminTask) { [desk] call, _ in
            guard let task = try await desk.task(try call.parameter("id")) else { throw ProblemDetails.notFound }
            return try .json(task)
        }
        try registry.on(.adminEndTask) { [desk] call, _ in
            guard let task = try await desk.cancel(try call.parameter("id")) else { throw ProblemDetails.notFound }
            return try .json(task)
        }
    }
}
