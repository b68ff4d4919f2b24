import AgentCapture
import AgentService
import AgentStore
import ArgumentParser
import Authorization
import FoundationEssentials
import Logging
import ServiceLifecycle
import SyncEngine
import Synchronization
import Terminal
import UnixSignals

struct SyncCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "sync",
        "Sends the queue to the library.",
        """
        With --once it ends when everything is sent, held, or to be retried later: right for a timer. Otherwise it \
        runs until stopped.
        """,
        examples: ["tintype-agent sync --once", "tintype-agent sync --once --json"],
        exitStatuses: [
            0: "done, nothing to do, or stopped without --once", 3: "a part was sent",
            4: "held: what is left waits for a decision, an hour, a link or room", 69: "unreachable", 77: "not allowed",
            78: "no library was asked yet",
        ]
    )

    @Flag(help: "Ends when there is nothing left to do soon.")
    var once = false

    @Flag(help: "Compares this box's view with the library now, and repairs differences; with --once.")
    var compare = false

    @OptionGroup var common: CommonOptions

    func validate() throws {
        if compare, !once { throw ValidationError("--compare goes with --once") }
    }

    func run() async throws {
        let agent = try common.agent()
        let bar = common.showsProgress ? ConsoleBar() : nil
        let result = Mutex<(report: SyncReport, isStopped: Bool)?>(nil)
        let service = SyncService(
            agent: agent,
            mode: once ? .once : .continuous,
            isComparing: compare,
            progress: { bar?.show($0) },
            ended: { report, isStopped in result.withLock { $0 = (report, isStopped) } }
        )
        var services: [ServiceGroupConfiguration.ServiceConfiguration] = [
            // Without a name, the group would log a full description of the agent.
            .init(service: service, successTerminationBehavior: .gracefullyShutdownGroup, serviceName: "sync")
        ]
        if !once { services.append(.init(service: RetentionService(agent: agent), serviceName: "retention")) }
        var group = ServiceGroupConfiguration(services: services, logger: agent.logger)
        group.gracefulShutdownSignals = [.sigterm, .sigint]
        try await ServiceGroup(configuration: group).run()
        try agent.store.settle()
        guard let (report, isStopped) = result.withLock({ $0 }) else { return }
        bar?.clear()
        if once, !common.json, report.outcome == .notAllowed, try agent.store.draining()?.isEnded == true {
            throw AgentError(
                .notAllowed,
                "this box is retired: the library has all that it could deliver; "
                    + "tintype-agent enroll URL --token TOKEN admits it again"
            )
        }
        let ending = try SyncEnding(report, of: agent)
        let words = isStopped ? "Stopped. \(ending.words)" : ending.words
        Console.print(common.json ? try JSONText.text(ending.document) : words)
        // Stopping a service is not a failure.
        guard once || !isStopped else { return }
        // The queue stays open to the end: closing it would checkpoint SQLite's WAL, which commits do in passing.
        withExtendedLifetime(agent) { Console.end(ending.outcome.exit) }
    }
}

extension SyncReport.Outcome {
    /// Its exit status.
    var exit: AgentExit {
        switch self {
        case .done, .nothingToDo: .done
        case .partly: .partly
        case .held: .held
        case .unreachable: .unreachable
        case .notAllowed: .notAllowed
        }
    }
}

extension SyncReport {
    /// One line for people, with the counts that only the document has.
    func summary(_ outcome: Outcome, _ identityHold: HoldReason?, _ document: SyncDocument) -> String {
        var parts: [String] = []
        switch outcome {
        case .nothingToDo: parts.append("Nothing to do")
        case .unreachable: parts.append("The library cannot be reached")
        default: parts.append("\(tally.committed) saved (\(Console.size(tally.committedBytes)))")
        }
        if tally.changesSent > 0 { parts.append("\(Wording.count(tally.changesSent, "change")) sent") }
        if tally.changesReceived > 0 { parts.append("\(Wording.count(tally.changesReceived, "change")) received") }
        if tally.entitiesMended > 0 { parts.append("\(tally.entitiesMended) repaired in this box's view") }
        if tally.changesRefused > 0 {
            let count = Wording.count(tally.changesRefused, "change")
            parts.append("\(count) refused: tintype-agent status --explain")
        }
        let held = holds.sorted { $0.key.rawValue < $1.key.rawValue }.map { "\($0.value) \($0.key.rawValue)" }
        if remaining > 0 {
            parts.append("\(remaining) waiting" + (held.isEmpty ? "" : " (\(held.joined(separator: ", ")))"))
        }
        if document.deferredAlbums > 0, tally.committed > 0 {
            parts.append("\(document.deferredAlbums) saved without the requested album: tintype-agent status --explain")
        }
        if document.changesWaiting > 0 {
            parts.append("\(Wording.count(document.changesWaiting, "change")) waiting")
        }
        if tally.rejected > 0 {
            parts.append("\(tally.rejected) rejected permanently: tintype-agent queue list --state deadLetter")
        }
        if holds.isEmpty, let identityHold, !isRetired { parts.append(identityHold.words) }
        if let hold = holds.keys.sorted(by: { $0.rawValue < $1.rawValue }).first ?? identityHold, !isRetired {
            parts.append("next: \(hold.nextStep)")
        }
        if isRetired { parts.append("this box is retired: the library has all that it could deliver") }
        if [.unreachable, .partly, .held].contains(outcome), let problem = tally.lastProblem {
            parts.append(Console.visible(problem))
        }
        let text = parts.joined(separator: "; ")
        return text.hasSuffix(".") ? text : text + "."
    }
}

/// A sync's report as JSON.
struct SyncDocument: Encodable {
    let outcome: String
    let saved: Int
    let savedBytes: Int64
    let waiting: Int
    let refused: Int
    let holds: [String: Int]
    let changesSent: Int
    let changesRefused: Int
    let changesReceived: Int
    /// Local changes that have not reached the library.
    let changesWaiting: Int
    let entitiesMended: Int
    /// Saved assets that are not in their requested album; the library keeps the request.
    let deferredAlbums: Int
    /// Why the box itself may not send; nil if it may.
    let hold: String?
    let lastProblem: String?
    let isRetired: Bool

    init(
        _ report: SyncReport,
        _ outcome: SyncReport.Outcome,
        _ hold: HoldReason?,
        changesWaiting: Int,
        deferredAlbums: Int
    ) {
        self.outcome = outcome.rawValue
        self.deferredAlbums = deferredAlbums
        self.changesWaiting = changesWaiting
        saved = report.tally.committed
        savedBytes = report.tally.committedBytes
        waiting = report.remaining
        refused = report.tally.rejected
        holds = Dictionary(uniqueKeysWithValues: report.holds.map { ($0.key.rawValue, $0.value) })
        changesSent = report.tally.changesSent
        changesRefused = report.tally.changesRefused
        changesReceived = report.tally.changesReceived
        entitiesMended = report.tally.entitiesMended
        self.hold = hold?.rawValue
        lastProblem = report.tally.lastProblem
        isRetired = report.isRetired
    }
}

extension ConsoleBar {
    /// Shows a sync's progress.
    func show(_ progress: SyncSession<ContinuousClock>.Progress) {
        let total = progress.tally.committedBytes + progress.remainingBytes
        guard total > 0 else { return }
        let count = progress.tally.committed + progress.remaining
        show(doneBytes: progress.tally.committedBytes, of: total, things: (progress.tally.committed, count, "capture"))
    }
}
