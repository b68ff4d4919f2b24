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
        commandName: "sync",
        abstract: "Sends what is waiting into the library.",
        discussion: """
            With --once it ends when everything is sent, held, or has to be tried later: right for a timer. Without \
            it, it goes on until it is stopped.

            EXAMPLES
              tintype-agent sync --once
              tintype-agent sync --once --json

            EXIT STATUS
              0 done, or nothing to do; 3 a part; 4 held; 69 unreachable; 77 not allowed
            """
    )

    @Flag(help: "Ends when there is nothing left to do soon.")
    var once = false

    @OptionGroup var common: CommonOptions

    func run() async throws {
        let agent = try common.agent()
        let bar = Console.isErrorTerminal && !common.json ? SyncProgress() : nil
        let report: SyncReport
        if once {
            report = try await agent.sync(.once) { bar?.show($0) }
        } else {
            let result = Mutex<SyncReport?>(nil)
            let service = SyncService(agent: agent) { report in result.withLock { $0 = report } }
            try await ServiceGroup(
                services: [service],
                gracefulShutdownSignals: [.sigterm, .sigint],
                logger: agent.logger
            ).run()
            guard let last = result.withLock({ $0 }) else { return }
            report = last
        }
        bar?.clear()
        Console.print(common.json ? try JSONText.text(SyncDocument(report)) : report.summary)
        if report.outcome.exit != .done { Console.end(report.outcome.exit) }
    }
}

/// The sync as a service: goes on until the group stops it.
struct SyncService: Service {
    let agent: Agent
    /// Says when something was captured.
    var news = AsyncStream<Void> { $0.finish() }
    var ended: @Sendable (SyncReport) -> Void = { _ in }

    func run() async throws {
        try await cancelWhenGracefulShutdown {
            ended(try await agent.sync(.continuous, news: news))
        }
    }
}

extension SyncReport.Outcome {
    /// The exit status that tells it.
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
    /// One line for people.
    var summary: String {
        var parts: [String] = []
        switch outcome {
        case .nothingToDo: parts.append("Nothing to do")
        case .unreachable: parts.append("The library cannot be reached")
        default: parts.append("\(tally.committed) saved (\(Console.size(tally.committedBytes)))")
        }
        if tally.changesSent > 0 { parts.append("\(tally.changesSent) changes sent") }
        if tally.changesReceived > 0 { parts.append("\(tally.changesReceived) changes received") }
        if tally.changesRefused > 0 {
            parts.append("\(tally.changesRefused) changes refused: tintype-agent status --explain")
        }
        let held = holds.sorted { $0.key.rawValue < $1.key.rawValue }.map { "\($0.value) \($0.key.rawValue)" }
        if remaining > 0 {
            parts.append("\(remaining) waiting" + (held.isEmpty ? "" : " (\(held.joined(separator: ", ")))"))
        }
        if tally.buried > 0 {
            parts.append("\(tally.buried) refused for good: tintype-agent queue list --state deadLetter")
        }
        if let hold = holds.keys.sorted(by: { $0.rawValue < $1.rawValue }).first {
            parts.append("next: \(hold.nextStep)")
        }
        if outcome == .unreachable || outcome == .partly, let problem = tally.lastProblem {
            parts.append(Console.visible(problem))
        }
        return parts.joined(separator: "; ") + "."
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
    let lastProblem: String?

    init(_ report: SyncReport) {
        outcome = report.outcome.rawValue
        saved = report.tally.committed
        savedBytes = report.tally.committedBytes
        waiting = report.remaining
        refused = report.tally.buried
        holds = Dictionary(uniqueKeysWithValues: report.holds.map { ($0.key.rawValue, $0.value) })
        changesSent = report.tally.changesSent
        changesRefused = report.tally.changesRefused
        changesReceived = report.tally.changesReceived
        lastProblem = report.tally.lastProblem
    }
}

/// A sync's bar on a terminal's standard error.
struct SyncProgress: Sendable {
    private let began = ContinuousClock.now

    func show(_ progress: SyncSession<ContinuousClock>.Progress) {
        let total = progress.tally.committedBytes + progress.remainingBytes
        guard total > 0 else { return }
        let count = progress.tally.committed + progress.remaining
        let bar = ProgressBar(
            doneBytes: progress.tally.committedBytes,
            of: total,
            things: (progress.tally.committed, count, "capture"),
            elapsed: ContinuousClock.now - began
        )
        Console.overwrite(bar.line(columnCount: Console.columnCount))
    }

    func clear() {
        Console.overwrite("")
    }
}
