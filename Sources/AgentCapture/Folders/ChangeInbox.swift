import Capture
import Synchronization

/// Collects kernel notifications while the reader is busy, and wakes it when it waits.
final class ChangeInbox: Sendable {
    private struct State {
        var names: Set<String> = []
        var isOver = false
        var news = Latch()
    }

    private let state = Mutex(State())

    /// Whether nothing more will come.
    var isOver: Bool { state.withLock(\.isOver) }

    /// Adds names.
    func add(_ names: Set<String>) {
        state.withLock { state in
            state.names.formUnion(names)
            state.news.open()
        }
    }

    /// Ends the inbox.
    func end() {
        state.withLock { state in
            state.isOver = true
            state.news.open()
        }
    }

    /// Returns and clears the collected names.
    func take() -> Set<String> {
        state.withLock { state in
            defer {
                state.names = []
                if !state.isOver { state.news = Latch() }
            }
            return state.names
        }
    }

    /// Waits for news, a deadline, or the end of the service.
    func wait(until deadline: MonotonicTime, clock: any CaptureClock, orUntil stop: Latch) async {
        let news = state.withLock(\.news)
        await stop.cancelling {
            await news.cancelling { try? await clock.sleep(until: deadline) }
        }
    }
}
