import LibraryStore
import Persistence

/// The first looks of requests that will wait for changes, which may be far behind.
///
/// Whoever asks while others look shares the next look with all who do, such as a fleet after a pause. Who needs more looks
/// by itself then, so that nobody waits for another's long page.
final class FirstLooks: Sendable {
    /// The most that share one look: all of them wait for it, and one read makes their pages.
    private static let roundCount = 256

    private let alone: @Sendable (ChangeLook) async throws -> ChangePage
    private let rounds: GroupCommitter<ChangeLook, ChangePage?>

    /// - Parameters:
    ///   - alone: a look at one view.
    ///   - shared: looks at many limited views; one result per look, in order, nil for those that must look by themselves.
    init(
        alone: @escaping @Sendable (ChangeLook) async throws -> ChangePage,
        shared: @escaping @Sendable ([ChangeLook]) async -> [Result<ChangePage?, any Error>]
    ) {
        self.alone = alone
        rounds = GroupCommitter(maximumWeight: Self.roundCount) { looks in
            // A request that is cancelled looks for the others too.
            await Task { await shared(looks) }.value
        }
    }

    /// The number of requests that wait for the next shared look, for tests.
    var waitingCount: Int { rounds.waitingCount }

    /// The changes after a position.
    ///
    /// - Throws: what the look throws.
    func page(_ look: ChangeLook) async throws -> ChangePage {
        if case .limited = look.viewer, let page = try await rounds.commit(look) { return page }
        return try await alone(look)
    }
}
