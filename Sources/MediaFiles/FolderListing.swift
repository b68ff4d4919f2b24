import Glibc
import Persistence
import PhotoModel

/// A folder's entries, in the order of the names' bytes.
struct FolderListing {
    /// A folder, and its name for people.
    struct Place {
        let path: Path
        let displayPath: String

        init(_ path: Path) {
            self.path = path
            displayPath = path.text
        }

        /// A folder in an archive.
        init(_ archive: Path, displayPath: String) {
            path = archive
            self.displayPath = displayPath
        }

        init(_ folder: NamedFile) {
            path = folder.path
            displayPath = folder.displayPath
        }
    }

    private(set) var files: [NamedFile] = []
    private(set) var folders: [NamedFile] = []
    /// Links, which are not followed: they may lead out of the folder, or form a cycle.
    private(set) var linkCount = 0
    /// FIFOs, sockets and devices.
    private(set) var specialCount = 0
    /// Names that could not be examined.
    private(set) var failed: [MediaCollection.Remark] = []

    /// Reads a folder; hidden files are skipped, links and special files only counted.
    ///
    /// - Throws: the system's error if it cannot be read.
    init(_ folder: Place) throws(PersistenceError) {
        guard let directory = unsafe opendir(folder.path.systemBytes) else {
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
                let directory = unsafe dirfd(directory)
                guard let facts = try NamedFile.Facts(name, in: folder, directory) else { continue }
                switch facts.kind {
                case .file: files.append(NamedFile(name, facts, in: folder))
                case .folder: folders.append(NamedFile(name, facts, in: folder))
                case .link: linkCount += 1
                case .special: specialCount += 1
                }
            } catch {
                failed.append(.init(path: error.object, reason: error.message))
            }
        }
    }
}
