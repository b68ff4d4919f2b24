import PhotoModel
import Synchronization

/// A one-time event that any number of tasks can await, before or after it happens.
package final class Latch: Sendable {
    private struct State {
        var isOpen = false
        var lastID = 0
        var waiting: [Int: AsyncStream<Void>.Continuation] = [:]
    }

    private let state = Mutex(State())

    /// A closed one.
    package init() {}

    /// Whether it has happened.
    package var isOpen: Bool { state.withLock(\.isOpen) }

    /// Triggers it; repeating has no effect.
    package func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for continuation in waiting { continuation.finish() }
    }

    /// Waits until it has happened, or the task is cancelled.
    package func wait() async {
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        let id = state.withLock { state -> Int? in
            guard !state.isOpen else { return nil }
            state.lastID += 1
            state.waiting[state.lastID] = continuation
            return state.lastID
        }
        guard let id else { return }
        for await _ in stream {}
        state.withLock { _ = $0.waiting.removeValue(forKey: id) }
    }

    /// Runs work until it ends by itself, this event happens, or the task is cancelled; the last two cancel its task,
    /// which must end it.
    package func cancelling<Failure>(
        _ work: @escaping @Sendable () async throws(Failure) -> Void
    ) async throws(Failure) {
        let result = await withTaskGroup(of: Result<Void, Failure>?.self) { group in
            group.addTask { await Result.awaiting(work) }
            group.addTask {
                await self.wait()
                return nil
            }
            var result: Result<Void, Failure>?
            for await outcome in group {
                result = result ?? outcome
                group.cancelAll()
            }
            return result
        }
        try result?.get()
    }
}
