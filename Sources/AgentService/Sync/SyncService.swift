import ServiceLifecycle
package import SyncEngine

/// The sync as a service: runs until it is done, or the group stops it.
package struct SyncService: Service {
    private let agent: Agent
    private let mode: SyncSession<ContinuousClock>.Mode
    private let isAwaitingAdmission: Bool
    private let isComparing: Bool
    private let progress: (@Sendable (SyncSession<ContinuousClock>.Progress) -> Void)?
    private let ended: @Sendable (SyncReport, Bool) -> Void
    /// Yields when something was captured.
    var news = AsyncStream<Void> { $0.finish() }

    /// A sync of the agent's queue.
    ///
    /// - Parameters:
    ///   - agent: the agent.
    ///   - mode: once, or until the group stops it.
    ///   - isAwaitingAdmission: whether a box that is not admitted yet waits for admission, instead of failing.
    ///   - isComparing: whether the view is compared with the library's now.
    ///   - progress: called after every event.
    ///   - ended: receives the result, and whether it was stopped.
    package init(
        agent: Agent,
        mode: SyncSession<ContinuousClock>.Mode = .continuous,
        isAwaitingAdmission: Bool = false,
        isComparing: Bool = false,
        progress: (@Sendable (SyncSession<ContinuousClock>.Progress) -> Void)? = nil,
        ended: @escaping @Sendable (SyncReport, Bool) -> Void = { _, _ in }
    ) {
        self.agent = agent
        self.mode = mode
        self.isAwaitingAdmission = isAwaitingAdmission
        self.isComparing = isComparing
        self.progress = progress
        self.ended = ended
    }

    /// Syncs until it is done, or the group stops it.
    package func run() async throws {
        let report: SyncReport? = try await cancelWhenGracefulShutdown {
            if isAwaitingAdmission {
                try await Admission(agent: agent).wait()
                guard !Task.isCancelled else { return nil }
            }
            return try await agent.sync(mode, isComparing: isComparing, news: news, progress: progress)
        }
        if let report { ended(report, Task.isShuttingDownGracefully) }
    }
}
