import Dispatch
import Synchronization

extension Array where Element: Sendable {
    /// Maps on all processors, for calls that are CPU-bound or wait briefly for a disk; blocks.
    ///
    /// Every element is mapped, even if one fails; the first failing one's error is thrown. It occupies as many threads
    /// of Dispatch's global queue as there are processors: use it in commands and on `BlockingPool` threads, never on a
    /// cooperative thread. A task's share should be some milliseconds of work.
    package func concurrentMap<Value: Sendable>(
        by share: Int = 1,
        _ transform: @Sendable (Element) throws -> Value
    ) throws -> [Value] {
        precondition(share > 0, "a share has an element")
        let shareCount = (count + share - 1) / share
        let results = Mutex<[Int: [Result<Value, any Error>]]>([:])
        DispatchQueue.concurrentPerform(iterations: shareCount) { index in
            let mapped = dropFirst(index * share).prefix(share).map { element in Result { try transform(element) } }
            results.withLock { $0[index] = mapped }
        }
        return try results.withLock { results in
            try (0..<shareCount).flatMap { try results[$0, default: []].map { try $0.get() } }
        }
    }
}
