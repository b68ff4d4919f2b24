import NIOCore
import NIOHTTPTypes

/// Closes connections whose peer makes no progress.
///
/// 1. No request head within ``patience`` of the connection's start or the last response's end: a header that
///    drips in, byte by byte, as well as silence.
/// 2. A response that is not being read: the channel holds back writes while its buffer is full, and
///    if that lasts for ``patience`` the peer has read less than the buffer's lower half (32 KiB) in that time.
///
/// ``FirstByteDeadline`` closes sooner what is silent from its start. Slow request bodies are cut off by ``PacedBody``,
/// which knows how long it waited for them.
final class PeerPace: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let patience: TimeAmount
    /// Requests whose responses are not completely written.
    private var requestCount = 0
    private var headDeadline: Scheduled<Void>?
    private var writeDeadline: Scheduled<Void>?

    init(patience: TimeAmount) { self.patience = patience }

    func handlerAdded(context: ChannelHandlerContext) {
        // Before TLS: a handshake's bytes count.
        try? context.pipeline.syncOperations.addHandler(FirstByteDeadline(patience: patience), position: .first)
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
