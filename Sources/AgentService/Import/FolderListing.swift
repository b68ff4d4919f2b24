import Glibc
import Persistence
import PhotoModel

/// A file or folder by the name that it has: bytes, which need not be UTF-8.
///
/// Where they are not, it is held open, and the path leads there by the descriptor.
struct NamedFile {
    /// A descriptor that is closed with the last value that needs it.
    private final class Holder: Sendable {
        let descriptor: Int32

        init(_ descriptor: Int32) { self.descriptor = descriptor }

        deinit { close(descriptor) }
    }

    /// Its name where it came from.
    let name: FileName
    /// Where it can be opened.
    let path: Path
    private let holder: Holder?

    /// A file by a path in UTF-8; nil for one without a name.
    init?(_ path: Path) {
        guard let name = FileName(path.name) else { return nil }
        self.name = name
        self.path = path
        holder = nil
    }

    /// A file of an open folder.
    fileprivate init(_ name: FileName, in folder: Path, _ directory: Int32) throws {
        self.name = name
        if let text = String(validating: name.bytes, as: UTF8.self) {
            path = folder.appending(text)
            holder = nil
            return
        }
        let text = name.bytes.map { CChar(bitPattern: $0) } + [0]
        let descriptor = unsafe openat(directory, text, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            throw AgentError(.failed, "\(folder)/\(name.displayText): it cannot be opened (errno \(errno))")
        }
        path = Path("/proc/self/fd/\(descriptor)")
        holder = Holder(descriptor)
    }

    /// Whether it is a folder, a file, or neither; links are followed only for what is held open.
    var kind: mode_t {
        var status = stat()
        let result =
            if let holder { unsafe fstat(holder.descriptor, &status) } else { unsafe lstat(path.text, &status) }
        return result == 0 ? status.st_mode & S_IFMT : 0
    }

    /// Its name for people, with the folder that it is in.
    func words(in folder: Path) -> String { "\(folder)/\(name.displayText)" }
}

/// What lies in a folder, in the order of the names' bytes.
struct FolderListing {
    private(set) var files: [NamedFile] = []
    private(set) var folders: [NamedFile] = []
    /// Names that could not be looked at, with the reason.
    private(set) var failed: [String] = []

    /// Reads a folder; hidden files, links and devices are left out.
    ///
    /// - Throws: `failed` when it cannot be read.
    init(_ folder: Path) throws {
        guard let directory = unsafe opendir(folder.text) else {
            throw AgentError(.failed, "\(folder) cannot be read (errno \(errno))")
        }
        defer { unsafe closedir(directory) }
        var names: [FileName] = []
        while let entry = unsafe readdir(directory) {
            let bytes = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { unsafe Array($0.prefix { $0 != 0 }) }
            guard let name = FileName(bytes: bytes), bytes.first != UInt8(ascii: ".") else { continue }
            names.append(name)
        }
        for name in names.sorted(by: { $0.bytes.lexicographicallyPrecedes($1.bytes) }) {
            do {
                let file = try NamedFile(name, in: folder, unsafe dirfd(directory))
                switch file.kind {
                case S_IFREG: files.append(file)
                case S_IFDIR: folders.append(file)
                default: break
                }
            } catch {
                failed.append("\(error)")
            }
        }
    }
}
