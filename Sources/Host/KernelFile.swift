import Glibc

/// Files of the kernel, for example below `/proc`, which have no length until they are read.
package enum KernelFile {
    /// The text of at most `limit` bytes at the beginning of a file; nil if unreadable.
    package static func text(of path: String, limit: Int) -> String? {
        guard let file = unsafe fopen(path, "re") else { return nil }
        defer { unsafe fclose(file) }
        var buffer = [UInt8](repeating: 0, count: limit)
        let count = unsafe fread(&buffer, 1, buffer.count, file)
        return String(decoding: buffer[..<count], as: UTF8.self)
    }
}
