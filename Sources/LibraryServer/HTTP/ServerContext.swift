import Hummingbird
import NIOCore

/// Hummingbird's context of a request: the connection, from which the caller's credential is read.
struct ServerContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }

    /// The peer's address without port; nil on a Unix socket.
    var remoteAddress: String? { channel.remoteAddress?.ipAddress }
}
