import Glibc
import Persistence
import PhotoModel

/// What lies in a folder, in the order of the names' bytes.
struct FolderListing {
    /// A folder, and how people are told of it.
    struct Place {
        let path: Path
        let displayPath: String
        /// What has to stay open for the path.
        let holders: [NamedFile.Holder]

        init(_ path: Path) {
            self.path = path
            displayPath = path.text
            holders = []
        }

        init(_ folder: NamedFile) {
            path = folder.path
            displayPath = folder.displayPath
            holders = folder.holders
        }
    }

    private(set) var files: [NamedFile] = []
    private(set) var folders: [NamedFile] = []
    /// Names that could not be looked at.
    private(set) var failed: [MediaCollection.Remark] = []

    /// Reads a folder; hidden files, devices and links that lead nowhere are left out.
    ///
    /// - Throws: what the system says when it cannot be read.
    init(_ folder: Place) throws(PersistenceError) {
        guard let directory = unsafe opendir(folder.path.text) else {
            throw .systemCall(errno, "list", Path(folder.displayPath))
        }
        defer { unsafe closedir(directory) }
        var names: [FileName] = []
        while let entry = unsafe readdir(directory) {
            let bytes = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { unsafe Array($0.prefix { $0 != 0 }) }
            guard bytes.first != UInt8(ascii: "."), let name = FileName(bytes: bytes) else { continue }
            names.append(name)
        }
        for name in names.sorted(by: { $0.bytes.lexicographicallyPrecedes($1.bytes) }) {
            do throws(PersistenceError) {
                let file = try NamedFile(name, in: folder, unsafe dirfd(directory))
                if file.facts?.isFile == true { files.append(file) }
                if file.facts?.isFolder == true { folders.append(file) }
            } catch {
                failed.append(.init(path: error.object, reason: error.message))
            }
        }
    }
}
