import Dispatch

/// Runs an actor on a dispatch queue of its own, so that encoding and files block no cooperative thread.
final class QueueExecutor: SerialExecutor {
    private let queue: DispatchQueue

    /// A queue, named for debuggers.
    init(label: String) {
        queue = DispatchQueue(label: label)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
