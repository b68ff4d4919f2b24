import AgentCapture
import AgentService
import Host
import Persistence
import SyncEngine
import Synchronization
import UnixSignals

/// An import run by a command: with progress bars, until Ctrl-C, and optionally with a concurrent sync.
struct ImportRun: Sendable {
    /// The result.
    struct Result: Sendable {
        let outcome: Importer.Outcome
        /// The sync's report; nil if none was requested.
        let sync: SyncReport?
        let isInterrupted: Bool
    }

    /// Receives an import's progress.
    typealias Progress = @Sendable (Importer.Progress) -> Void

    /// How soon the running service starts to send new files.
    private static let wakeInterval = Duration.seconds(10)

    let agent: Agent
    let options: Importer.Options
    /// Whether this process sends.
    let isSyncing: Bool

    /// Imports everything with an importer, with bars if a person follows it on a terminal; the first SIGINT or SIGTERM
    /// ends it gracefully, the second at once.
    func run(
        showsBars: Bool,
        _ take: @escaping @Sendable (Importer, @escaping Progress) async throws -> Importer.Outcome
    ) async throws -> Result {
        let (feed, fed) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let isInterrupted = Atomic(false)
        let board = ConsoleBoard(rowCount: isSyncing ? 2 : 1)
        let bars = showsBars ? [ConsoleBar(isSyncing ? "read " : "", at: 0, of: board)] : []
        let sendBars = showsBars && isSyncing ? [ConsoleBar("sent ", at: 1, of: board)] : []
        let importer = Importer(
            store: agent.store,
            limits: agent.limits,
            album: agent.settings.album,
            options: options,
            mustStop: { isInterrupted.load(ordering: .relaxed) },
            taken: { fed.yield() }
        )
        let sending = Task { () throws -> SyncReport? in
            guard isSyncing else { return nil }
            // Following all that waits costs more the longer the queue is.
            guard !sendBars.isEmpty else { return try await agent.sync(.once, feed: feed) }
            return try await agent.sync(.once, feed: feed) { progress in for bar in sendBars { bar.show(progress) } }
        }
        // What only startup used makes room for what the import needs.
        let pages = Task { await ProgramPages.release(every: .seconds(1)) }
        defer {
            pages.cancel()
            board.clear()
        }
        return try await Self.noticingInterrupts {
            // A second signal does not wait for the last file.
            if isInterrupted.exchange(true, ordering: .relaxed) { Self.endInterrupted() }
            sending.cancel()
        } during: {
            do {
                let outcome = try await agent.wakingService(every: Self.wakeInterval) {
                    try await take(importer) { progress in for bar in bars { bar.show(progress) } }
                }
                fed.finish()
                let sync = try await sending.value
                return Result(outcome: outcome, sync: sync, isInterrupted: isInterrupted.load(ordering: .relaxed))
            } catch {
                sending.cancel()
                throw error
            }
        }
    }

    /// Ends the process as an interrupted import does.
    static func endInterrupted() -> Never {
        Console.note("Interrupted: what is in the queue is kept; run it again for the rest.")
        Console.end(.interrupted)
    }

    /// Calls back for every SIGINT and SIGTERM during some work.
    private static func noticingInterrupts<Value: Sendable>(
        _ interrupted: @escaping @Sendable () -> Void,
        during work: @Sendable () async throws -> Value
    ) async throws -> Value {
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        let noticing = Task {
            for await _ in signals { interrupted() }
        }
        defer { noticing.cancel() }
        return try await work()
    }
}

extension ConsoleBar {
    fileprivate func show(_ progress: Importer.Progress) {
        show(
            doneBytes: progress.doneBytes,
            of: progress.byteCount,
            things: (progress.doneCount, progress.count, "asset")
        )
    }
}
