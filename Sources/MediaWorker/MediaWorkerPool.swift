import Glibc
import PhotoModel
import Synchronization

/// A server's workers: started on demand, reused, replaced when they die.
///
/// A worker serves one file at a time, and occupies the thread that waits for it: the caller's threads bound the number
/// of workers.
package final class MediaWorkerPool: Sendable {
    /// Statistics of workers and requests since the start.
    package struct Counts: Hashable, Sendable {
        /// Workers started.
        package var started = 0
        /// Workers that died or were killed at work.
        package var died = 0
        /// Of these, the ones that took too long.
        package var timedOut = 0
        /// Requests that succeeded.
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

    /// Runs a blocking call on one of a few threads.
    package typealias Blocking =
        @Sendable (_ call: @escaping @Sendable () throws -> MediaOutput) async throws -> MediaOutput

    private let program: String
    private let limits: MediaLimits
    private let blocking: Blocking
    private let now: @Sendable () -> Duration
    private let state = Mutex(State())

    /// Creates a pool without starting a worker of the program.
    ///
    /// The blocking threads wait for workers, and their number bounds the workers. Only differences of the monotonic
    /// clock matter.
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

    /// Statistics of workers and requests.
    package var counts: Counts { state.withLock { $0.counts } }

    /// The confinement of the workers; nil before the first has started.
    package var confinement: Confinement? { state.withLock { $0.confinement } }

    /// Ends idle workers.
    package func retireIdle() {
        // Dropping their last reference ends them; outside the lock, because it waits for them.
        let idle = state.withLock { state in
            defer { state.idle = [] }
            return state.idle
        }
        for worker in idle { worker.kill() }
    }

    /// Ends every worker, even at work, and starts no more; pending requests are cancelled.
    package func stop() {
        let workers = state.withLock { state in
            state.isStopped = true
            defer { state.idle = [] }
            return state.idle + state.busy
        }
        for worker in workers { worker.kill() }
    }

    /// Decodes a file, opened for reading on the thread that waits for the worker, and checks the facts and pictures.
    ///
    /// - Throws: ``MediaWorkerError``; what `input` and the threads throw; `CancellationError` if the pool was stopped.
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
            // Stopping the pool ended it, not the file.
            guard !state.isStopped else { throw CancellationError() }
            state.supervision.workerDied(at: now)
            state.counts.died += 1
            if error.code == .timedOut { state.counts.timedOut += 1 }
        }
    }
}
