// A rotation prepares every file under a name of its own, then says that all are there, then gives them their names. A
// crash before that word leaves the old authority, one after it is made good when the folder is read next.
//
//     next-<file>      what is to become <file>
//     next-ready       all of them are whole and durable
//
// A root is replaced in two steps. It is announced first: devices learn it from the connection that the old one vouches
// for, whenever they renew, and pin both. When they had time to, it takes its place.

extension AuthorityFolder {
    private static let rotated = [
        "retired.pem", "intermediate.pem", "server.pem", "intermediate-key.pem", "root-key.pem", "root.pem",
    ]
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
        return try replace(current, by: next, newRootKey: nil, hosts: hosts)
    }

    /// Makes the root that is to follow, and announces it from the next start on; one that was announced stays.
    ///
    /// - Returns: what ``load()`` would read.
    /// - Throws: `fileFailed`, `signingFailed`.
    package func announceRoot() throws(DeviceIdentityError) -> Contents {
        let current = try load()
        guard current.comingRoot == nil else { return current }
        for file in [comingRootFile, comingRootKeyFile] { try PrivateFile.remove(file) }
        let root = try CertificateAuthority.makeRoot(DeviceKey.create(at: comingRootKeyFile))
        try PrivateFile.create(comingRootFile, text: root.pem + "\n", permissions: 0o644)
        return try load()
    }

    /// Puts the announced root in the place of the one that devices pinned, with an intermediate of its own; what the old
    /// ones issued stays trusted, but a device that has not learned the new root reaches the server no more.
    ///
    /// - Parameter hosts: how devices reach the server; at least one.
    /// - Returns: what ``load()`` would read.
    /// - Throws: `fileFailed` when none was announced, or without its key.
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
            ("server.pem", server.pem + "\n" + next.intermediate.pem + "\n"),
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

    /// The root that was announced; nil when there is none, or when it has taken its place.
    func comingRoot(after root: IdentityCertificate) throws(DeviceIdentityError) -> IdentityCertificate? {
        guard PrivateFile.exists(comingRootFile) else { return nil }
        let coming = try IdentityCertificate(pem: PrivateFile.readPublic(comingRootFile))
        return coming == root ? nil : coming
    }

    /// Earlier intermediates, the last one first.
    func retired() throws(DeviceIdentityError) -> [IdentityCertificate] {
        guard PrivateFile.exists("\(path)/retired.pem") else { return [] }
        return try IdentityCertificate.all(inPEM: PrivateFile.readPublic("\(path)/retired.pem"))
    }
}
