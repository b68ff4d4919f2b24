import Dispatch

/// Does work that blocks, such as waiting for other programs, on a thread of its own.
///
/// On two cores there are two threads for all asynchronous tests; one that waits for a child process holds up half of them.
///
/// - Parameter work: what blocks.
/// - Returns: what the work returns.
/// - Throws: what the work throws.
package func offTheSharedThreads<Value: Sendable>(
    _ work: @escaping @Sendable () throws -> Value
) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async { continuation.resume(with: Result { try work() }) }
    }
}
