import Dispatch

/// Runs an actor on its own dispatch queue, so that encoding and file access block no cooperative thread.
final class QueueExecutor: SerialExecutor {
    private let queue: DispatchQueue

    /// Creates a queue, named for debuggers.
    init(label: String) {
        queue = DispatchQueue(label: label)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
