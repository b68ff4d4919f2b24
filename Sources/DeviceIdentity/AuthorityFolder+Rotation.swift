// A rotation prepares every file under a name of its own, then says that all are there, then gives them their names. A
// crash before that word leaves the old authority, one after it is made good when the folder is read next.
//
//     next-<file>      what is to become <file>
//     next-ready       all of them are whole and durable

extension AuthorityFolder {
    private static let rotated = ["retired.pem", "intermediate.pem", "server.pem", "intermediate-key.pem"]
    private static let ready = "next-ready"

    /// Puts a new intermediate in the place of the one that signs; what the old one issued stays trusted.
    ///
    /// The root, which devices pin, stays, so that no device notices.
    ///
    /// - Parameter hosts: how devices reach the server; at least one.
    /// - Returns: what ``load()`` would read.
    /// - Throws: `fileFailed` without the root's key, `certificateUntrusted` for another root's, `signingFailed`.
    package func rotateIntermediate(hosts: [HostAddress]) throws(DeviceIdentityError) -> Contents {
        let current = try load()
        let rootKey = try DeviceKey.load(from: "\(path)/root-key.pem")
        let next = try CertificateAuthority(root: current.authority.root, rootKey: rootKey)
        let server = try next.serverCertificate(for: current.serverKey, hosts: hosts)
        for name in Self.rotated { try PrivateFile.remove("\(path)/next-\(name)") }
        let retired = [current.authority.intermediate] + current.retired
        let texts = [
            ("retired.pem", retired.map { $0.pem + "\n" }.joined()), ("intermediate.pem", next.intermediate.pem + "\n"),
            ("server.pem", server.pem + "\n" + next.intermediate.pem + "\n"),
        ]
        for (name, text) in texts { try PrivateFile.create("\(path)/next-\(name)", text: text, permissions: 0o644) }
        try PrivateFile.create("\(path)/next-intermediate-key.pem", text: next.intermediateKeyPEM + "\n")
        try PrivateFile.create("\(path)/\(Self.ready)", text: "ready\n")
        return try load()
    }

    /// Ends the trust in earlier intermediates: devices that hold their certificates enrol again.
    ///
    /// - Throws: `fileFailed`.
    package func forgetRetired() throws(DeviceIdentityError) {
        try PrivateFile.remove("\(path)/retired.pem")
    }

    /// Gives the files of a rotation their names, if one was prepared whole.
    func finishRotation() throws(DeviceIdentityError) {
        guard PrivateFile.exists("\(path)/\(Self.ready)") else { return }
        for name in Self.rotated { try PrivateFile.move("\(path)/next-\(name)", to: "\(path)/\(name)") }
        try PrivateFile.remove("\(path)/\(Self.ready)")
    }

    /// Earlier intermediates, the last one first.
    func retired() throws(DeviceIdentityError) -> [IdentityCertificate] {
        guard PrivateFile.exists("\(path)/retired.pem") else { return [] }
        return try IdentityCertificate.all(inPEM: PrivateFile.readPublic("\(path)/retired.pem"))
    }
}
