import Capture
import NIOCore

/// Closes a connection whose client does not read what it is sent.
///
/// The channel holds back writes while its buffer is full. If nothing leaves the buffer for ``patience``, the connection is
/// closed: otherwise a follower of events would keep its place for ever.
final class UnreadDeadline: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    /// How long a client may read nothing.
    static let patience = Duration.seconds(30)

    private let clock: any CaptureClock
    private var closing: Task<Void, any Error>?

    init(clock: any CaptureClock) {
        self.clock = clock
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        closing?.cancel()
        closing = context.channel.isWritable ? nil : close(context.channel)
        context.fireChannelWritabilityChanged()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        closing?.cancel()
    }

    private func close(_ channel: any Channel) -> Task<Void, any Error> {
        Task { [clock] in
            try await channel.waitWhileRead(by: clock)
            channel.close(promise: nil)
        }
    }
}

extension Channel {
    /// Waits until nothing has left the buffer for the deadline's patience.
    fileprivate func waitWhileRead(by clock: any CaptureClock) async throws {
        var before = Int.max
        var unread = try await getOption(.bufferedWritableBytes).get()
        while unread < before {
            before = unread
            try await clock.sleep(until: clock.reading().monotonic.advanced(by: UnreadDeadline.patience))
            unread = try await getOption(.bufferedWritableBytes).get()
        }
    }
}
