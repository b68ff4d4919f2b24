package import DeviceIdentity
import NIOCore
package import NIOSSL
import Synchronization

/// The identities of open connections' certificates.
///
/// A certificate is verified once per handshake and looked up for every request on the connection, so the result is
/// cached for the newest ``maximumCount`` certificates. It never changes for a certificate: expiry and revocation are
/// judged per request.
package final class PeerIdentities: Sendable {
    /// A verified certificate.
    package struct Peer: Hashable, Sendable {
        /// Its identity.
        package let identity: Identity
        /// The certificate, for its dates and its key.
        package let certificate: IdentityCertificate
    }

    private static let maximumCount = 4096

    private struct State {
        var peers: [NIOSSLCertificate: Peer] = [:]
        var order: [NIOSSLCertificate] = []
    }

    private let authorities: TrustedAuthorities
    private let state = Mutex(State())

    /// Verifies certificates against these authorities.
    package init(authorities: TrustedAuthorities) { self.authorities = authorities }

    /// Verifies a certificate, or returns the cached result.
    ///
    /// - Throws: ``DeviceIdentityError`` if no authority of the library issued it for a client.
    package func peer(of certificate: NIOSSLCertificate) throws -> Peer {
        if let known = state.withLock({ $0.peers[certificate] }) { return known }
        let ours = try IdentityCertificate(der: certificate.toDERBytes())
        let peer = Peer(identity: try authorities.identity(of: ours), certificate: ours)
        state.withLock { state in
            guard state.peers.updateValue(peer, forKey: certificate) == nil else { return }
            state.order.append(certificate)
            if state.order.count > Self.maximumCount { state.peers[state.order.removeFirst()] = nil }
        }
        return peer
    }

    /// Judges the chain that a client presented in its handshake.
    ///
    /// The key needs no check here: TLS 1.3 proves its possession with the client's CertificateVerify message (RFC
    /// 8446, section 4.4.3).
    func verify(chain: [NIOSSLCertificate]) -> NIOSSLVerificationResult {
        guard let leaf = chain.first, (try? peer(of: leaf)) != nil else { return .failed }
        return .certificateVerified
    }
}
