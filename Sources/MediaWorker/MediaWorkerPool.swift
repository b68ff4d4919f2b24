import PhotoModel
import Synchronization

#if canImport(Glibc)
import Glibc
#endif

/// The workers of one server: started when there is work, kept for the next file, replaced when they die.
///
/// A worker serves one file at a time, and the thread that waits for it waits for nothing else: as many of them run as
/// the caller gives threads.
package final class MediaWorkerPool: Sendable {
    /// What became of workers and requests, since the start.
    package struct Counts: Hashable, Sendable {
        /// Workers that were started.
        package var started = 0
        /// Workers that died or were killed at work.
        package var died = 0
        /// Of these, those that took too long.
        package var timedOut = 0
        /// Requests that gave something.
        package var succeeded = 0
        /// Requests whose file was refused.
        package var refused = 0
    }

    private struct State {
        var idle: [WorkerProcess] = []
        var busy: [WorkerProcess] = []
        var isStopped = false
        var supervision = WorkerSupervision()
        var counts = Counts()
        var confinement: Confinement?
    }

    /// Runs a call that blocks on one of a few threads.
    package typealias Blocking =
        @Sendable (_ call: @escaping @Sendable () throws -> MediaOutput) async throws -> MediaOutput

    private let program: String
    private let limits: MediaLimits
    private let blocking: Blocking
    private let now: @Sendable () -> Duration
    private let state = Mutex(State())

    /// A pool that starts nothing yet.
    ///
    /// - Parameters:
    ///   - program: the path of the workers' program.
    ///   - limits: what bounds each worker.
    ///   - blocking: the threads that wait for workers; their number is that of the workers.
    ///   - now: a clock that never goes back; only differences count.
    package init(
        program: String,
        limits: MediaLimits = MediaLimits(),
        blocking: @escaping Blocking,
        now: @escaping @Sendable () -> Duration
    ) {
        self.program = program
        self.limits = limits
        self.blocking = blocking
        self.now = now
    }

    /// What became of workers and requests.
    package var counts: Counts { state.withLock { $0.counts } }

    /// What holds the workers; nil before the first has started.
    package var confinement: Confinement? { state.withLock { $0.confinement } }

    /// Ends workers that have nothing to do.
    package func retireIdle() {
        // Their last reference goes, which ends them; outside of the lock, since it waits for their end.
        let idle = state.withLock { state in
            defer { state.idle = [] }
            return state.idle
        }
        for worker in idle { worker.kill() }
    }

    /// Ends every worker, also those at work, and starts no more: what waits for them ends as cancelled.
    package func stop() {
        let workers = state.withLock { state in
            state.isStopped = true
            defer { state.idle = [] }
            return state.idle + state.busy
        }
        for worker in workers { worker.kill() }
    }

    /// Has a file decoded.
    ///
    /// - Parameters:
    ///   - request: what is to be made.
    ///   - input: opens the file to read, on the thread that waits for the worker.
    /// - Returns: facts and pictures, checked.
    /// - Throws: ``MediaWorkerError``; what `input` and the threads throw; `CancellationError` when the pool was stopped.
    package func perform(
        _ request: MediaRequest,
        input: @escaping @Sendable () throws -> OwnedDescriptor
    ) async throws -> MediaOutput {
        try await blocking { [self] in
            let file = try input()
            let output = try OwnedDescriptor.inMemory("tintype-media")
            let worker = try borrow()
            do {
                let result = try worker.perform(request, input: file.number, output: output.number)
                let checked = try MediaOutput(result, of: request, in: output, within: limits)
                giveBack(worker, refused: false)
                return checked
            } catch let error as MediaWorkerError {
                guard error.code == .refused else {
                    worker.kill()
                    try lose(worker, error)
                    throw error
                }
                giveBack(worker, refused: true)
                throw error
            }
        }
    }

    private func borrow() throws -> WorkerProcess {
        let now = now()
        let idle = try state.withLock { state -> WorkerProcess? in
            guard !state.isStopped else { throw CancellationError() }
            if let worker = state.idle.popLast() {
                state.busy.append(worker)
                return worker
            }
            if let delay = state.supervision.delay(at: now) {
                throw MediaWorkerError(.backingOff, "workers died: the next starts in \(delay)", retryAfter: delay)
            }
            return nil
        }
        if let idle { return idle }
        do {
            let worker = try WorkerProcess(program, limits)
            try state.withLock { state in
                guard !state.isStopped else { throw CancellationError() }
                state.busy.append(worker)
                state.counts.started += 1
                state.confinement = worker.confinement
            }
            return worker
        } catch let error as MediaWorkerError {
            state.withLock { $0.supervision.workerDied(at: now) }
            throw error
        }
    }

    private func giveBack(_ worker: WorkerProcess, refused: Bool) {
        state.withLock { state in
            state.busy.removeAll { $0 === worker }
            state.supervision.workerSucceeded()
            if refused { state.counts.refused += 1 } else { state.counts.succeeded += 1 }
            if !state.isStopped { state.idle.append(worker) }
        }
    }

    private func lose(_ worker: WorkerProcess, _ error: MediaWorkerError) throws {
        let now = now()
        try state.withLock { state in
            state.busy.removeAll { $0 === worker }
            // Whoever stopped the pool ended it, and not the file.
            guard !state.isStopped else { throw CancellationError() }
            state.supervision.workerDied(at: now)
            state.counts.died += 1
            if error.code == .timedOut { state.counts.timedOut += 1 }
        }
    }
}
