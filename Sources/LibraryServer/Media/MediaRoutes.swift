import Authorization
import Hummingbird
import LibraryAPI
import LibraryStore
import PhotoModel

/// Thumbnails, and the operators' view of the queue that makes them.
struct MediaRoutes {
    /// The largest side that may be requested, in pixels.
    private static let maximumSide = 16_384

    let store: LibraryStore
    let desk: Derivatives
    let bell: ChangeNotifier

    func register(in registry: inout RouteRegistry) throws {
        try registry.on(.thumbnail) { [desk, metadata = store.metadata] call, admitted in
            guard let asset = try await metadata.asset(call.parameter("id"), in: admitted.view) else {
                throw ProblemDetails.notFound
            }
            var query = try AdminQuery(call)
            let side = try query.value("size", Int.self)
            try query.finish()
            guard side.map({ 1...Self.maximumSide ~= $0 }) ?? true else {
                throw ProblemDetails(.malformedRequest, "The size is 1 to \(Self.maximumSide).", field: "size")
            }
            return try await desk.thumbnail(of: asset, side: side, for: call)
        }
        try registry.on(.adminJobs) { [metadata = store.metadata] call, _ in
            var query = try AdminQuery(call)
            let state = try query.value("state", JobState.self)
            let after = try query.value("after", JobID.self)
            let limit = try query.limit(default: 100, maximum: 1000)
            try query.finish()
            return try .json(try await metadata.jobs(state, after: after, limit: limit))
        }
        try registerControl(in: &registry)
    }

    private func registerControl(in registry: inout RouteRegistry) throws {
        for (endpoint, isPaused) in [(Endpoint.adminPauseJobs, true), (.adminResumeJobs, false)] {
            try registry.on(endpoint) { [metadata = store.metadata, bell] call, _ in
                try await metadata.setJobsPaused(isPaused, audit: call.jobAudit(isPaused ? "paused" : "resumed"))
                bell.ring()
                return try .json(try await metadata.jobs(nil, after: nil, limit: 1))
            }
        }
        try registry.on(.adminRetryJobs) { [metadata = store.metadata, bell, studio = desk.studio] call, _ in
            let count = try await metadata.retryJobs(nil, audit: call.jobAudit("retried"))
            studio.forgetFailures()
            bell.ring()
            return try .json(JobCount(count: count))
        }
        try registry.on(.adminRetryJob) { [metadata = store.metadata, bell, studio = desk.studio] call, _ in
            let id: JobID = try call.parameter("id")
            let count = try await metadata.retryJobs(id, audit: call.jobAudit("retried \(id)"))
            guard count > 0 else { throw ProblemDetails.notFound }
            studio.forgetFailures()
            bell.ring()
            return try .json(JobCount(count: count))
        }
        try registry.on(.adminRebuildJobs) { [metadata = store.metadata, bell] _, _ in
            let count = try await metadata.fillJobs()
            bell.ring()
            return try .json(JobCount(count: count))
        }
    }
}

extension Call {
    fileprivate func jobAudit(_ change: String) -> AuditEntry.Content {
        var content = AuditEntry.Content(.jobsControl, by: Actor.administrator(administrator.name).description)
        content.requestID = requestID
        content.address = remoteAddress
        content.new = change
        return content
    }
}
