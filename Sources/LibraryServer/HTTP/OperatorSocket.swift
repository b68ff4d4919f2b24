import Foundation
import Glibc
import Synchronization

/// The operators' Unix socket, until it has its final name.
///
/// Whoever can open it is an operator, so others must never be able to, not even briefly. Its file is therefore created
/// inside a new folder that only this process's user may enter, gets mode 0600 there, and is then renamed (rename(2)
/// keeps a bound socket).
final class OperatorSocket: Sendable {
    /// The final path.
    let path: String
    let bindPath: String
    private let folder: String
    /// The published file's identity, so that another server's socket in its place is not removed.
    private let published = Mutex<UInt64?>(nil)

    /// Creates the folder beside `path`.
    ///
    /// - Throws: ``ServerError`` if it cannot be created.
    init(path: String) throws {
        var template = Array("\(path).XXXXXX".utf8CString)
        guard unsafe mkdtemp(&template) != nil else {
            throw ServerError(.listening, "no folder can be created beside \(path): \(Self.reason())")
        }
        folder = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        self.path = path
        bindPath = "\(folder)/s"
    }

    /// Moves the bound socket to its final name, replacing a crashed server's.
    ///
    /// - Throws: ``ServerError`` if the file system refuses.
    func publish() throws {
        defer { remove() }
        guard unsafe chmod(bindPath, 0o600) == 0, unsafe rename(bindPath, path) == 0 else {
            throw ServerError(.listening, "the operators' socket cannot be created at \(path): \(Self.reason())")
        }
        published.withLock { $0 = Self.fileNumber(path) }
    }

    /// Removes the socket's name, so that nobody connects to a stopped server.
    func withdraw() {
        guard let number = published.withLock({ $0.take() }), Self.fileNumber(path) == number else { return }
        _ = unsafe unlink(path)
    }

    private static func fileNumber(_ path: String) -> UInt64? {
        var status = stat()
        return unsafe lstat(path, &status) == 0 ? UInt64(status.st_ino) : nil
    }

    /// Removes the folder; the published socket stays.
    func remove() {
        _ = unsafe unlink(bindPath)
        _ = unsafe rmdir(folder)
    }

    private static func reason() -> String { unsafe String(cString: strerror(errno)) }
}
