package import DeviceIdentity
package import Persistence
import PhotoModel

// What is encrypted on the box's disk, and by what its keys are kept.

extension IdentityFolder {
    /// How the box's secrets are kept.
    package struct Sealing: Hashable, Sendable {
        /// The key that proves who the box is; nil before the enrolment.
        package let identityKey: SecretSeal.Protection?
        /// The key that the queue is encrypted with; nil where it is not.
        package let queueKey: SecretSeal.Protection?
    }

    /// How the box's secrets are kept.
    package var sealing: Sealing {
        Sealing(identityKey: seal.protection(of: key("key.pem")), queueKey: seal.protection(of: key("queue.key")))
    }

    /// Seals what lies there as it is, where the box has a TPM and the folder is this user's.
    ///
    /// Another user, such as root beside the service, may be able to seal what the folder's owner cannot unseal.
    ///
    /// - Returns: how the secrets are kept now.
    /// - Throws: `DeviceIdentityError` where sealing fails on a box that can; nothing is lost then.
    package func sealSecrets() throws -> Sealing {
        guard PrivateFile.isOwn(path.text) else { return sealing }
        for path in [key("key.pem"), key("queue.key")] where seal.protection(of: path) == .fileMode {
            guard seal.isAvailable else { break }
            try seal.seal(path)
        }
        return sealing
    }

    /// The file system through which the queue in the agent's folder is read and written.
    ///
    /// - Parameters:
    ///   - root: the agent's folder.
    ///   - isEncrypting: whether new files are encrypted, for which a key is made; nil for what the box does already.
    /// - Returns: one that can read what was encrypted before, in every case.
    /// - Throws: `DeviceIdentityError` where the key cannot be read.
    package func queueFileSystem(at root: Path, isEncrypting: Bool?) throws -> any FileSystem {
        let path = key("queue.key")
        if isEncrypting == true, seal.protection(of: path) == nil {
            try fileSystem.createDirectories(self.path)
            let bytes = (0..<32).map { _ in UInt8.random(in: 0 ... .max) }
            try PrivateFile.create(path, text: HexadecimalText.text(bytes))
        }
        guard let text = try seal.read(path) else { return fileSystem }
        guard let bytes = HexadecimalText.bytes(text), bytes.count == 32 else {
            throw PhotoLibraryError(.storage, "\(path) is no key: what is in the queue cannot be read without it")
        }
        return SealedFileSystem(
            fileSystem,
            below: [root.appending("spool"), root.appending("originals")],
            key: bytes,
            sealsNew: isEncrypting ?? true
        )
    }

    private func key(_ name: String) -> String { path.appending(name).text }
}
