import DeviceIdentity
import HummingbirdCore
import HummingbirdTLS
import NIOCore
import NIOSSL

/// TLS as the library server speaks it: version 1.3 only, a client certificate where the client has one.
enum ServerTLS {
    /// The TLS side of a listener.
    ///
    /// A certificate that a client presents must be issued by our authority, else the handshake fails; its dates are
    /// judged above, so that an expired device can still renew. That is why the usual verification is replaced.
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
