import LibraryAPI
import LibraryStore
import Logging
import Persistence
import PhotoModel
import ServiceLifecycle
import Synchronization

/// Runs backups and verifications in the server, one at a time, and remembers the latest results.
///
/// They continue when the requester disconnects, and end with the server; completed work is durable, so that the next
/// run has less to do.
final class MaintenanceRunner: Service {
    private static let rememberedCount = 20

    private struct State {
        var tasks: [MaintenanceTask] = []
        /// Cancels the running task.
        var cancel: (@Sendable () -> Void)?
    }

    private let store: LibraryStore
    private let now: @Sendable () -> WallTime
    private let logger: Logger
    private let state = Mutex(State())
    private let jobs: AsyncStream<MaintenanceTask>
    private let submit: AsyncStream<MaintenanceTask>.Continuation

    init(store: LibraryStore, now: @escaping @Sendable () -> WallTime, logger: Logger) {
        self.store = store
        self.now = now
        self.logger = logger
        (jobs, submit) = AsyncStream.makeStream()
    }

    /// The latest tasks, newest first.
    var tasks: [MaintenanceTask] { state.withLock { $0.tasks.reversed() } }

    /// A task; nil if not remembered.
    func task(_ id: MaintenanceTaskID) -> MaintenanceTask? { state.withLock { $0.tasks.first { $0.id == id } } }

    /// Starts a task.
    ///
    /// - Throws: `conflict` while another runs.
    func start(_ request: MaintenanceTask.Request) throws -> MaintenanceTask {
        var generator = SystemRandomNumberGenerator()
        let began = now()
        let id = MaintenanceTaskID.version7(unixMilliseconds: began.millisecondsSince1970, using: &generator)
        let task = MaintenanceTask(id: id, request: request, began: began)
        try state.withLock { state in
            if let running = state.tasks.first(where: { $0.state == .running }) {
                throw ProblemDetails(
                    .preconditionFailed,
                    "Another task is under way since \(running.began): wait for it, or end it (\(running.id))."
                )
            }
            state.tasks.append(task)
            if state.tasks.count > Self.rememberedCount { state.tasks.removeFirst() }
        }
        submit.yield(task)
        return task
    }

    /// Cancels a running task; finished ones are unchanged.
    func cancel(_ id: MaintenanceTaskID) -> MaintenanceTask? {
        let cancel = state.withLock { state in
            state.tasks.contains { $0.id == id && $0.state == .running } ? state.cancel : nil
        }
        cancel?()
        return task(id)
    }

    func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            for await task in jobs {
                // A separate task, so that an operator can cancel it and the next one still runs.
                let work = Task { await outcome(of: task) }
                state.withLock { $0.cancel = { work.cancel() } }
                let end = await withTaskCancellationHandler {
                    await work.value
                } onCancel: {
                    work.cancel()
                }
                state.withLock { $0.cancel = nil }
                update(task.id) { $0.state = end }
            }
        }
    }

    private func outcome(of task: MaintenanceTask) async -> MaintenanceTask.State {
        do {
            switch task.request {
            case .backup(let folder, let keep):
                return .backedUp(
                    report: try await store.backUp(to: Path(folder), keeping: keep) { progress in
                        self.update(task.id) { $0.progress = progress }
                    }
                )
            case .verify(let choice):
                return .verified(
                    report: try await store.verify(choice) { progress in self.update(task.id) { $0.progress = progress }
                    }
                )
            case .collect:
                let (purged, deleted) = try await store.collect(by: .administrator("maintenance"))
                return .collected(purged: purged, deleted: deleted)
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
