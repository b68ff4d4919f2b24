import Crypto
import Glibc
import MediaFormats
import PhotoModel
import SystemPackage

/// A file that does not exist until it is whole and durable: written under a temporary name, synced, renamed.
///
/// A reader of the final name never sees less than all of it, whenever power fails. The name itself is durable once its
/// folder is synced. Unless committed, the file is removed when the value goes away.
struct DurableFile: ~Copyable {
    /// The final path.
    let path: FilePath
    /// The path until then: in the same folder, with a name that starts with a dot.
    let temporaryPath: FilePath
    private let descriptor: FileDescriptor
    private var isCommitted: Bool

    /// Creates the temporary file, overwriting any left by a crash.
    init(at path: FilePath) throws(MediaEncodingError) {
        guard let name = path.lastComponent else {
            throw MediaEncodingError(.fileFailed, "\(path) names no file")
        }
        // Names are unique, so this is our own bug; but an original is never overwritten.
        guard unsafe access(path.string, F_OK) != 0 else {
            throw MediaEncodingError(.fileFailed, "\(path) exists already", number: EEXIST)
        }
        let target = path.removingLastComponent().appending(".\(name).part")
        let descriptor = try Self.performing("create", target) {
            try FileDescriptor.open(
                target,
                .readWrite,
                options: [.create, .truncate, .closeOnExec],
                permissions: [.ownerReadWrite, .groupRead]
            )
        }
        self.path = path
        temporaryPath = target
        self.descriptor = descriptor
        isCommitted = false
    }

    deinit {
        try? descriptor.close()
        if !isCommitted { unsafe unlink(temporaryPath.string) }
    }

    /// Appends bytes.
    func write(_ bytes: [UInt8]) throws(MediaEncodingError) {
        _ = try Self.performing("write", temporaryPath) { try descriptor.writeAll(bytes) }
    }

    /// Overwrites bytes at an offset.
    func replace(at offset: Int, with bytes: [UInt8]) throws(MediaEncodingError) {
        _ = try Self.performing("write", temporaryPath) {
            try descriptor.writeAll(toAbsoluteOffset: Int64(offset), bytes)
        }
    }

    /// Truncates the file at an offset and appends bytes there.
    func replaceEnd(from offset: Int, with bytes: [UInt8]) throws(MediaEncodingError) {
        _ = try Self.performing("write", temporaryPath) {
            try descriptor.resize(to: Int64(offset))
            try descriptor.writeAll(toAbsoluteOffset: Int64(offset), bytes)
        }
    }

    /// Random access to the bytes written so far.
    borrowing func source() throws(MediaEncodingError) -> DescriptorSource {
        let length = try Self.performing("measure", temporaryPath) { try descriptor.seek(offset: 0, from: .end) }
        return DescriptorSource(descriptor: descriptor, byteCount: Int(length))
    }

    /// Writes a file from bytes in memory: hashed and durable when it returns.
    ///
    /// - Parameters:
    ///   - bytes: the whole content.
    ///   - path: the new file.
    ///   - isNameDurable: whether its name is durable, too.
    /// - Returns: its length and its digest.
    /// - Throws: `fileFailed`; the name does not exist then.
    static func write(
        _ bytes: [UInt8],
        at path: FilePath,
        isNameDurable: Bool
    ) throws(MediaEncodingError) -> (byteCount: Int64, digest: ContentDigest) {
        let file = try DurableFile(at: path)
        try file.write(bytes)
        let digest = try Self.digest(SHA256.hash(data: bytes))
        try file.publish()
        if isNameDurable { try Self.sync(folder: path.removingLastComponent()) }
        return (Int64(bytes.count), digest)
    }

    /// Makes the file durable under its final name.
    ///
    /// - Returns: its length and its digest, read back in chunks.
    /// - Throws: `fileFailed`; the name does not exist then.
    consuming func commit() throws(MediaEncodingError) -> (byteCount: Int64, digest: ContentDigest) {
        let identity = try identity()
        try publish()
        return identity
    }

    private consuming func publish() throws(MediaEncodingError) {
        let number = descriptor.rawValue
        try Self.calling("sync", temporaryPath) { fsync(number) }
        try Self.calling("rename", path) { unsafe rename(temporaryPath.string, path.string) }
        isCommitted = true
    }

    private borrowing func identity() throws(MediaEncodingError) -> (byteCount: Int64, digest: ContentDigest) {
        let descriptor = descriptor
        let found = try Self.performing("read", temporaryPath) {
            var hasher = SHA256()
            var offset: Int64 = 0
            var count = 0
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 128 << 10, alignment: 16)
            defer { unsafe buffer.deallocate() }
            repeat {
                count = try unsafe descriptor.read(fromAbsoluteOffset: offset, into: buffer)
                unsafe hasher.update(bufferPointer: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                offset += Int64(count)
            } while count > 0
            return (offset, hasher.finalize())
        }
        return (found.0, try Self.digest(found.1))
    }

    private static func digest(_ value: SHA256.Digest) throws(MediaEncodingError) -> ContentDigest {
        guard let digest = ContentDigest(bytes: Array(value)) else {
            throw MediaEncodingError(.fileFailed, "a digest of another length")
        }
        return digest
    }

    private static func sync(folder: FilePath) throws(MediaEncodingError) {
        let descriptor = try performing("open", folder) {
            try FileDescriptor.open(folder.isEmpty ? "." : folder, .readOnly, options: [.directory, .closeOnExec])
        }
        defer { try? descriptor.close() }
        try calling("sync", folder) { fsync(descriptor.rawValue) }
    }

    private static func performing<Value>(
        _ verb: String,
        _ path: FilePath,
        _ body: () throws -> Value
    ) throws(MediaEncodingError) -> Value {
        do {
            return try body()
        } catch {
            let number = (error as? Errno)?.rawValue ?? 0
            throw MediaEncodingError(.fileFailed, "cannot \(verb) \(path): \(error)", number: number)
        }
    }

    private static func calling(
        _ verb: String,
        _ path: FilePath,
        _ call: () -> Int32
    ) throws(MediaEncodingError) {
        _ = try performing(verb, path) {
            guard call() == 0 else { throw Errno(rawValue: errno) }
        }
    }
}

/// Random access to an open file; valid while the file is open.
struct DescriptorSource: ByteSource {
    let descriptor: FileDescriptor
    let byteCount: Int

    func bytes(in range: FileRange) throws -> [UInt8] {
        var failure: (any Error)?
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: range.length) { buffer, count in
            do {
                while count < range.length {
                    let whole = UnsafeMutableRawBufferPointer(buffer)
                    let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: whole[count...])
                    let got = try unsafe descriptor.read(fromAbsoluteOffset: Int64(range.offset + count), into: rest)
                    guard got > 0 else { break }
                    count += got
                }
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return bytes
    }
}
