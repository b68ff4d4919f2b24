import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#endif

/// The Unix socket of operators on its way to its name.
///
/// Whoever can open it is an operator, so there must be no moment at which others can. Its file is therefore made inside
/// a new folder that only we may enter, gets mode 0600 there, and is then renamed (rename(2) keeps a bound socket).
final class OperatorSocket: Sendable {
    /// The name at the end.
    let path: String
    /// Where the listener binds.
    let bindPath: String
    private let folder: String
    /// The file that was published, so that another server's in its place is left alone.
    private let published = Mutex<UInt64?>(nil)

    /// Makes the folder beside `path`.
    ///
    /// - Throws: ``ServerError`` when it cannot be made.
    init(path: String) throws {
        var template = Array("\(path).XXXXXX".utf8CString)
        guard unsafe mkdtemp(&template) != nil else {
            throw ServerError(.listening, "no folder can be made beside \(path): \(Self.reason())")
        }
        folder = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        self.path = path
        bindPath = "\(folder)/s"
    }

    /// Moves the bound socket to its name, in the place of one that a crashed server left.
    ///
    /// - Throws: ``ServerError`` when the file system refuses.
    func publish() throws {
        defer { remove() }
        guard unsafe chmod(bindPath, 0o600) == 0, unsafe rename(bindPath, path) == 0 else {
            throw ServerError(.listening, "the operators' socket cannot be made at \(path): \(Self.reason())")
        }
        published.withLock { $0 = Self.fileNumber(path) }
    }

    /// Takes the socket's name away, so that nobody tries to speak to a server that has stopped.
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
