import Glibc
package import Persistence
package import PhotoModel

extension NamedFile {
    /// The length of a file by its name's bytes; nil where nothing has the name.
    ///
    /// The corresponding C function is `lstat`.
    package static func byteCount(of name: FileName, in folder: Path) throws(PersistenceError) -> Int64? {
        var status = stat()
        guard unsafe lstat(bytes(of: name, in: folder), &status) == 0 else {
            let number = errno
            if number == ENOENT { return nil }
            throw PersistenceError.systemCall(number, "lstat", folder)
        }
        return Int64(status.st_size)
    }

    /// Gives a file a second name of any bytes; `exists` where something has it.
    ///
    /// The corresponding C function is `link`.
    package static func link(_ source: Path, as name: FileName, in folder: Path) throws(PersistenceError) {
        guard unsafe Glibc.link(source.text, bytes(of: name, in: folder)) == 0 else {
            throw PersistenceError.systemCall(errno, "link", folder)
        }
    }

    private static func bytes(of name: FileName, in folder: Path) -> [CChar] {
        (Array(folder.text.utf8) + [UInt8(ascii: "/")] + name.bytes).map { CChar(bitPattern: $0) } + [0]
    }
}
