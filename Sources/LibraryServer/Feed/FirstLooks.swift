import LibraryStore
import Persistence
import Synchronization

/// The first looks of requests that will wait for changes, which may be far behind.
///
/// A few look by themselves. When more come at once, such as a fleet after a pause, they share what is found for all of
/// them; who needs more looks by itself then, so that nobody waits for another's long page.
final class FirstLooks: Sendable {
    /// Those who look by themselves before others share.
    static let aloneCount = 8
    /// The most that share one look: all of them wait for it, and one read makes their pages.
    private static let roundCount = 256

    private let alone: @Sendable (ChangeLook) async throws -> ChangePage
    private let rounds: GroupCommitter<ChangeLook, ChangePage?>
    private let busyCount = Mutex(0)

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
        let mayLook = busyCount.withLock { count in
            guard count < Self.aloneCount else { return false }
            count += 1
            return true
        }
        if mayLook {
            defer { busyCount.withLock { $0 -= 1 } }
            return try await alone(look)
        }
        if case .limited = look.viewer, let page = try await rounds.commit(look) { return page }
        return try await alone(look)
    }
}
