import NIOCore
import NIOHTTPTypes

/// Closes connections whose other side keeps them busy without getting on.
///
/// 1. No request's head within ``patience`` of the connection's beginning or of the last answer's end: a header that
///    drips in, byte by byte, as well as silence.
/// 2. An answer that does not get rid of its bytes: the channel holds back what is written while its buffer is full, and
///    when it stays so for ``patience`` the other side has read less than the buffer's lower half (32 KiB) in that time.
///
/// Bodies that drip in are cut by ``PacedBody``, which knows how long it waited for them.
final class PeerPace: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let patience: TimeAmount
    /// Requests whose answers are not written to their end.
    private var requestCount = 0
    private var headDeadline: Scheduled<Void>?
    private var writeDeadline: Scheduled<Void>?

    init(patience: TimeAmount) {
        self.patience = patience
    }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { awaitHead(context) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        headDeadline?.cancel()
        writeDeadline?.cancel()
    }

    func channelActive(context: ChannelHandlerContext) {
        awaitHead(context)
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head = unwrapInboundIn(data) {
            requestCount += 1
            headDeadline?.cancel()
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) {
            requestCount -= 1
            if requestCount == 0 { awaitHead(context) }
        }
        context.write(data, promise: promise)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        writeDeadline?.cancel()
        if !context.channel.isWritable { writeDeadline = closing(context) }
        context.fireChannelWritabilityChanged()
    }

    private func awaitHead(_ context: ChannelHandlerContext) {
        headDeadline?.cancel()
        headDeadline = closing(context)
    }

    private func closing(_ context: ChannelHandlerContext) -> Scheduled<Void> {
        let channel = context.channel
        return context.eventLoop.scheduleTask(in: patience) { channel.close(promise: nil) }
    }
}
