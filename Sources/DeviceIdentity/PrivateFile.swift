import CoreFoundation  // On Linux the members of `stat` come from here once Foundation is in the program.
import Glibc

/// Files with secrets: mode 0600, written whole or not at all, refused if others can read them.
package enum PrivateFile {
    /// The longest accepted file, in bytes; keys and certificates are far smaller.
    private static let maximumByteCount = 65_536

    /// Creates a durable new file at `path`, in an existing folder; certificates may be world-readable.
    ///
    /// The bytes go into a temporary file that is synced and then linked to its name, so that the name never refers to
    /// half a key, and an existing file is never replaced.
    ///
    /// - Throws: `fileExists` if the name is taken, `fileFailed` if the operating system refuses.
    package static func create(_ path: String, text: String, permissions: UInt32 = 0o600) throws(DeviceIdentityError) {
        let temporary = "\(path).\(getpid()).new"
        _ = unsafe unlink(temporary)
        let descriptor = unsafe open(temporary, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, permissions)
        guard descriptor >= 0 else { throw failure("cannot make the file", path) }
        let isWritten =
            write(Array(text.utf8), to: descriptor) && fchmod(descriptor, permissions) == 0
            && fsync(descriptor) == 0
        let writingFailure = failure("cannot write the file", path)
        close(descriptor)
        defer { _ = unsafe unlink(temporary) }
        guard isWritten else { throw writingFailure }
        guard unsafe link(temporary, path) == 0 else {
            if errno == EEXIST {
                throw DeviceIdentityError(.fileExists, "the file is there already; move it away first", subject: path)
            }
            throw failure("cannot name the file", path)
        }
        try syncFolder(of: path)
    }

    /// Renames a file within its folder, replacing any other file; a missing file is not an error.
    ///
    /// - Throws: `fileFailed` if the operating system refuses.
    static func move(_ path: String, to other: String) throws(DeviceIdentityError) {
        guard unsafe rename(path, other) == 0 || errno == ENOENT else { throw failure("cannot name the file", other) }
        try syncFolder(of: other)
    }

    /// Removes a file; a missing one is not an error.
    ///
    /// - Throws: `fileFailed` if the operating system refuses.
    static func remove(_ path: String) throws(DeviceIdentityError) {
        guard unsafe unlink(path) == 0 || errno == ENOENT else { throw failure("cannot remove the file", path) }
        try syncFolder(of: path)
    }

    /// The suffix of a file that is being erased.
    static let goingEnding = ".going"

    /// Overwrites a file with zeros, as far as the disk allows, and removes it.
    ///
    /// It is renamed first: a power cut in between leaves no zeros where a secret is expected.
    ///
    /// - Throws: `fileFailed` if the operating system refuses.
    package static func erase(_ name: String) throws(DeviceIdentityError) {
        var path = name
        if !name.hasSuffix(goingEnding) {
            path += goingEnding
            guard unsafe rename(name, path) == 0 else { throw failure("cannot rename the file", name) }
            try syncFolder(of: path)
        }
        let descriptor = unsafe open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { throw failure("cannot open the file", path) }
        var status = stat()
        let isWritten =
            unsafe fstat(descriptor, &status) == 0
            && write([UInt8](repeating: 0, count: Int(min(status.st_size, 65_536))), to: descriptor)
            && fsync(descriptor) == 0
        close(descriptor)
        guard isWritten else { throw failure("cannot overwrite the file", path) }
        try remove(path)
    }

    /// Whether a file or folder exists and belongs to this process's user; links are not followed.
    package static func isOwn(_ path: String) -> Bool {
        var status = stat()
        return unsafe lstat(path, &status) == 0 && status.st_uid == geteuid()
    }

    /// Whether a file exists.
    static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

    /// Reads a file that holds a secret.
    ///
    /// - Throws: `fileInsecure` if its group or others have any permission, `fileFailed` if it cannot be read.
    package static func readSecret(_ path: String) throws(DeviceIdentityError) -> String {
        try read(path, isSecret: true)
    }

    /// Reads a public file, such as a certificate.
    ///
    /// - Throws: `fileFailed` if it cannot be read.
    package static func readPublic(_ path: String) throws(DeviceIdentityError) -> String {
        try read(path, isSecret: false)
    }

    private static func read(_ path: String, isSecret: Bool) throws(DeviceIdentityError) -> String {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("cannot open the file", path) }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw failure("cannot look at the file", path) }
        guard !isSecret || status.st_mode & 0o077 == 0 else {
            throw DeviceIdentityError(.fileInsecure, "others can read this secret; run chmod 600 on it", subject: path)
        }
        guard status.st_size <= maximumByteCount else {
            throw DeviceIdentityError(.fileFailed, "the file is too long for a key or certificate", subject: path)
        }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        var filled = 0
        while filled < bytes.count {
            let count = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe Glibc.read(descriptor, buffer.baseAddress?.advanced(by: filled), buffer.count - filled)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure("cannot read the file", path) }
            filled += count
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func write(_ bytes: [UInt8], to descriptor: CInt) -> Bool {
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe Glibc.write(descriptor, buffer.baseAddress?.advanced(by: written), buffer.count - written)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            written += count
        }
        return true
    }

    private static func syncFolder(of path: String) throws(DeviceIdentityError) {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        let descriptor = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("cannot open the folder", folder) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure("cannot sync the folder", folder) }
    }

    /// Reads `errno`, so call it in the statement after the failed call.
    private static func failure(_ message: String, _ path: String) -> DeviceIdentityError {
        let reason = unsafe String(cString: strerror(errno))
        return DeviceIdentityError(.fileFailed, "\(message): \(reason)", subject: path)
    }
}
