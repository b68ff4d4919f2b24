import Hummingbird
import LibraryAPI
import NIOCore

/// How fast a body has to come.
struct BodyPace: Sendable {
    /// Bytes a second, on the average of a span; 0 lets every body take its time.
    let bytesPerSecond: Int
    /// The spans over which it is looked at.
    let span: Duration
}

/// A request's body that ends with an error when it drips in.
///
/// Only the time counts in which we waited for bytes: a client is never blamed for a server that is slow to take them.
/// A body that stops altogether is ended by the connection's idle timeout.
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
                "The body comes with less than \(meter.pace.bytesPerSecond) bytes a second: send it when the link allows.",
                retryAfterSeconds: 10
            )
        }
    }

    func makeAsyncIterator() -> Iterator {
        Iterator(buffers: body.makeAsyncIterator(), meter: PaceMeter(pace: pace))
    }
}

/// Bytes and waiting of the span that is being looked at.
struct PaceMeter: Sendable {
    let pace: BodyPace
    private var byteCount = 0
    private var waited = Duration.zero

    init(pace: BodyPace) {
        self.pace = pace
    }

    /// Notes bytes and how long they were waited for.
    ///
    /// - Returns: whether a span has ended in which too few came.
    mutating func take(_ count: Int, after wait: Duration) -> Bool {
        byteCount += count
        waited += wait
        guard waited >= pace.span else { return false }
        let wanted = waited / .seconds(1) * Double(pace.bytesPerSecond)
        defer { (byteCount, waited) = (0, .zero) }
        return Double(byteCount) < wanted
    }
}
