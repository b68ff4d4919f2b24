import Hummingbird
import LibraryAPI
import Persistence

/// Backups and verifications, started, monitored and cancelled by operators.
struct MaintenanceRoutes {
    private static let maximumSnapshotCount = 1000

    let runner: MaintenanceRunner

    func register(in registry: inout RouteRegistry) throws {
        try registry.on(.adminStartTask) { [runner] call, _ in
            let request: MaintenanceTask.Request = try await call.json()
            if case .backup(let folder, let keep) = request {
                guard folder.hasPrefix("/"), !folder.utf8.contains(0) else {
                    throw ProblemDetails(.malformedRequest, "Give the absolute path of a folder on the server.")
                }
                guard 1...Self.maximumSnapshotCount ~= keep else {
                    throw ProblemDetails(.malformedRequest, "Keep 1 to \(Self.maximumSnapshotCount) snapshots.")
                }
            }
            return try .json(try await runner.start(request), status: .accepted)
        }
        try registry.on(.adminTasks) { [runner] _, _ in try .json(try await runner.tasks()) }
        try registry.on(.adminTask) { [runner] call, _ in
            try .json(await runner.task(call.parameter("id")).orNotFound())
        }
        try registry.on(.adminEndTask) { [runner] call, _ in
            try .json(await runner.cancel(call.parameter("id")).orNotFound())
        }
    }
}
