import LibraryAPI
import LibraryStore
import Logging
import Persistence
import PhotoModel
import ServiceLifecycle
import Synchronization

/// Runs backups and verifications in the server, one at a time in the library, and remembers the latest results.
///
/// They continue when the requester disconnects, and end with the server; completed work is durable, so that the next
/// run has less to do.
final class MaintenanceRunner: Service {
    private static let rememberedCount = 20
    /// How often progress is shared with other servers, and their cancellations are read.
    private static let sharingInterval = Duration.seconds(1)

    private struct State {
        var tasks: [MaintenanceTask] = []
        /// Cancels the running task; nil until it is started.
        var cancel: (@Sendable () -> Void)?
        /// A task that was cancelled before it was started.
        var cancelledEarly: MaintenanceTaskID?
    }

    private let store: LibraryStore
    private let now: @Sendable () -> WallTime
    private let logger: Logger
    private let state = Mutex(State())
    /// Shares tasks with the library's other servers; nil if it has none.
    private let records: TaskRecords?
    private let jobs: AsyncStream<MaintenanceTask>
    private let submit: AsyncStream<MaintenanceTask>.Continuation

    init(store: LibraryStore, now: @escaping @Sendable () -> WallTime, logger: Logger) {
        self.store = store
        self.now = now
        self.logger = logger
        records = store.metadata.duties.server.map { TaskRecords(store: store.metadata, server: $0) }
        (jobs, submit) = AsyncStream.makeStream()
    }

    /// The latest tasks, newest first.
    func tasks() async throws -> [MaintenanceTask] {
        try await records?.tasks() ?? state.withLock { $0.tasks.reversed() }
    }

    /// A task; nil if not remembered.
    func task(_ id: MaintenanceTaskID) async throws -> MaintenanceTask? {
        if let own = own(id) { return own }
        return try await records?.task(id)
    }

    private func own(_ id: MaintenanceTaskID) -> MaintenanceTask? { state.withLock { $0.tasks.first { $0.id == id } } }

    /// Starts a task.
    ///
    /// - Throws: `conflict` while another runs.
    func start(_ request: MaintenanceTask.Request) async throws -> MaintenanceTask {
        guard try await store.metadata.duties.take(.maintenance) else {
            throw ProblemDetails(
                .preconditionFailed,
                "Another task is running on another server: wait for it, or cancel it."
            )
        }
        let began = now()
        let id = MaintenanceTaskID.version7(at: began)
        let task = MaintenanceTask(id: id, request: request, began: began)
        try state.withLock { state in
            if let running = state.tasks.first(where: { $0.state == .running }) {
                throw ProblemDetails(
                    .preconditionFailed,
                    "Another task has been running since \(running.began): wait for it, or cancel it (\(running.id))."
                )
            }
            state.tasks.append(task)
            if state.tasks.count > Self.rememberedCount { state.tasks.removeFirst() }
        }
        submit.yield(task)
        // Every server must know the task before anybody can ask for it.
        _ = try await records?.save(task)
        try await records?.trim()
        return task
    }

    /// Cancels a running task; finished ones are unchanged.
    func cancel(_ id: MaintenanceTaskID) async throws -> MaintenanceTask? {
        guard own(id) != nil else { return try await records?.cancel(id) }
        let cancel = state.withLock { state -> (@Sendable () -> Void)? in
            guard state.tasks.contains(where: { $0.id == id && $0.state == .running }) else { return nil }
            if state.cancel == nil { state.cancelledEarly = id }
            return state.cancel
        }
        cancel?()
        return own(id)
    }

    func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            for await task in jobs {
                // A separate task, so that an operator can cancel it and the next one still runs.
                let work = Task { isCancelledEarly(task) ? .cancelled : await outcome(of: task) }
                state.withLock { $0.cancel = { work.cancel() } }
                if isCancelledEarly(task) { work.cancel() }
                let end = await withTaskCancellationHandler {
                    await sharing(task.id, cancel: { work.cancel() }) { await work.value }
                } onCancel: {
                    work.cancel()
                }
                state.withLock { $0.cancel = nil }
                update(task.id) { $0.state = end }
                await conclude(task.id)
            }
        }
    }

    private func isCancelledEarly(_ task: MaintenanceTask) -> Bool { state.withLock { $0.cancelledEarly == task.id } }

    /// Shares a running task's progress with the other servers, and cancels it if one of them was asked to.
    private func sharing<Value: Sendable>(
        _ id: MaintenanceTaskID,
        cancel: @escaping @Sendable () -> Void,
        _ body: () async -> Value
    ) async -> Value {
        guard records != nil else { return await body() }
        let sharing = Task {
            while !Task.isCancelled {
                try? await Task.sleep(for: Self.sharingInterval)
                if !Task.isCancelled, await share(id) { cancel() }
            }
        }
        let value = await body()
        sharing.cancel()
        await sharing.value
        return value
    }

    /// Saves a task for the other servers; returns whether one of them was asked to cancel it.
    private func share(_ id: MaintenanceTaskID) async -> Bool {
        guard let records, let task = own(id) else { return false }
        do {
            return try await records.save(task)
        } catch {
            logger.warning("a task's progress could not be shared", metadata: ["task": "\(id)", "error": "\(error)"])
            return false
        }
    }

    private func conclude(_ id: MaintenanceTaskID) async {
        // A separate task: the others must learn of the end even if this one is cancelled because the server stops.
        await Task {
            _ = await share(id)
            do {
                try await store.metadata.duties.giveBack(.maintenance)
            } catch {
                logger.warning(
                    "the maintenance duty could not be given back",
                    metadata: ["task": "\(id)", "error": "\(error)"]
                )
            }
        }.value
    }

    private func outcome(of task: MaintenanceTask) async -> MaintenanceTask.State {
        let note: @Sendable (TransferProgress) -> Void = { progress in
            self.update(task.id) { $0.progress = progress }
        }
        do {
            switch task.request {
            case .backup(let folder, let keep):
                return .backedUp(report: try await store.backUp(to: Path(folder), keeping: keep, progress: note))
            case .verify(let choice): return .verified(report: try await store.verify(choice, progress: note))
            case .collect:
                let (purged, deleted) = try await store.collect(by: .administrator("maintenance"))
                return .collected(purged: purged, deleted: deleted)
            case .noteBackup(let number):
                let last = try await store.metadata.identity().lastChange
                guard number <= last else {
                    return .failed(problem: ProblemDetails(.malformedRequest, "The last change is \(last)."))
                }
                try await store.metadata.setBackupWatermark(number, at: now())
                return .noted(upTo: number)
            }
        } catch is CancellationError {
            return .cancelled
        } catch {
            logger.error("maintenance failed", metadata: ["task": "\(task.id)", "error": "\(error)"])
            // Only operators see this, so they get the disk's own error.
            return .failed(problem: ProblemDetails(.internalError, "\(error)"))
        }
    }

    private func update(_ id: MaintenanceTaskID, _ change: (inout MaintenanceTask) -> Void) {
        state.withLock { state in
            guard let index = state.tasks.firstIndex(where: { $0.id == id }) else { return }
            change(&state.tasks[index])
        }
    }
}
