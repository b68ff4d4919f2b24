import ServiceLifecycle
import Synchronization

/// Wakes requests that wait for a change of the library.
final class ChangeNotifier: Sendable {
    private struct State {
        var next: UInt64 = 0
        var waiting: [UInt64: AsyncStream<Never>.Continuation] = [:]
    }

    private let state = Mutex(State())
    private let looks: ChangeLooks

    /// Wakes requests, and the looks at what changed.
    init(_ looks: ChangeLooks) { self.looks = looks }

    func notify() {
        looks.notify()
        let waiting = state.withLock { state in
            defer { state.waiting = [:] }
            return state.waiting
        }
        for continuation in waiting.values { continuation.finish() }
    }

    /// Starts a wait before the library is checked, so that no change in between is missed.
    func listen() -> Wait {
        let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
        let number = state.withLock { state in
            state.next += 1
            state.waiting[state.next] = continuation
            return state.next
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.waiting.removeValue(forKey: number) }
        }
        return Wait(stream: stream)
    }

    struct Wait: Sendable {
        fileprivate let stream: AsyncStream<Never>

        /// Waits for a change, with a timeout, and not beyond the server's shutdown.
        func change(orUntil duration: Duration) async {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { for await _ in stream {} }
                group.addTask { try? await Task.sleep(for: duration) }
                group.addTask { try? await gracefulShutdown() }
                await group.next()
                group.cancelAll()
            }
        }
    }
}
