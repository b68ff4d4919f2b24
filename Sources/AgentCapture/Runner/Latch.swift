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
    func wait() async {
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

    /// Runs work until it ends by itself or this event cancels it.
    package func cancelling(_ work: @escaping @Sendable () async -> Void) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await work() }
            group.addTask { await self.wait() }
            await group.next()
            group.cancelAll()
        }
    }
}
