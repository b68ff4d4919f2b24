import Capture
import Synchronization

/// Collects what the kernel tells while its reader is busy, and wakes the reader when it waits.
final class ChangeInbox: Sendable {
    private struct State {
        var names: Set<String> = []
        var isOver = false
        var news = Latch()
    }

    private let state = Mutex(State())

    /// Whether nothing more will come.
    var isOver: Bool { state.withLock(\.isOver) }

    /// Takes in names.
    func add(_ names: Set<String>) {
        state.withLock { state in
            state.names.formUnion(names)
            state.news.open()
        }
    }

    /// Nothing more will come.
    func end() {
        state.withLock { state in
            state.isOver = true
            state.news.open()
        }
    }

    /// Gives out what was collected.
    func take() -> Set<String> {
        state.withLock { state in
            defer {
                state.names = []
                if !state.isOver { state.news = Latch() }
            }
            return state.names
        }
    }

    /// Waits for news, a time, or the end of the service.
    func wait(until deadline: MonotonicTime, clock: any CaptureClock, orUntil stop: Latch) async {
        let news = state.withLock(\.news)
        await stop.cancelling {
            await news.cancelling { try? await clock.sleep(until: deadline) }
        }
    }
}
