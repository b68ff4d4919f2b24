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

    /// A sync of the agent's queue, once or until the group stops it.
    ///
    /// A box that is not admitted yet fails, unless it is awaiting admission. After every event `progress` is called,
    /// and in the end `ended` with the result and whether it was stopped.
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
