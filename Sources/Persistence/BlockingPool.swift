import Dispatch
import Synchronization

/// The single bounded thread pool for blocking calls, so that none occupies a cooperative thread.
///
/// At most `width` calls run at once; at most `maximumWaiting` more wait in order. A started call runs to its end even
/// if its task is cancelled: storage must not be left in an intermediate state.
///
/// Each running call has its own serial queue. A concurrent queue gets only one thread per processor, so on two
/// processors two threads waiting for the disk would stall everything.
package final class BlockingPool: Sendable {
    private struct State {
        /// The indices of queues on which nothing runs.
        var idle: [Int]
        var waiting: [@Sendable () -> Void] = []
        var head = 0
    }

    /// The number of calls that run at once.
    package let width: Int
    /// The most calls that may wait.
    package let maximumWaiting: Int
    private let state: Mutex<State>
    private let queues: [DispatchQueue]

    /// Creates a pool with this many threads.
    package init(width: Int, maximumWaiting: Int = 10_000) {
        precondition(width > 0, "a pool needs a thread")
        self.width = width
        self.maximumWaiting = maximumWaiting
        queues = (0..<width).map { DispatchQueue(label: "tintype.blocking.\($0)") }
        state = Mutex(State(idle: Array((0..<width).reversed())))
    }

    /// Runs a blocking call on one of the pool's threads.
    ///
    /// - Throws: its error; `overloaded` if too many wait; `CancellationError` if the task is already cancelled.
    package func run<Value: Sendable>(_ call: @escaping @Sendable () throws -> Value) async throws -> Value {
        try Task.checkCancellation()
        return try await uncancelled(call)
    }

    /// Runs a blocking call even if the task is cancelled, because others wait for it.
    ///
    /// - Throws: its error; `overloaded` if too many wait.
    package func uncancelled<Value: Sendable>(_ call: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let isTaken = submit { continuation.resume(with: Result { try call() }) }
            if !isTaken {
                continuation.resume(
                    throwing: PersistenceError(
                        .overloaded,
                        "wait",
                        "the blocking pool",
                        "\(maximumWaiting) calls are already waiting: send fewer at once"
                    )
                )
            }
        }
    }

    private func submit(_ job: @escaping @Sendable () -> Void) -> Bool {
        enum Verdict { case start(Int), wait, refuse }
        let verdict = state.withLock { state in
            if let place = state.idle.popLast() { return Verdict.start(place) }
            guard state.waiting.count - state.head < maximumWaiting else { return Verdict.refuse }
            state.waiting.append(job)
            return Verdict.wait
        }
        switch verdict {
        case .start(let place): queues[place].async { self.work(at: place, first: job) }
        case .wait: break
        case .refuse: return false
        }
        return true
    }

    private func work(at place: Int, first: @escaping @Sendable () -> Void) {
        var job: (@Sendable () -> Void)? = first
        while let current = job {
            current()
            job = next(at: place)
        }
    }

    /// The longest-waiting job; nil, and the queue becomes idle, if none waits.
    private func next(at place: Int) -> (@Sendable () -> Void)? {
        state.withLock { state in
            guard state.head < state.waiting.count else {
                state.waiting.removeAll(keepingCapacity: true)
                state.head = 0
                state.idle.append(place)
                return nil
            }
            let job = state.waiting[state.head]
            state.head += 1
            if state.head > 1024, state.head * 2 > state.waiting.count {
                state.waiting.removeFirst(state.head)
                state.head = 0
            }
            return job
        }
    }
}
