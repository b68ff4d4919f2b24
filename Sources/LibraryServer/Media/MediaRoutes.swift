import Authorization
import Hummingbird
import LibraryAPI
import LibraryStore
import PhotoModel

/// Thumbnails, and the operators' view of the queue that makes them.
struct MediaRoutes {
    let store: LibraryStore
    let derivatives: Derivatives
    let notifier: ChangeNotifier

    func register(in registry: inout RouteRegistry) throws {
        try registry.on(.thumbnail) { [derivatives, metadata = store.metadata] call, admitted in
            let asset = try await metadata.asset(call.parameter("id"), in: admitted.view).orNotFound()
            return try await derivatives.thumbnail(of: asset, side: call.query(as: ThumbnailQuery.self).size, for: call)
        }
        try registry.on(.adminJobs) { [metadata = store.metadata] call, _ in
            let query = try call.query(as: JobQuery.self)
            return try .json(try await metadata.jobs(query.state, after: query.after, limit: query.limit ?? 100))
        }
        try registerControl(in: &registry)
    }

    private func registerControl(in registry: inout RouteRegistry) throws {
        for (endpoint, isPaused) in [(Endpoint.adminPauseJobs, true), (.adminResumeJobs, false)] {
            try registry.on(endpoint) { [metadata = store.metadata, notifier] call, _ in
                let audit = call.administrator.audit(.jobsControl, isPaused ? "paused" : "resumed", nil)
                try await metadata.setJobsPaused(isPaused, audit: audit)
                notifier.notify()
                return try .json(try await metadata.jobs(nil, after: nil, limit: 1))
            }
        }
        for endpoint in [Endpoint.adminRetryJobs, .adminRetryJob] {
            try registry.on(endpoint) {
                [metadata = store.metadata, notifier, generator = derivatives.generator] call, _ in
                let id = endpoint == .adminRetryJob ? try call.parameter("id", as: JobID.self) : nil
                let audit = call.administrator.audit(.jobsControl, id.map { "retried \($0)" } ?? "retried", nil)
                let count = try await metadata.retryJobs(id, audit: audit)
                guard id == nil || count > 0 else { throw ProblemDetails.notFound }
                generator.forgetFailures()
                notifier.notify()
                return try .json(JobCount(count: count))
            }
        }
        try registry.on(.adminRebuildJobs) { [metadata = store.metadata, notifier] _, _ in
            let count = try await metadata.fillJobs()
            notifier.notify()
            return try .json(JobCount(count: count))
        }
    }
}
