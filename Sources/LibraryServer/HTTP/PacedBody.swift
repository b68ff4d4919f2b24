import Hummingbird
import LibraryAPI
import NIOCore

/// The minimum rate of a body.
struct BodyPace: Sendable {
    /// Bytes per second, averaged over a span; 0 for no minimum.
    let bytesPerSecond: Int
    /// The span over which the rate is measured.
    let span: Duration
}

/// A request body that fails if it arrives too slowly.
///
/// Only time spent waiting for bytes counts: a client is never blamed for a slow server. A body that stops altogether
/// is ended by the connection's idle timeout.
struct PacedBody: AsyncSequence, Sendable {
    let body: RequestBody
    let pace: BodyPace

    struct Iterator: AsyncIteratorProtocol {
        fileprivate var buffers: RequestBody.AsyncIterator
        fileprivate var meter: PaceMeter

        @concurrent mutating func next() async throws -> ByteBuffer? {
            let clock = ContinuousClock()
            let start = clock.now
            let buffer = try await buffers.next()
            guard let buffer, meter.take(buffer.readableBytes, after: clock.now - start) else { return buffer }
            throw ProblemDetails(
                .tooSlow,
                "The body arrives at less than \(meter.pace.bytesPerSecond) bytes a second: "
                    + "retry when the link is faster.",
                retryAfterSeconds: 10
            )
        }
    }

    func makeAsyncIterator() -> Iterator {
        Iterator(buffers: body.makeAsyncIterator(), meter: PaceMeter(pace: pace))
    }
}

/// The bytes and waiting time of the current span.
struct PaceMeter: Sendable {
    let pace: BodyPace
    private var byteCount = 0
    private var waited = Duration.zero

    init(pace: BodyPace) { self.pace = pace }

    /// Records bytes and the time spent waiting for them.
    ///
    /// - Returns: whether a span ended with too few bytes.
    mutating func take(_ count: Int, after wait: Duration) -> Bool {
        byteCount += count
        waited += wait
        guard waited >= pace.span else { return false }
        let wanted = waited / .seconds(1) * Double(pace.bytesPerSecond)
        defer { (byteCount, waited) = (0, .zero) }
        return Double(byteCount) < wanted
    }
}
