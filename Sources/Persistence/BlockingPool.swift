import Dispatch
import Synchronization

/// The one bounded pool of threads for calls that block, so that none of them holds a cooperative thread.
///
/// At most `width` calls run at once; the rest wait in order, at most `maximumWaiting` of them. A call that has begun
/// runs to its end whatever becomes of the task that asked for it: storage must not be left half done.
///
/// Each of the calls that run at once has a serial queue. To a concurrent one Dispatch gives as many threads as there are
/// processors, and while two threads wait for the disk a machine with two processors would do nothing.
package final class BlockingPool: Sendable {
    private struct State {
        /// Queues on which nothing runs, by their place.
        var idle: [Int]
        var waiting: [@Sendable () -> Void] = []
        var head = 0
    }

    /// Calls that run at once.
    package let width: Int
    /// Calls that may wait.
    package let maximumWaiting: Int
    private let state: Mutex<State>
    private let queues: [DispatchQueue]

    /// A pool with so many threads.
    package init(width: Int, maximumWaiting: Int = 10_000) {
        precondition(width > 0, "a pool needs a thread")
        self.width = width
        self.maximumWaiting = maximumWaiting
        queues = (0..<width).map { DispatchQueue(label: "tintype.blocking.\($0)") }
        state = Mutex(State(idle: Array((0..<width).reversed())))
    }

    /// Runs a call on one of the pool's threads.
    ///
    /// - Parameter call: what blocks.
    /// - Returns: its result.
    /// - Throws: its error; `overloaded` when too many wait; `CancellationError` when the task is cancelled already.
    package func run<Value: Sendable>(_ call: @escaping @Sendable () throws -> Value) async throws -> Value {
        try Task.checkCancellation()
        return try await uncancelled(call)
    }

    /// Runs a call even when the task is cancelled, for what others wait for.
    ///
    /// - Parameter call: what blocks.
    /// - Returns: its result.
    /// - Throws: its error; `overloaded` when too many wait.
    package func uncancelled<Value: Sendable>(_ call: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let isTaken = submit { continuation.resume(with: Result { try call() }) }
            if !isTaken {
                continuation.resume(
                    throwing: PersistenceError(
                        .overloaded,
                        "wait",
                        "the blocking pool",
                        "\(maximumWaiting) calls wait already: send less at once"
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

    /// The job that has waited longest; nil, and the queue is idle, when none waits.
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
