import Glibc
import NIOCore
import NIOPosix

extension ListenAddress {
    /// Listens briefly, so that an unavailable address is reported clearly before services start.
    ///
    /// - Throws: ``ServerError`` with the next step.
    func probe() async throws {
        do {
            let channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .bind(host: host, port: port).get()
            try await channel.close()
        } catch let error as IOError {
            throw ServerError(.listening, advice(error))
        } catch let error as SocketAddressError.UnknownHost {
            throw ServerError(
                .listening,
                "the host \(error.host) cannot be resolved: set server.listen to an address of this machine"
            )
        }
    }

    private func advice(_ error: IOError) -> String {
        switch error.errnoCode {
        case EADDRINUSE:
            "\(self) is in use: stop what listens there (ss -ltnp 'sport = :\(port)'), or set server.listen to another port"
        case EADDRNOTAVAIL:
            "this machine has no address \(host): set server.listen to one that it has, or to 0.0.0.0 for all"
        case EACCES:
            "port \(port) is privileged: set server.listen to a port from 1024 up, or grant CAP_NET_BIND_SERVICE"
        default: "\(self) cannot be listened on: \(error)"
        }
    }
}
