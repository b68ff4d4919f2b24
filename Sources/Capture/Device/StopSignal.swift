/// Tells running work to end; callable from any thread, repeatedly.
package final class StopSignal: Sendable {
    private let signals: AsyncStream<Void>
    private let sink: AsyncStream<Void>.Continuation

    /// Creates a signal that has not been given.
    package init() {
        (signals, sink) = AsyncStream.makeStream()
    }

    /// Gives the signal.
    package func give() {
        sink.finish()
    }

    /// Runs work until it ends by itself, the signal is given, or the task is cancelled; both cancel the work.
    ///
    /// - Parameter work: ends when its task is cancelled.
    /// - Throws: what the work throws.
    package func run(
        _ work: @escaping @Sendable () async throws(CaptureError) -> Void
    ) async throws(CaptureError) {
        let result = await withTaskGroup(of: Result<Void, CaptureError>?.self) { [signals] group in
            group.addTask { await Result.awaiting(work) }
            group.addTask {
                for await _ in signals {}
                return nil
            }
            var result: Result<Void, CaptureError>?
            for await outcome in group {
                result = result ?? outcome
                group.cancelAll()
            }
            return result
        }
        try result?.get()
    }
}
