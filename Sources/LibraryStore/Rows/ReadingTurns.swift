/// Limits how many reads of whole views run at once; the others wait in order of arrival.
///
/// They take seconds in a large library; the rest of the database's readers stay free for those who judge callers,
/// save, or look at one asset.
final class ReadingTurns: Sendable {
    private let turns: Budget

    /// Creates turns for half of the readers, at least one.
    init(ofReaders count: Int) { turns = Budget(max(count / 2, 1)) }

    /// The number of reads that wait for their turn, for tests.
    var waitingCount: Int { turns.waitingCount }

    /// Runs a read in its turn.
    ///
    /// - Throws: what the read throws; `CancellationError` if the task was cancelled meanwhile.
    func run<Value>(_ read: () async throws -> Value) async throws -> Value {
        try await enter()
        defer { leave() }
        return try await read()
    }

    /// Waits for a turn, which lasts until ``leave()``.
    ///
    /// - Throws: `CancellationError` if the task was cancelled meanwhile; then there is no turn to leave.
    func enter() async throws {
        await turns.acquire(1)
        guard Task.isCancelled else { return }
        leave()
        throw CancellationError()
    }

    /// Gives the turn to the read that has waited longest.
    func leave() { turns.release(1) }
}
