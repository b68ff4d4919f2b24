import Dispatch
import Synchronization

extension Array where Element: Sendable {
    /// Maps on all processors, for calls that block or keep a processor busy; blocks.
    ///
    /// Every element is mapped, also when one fails.
    ///
    /// - Parameters:
    ///   - share: elements that one task takes: some milliseconds of work.
    ///   - transform: the work.
    /// - Returns: the results in the elements' order.
    /// - Throws: the error of the first element that failed.
    package func concurrentMap<Value: Sendable>(
        by share: Int = 1,
        _ transform: @Sendable (Element) throws -> Value
    ) throws -> [Value] {
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
