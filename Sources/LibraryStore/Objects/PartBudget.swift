import Synchronization

/// Bounds the bytes of unfinished parts in memory; callers wait for room in order.
final class PartBudget: Sendable {
    private struct State {
        var free: Int
        var waiting: [(byteCount: Int, continuation: CheckedContinuation<Void, Never>)] = []

        /// Grants room to the longest-waiting callers, as far as it lasts.
        mutating func admit() -> [CheckedContinuation<Void, Never>] {
            var admitted: [CheckedContinuation<Void, Never>] = []
            while let first = waiting.first, first.byteCount <= free {
                free -= first.byteCount
                admitted.append(waiting.removeFirst().continuation)
            }
            return admitted
        }
    }

    private let state: Mutex<State>

    init(byteCount: Int) { state = Mutex(State(free: byteCount)) }

    /// Takes room, at most the whole budget; `release` returns it.
    func acquire(_ byteCount: Int) async {
        await withCheckedContinuation { continuation in
            resume { $0.waiting.append((byteCount, continuation)) }
        }
    }

    /// Returns room.
    func release(_ byteCount: Int) { resume { $0.free += byteCount } }

    private func resume(after change: (inout State) -> Void) {
        let admitted = state.withLock { state in
            change(&state)
            return state.admit()
        }
        for continuation in admitted { continuation.resume() }
    }
}
