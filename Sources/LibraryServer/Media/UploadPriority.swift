import Synchronization

/// Gives uploads priority over work on originals, since both compete for processors and disk.
///
/// During uploads, and briefly after the last one, only work that somebody waits for is started. Of the rest, one job
/// gets a turn after a maximum delay, so that it proceeds under endless uploads.
final class UploadPriority: Sendable {
    /// Work on originals that may be started.
    enum Turn: Hashable, Sendable {
        /// All pending work.
        case everything
        /// One pending job, although uploads are in progress.
        case one
        /// Only pictures that somebody requested.
        case awaited
    }

    /// How long after an upload the next one of the same captures or import is still expected.
    static let pause = Duration.seconds(1)

    private struct State {
        var uploads = 0
        var lastEnd: Duration?
        var standsAsideSince: Duration?
    }

    private let longest: Duration
    private let now: @Sendable () -> Duration
    private let state = Mutex(State())

    /// Starts without uploads.
    ///
    /// - Parameters:
    ///   - longest: the maximum delay of work; zero for none.
    ///   - now: a monotonic clock; only differences matter.
    init(longest: Duration, now: @escaping @Sendable () -> Duration) {
        self.longest = longest
        self.now = now
    }

    /// The number of uploads in progress.
    var uploads: Int { state.withLock { $0.uploads } }

    /// Runs an upload.
    func during<Answer>(_ upload: () async throws -> Answer) async rethrows -> Answer {
        state.withLock { $0.uploads += 1 }
        defer {
            let now = now()
            state.withLock { state in
                state.uploads -= 1
                state.lastEnd = now
            }
        }
        return try await upload()
    }

    /// The work that may be started now; returning one job consumes the due turn.
    func turn() -> Turn {
        let now = now()
        return state.withLock { state in
            guard Self.isBusy(state, now) else {
                state.standsAsideSince = nil
                return .everything
            }
            let since = state.standsAsideSince ?? now
            let isDue = now - since >= longest
            state.standsAsideSince = isDue ? nil : since
            return isDue ? .one : .awaited
        }
    }

    /// Waits until no upload is running, nor has just ended.
    ///
    /// - Parameters:
    ///   - longest: the timeout.
    ///   - mayWait: polled; false ends the wait.
    func quiet(longest: Duration, while mayWait: () -> Bool) async {
        let start = now()
        while mayWait(), now() - start < longest, state.withLock({ Self.isBusy($0, now()) }) {
            guard (try? await Task.sleep(for: Self.pause / 2)) != nil else { return }
        }
    }

    private static func isBusy(_ state: State, _ now: Duration) -> Bool {
        state.uploads > 0 || state.lastEnd.map { now - $0 < pause } ?? false
    }
}
