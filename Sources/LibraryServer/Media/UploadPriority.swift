import Synchronization

/// Lets uploads go before work on originals, since both want the same processors and the same disk.
///
/// While uploads are under way, and for a moment after the last, only what somebody waits for is taken up. The rest has a
/// turn when it has stood aside for as long as it may, so that it goes on under uploads that never end.
final class UploadPriority: Sendable {
    /// Work on originals that may be taken up.
    enum Turn: Hashable, Sendable {
        /// Whatever is owed.
        case everything
        /// Only pictures that somebody asked for.
        case awaited
    }

    /// How long after the last upload the next one of the same batch of captures is still expected.
    static let pause = Duration.milliseconds(500)

    private struct State {
        var uploads = 0
        var lastEnd: Duration?
        var standsAsideSince: Duration?
    }

    private let longest: Duration
    private let now: @Sendable () -> Duration
    private let state = Mutex(State())

    /// No upload is under way.
    ///
    /// - Parameters:
    ///   - longest: how long work stands aside at most; with zero it never does.
    ///   - now: a clock that never goes back; only differences count.
    init(longest: Duration, now: @escaping @Sendable () -> Duration) {
        self.longest = longest
        self.now = now
    }

    /// Uploads that are under way.
    var uploads: Int { state.withLock { $0.uploads } }

    /// Runs what takes an upload in.
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

    /// What may be taken up now; who is told everything has had the turn that was due.
    func turn() -> Turn {
        let now = now()
        return state.withLock { state in
            let isBusy = Self.isBusy(state, now)
            let since = state.standsAsideSince ?? now
            guard isBusy, now - since < longest else {
                state.standsAsideSince = nil
                return .everything
            }
            state.standsAsideSince = since
            return .awaited
        }
    }

    /// Waits until no upload is under way, nor has just been.
    ///
    /// - Parameters:
    ///   - longest: how long at most.
    ///   - mayWait: asked now and then; false ends the waiting.
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
