import CoreFoundation  // On Linux the members of `stat` come from here once Foundation is in the program.
import Glibc

/// Files that hold secrets: mode 0600, written whole or not at all, refused when others can read them.
package enum PrivateFile {
    /// The longest file that is read, in bytes; keys and certificates are far smaller.
    private static let maximumByteCount = 65_536

    /// Makes a new file durable under `path`.
    ///
    /// The bytes go into a temporary file that is synced and then linked to its name, so that the name never stands for
    /// half a key, and an existing file is never replaced.
    ///
    /// - Parameters:
    ///   - path: the file to make, in a folder that exists.
    ///   - text: what to write.
    ///   - permissions: the file's mode; certificates may be readable by everybody.
    /// - Throws: `fileExists` when something has that name, `fileFailed` when the operating system refuses.
    package static func create(
        _ path: String,
        text: String,
        permissions: UInt32 = 0o600
    ) throws(DeviceIdentityError) {
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

    /// Gives a file another name in its folder, in the place of what has it; a missing file is no error.
    ///
    /// - Throws: `fileFailed` when the operating system refuses.
    static func move(_ path: String, to other: String) throws(DeviceIdentityError) {
        guard unsafe rename(path, other) == 0 || errno == ENOENT else { throw failure("cannot name the file", other) }
        try syncFolder(of: other)
    }

    /// Removes a file; a missing one is no error.
    ///
    /// - Throws: `fileFailed` when the operating system refuses.
    static func remove(_ path: String) throws(DeviceIdentityError) {
        guard unsafe unlink(path) == 0 || errno == ENOENT else { throw failure("cannot remove the file", path) }
        try syncFolder(of: path)
    }

    /// The end of the name of a file that is being erased.
    static let goingEnding = ".going"

    /// Overwrites a file with zeros, as far as the disk lets that happen, and removes it.
    ///
    /// Its name goes first: a power cut in between leaves no zeros where a secret is looked for.
    ///
    /// - Throws: `fileFailed` when the operating system refuses.
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

    /// Whether a file or folder belongs to the user that this process runs as; a link is looked at itself.
    ///
    /// - Parameter path: what is looked at.
    /// - Returns: false also where there is nothing.
    package static func isOwn(_ path: String) -> Bool {
        var status = stat()
        return unsafe lstat(path, &status) == 0 && status.st_uid == geteuid()
    }

    /// Whether there is a file of this name.
    static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

    /// Reads a file that holds a secret.
    ///
    /// - Throws: `fileInsecure` when its group or others have any permission, `fileFailed` when it cannot be read.
    package static func readSecret(_ path: String) throws(DeviceIdentityError) -> String {
        try read(path, isSecret: true)
    }

    /// Reads a file that anybody may read, such as a certificate.
    ///
    /// - Throws: `fileFailed` when it cannot be read.
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

    /// Reads `errno`, so it must be called in the statement after the failed call.
    private static func failure(_ message: String, _ path: String) -> DeviceIdentityError {
        let reason = unsafe String(cString: strerror(errno))
        return DeviceIdentityError(.fileFailed, "\(message): \(reason)", subject: path)
    }
}
