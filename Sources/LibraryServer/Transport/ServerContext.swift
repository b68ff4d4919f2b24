import DeviceIdentity
import Hummingbird
import NIOCore
import NIOSSL

#if canImport(Glibc)
import Glibc
#endif

/// What Hummingbird carries along with a request: the connection, from which the caller's credential is read.
struct ServerContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }

    /// The other side's address without its port; nil on a Unix socket.
    var remoteAddress: String? { channel.remoteAddress?.ipAddress }

    /// What the caller showed.
    ///
    /// Header fields are never looked at, so that nobody names a certificate that they do not hold.
    func credential(peers: PeerIdentities) async throws -> Credential {
        if case .unixDomainSocket = channel.localAddress { return try await localUser() }
        guard let certificate = try await channel.nioSSL_peerCertificate().get() else { return .none }
        let peer = try peers.peer(of: certificate)
        switch peer.identity {
        case .device(let device): return .device(device, certificate: peer.certificate)
        case .operator(let name): return .operatorCertificate(name, certificate: peer.certificate)
        }
    }

    /// `struct ucred` of the kernel, which Glibc's module leaves out.
    private struct PeerCredential: Sendable {
        let processID: Int32
        let userID: UInt32
        let groupID: UInt32
    }

    /// The user of the process at the other end, as the kernel tells it (unix(7), `SO_PEERCRED`).
    private func localUser() async throws -> Credential {
        guard let provider = channel as? any SocketOptionProvider else { return .none }
        let peer: PeerCredential = try await provider.unsafeGetSocketOption(
            level: .socket,
            name: .init(rawValue: SO_PEERCRED)
        )
        .get()
        return .localUser(userID: peer.userID)
    }
}
