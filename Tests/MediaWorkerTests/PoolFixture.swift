import Foundation
import Glibc
import MediaWorker
import Persistence
import Synchronization

/// A clock that a test moves.
final class HandClock: Sendable {
    private let time = Mutex(Duration.seconds(1000))

    var now: Duration { time.withLock { $0 } }

    func advance(by duration: Duration) { time.withLock { $0 += duration } }
}

/// A pool of hostile workers.
struct PoolFixture {
    let clock = HandClock()
    /// What the files with orders are called among the open ones; each fixture has a name of its own.
    let name = "order-\(UUID().uuidString)"
    let pool: MediaWorkerPool

    init(width: Int = 1, program: String = "hostile-worker", _ change: (inout MediaLimits) -> Void = { _ in }) {
        var limits = MediaLimits()
        // Beside a thousand other tests a worker may wait long for a processor.
        limits.wallSeconds = 300
        change(&limits)
        let threads = BlockingPool(width: width)
        pool = MediaWorkerPool(
            program: Bundle.main.bundleURL.appending(path: program).path,
            limits: limits,
            blocking: { try await threads.run($0) },
            now: { [clock] in clock.now }
        )
    }

    /// Gives a worker a file with an order.
    func order(_ text: String) async throws -> MediaOutput {
        try await pool.perform(MediaRequest(.thumbnails, of: .still, thumbnails: [.init(side: 256)])) { [name] in
            let file = try OwnedDescriptor.inMemory(name)
            let bytes = Array(text.utf8)
            guard unsafe pwrite(file.number, bytes, bytes.count, 0) == bytes.count else {
                throw CocoaError(.fileWriteUnknown)
            }
            return file
        }
    }

    /// What a worker's failure is; nil when there is none.
    func failure(of text: String) async -> MediaWorkerError? { await error(of: text) as? MediaWorkerError }

    /// Why an order gave nothing; nil when it gave something.
    func error(of text: String) async -> (any Error)? {
        do {
            _ = try await order(text)
            return nil
        } catch {
            return error
        }
    }
}
