import MediaWorker
import PhotoModel
import Synchronization

/// Remembers originals that failed to convert by their own fault, so that further requests cost no worker.
///
/// It is forgotten when the process ends, since the next one may support more, and when an operator retries jobs. The
/// results of thumbnails are kept in their jobs.
final class FailedConversions: Sendable {
    private let maximumCount: Int
    private let failures = Mutex<[ContentDigest: MediaWorkerError]>([:])

    /// Starts without failures.
    ///
    /// - Parameter maximumCount: the number remembered.
    init(maximumCount: Int = 4096) { self.maximumCount = maximumCount }

    /// Throws an original's earlier failure.
    func check(_ digest: ContentDigest) throws {
        let failure = failures.withLock { $0[digest] }
        if let failure { throw failure }
    }

    /// Remembers a failure if it is the original's fault.
    func note(_ failure: MediaWorkerError, of digest: ContentDigest) {
        guard failure.code == .refused || failure.isFatalToWorker else { return }
        failures.withLock { failures in
            // Drops an arbitrary one, so that such files cannot exhaust memory.
            if failures.count >= maximumCount { _ = failures.popFirst() }
            failures[digest] = failure
        }
    }

    func forget() { failures.withLock { $0 = [:] } }
}
