import LibraryAPI
import Synchronization

/// The disk space promised to running batches: as much as one may have, since its length is known only at its end.
///
/// Batches on other servers of the library are not counted: a library on several servers keeps originals in a bucket.
final class BatchSpace: Sendable {
    /// One batch's promise, which ends with its last reference.
    final class Promise: Sendable {
        private let space: BatchSpace
        private let rest = Mutex(APILimits.batchByteCount)

        fileprivate init(of space: BatchSpace) {
            self.space = space
        }

        deinit { end() }

        /// Counts bytes that are on the disk now.
        func use(_ byteCount: Int) { take { min($0, Int64(byteCount)) } }

        /// Ends it, once the batch has all its bytes.
        func end() { take { $0 } }

        private func take(_ part: (Int64) -> Int64) {
            let taken = rest.withLock { rest in
                let taken = part(rest)
                rest -= taken
                return taken
            }
            space.promised.withLock { $0 -= taken }
        }
    }

    private let promised = Mutex<Int64>(0)

    /// Bytes that running batches may still add.
    var byteCount: Int64 { promised.withLock(\.self) }

    /// Promises a batch its space.
    func promise() -> Promise {
        promised.withLock { $0 += APILimits.batchByteCount }
        return Promise(of: self)
    }
}
