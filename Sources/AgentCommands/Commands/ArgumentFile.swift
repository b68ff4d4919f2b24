import Glibc
import Persistence

/// Files that the user names on the command line.
///
/// Links are followed and pipes are read: they are the user's own choice. `FileSystem.readAll` refuses links, and asks for a
/// length, which a pipe does not have.
enum ArgumentFile {
    /// A small file's bytes, up to its end; nil if it does not exist.
    static func read(_ name: String, maximumByteCount: Int) throws(PersistenceError) -> [UInt8]? {
        let descriptor = unsafe Glibc.open(name, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            let error = PersistenceError.systemCall(errno, "open", Path(name))
            if error.code == .notFound { return nil }
            throw error
        }
        defer { _ = Glibc.close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: maximumByteCount + 1)
        var count = 0
        while count < bytes.count {
            let part = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe Glibc.read(descriptor, buffer.baseAddress?.advanced(by: count), buffer.count - count)
            }
            if part < 0, errno == EINTR { continue }
            guard part >= 0 else { throw PersistenceError.systemCall(errno, "read", Path(name)) }
            if part == 0 { return Array(bytes[..<count]) }
            count += part
        }
        throw PersistenceError(.damaged, "read", name, "longer than \(maximumByteCount) bytes")
    }
}
