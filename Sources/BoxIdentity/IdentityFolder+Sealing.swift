package import DeviceIdentity
package import Persistence
import PhotoModel

// What is encrypted on the box's disk, and how its keys are protected.

extension IdentityFolder {
    /// How the box's secrets are protected.
    package struct Sealing: Hashable, Sendable {
        /// The box's identity key; nil before the enrolment.
        package let identityKey: SecretSeal.Protection?
        /// The queue's encryption key; nil if it is not encrypted.
        package let queueKey: SecretSeal.Protection?
    }

    /// How the box's secrets are protected.
    package var sealing: Sealing {
        Sealing(identityKey: seal.protection(of: key("key.pem")), queueKey: seal.protection(of: key("queue.key")))
    }

    /// Seals plain secrets, if the box has a TPM and the folder belongs to this user.
    ///
    /// Another user, such as root beside the service, might seal what the folder's owner cannot unseal.
    ///
    /// - Returns: the resulting protection.
    /// - Throws: `DeviceIdentityError` if sealing fails on a box that supports it; nothing is lost then.
    package func sealSecrets() throws -> Sealing {
        guard PrivateFile.isOwn(path.text) else { return sealing }
        for path in [key("key.pem"), key("queue.key")] { try seal.removeLeftover(path) }
        for path in [key("key.pem"), key("queue.key")] where seal.protection(of: path) == .fileMode {
            guard seal.isAvailable else { break }
            try seal.seal(path)
        }
        return sealing
    }

    /// The file system for the queue in the agent's folder, which can read already encrypted files in any case.
    ///
    /// Encrypting new files creates a key if needed; nil keeps the current state.
    ///
    /// - Throws: `DeviceIdentityError` if the key cannot be read, `storage` if it is not the queue's.
    package func queueFileSystem(at root: Path, isEncrypting: Bool?) throws -> any FileSystem {
        let path = key("queue.key")
        let mark = self.path.appending(Self.markName)
        // A truncated one says nothing.
        let known = try fileSystem.readAll(mark).map { String(decoding: $0, as: UTF8.self) }
            .flatMap { ContentDigest($0)?.description }
        if seal.protection(of: path) == nil {
            // A new key would hide that the pending entries cannot be read.
            if known != nil { throw Self.keyFailure(path, "is gone", mark) }
            guard isEncrypting == true else { return fileSystem }
            try fileSystem.createDirectories(self.path)
            guard PrivateFile.isOwn(self.path.text) else {
                throw BoxIdentityError(
                    .storage,
                    "the queue's key is to be made by the user of \(self.path): run this as that user, "
                        + "for example with sudo -u tintype-agent"
                )
            }
            let bytes = (0..<32).map { _ in UInt8.random(in: 0 ... .max) }
            try PrivateFile.create(path, text: HexadecimalText.text(bytes))
        }
        guard let text = try seal.read(path) else { return fileSystem }
        guard let bytes = HexadecimalText.bytes(text), bytes.count == 32 else {
            throw BoxIdentityError(.storage, "\(path) is not a key: the queue cannot be read without it")
        }
        let name = ContentHasher.digest(bytes).description
        if let known, known != name {
            throw Self.keyFailure(path, "is not the one that the queue was encrypted with", mark)
        }
        // Another user, such as root beside the service, would leave a file that the folder's owner cannot read.
        if known == nil, PrivateFile.isOwn(self.path.text) { try fileSystem.writeAtomically(mark, Array(name.utf8)) }
        return SealedFileSystem(
            fileSystem,
            below: [root.appending("spool"), root.appending("originals")],
            key: bytes,
            sealsNew: isEncrypting ?? true
        )
    }

    /// The digest of the queue's key, so that a lost key is noticed.
    static let markName = "queue.key.sha256"

    private static func keyFailure(_ path: String, _ what: String, _ mark: Path) -> BoxIdentityError {
        BoxIdentityError(
            .storage,
            "\(path) \(what), and without it the queue cannot be read: put it back; to continue with a new key and give up "
                + "what is encrypted, remove \(mark)"
        )
    }

    private func key(_ name: String) -> String { path.appending(name).text }
}
