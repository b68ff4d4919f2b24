import LibraryAPI
import LibraryStore
import Logging
import MediaWorker
import Persistence
import PhotoModel
import ServiceLifecycle
import Synchronization

/// Performs pending work on originals: as many jobs at once as there are workers.
///
/// Jobs are rows of the library, so a restart continues where it stopped; the commit that scheduled them does not
/// wait for them, and during uploads few are started (``UploadPriority``).
final class MediaService: Service {
    /// Jobs claimed by one loop in one transaction.
    private static let claimCount = 4
    /// The duration of a claim; longer than all of its jobs can take.
    private static let lease = Duration.seconds(900)
    /// How often the queue is checked without a signal: jobs waiting for a retry become due.
    private static let interval = Duration.seconds(15)
    /// How often to look for derivatives without an asset.
    private static let orphanInterval = Duration.seconds(3600)

    private let generator: DerivativeGenerator
    private let workers: Int
    private let notifier: ChangeNotifier
    private let precedence: UploadPriority
    private let metrics: MediaMetrics
    private let logger: Logger
    private let finisher: GroupCommitter<FinishedJob, Void>
    private let isConfinementLogged = Mutex(false)

    init(
        generator: DerivativeGenerator,
        workers: Int,
        notifier: ChangeNotifier,
        precedence: UploadPriority,
        metrics: MediaMetrics,
        logger: Logger
    ) {
        self.generator = generator
        self.workers = workers
        self.notifier = notifier
        self.precedence = precedence
        self.metrics = metrics
        self.logger = logger
        finisher = GroupCommitter(maximumWeight: 64) { [metadata = generator.store.metadata] in
            await metadata.finish($0)
        }
    }

    func run() async throws {
        guard let pool = generator.pool else {
            logger.notice("no thumbnails are made: media.workers is 0")
            try? await gracefulShutdown()
            return
        }
        try await generator.store.metadata.releaseJobs()
        await cancelWhenGracefulShutdown {
            await withTaskCancellationHandler {
                await withTaskGroup(of: Void.self) { group in
                    for _ in 0..<self.workers { group.addTask { await self.work(pool) } }
                    group.addTask { await self.removeOrphans() }
                }
            } onCancel: {
                pool.stop()
            }
        }
    }

    private func work(_ pool: MediaWorkerPool) async {
        let clock = ContinuousClock()
        var lastWork = clock.now
        while !Task.isCancelled {
            let wait = notifier.listen()
            do {
                let turn = precedence.turn()
                let jobs = try await generator.store.metadata.claimJobs(
                    limit: turn == .everything ? Self.claimCount : 1,
                    lease: Self.lease,
                    onlyAwaited: turn == .awaited
                )
                for job in jobs { try await perform(job, pool) }
                if jobs.isEmpty {
                    // Starting a worker costs more than a thumbnail, so keep it while originals trickle in.
                    if clock.now - lastWork >= Self.interval { pool.retireIdle() }
                    await wait.change(orUntil: turn == .everything ? Self.interval : UploadPriority.pause)
                } else {
                    lastWork = clock.now
                }
            } catch is CancellationError {
                return
            } catch {
                logger.error("the queue of media jobs failed", metadata: ["error": "\(error)"])
                try? await Task.sleep(for: Self.interval)
            }
        }
    }

    private func perform(_ job: MediaJob, _ pool: MediaWorkerPool) async throws {
        let clock = ContinuousClock()
        let start = clock.now
        var result = "done"
        var pause: Duration?
        do {
            let derivative = try await generator.makeThumbnails(of: job.address, isMovie: job.isMovie, with: pool)
            try await finisher.commit(FinishedJob(id: job.id, derivative: derivative))
            notifier.notify()
        } catch is CancellationError {
            // The server is stopping; the job is due again when it starts.
            throw CancellationError()
        } catch {
            let failure = JobFailure(error)
            let state = try await generator.store.metadata.fail(job.id, failure)
            result = state == .waiting ? "retried" : state.rawValue
            pause = failure.cause == .notTried ? (error as? MediaWorkerError)?.retryAfter ?? Self.interval : nil
            log(job, failure, state)
        }
        metrics.record(result, duration: start.duration(to: clock.now))
        metrics.record(pool.counts)
        logConfinement(of: pool)
        if let pause { try await Task.sleep(for: pause) }
    }

    private func log(_ job: MediaJob, _ failure: JobFailure, _ state: JobState) {
        let metadata: Logger.Metadata = [
            "job.id": "\(job.id)", "content.digest": "\(job.address.digest)", "job.state": "\(state)",
            "reason": "\(failure.reason)",
        ]
        switch failure.cause {
        case .refused: logger.info("no thumbnail can be made of an original", metadata: metadata)
        case .workerDied, .system, .notTried: logger.warning("a media job failed", metadata: metadata)
        }
    }

    /// Logs once how the workers are confined, and what is missing.
    private func logConfinement(of pool: MediaWorkerPool) {
        guard let confinement = pool.confinement else { return }
        let isNew = isConfinementLogged.withLock { isLogged in
            defer { isLogged = true }
            return !isLogged
        }
        guard isNew else { return }
        logger.log(
            level: confinement.isComplete ? .info : .warning,
            confinement.isComplete ? "media workers are confined" : "media workers are only partly confined",
            metadata: ["confinement": "\(confinement)"]
        )
    }

    private func removeOrphans() async {
        while !Task.isCancelled {
            do {
                var count = try await generator.removeOrphans()
                // Each server has its own folder, and another one may have removed the rows.
                if generator.store.metadata.duties.server != nil { count += try await generator.removeForgotten() }
                if count > 0 { logger.debug("derivatives removed", metadata: ["count": "\(count)"]) }
                try await Task.sleep(for: Self.orphanInterval)
            } catch is CancellationError {
                return
            } catch {
                logger.error("derivatives could not be removed", metadata: ["error": "\(error)"])
                try? await Task.sleep(for: Self.orphanInterval)
            }
        }
    }
}

extension JobFailure {
    /// The cause of an error.
    init(_ error: any Error) {
        guard let error = error as? MediaWorkerError else {
            // Conversions that others requested took all places: no worker saw the file.
            let isCrowded = (error as? PersistenceError)?.code == .overloaded
            self.init(isCrowded ? .notTried : .system, "\(error)")
            return
        }
        let cause: Cause =
            switch error.code {
            case .refused: .refused
            case .died, .timedOut, .protocolBroken: .workerDied
            case .notStarted, .backingOff: .notTried
            case .systemFailed: .system
            }
        self.init(cause, error.message)
    }
}
