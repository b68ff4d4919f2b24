import Synchronization

/// Bounds what is in use at once, such as bytes of memory; callers wait for room in order.
final class Budget: Sendable {
    private struct State {
        var free: Int
        var waiting: [(amount: Int, continuation: CheckedContinuation<Void, Never>)] = []

        /// Grants room to the longest-waiting callers, as far as it lasts.
        mutating func admit() -> [CheckedContinuation<Void, Never>] {
            var admitted: [CheckedContinuation<Void, Never>] = []
            while let first = waiting.first, first.amount <= free {
                free -= first.amount
                admitted.append(waiting.removeFirst().continuation)
            }
            return admitted
        }
    }

    private let state: Mutex<State>

    init(_ amount: Int) { state = Mutex(State(free: amount)) }

    /// The number of callers that wait.
    var waitingCount: Int { state.withLock(\.waiting.count) }

    /// Takes room, at most the whole budget; `release` returns it.
    func acquire(_ amount: Int) async {
        await withCheckedContinuation { continuation in
            resume { $0.waiting.append((amount, continuation)) }
        }
    }

    /// Returns room.
    func release(_ amount: Int) { resume { $0.free += amount } }

    private func resume(after change: (inout State) -> Void) {
        let admitted = state.withLock { state in
            change(&state)
            return state.admit()
        }
        for continuation in admitted { continuation.resume() }
    }
}
