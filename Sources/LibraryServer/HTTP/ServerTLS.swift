import DeviceIdentity
import HummingbirdCore
import HummingbirdTLS
import NIOCore
import NIOSSL

/// The library server's TLS: version 1.3 only, with optional client certificates.
enum ServerTLS {
    /// The TLS configuration of a listener.
    ///
    /// A presented client certificate must be issued by our authority, else the handshake fails; its dates are judged
    /// later, so that an expired device can still renew. That is why the usual verification is replaced.
    static func configuration(
        of folder: AuthorityFolder.Contents,
        peers: PeerIdentities
    ) throws -> TLSChannelConfiguration {
        let chain = try folder.serverChain.map { certificate in
            NIOSSLCertificateSource.certificate(try NIOSSLCertificate(bytes: certificate.der, format: .der))
        }
        let key = try NIOSSLPrivateKey(bytes: Array(folder.serverKey.pem.utf8), format: .pem)
        var tls = TLSConfiguration.makeServerConfiguration(certificateChain: chain, privateKey: .privateKey(key))
        tls.minimumTLSVersion = .tlsv13
        tls.trustRoots = .certificates([
            try NIOSSLCertificate(bytes: folder.authority.root.der, format: .der)
        ])
        tls.certificateVerification = .optionalVerification
        tls.applicationProtocols = ["http/1.1"]
        return TLSChannelConfiguration(tlsConfiguration: tls) { chain, promise in
            promise.succeed(peers.verify(chain: chain))
        }
    }
}
