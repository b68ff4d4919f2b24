import Glibc

/// A failure of a file, directory or database operation: on which object, and what to do.
package struct PersistenceError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of failure that callers treat differently.
    package enum Code: Hashable, Sendable {
        /// There is no such file or directory.
        case notFound
        /// It already exists.
        case exists
        /// No room: disk, quota or file table.
        case noSpace
        /// The device failed to read or write.
        case inputOutput
        /// The process lacks permission.
        case notPermitted
        /// Another process holds it.
        case locked
        /// The content is not what it should be.
        case damaged
        /// The root is empty or belongs to something else.
        case foreign
        /// More was requested at once than is allowed.
        case overloaded
        /// Another system error, by its number.
        case system(Int32)
    }

    /// The kind of failure.
    package let code: Code
    /// The operation.
    package let operation: String
    /// The object, usually a path.
    package let object: String
    /// The cause and the remedy.
    package let message: String

    package init(_ code: Code, _ operation: String, _ object: String, _ message: String) {
        self.code = code
        self.operation = operation
        self.object = object
        self.message = message
    }

    /// Creates an error, with what to do, from a system call's `errno`, read right after the call.
    package static func systemCall(_ number: Int32, _ operation: String, _ path: Path) -> PersistenceError {
        let (code, advice): (Code, String) =
            switch number {
            case ENOENT, ENOTDIR: (.notFound, "it does not exist")
            case EEXIST, ENOTEMPTY: (.exists, "it already exists")
            case ENOSPC, EDQUOT, EMFILE, ENFILE: (.noSpace, "there is no room: free space or raise the limit")
            case EIO: (.inputOutput, "the device failed: check it, and run the library's verification")
            case EACCES, EPERM, EROFS: (.notPermitted, "permission denied: check owner, mode and mount options")
            case EWOULDBLOCK: (.locked, "another process holds it: stop that process first")
            case ELOOP: (.system(number), "it is a link: name what it leads to")
            case EISDIR: (.system(number), "it is a folder")
            default: (.system(number), "system error \(number)")
            }
        return PersistenceError(code, operation, path.text, advice)
    }

    /// For example `rename /a/b: it does not exist`.
    package var description: String { "\(operation) \(object.isEmpty ? "an empty path" : object): \(message)" }
}
