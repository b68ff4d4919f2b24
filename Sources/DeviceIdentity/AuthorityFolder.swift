/// The folder with a server's authority, its own certificate and its receipt key.
///
/// | file | holds |
/// |---|---|
/// | `root.pem` | the certificate that devices pin |
/// | `root-key.pem` | its key; move it offline, the server runs without it |
/// | `intermediate.pem`, `intermediate-key.pem` | the certificate and key for daily signing |
/// | `server.pem`, `server-key.pem` | the TLS certificate followed by the intermediate, and its key |
/// | `receipt-key.pem` | signs receipts |
/// | `retired.pem` | earlier intermediates, still trusted |
/// | `coming-root.pem`, `coming-root-key.pem` | the next root, announced to devices |
///
/// Keys have mode 0600, the folder 0700.
package struct AuthorityFolder: Sendable {
    /// The folder's path.
    package let path: String

    /// Refers to a folder, which need not exist yet.
    package init(path: String) {
        self.path = path
    }

    /// Everything a running server needs from the folder.
    package struct Contents: Sendable {
        /// The authority, able to sign.
        package let authority: CertificateAuthority
        /// The server's TLS key.
        package let serverKey: DeviceKey
        /// The server's certificate and the intermediate, in the order TLS sends them.
        package let serverChain: [IdentityCertificate]
        /// The key that signs receipts.
        package let receiptKey: ReceiptKey
        /// Earlier intermediates; certificates they issued are still trusted.
        package let retired: [IdentityCertificate]
        /// The next root, for devices to pin beside the current one; nil if none was announced.
        package let comingRoot: IdentityCertificate?
    }

    /// Creates a new authority and a server certificate in the folder, which must be empty, for the addresses by which
    /// devices reach the server; at least one.
    ///
    /// - Throws: `fileExists` if there is already an authority, `fileFailed`, `signingFailed`.
    package func create(hosts: [HostAddress]) throws(DeviceIdentityError) -> Contents {
        let rootKey = try DeviceKey.create(at: file("root-key.pem"))
        let authority = try CertificateAuthority(rootKey: rootKey)
        try PrivateFile.create(file("intermediate-key.pem"), text: authority.intermediateKeyPEM + "\n")
        try PrivateFile.create(file("intermediate.pem"), text: authority.intermediate.pem + "\n", permissions: 0o644)
        let serverKey = try DeviceKey.create(at: file("server-key.pem"))
        let server = try authority.serverCertificate(for: serverKey, hosts: hosts)
        try PrivateFile.create(file("server.pem"), text: authority.chain(of: server), permissions: 0o644)
        let receiptKey = try DeviceKey.create(at: file("receipt-key.pem"))
        try PrivateFile.create(file("root.pem"), text: authority.root.pem + "\n", permissions: 0o644)
        return Contents(
            authority: authority,
            serverKey: serverKey,
            serverChain: [server, authority.intermediate],
            receiptKey: ReceiptKey(receiptKey),
            retired: [],
            comingRoot: nil
        )
    }

    /// Reads the folder.
    ///
    /// - Throws: `fileFailed`, `fileInsecure`, `keyMalformed`, `certificateMalformed`, `certificateUntrusted` if the
    ///   parts do not match.
    package func load() throws(DeviceIdentityError) -> Contents {
        try finishRotation()
        let authority = try CertificateAuthority(
            root: IdentityCertificate(pem: PrivateFile.readPublic(file("root.pem"))),
            intermediate: IdentityCertificate(pem: PrivateFile.readPublic(file("intermediate.pem"))),
            intermediateKey: DeviceKey.load(from: file("intermediate-key.pem"))
        )
        let serverKey = try DeviceKey.load(from: file("server-key.pem"))
        let server = try IdentityCertificate(pem: PrivateFile.readPublic(file("server.pem")))
        guard server.keyFingerprint == serverKey.fingerprint else {
            throw DeviceIdentityError(
                .certificateUntrusted,
                "the server's certificate is not for its key",
                subject: file("server.pem")
            )
        }
        return Contents(
            authority: authority,
            serverKey: serverKey,
            serverChain: [server, authority.intermediate],
            receiptKey: ReceiptKey(try DeviceKey.load(from: file("receipt-key.pem"))),
            retired: try retired(),
            comingRoot: try comingRoot(after: authority.root)
        )
    }

    private func file(_ name: String) -> String { "\(path)/\(name)" }
}
