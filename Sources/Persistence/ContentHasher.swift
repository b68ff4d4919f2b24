package import Crypto
package import PhotoModel

/// SHA-256 of files and bytes, in chunks of bounded size.
package enum ContentHasher {
    /// The digest of bytes in memory.
    package static func digest(_ bytes: some Sequence<UInt8>) -> ContentDigest {
        digest(of: SHA256.hash(data: Array(bytes)))
    }

    /// The digest of a whole file, and the number of its bytes.
    package static func digest(
        _ path: Path,
        in fileSystem: some FileSystem
    ) throws(PersistenceError) -> (digest: ContentDigest, byteCount: Int64) {
        let file = try fileSystem.open(path, .read)
        let byteCount = try file.byteCount()
        var hasher = SHA256()
        try update(&hasher, from: file, byteCount: byteCount, path: path)
        try file.close()
        return (digest(of: hasher.finalize()), byteCount)
    }

    /// The SHA-1 of a whole file, by which other programs identify it; it is not secure.
    package static func sha1(_ path: Path, in fileSystem: some FileSystem) throws(PersistenceError) -> [UInt8] {
        let file = try fileSystem.open(path, .read)
        let byteCount = try file.byteCount()
        var hasher = Insecure.SHA1()
        try update(&hasher, from: file, byteCount: byteCount, path: path)
        try file.close()
        return Array(hasher.finalize())
    }

    /// The digest of bytes that are read in chunks; `read` returns at most a number of bytes at an offset.
    ///
    /// - Throws: what `read` throws; `damaged` if the bytes end early.
    package static func digest(byteCount: Int64, read: (Int64, Int) throws -> [UInt8]) throws -> ContentDigest {
        var hasher = SHA256()
        var offset: Int64 = 0
        while offset < byteCount {
            let bytes = try read(offset, Int(min(Int64(StagingFile.chunkByteCount), byteCount - offset)))
            guard !bytes.isEmpty else {
                throw PersistenceError(.damaged, "hash", "a source", "it ended after \(offset) of \(byteCount) bytes")
            }
            unsafe bytes.withUnsafeBytes { unsafe hasher.update(bufferPointer: $0) }
            offset += Int64(bytes.count)
        }
        return digest(of: hasher.finalize())
    }

    /// The digest from a finished hasher.
    package static func digest(of result: SHA256.Digest) -> ContentDigest {
        guard let digest = ContentDigest(bytes: Array(result)) else {
            preconditionFailure("SHA-256 has 32 bytes")
        }
        return digest
    }

    static func update(
        _ hasher: inout some Crypto.HashFunction,
        from file: any OpenFile,
        byteCount: Int64,
        path: Path
    ) throws(PersistenceError) {
        var offset: Int64 = 0
        while offset < byteCount {
            let wanted = Int(min(Int64(StagingFile.chunkByteCount), byteCount - offset))
            let bytes = try file.read(wanted, at: offset)
            guard !bytes.isEmpty else {
                throw PersistenceError(.damaged, "hash", path.text, "it became shorter while it was read")
            }
            unsafe bytes.withUnsafeBytes { unsafe hasher.update(bufferPointer: $0) }
            offset += Int64(bytes.count)
        }
    }
}

extension ContentHasher {
    /// A digest being computed.
    package struct Running: Sendable {
        private var hasher = SHA256()

        /// Starts with no bytes.
        package init() {}

        /// Adds bytes.
        package mutating func update(_ bytes: ArraySlice<UInt8>) {
            unsafe bytes.withUnsafeBytes { unsafe hasher.update(bufferPointer: $0) }
        }

        /// The digest of everything so far.
        package var digest: ContentDigest { ContentHasher.digest(of: hasher.finalize()) }
    }
}
