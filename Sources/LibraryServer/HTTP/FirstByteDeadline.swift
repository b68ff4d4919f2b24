import NIOCore

/// Closes a connection whose peer sends nothing, not even the beginning of a handshake.
///
/// Such connections cost their opener nothing, and those of this machine, where a proxy may be, are not counted.
final class FirstByteDeadline: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = NIOAny

    /// The most that a silent peer gets while a request may take a minute; a sixth of it where it may take longer.
    static let silence = TimeAmount.seconds(10)

    private let patience: TimeAmount
    private var deadline: Scheduled<Void>?

    /// - Parameter patience: how long a peer may take for a request.
    init(patience: TimeAmount) {
        self.patience = max(min(patience, Self.silence), .nanoseconds(patience.nanoseconds / 6))
    }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { begin(context) }
    }

    func handlerRemoved(context: ChannelHandlerContext) { deadline?.cancel() }

    func channelActive(context: ChannelHandlerContext) {
        begin(context)
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        deadline?.cancel()
        context.fireChannelRead(data)
        context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
    }

    private func begin(_ context: ChannelHandlerContext) {
        let channel = context.channel
        deadline?.cancel()
        deadline = context.eventLoop.scheduleTask(in: patience) { channel.close(promise: nil) }
    }
}
