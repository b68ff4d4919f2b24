#if canImport(Glibc)
import Glibc
#endif

/// What went wrong with a file, a directory or the database, on which object, and what to do.
package struct PersistenceError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of failure that callers treat differently.
    package enum Code: Hashable, Sendable {
        /// There is no such file or directory.
        case notFound
        /// It exists already.
        case exists
        /// No room: disk, quota or file table.
        case noSpace
        /// The device failed to read or write.
        case inputOutput
        /// The process may not.
        case notPermitted
        /// Another process has it.
        case locked
        /// What is there is not what should be there.
        case damaged
        /// The root is empty or belongs to somebody else.
        case foreign
        /// More is asked for at once than is allowed.
        case overloaded
        /// Another system error, by its number.
        case system(Int32)
    }

    /// What kind of failure it was.
    package let code: Code
    /// What was being done.
    package let operation: String
    /// The object, mostly a path.
    package let object: String
    /// What it says and what to do.
    package let message: String

    /// Describes a failure.
    package init(_ code: Code, _ operation: String, _ object: String, _ message: String) {
        self.code = code
        self.operation = operation
        self.object = object
        self.message = message
    }

    /// Makes an error of what a system call left in `errno`.
    ///
    /// - Parameters:
    ///   - number: `errno`, read right after the call.
    ///   - operation: the call's name.
    ///   - path: the object.
    /// - Returns: the error with what to do.
    package static func systemCall(_ number: Int32, _ operation: String, _ path: Path) -> PersistenceError {
        let (code, advice): (Code, String) =
            switch number {
            case ENOENT, ENOTDIR: (.notFound, "it does not exist")
            case EEXIST, ENOTEMPTY: (.exists, "it exists already")
            case ENOSPC, EDQUOT, EMFILE, ENFILE: (.noSpace, "there is no room: free space or raise the limit")
            case EIO: (.inputOutput, "the device failed: check it, and run the library's verification")
            case EACCES, EPERM, EROFS: (.notPermitted, "the process may not: check owner, mode and mount options")
            case EWOULDBLOCK: (.locked, "another process has it: stop that one first")
            default: (.system(number), "system error \(number)")
            }
        return PersistenceError(code, operation, path.text, advice)
    }

    /// For example `rename /a/b: it does not exist`.
    package var description: String { "\(operation) \(object.isEmpty ? "an empty path" : object): \(message)" }
}
