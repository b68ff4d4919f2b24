import Capture
import Crypto
import Glibc
import MediaFormats
import Persistence
import PhotoModel
import SystemPackage

/// A file that is written under a temporary name, renamed, and then synced together with that name.
///
/// Both survive a power cut after one wait for the disk. A cut before its end may keep the name and lose bytes, so the
/// name contains the digest (`ContentDigest.fileName`). Unless committed, the file is removed when the value goes away.
struct DurableFile: ~Copyable {
    /// The final path, which does not have the digest yet.
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

    /// Writes a file from bytes in memory, hashed and durable when it returns; the new file's name gets the digest.
    ///
    /// - Throws: `fileFailed`; the name does not exist then.
    static func write(
        _ bytes: [UInt8],
        at path: FilePath,
        contentType: String
    ) throws(MediaEncodingError) -> RecordedFile {
        let file = try DurableFile(at: path)
        try file.write(bytes)
        let digest = ContentHasher.digest(bytes)
        let name = try file.publish(digest)
        return RecordedFile(path: name, byteCount: Int64(bytes.count), digest: digest, contentType: contentType)
    }

    /// Makes the file durable under its final name; its digest is that of its bytes, read back in chunks.
    ///
    /// - Throws: `fileFailed`; the name does not exist then.
    consuming func commit(contentType: String) throws(MediaEncodingError) -> RecordedFile {
        let (byteCount, digest) = try identity()
        let name = try publish(digest)
        return RecordedFile(path: name, byteCount: byteCount, digest: digest, contentType: contentType)
    }

    private consuming func publish(_ digest: ContentDigest) throws(MediaEncodingError) -> FilePath {
        let number = descriptor.rawValue
        let folder = path.removingLastComponent()
        let name = folder.appending(digest.fileName(stem: path.stem ?? "", fileExtension: path.extension ?? ""))
        // Names are unique, so this is our own bug; but an original is never overwritten.
        guard unsafe access(name.string, F_OK) != 0 else {
            throw MediaEncodingError(.fileFailed, "\(name) exists already", number: EEXIST)
        }
        try Self.calling("rename", name) { unsafe rename(temporaryPath.string, name.string) }
        isCommitted = true
        do throws(MediaEncodingError) {
            try Self.calling("sync", name) { fsync(number) }
            if !FileSystemKind.namesWhatIsSynced(in: Path(folder.string)) { try Self.sync(folder: folder) }
        } catch {
            unsafe unlink(name.string)
            throw error
        }
        return name
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
        return (found.0, ContentHasher.digest(of: found.1))
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

    private static func calling(_ verb: String, _ path: FilePath, _ call: () -> Int32) throws(MediaEncodingError) {
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
