import AgentCapture
import AgentService
import AgentStore
import ArgumentParser
import Capture
import PhotoLibrary
import PhotoModel
import ServiceLifecycle
import SyncEngine
import Synchronization
import Terminal
import UnixSignals

extension TimeSpan: ExpressibleByArgument {}

extension RunCommand {
    private static let standardDeadline = TimeSpan(seconds: 300)
    private static let standardLead = TimeSpan(seconds: 60)
    private static let standardLate = TimeSpan(seconds: 600)

    /// Does what is due, reports it, and exits with the matching status.
    ///
    /// - Throws: `configuration` for profiles that cannot run on a box that sleeps.
    func runOnce(_ agent: Agent, _ profiles: [CaptureProfile], isSyncing: Bool) async throws {
        let result = Mutex<(SingleRun.Result, isInterrupted: Bool)?>(nil)
        let run = try SingleRun(
            agent,
            profiles,
            prompter: agent.settings.prompter,
            lead: (lead ?? Self.standardLead).duration,
            late: (late ?? Self.standardLate).duration,
            deadline: (deadline ?? Self.standardDeadline).duration,
            isSyncing: isSyncing
        )
        let service = ClosureService {
            let outcome = await run.run()
            result.withLock { $0 = (outcome, Task.isShuttingDownGracefully) }
        }
        var group = ServiceGroupConfiguration(
            services: [
                .init(service: service, successTerminationBehavior: .gracefullyShutdownGroup, serviceName: "once")
            ],
            logger: agent.logger
        )
        group.gracefulShutdownSignals = [.sigterm, .sigint]
        try await ServiceGroup(configuration: group).run()
        try agent.store.settle()
        guard let (outcome, isInterrupted) = result.withLock({ $0 }) else { return }
        let ending = try outcome.sync.map { try SyncEnding($0, of: agent) }
        if common.json {
            Console.print(try JSONText.text(SingleRunDocument(outcome, ending)))
        } else {
            show(outcome, ending)
        }
        // The queue stays open to the end, as after a sync.
        withExtendedLifetime(agent) {
            Console.end(isInterrupted ? .interrupted : outcome.exit(ending))
        }
    }

    private func show(_ outcome: SingleRun.Result, _ ending: SyncEnding?) {
        for failure in outcome.failures {
            Console.note("not taken: \(failure.profile), \(failure.moment): \(Console.visible(failure.reason))")
        }
        for (file, reason) in outcome.folders.flatMap(\.failed).sorted(by: { $0.key < $1.key }) {
            Console.note("not taken in: \(Console.visible(file)): \(Console.visible(reason))")
        }
        for folder in outcome.folders {
            if let problem = folder.problem { Console.note("not read: \(folder.folder): \(Console.visible(problem))") }
        }
        if let error = outcome.syncError { Console.note("error: \(error)") }
        var parts = [Wording.count(outcome.shots.count, "shot taken", plural: "shots taken")]
        if outcome.skippedMoments > 0 { parts.append("\(outcome.skippedMoments) missed before") }
        let files = outcome.folders.reduce(0) { $0 + $1.taken }
        if files > 0 { parts.append("\(files) taken in") }
        Console.print(parts.joined(separator: ", ") + ".")
        if let ending { Console.print(ending.words) }
        guard let next = outcome.next else { return Console.print("Nothing is scheduled: wake it any time.") }
        Console.print(
            "Next wake: \(next.time), in \(Wording.span(.seconds(next.seconds))), for \(next.profile) at \(next.moment)."
        )
    }
}

extension TimeSpan {
    fileprivate var duration: Duration { .seconds(seconds) }
}

/// Work as a service that a graceful shutdown cancels.
private struct ClosureService: Service {
    let work: @Sendable () async -> Void

    func run() async throws {
        await cancelWhenGracefulShutdown(work)
    }
}

extension SingleRun.Result {
    /// The exit status: a failed capture takes precedence over a failed sync.
    fileprivate func exit(_ ending: SyncEnding?) -> AgentExit {
        if let captureError { return AgentExit(for: captureError) ?? .failed }
        if folders.contains(where: { !$0.failed.isEmpty || $0.problem != nil }) { return .failed }
        if let syncError { return AgentExit(for: syncError) ?? .failed }
        return ending?.outcome.exit ?? .done
    }
}

/// A single run's result as JSON.
private struct SingleRunDocument: Encodable {
    let captures: [CapturedShot]
    let failures: [ScheduledShots.Failure]
    let skippedMoments: Int64
    let folders: [CaptureStatus.Folder]
    let sync: SyncDocument?
    let problem: String?
    let nextWake: SingleRun.NextWake?

    init(_ result: SingleRun.Result, _ ending: SyncEnding?) {
        captures = result.shots
        failures = result.failures
        skippedMoments = result.skippedMoments
        folders = result.folders
        sync = ending?.document
        problem = (result.captureError ?? result.syncError).map { "\($0)" }
        nextWake = result.next
    }
}
