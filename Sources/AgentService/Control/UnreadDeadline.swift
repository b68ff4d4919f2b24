import Capture
import NIOCore

/// Closes a connection whose client does not read what it is sent.
///
/// The channel holds back writes while its buffer is full. If that lasts for ``patience``, the connection is closed:
/// otherwise it would keep its place for ever, and the agent from ending.
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
        let deadline = clock.reading().monotonic.advanced(by: Self.patience)
        return Task { [clock] in
            try await clock.sleep(until: deadline)
            channel.close(promise: nil)
        }
    }
}
