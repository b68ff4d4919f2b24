import MediaWorker
import PhotoModel
import Synchronization

/// Originals that gave no JPEG by their own fault, and how they failed: whoever asks again costs no worker.
///
/// It is forgotten with the process, since the next one may read more, and when an operator has jobs tried again. What came
/// of an original's thumbnails is kept by its job.
final class FailedConversions: Sendable {
    private let maximumCount: Int
    private let failures = Mutex<[ContentDigest: MediaWorkerError]>([:])

    /// Nothing has failed yet.
    ///
    /// - Parameter maximumCount: how many are remembered.
    init(maximumCount: Int = 4096) {
        self.maximumCount = maximumCount
    }

    /// Throws how an original failed before.
    func check(_ digest: ContentDigest) throws {
        let failure = failures.withLock { $0[digest] }
        if let failure { throw failure }
    }

    /// Remembers a failure, where it is the original's fault.
    func note(_ failure: MediaWorkerError, of digest: ContentDigest) {
        guard failure.code == .refused || failure.isFatalToWorker else { return }
        failures.withLock { failures in
            // Any one makes room: nobody is to fill the memory with files like that.
            if failures.count >= maximumCount { _ = failures.popFirst() }
            failures[digest] = failure
        }
    }

    /// Lets every original be tried again.
    func forget() { failures.withLock { $0 = [:] } }
}
