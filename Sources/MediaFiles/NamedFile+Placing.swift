import Glibc
package import Persistence
package import PhotoModel

extension NamedFile {
    /// The length of a file by its name's bytes; nil if nothing has that name.
    ///
    /// The corresponding C function is `lstat`.
    package static func byteCount(of name: FileName, in folder: Path) throws(PersistenceError) -> Int64? {
        var status = stat()
        guard unsafe lstat(folder.appending(name).systemBytes, &status) == 0 else {
            let number = errno
            if number == ENOENT { return nil }
            throw PersistenceError.systemCall(number, "lstat", folder)
        }
        return Int64(status.st_size)
    }

    /// Links a file to a second name of any bytes; `exists` if the name is taken.
    ///
    /// The corresponding C function is `link`.
    package static func link(_ source: Path, as name: FileName, in folder: Path) throws(PersistenceError) {
        guard unsafe Glibc.link(source.systemBytes, folder.appending(name).systemBytes) == 0 else {
            throw PersistenceError.systemCall(errno, "link", folder)
        }
    }

    /// Finds a file by its name's bytes; nil if nothing has that name.
    ///
    /// The corresponding C functions are `open` and `fstatat`; links are not followed.
    ///
    /// - Throws: `exists` if a folder, a link or a special file has the name; the system's error.
    package static func find(_ name: FileName, in folder: Path) throws(PersistenceError) -> NamedFile? {
        let directory = unsafe open(folder.systemBytes, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else {
            let number = errno
            if number == ENOENT { return nil }
            throw PersistenceError.systemCall(number, "open", folder)
        }
        defer { close(directory) }
        let place = FolderListing.Place(folder)
        guard let facts = try Facts(name, in: place, directory) else { return nil }
        guard facts.kind == .file else {
            throw PersistenceError(.exists, "write", folder.appending(name).text, "this is not a file, and stays")
        }
        return NamedFile(name, facts, in: place)
    }
}
