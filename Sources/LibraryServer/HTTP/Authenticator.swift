import DeviceIdentity
import Foundation
import Glibc
import HTTPTypes
import Hummingbird
import LibraryAPI
import NIOCore
import NIOSSL
import PhotoModel

/// A reverse proxy that terminates TLS and forwards certificates.
struct ProxySettings: Sendable {
    /// The digests of trusted proxies' keys; fields from other peers are ignored.
    let keys: Set<ContentDigest>
    /// The field that carries the client's certificate.
    let certificateField: String
    /// The field whose last address is the client's.
    let addressField: String
}

/// Determines a caller's credential, presented to this server or to a trusted proxy.
struct Authenticator: Sendable {
    let peers: PeerIdentities
    let logins: WebLogins
    let proxy: ProxySettings

    /// A caller's credential and origin.
    struct Showing: Sendable {
        let credential: Credential
        let address: String?
    }

    /// Reads the connection, and trusted header fields.
    ///
    /// A certificate takes precedence over a cookie. Only the cookie field is ever read, unless the connection's own
    /// certificate is a configured proxy's.
    func showing(of request: Request, _ context: ServerContext) async throws -> Showing {
        if case .unixDomainSocket = context.channel.localAddress {
            return Showing(credential: try await Self.localUser(context.channel), address: nil)
        }
        guard let certificate = try await context.channel.nioSSL_peerCertificate().get() else {
            return Showing(credential: try await cookie(of: request), address: context.remoteAddress)
        }
        let peer = try peers.peer(of: certificate)
        guard proxy.keys.contains(peer.certificate.keyFingerprint.digest) else {
            return Showing(credential: Self.credential(of: peer), address: context.remoteAddress)
        }
        let address = field(proxy.addressField, of: request)?.split(separator: ",").last
            .map { $0.filter { $0 != " " } }
        guard let text = field(proxy.certificateField, of: request), !text.isEmpty else {
            return Showing(credential: try await cookie(of: request), address: address)
        }
        guard let forwarded = try? Self.certificate(text), let client = try? peers.peer(of: forwarded) else {
            return Showing(credential: .none, address: address)
        }
        return Showing(credential: Self.credential(of: client), address: address)
    }

    private static func credential(of peer: PeerIdentities.Peer) -> Credential {
        switch peer.identity {
        case .device(let device): .device(device, certificate: peer.certificate)
        case .operator(let name): .operatorCertificate(name, certificate: peer.certificate)
        }
    }

    private func cookie(of request: Request) async throws -> Credential {
        let fields = request.headers[values: .cookie].flatMap { $0.split(separator: ";") }
        for field in fields {
            let pair = field.drop { $0 == " " }
            guard pair.hasPrefix(OperatorRoutes.cookie + "=") else { continue }
            let secret = String(pair.dropFirst(OperatorRoutes.cookie.count + 1))
            return try await logins.session(ofSecret: secret).map { .webSession($0) } ?? .none
        }
        return .none
    }

    private func field(_ name: String, of request: Request) -> String? {
        guard let name = HTTPField.Name(name) else { return nil }
        return request.headers[values: name].last
    }

    /// A certificate in a field: PEM percent-encoded as by nginx, or DER in base 64, with or without RFC 9440's colons.
    private static func certificate(_ text: String) throws -> NIOSSLCertificate {
        if let bytes = Base64.decode(text.filter { $0 != ":" }) {
            return try NIOSSLCertificate(bytes: bytes, format: .der)
        }
        let pem = text.removingPercentEncoding ?? text
        return try NIOSSLCertificate(bytes: Array(pem.utf8), format: .pem)
    }

    /// The kernel's `struct ucred`, missing from Glibc's module.
    private struct PeerCredential: Sendable {
        let processID: Int32
        let userID: UInt32
        let groupID: UInt32
    }

    /// The user of the peer process, according to the kernel (unix(7), `SO_PEERCRED`).
    private static func localUser(_ channel: any Channel) async throws -> Credential {
        guard let provider = channel as? any SocketOptionProvider else { return .none }
        let peer: PeerCredential = try await provider.unsafeGetSocketOption(
            level: .socket,
            name: .init(rawValue: SO_PEERCRED)
        )
        .get()
        return .localUser(userID: peer.userID)
    }
}
