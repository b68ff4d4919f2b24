import Glibc
package import Persistence
package import PhotoModel

/// A file or folder by the name that it has: bytes, which need not be UTF-8.
///
/// Where they are not, it is held open, and the path leads there by the descriptor.
package struct NamedFile: Sendable {
    /// A descriptor that is closed with the last value that needs it.
    final class Holder: Sendable {
        let descriptor: Int32

        init(_ descriptor: Int32) { self.descriptor = descriptor }

        deinit { close(descriptor) }
    }

    /// What the system says of it (stat(2)); links are followed.
    struct Facts: Sendable {
        /// Whether it is a file or a folder; neither for devices and links that lead nowhere.
        let isFile, isFolder: Bool
        let byteCount: Int
        /// Seconds and nanoseconds.
        let modified, changed: (Int, Int)
        let inode: UInt

        fileprivate init(_ status: stat) {
            isFile = status.st_mode & S_IFMT == S_IFREG
            isFolder = status.st_mode & S_IFMT == S_IFDIR
            byteCount = Int(status.st_size)
            modified = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
            changed = (status.st_ctim.tv_sec, status.st_ctim.tv_nsec)
            inode = UInt(status.st_ino)
        }
    }

    /// Its name where it came from.
    package let name: FileName
    /// Where it can be opened for as long as this value lives.
    package let path: Path
    /// Where it lies, for people.
    package let displayPath: String
    /// What has to stay open for the path: itself, and the folders above it.
    let holders: [Holder]
    /// What it was when it was found; nil where nothing was there.
    let facts: Facts?

    /// A file by a path in UTF-8; nil for one without a name.
    package init?(_ path: Path) {
        guard let name = FileName(path.name) else { return nil }
        self.name = name
        self.path = path
        displayPath = path.text
        holders = []
        var status = stat()
        facts = unsafe stat(path.text, &status) == 0 ? Facts(status) : nil
    }

    /// A file of an open folder.
    ///
    /// - Parameters:
    ///   - name: its name.
    ///   - folder: the folder.
    ///   - directory: the folder's descriptor.
    /// - Throws: what the system says of a name that is not UTF-8; other files are not opened.
    init(_ name: FileName, in folder: FolderListing.Place, _ directory: Int32) throws(PersistenceError) {
        self.name = name
        displayPath = "\(folder.displayPath)/\(name.displayText)"
        if let text = String(validating: name.bytes, as: UTF8.self) {
            path = folder.path.appending(text)
            holders = folder.holders
            var status = stat()
            facts = unsafe stat(path.text, &status) == 0 ? Facts(status) : nil
            return
        }
        let text = name.bytes.map { CChar(bitPattern: $0) } + [0]
        let descriptor = unsafe openat(directory, text, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .systemCall(errno, "open", Path(displayPath)) }
        path = Path("/proc/self/fd/\(descriptor)")
        holders = folder.holders + [Holder(descriptor)]
        var status = stat()
        facts = unsafe fstat(descriptor, &status) == 0 ? Facts(status) : nil
    }

    /// The ending of the name in lower case, without its dot.
    var ending: String {
        String(decoding: name.bytes[name.stem.count...].dropFirst(), as: UTF8.self).lowercased()
    }

    /// Whether another program wrote it beside a photo or movie: XMP, or Apple's adjustments.
    var isSidecar: Bool { ["xmp", "aae"].contains(ending) }

    /// What files that belong together share: the name up to its last dot, and of a sidecar named after the whole file
    /// (`IMG_1.JPG.xmp`) that file's.
    ///
    /// By bytes: two names that only look the same, as NFC and NFD twins do, are two names.
    ///
    /// - Parameter stems: of the files beside it that are no sidecars.
    /// - Returns: the shared bytes.
    func groupKey(among stems: Set<[UInt8]>) -> [UInt8] {
        let stem = Array(name.stem)
        guard isSidecar, !stems.contains(stem), let inner = FileName(bytes: stem) else { return stem }
        return Array(inner.stem)
    }
}
