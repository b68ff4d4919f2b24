import NIOCore
import Synchronization

/// Limits what each address has open at once, such as connections, so that none can use up the server's; see
/// `AddressNetwork`.
final class AddressConnections: Sendable {
    private let maximumCount: Int
    private let counts = Mutex<[String: Int]>([:])

    /// - Parameter maximumCount: the most per address.
    init(maximumCount: Int) { self.maximumCount = maximumCount }

    /// Takes a place.
    ///
    /// - Returns: whether it is allowed; if not, do not call ``leave(_:)``.
    func enter(_ address: String) -> Bool {
        counts.withLock { counts in
            let count = counts[address, default: 0]
            guard count < maximumCount else { return false }
            counts[address] = count + 1
            return true
        }
    }

    /// Releases a place.
    func leave(_ address: String) {
        counts.withLock { counts in
            let rest = counts[address, default: 1] - 1
            counts[address] = rest > 0 ? rest : nil
        }
    }
}

/// Closes a new connection if its address has reached the limit.
///
/// Local addresses are not counted: a proxy on this machine carries everybody's connections.
final class AddressConnectionHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = NIOAny

    private let connections: AddressConnections
    private var counted: String?

    init(connections: AddressConnections) { self.connections = connections }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { begin(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        begin(context)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { end() }

    private func begin(_ context: ChannelHandlerContext) {
        guard counted == nil, let address = context.channel.remoteAddress?.ipAddress, !Self.isLocal(address) else {
            return
        }
        let network = AddressNetwork.name(of: address)
        if connections.enter(network) {
            counted = network
        } else {
            context.close(promise: nil)
        }
    }

    private func end() {
        if let address = counted { connections.leave(address) }
        counted = nil
    }

    /// A socket for both IPv6 and IPv4 sees 127.0.0.1 as ::ffff:127.0.0.1 (RFC 4291, 2.5.5.2).
    private static func isLocal(_ address: String) -> Bool {
        address.hasPrefix("127.") || address == "::1" || address.hasPrefix("::ffff:127.")
    }
}
