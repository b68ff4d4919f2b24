import Dispatch
import Synchronization

extension Array where Element: Sendable {
    /// Maps on all processors, for calls that keep a processor busy or wait for a disk for moments; blocks.
    ///
    /// Every element is mapped, also when one fails. It holds threads of Dispatch's global queue, as many as there are
    /// processors: for commands and for threads of the `BlockingPool`, never for a cooperative thread.
    ///
    /// - Parameters:
    ///   - share: elements that one task takes, 1 or more: some milliseconds of work.
    ///   - transform: the work.
    /// - Returns: the results in the elements' order.
    /// - Throws: the error of the first element that failed.
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
