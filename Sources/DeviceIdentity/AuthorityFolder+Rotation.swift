// A rotation prepares every file under a temporary name, then writes a marker that all are there, then renames them. A
// crash before the marker leaves the old authority; a crash after it is completed when the folder is next read.
//
//     next-<file>      the new <file>
//     next-ready       all of them are whole and durable
//
// A root is replaced in two steps. It is announced first: devices learn it when they renew, over a connection that the
// old root vouches for, and pin both. Once they had time to, it takes over.

extension AuthorityFolder {
    private static let rotated = [
        "retired.pem", "intermediate.pem", "server.pem", "intermediate-key.pem", "root-key.pem", "root.pem",
    ]
    private static let ready = "next-ready"

    /// Replaces the signing intermediate; certificates issued by the old one stay trusted.
    ///
    /// The pinned root stays, so no device notices. The hosts are the addresses by which devices reach the server; at
    /// least one.
    ///
    /// - Throws: `fileFailed` without the root's key, `certificateUntrusted` for another root's, `signingFailed`.
    package func rotateIntermediate(hosts: [HostAddress]) throws(DeviceIdentityError) -> Contents {
        let current = try load()
        let rootKey = try DeviceKey.load(from: "\(path)/root-key.pem")
        let next = try CertificateAuthority(root: current.authority.root, rootKey: rootKey)
        return try replace(current, by: next, newRootKey: nil, hosts: hosts)
    }

    /// Creates the next root and announces it from the next start on; an already announced one is kept.
    ///
    /// - Throws: `fileFailed`, `signingFailed`.
    package func announceRoot() throws(DeviceIdentityError) -> Contents {
        let current = try load()
        guard current.comingRoot == nil else { return current }
        for file in [comingRootFile, comingRootKeyFile] { try PrivateFile.remove(file) }
        let root = try CertificateAuthority.makeRoot(DeviceKey.create(at: comingRootKeyFile))
        try PrivateFile.create(comingRootFile, text: root.pem + "\n", permissions: 0o644)
        return try load()
    }

    /// Replaces the pinned root by the announced one, with a new intermediate.
    ///
    /// Certificates issued under the old root stay trusted, but a device that has not learned the new root can no
    /// longer reach the server. The hosts are the addresses by which devices reach it; at least one.
    ///
    /// - Throws: `fileFailed` if none was announced, or its key is missing.
    package func rotateRoot(hosts: [HostAddress]) throws(DeviceIdentityError) -> Contents {
        let current = try load()
        guard let root = current.comingRoot else {
            throw DeviceIdentityError(.fileFailed, "no root was announced: announce one first", subject: comingRootFile)
        }
        let rootKey = try DeviceKey.load(from: comingRootKeyFile)
        let next = try CertificateAuthority(root: root, rootKey: rootKey)
        let contents = try replace(current, by: next, newRootKey: rootKey, hosts: hosts)
        for file in [comingRootFile, comingRootKeyFile] { try PrivateFile.remove(file) }
        return contents
    }

    private func replace(
        _ current: Contents,
        by next: CertificateAuthority,
        newRootKey: DeviceKey?,
        hosts: [HostAddress]
    ) throws(DeviceIdentityError) -> Contents {
        let server = try next.serverCertificate(for: current.serverKey, hosts: hosts)
        for name in Self.rotated { try PrivateFile.remove("\(path)/next-\(name)") }
        let retired = [current.authority.intermediate] + current.retired
        var texts = [
            ("retired.pem", retired.map { $0.pem + "\n" }.joined()), ("intermediate.pem", next.intermediate.pem + "\n"),
            ("server.pem", next.chain(of: server)),
        ]
        if let newRootKey {
            texts.append(("root.pem", next.root.pem + "\n"))
            try PrivateFile.create("\(path)/next-root-key.pem", text: newRootKey.pem + "\n")
        }
        for (name, text) in texts { try PrivateFile.create("\(path)/next-\(name)", text: text, permissions: 0o644) }
        try PrivateFile.create("\(path)/next-intermediate-key.pem", text: next.intermediateKeyPEM + "\n")
        try PrivateFile.create("\(path)/\(Self.ready)", text: "ready\n")
        return try load()
    }

    private var comingRootFile: String { "\(path)/coming-root.pem" }

    private var comingRootKeyFile: String { "\(path)/coming-root-key.pem" }

    /// Stops trusting earlier intermediates: devices with their certificates must enrol again.
    ///
    /// - Throws: `fileFailed`.
    package func forgetRetired() throws(DeviceIdentityError) {
        try PrivateFile.remove("\(path)/retired.pem")
    }

    /// Completes a rotation that was fully prepared, by renaming its files.
    func finishRotation() throws(DeviceIdentityError) {
        guard PrivateFile.exists("\(path)/\(Self.ready)") else { return }
        for name in Self.rotated { try PrivateFile.move("\(path)/next-\(name)", to: "\(path)/\(name)") }
        try PrivateFile.remove("\(path)/\(Self.ready)")
    }

    /// The announced root; nil if there is none, or it has taken over.
    func comingRoot(after root: IdentityCertificate) throws(DeviceIdentityError) -> IdentityCertificate? {
        guard PrivateFile.exists(comingRootFile) else { return nil }
        let coming = try IdentityCertificate(pem: PrivateFile.readPublic(comingRootFile))
        return coming == root ? nil : coming
    }

    /// Earlier intermediates, latest first.
    func retired() throws(DeviceIdentityError) -> [IdentityCertificate] {
        guard PrivateFile.exists("\(path)/retired.pem") else { return [] }
        return try IdentityCertificate.all(inPEM: PrivateFile.readPublic("\(path)/retired.pem"))
    }
}
