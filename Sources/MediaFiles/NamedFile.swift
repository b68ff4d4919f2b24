import Glibc
package import Persistence
package import PhotoModel

/// A file or folder by the name that it has: bytes, which need not be UTF-8.
package struct NamedFile: Sendable {
    /// Its status (lstat(2)), or that of a followed link's target.
    struct Facts: Sendable {
        /// The kinds of directory entry.
        enum Kind: Sendable {
            case file, folder, link
            /// A FIFO, a socket or a device, which may never end.
            case special
        }

        let kind: Kind
        let byteCount: Int
        /// Seconds and nanoseconds.
        let modified, changed: (Int, Int)
        let inode: UInt

        private init(_ status: stat) {
            kind =
                switch status.st_mode & S_IFMT {
                case S_IFREG: .file
                case S_IFDIR: .folder
                case S_IFLNK: .link
                default: .special
                }
            byteCount = Int(status.st_size)
            modified = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
            changed = (status.st_ctim.tv_sec, status.st_ctim.tv_nsec)
            inode = UInt(status.st_ino)
        }

        /// An archive's entry for a file.
        init(byteCount: Int, modifiedSeconds: Int64) {
            kind = .file
            self.byteCount = byteCount
            modified = (Int(modifiedSeconds), 0)
            changed = modified
            inode = 0
        }

        /// Examines a path; nil if nothing is visible there.
        ///
        /// The corresponding C functions are `stat` and `lstat`.
        init?(_ path: Path, followsLink: Bool) {
            var status = stat()
            guard unsafe fstatat(AT_FDCWD, path.systemBytes, &status, followsLink ? 0 : AT_SYMLINK_NOFOLLOW) == 0
            else {
                return nil
            }
            self.init(status)
        }

        /// Examines a name in an open folder; nil if it no longer exists.
        ///
        /// The corresponding C function is `fstatat`; a link is not followed.
        init?(_ name: FileName, in folder: FolderListing.Place, _ directory: Int32) throws(PersistenceError) {
            var status = stat()
            let text = name.bytes.map { CChar(truncatingIfNeeded: $0) } + [0]
            guard unsafe fstatat(directory, text, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
                let number = errno
                if number == ENOENT { return nil }
                throw .systemCall(number, "lstat", Path("\(folder.displayPath)/\(name.displayText)"))
            }
            self.init(status)
        }
    }

    /// Its name at the source.
    package let name: FileName
    /// Where it can be opened.
    package let path: Path
    /// Its location, for people.
    package let displayPath: String
    /// Its status when found; nil if nothing was there.
    let facts: Facts?

    /// Whether its path is a followed link, so that its status is not the name's own.
    let isLinked: Bool

    /// A file by its path, nil for one without a name; a followed link keeps its own name.
    package init?(_ path: Path, followsLink: Bool = false) {
        guard let name = path.fileName else { return nil }
        self.name = name
        displayPath = path.text
        let own = Facts(path, followsLink: false)
        guard followsLink, own?.kind == .link, let facts = Facts(path, followsLink: true) else {
            self.path = path
            self.facts = own
            isLinked = false
            return
        }
        isLinked = true
        self.facts = facts
        self.path = Self.target(of: path) ?? path
    }

    /// A file that is known by another name than its path's: in an archive, or fetched from a server.
    init(_ name: FileName, at path: Path, displayPath: String, facts: Facts?) {
        self.name = name
        self.path = path
        self.displayPath = displayPath
        self.facts = facts
        isLinked = false
    }

    /// The final target of a link; nil if there is none.
    ///
    /// The corresponding C function is `realpath`.
    private static func target(of link: Path) -> Path? {
        guard let text = unsafe realpath(link.systemBytes, nil) else { return nil }
        defer { unsafe free(text) }
        return unsafe Path(bytes: UnsafeBufferPointer(start: text, count: strlen(text)).map(UInt8.init(bitPattern:)))
    }

    /// A file or folder seen in a folder.
    init(_ name: FileName, _ facts: Facts, in folder: FolderListing.Place) {
        self.name = name
        self.facts = facts
        isLinked = false
        let displayPath = "\(folder.displayPath)/\(name.displayText)"
        path = folder.path.appending(name)
        // One text in memory for both: there are tens of thousands.
        self.displayPath = path.text == displayPath ? path.text : displayPath
    }

    /// Whether it is in an archive.
    var isArchived: Bool { facts?.inode == 0 }

    /// Why it can only be read, not hard-linked; nil if it can be.
    package var linkObstacle: String? {
        if isArchived { return "it is in an archive: import it as a copy" }
        if isLinked { return "it is named by a link: name the file itself, or import it as a copy" }
        return nil
    }

    /// Why it cannot be read as a file; nil if it can be.
    var obstacle: String? {
        switch facts?.kind {
        case .file, nil: nil
        case .folder: "it is a folder"
        case .link:
            Facts(path, followsLink: true) == nil ? "it is a link that leads nowhere" : "it is a link, and not followed"
        case .special: "it is a FIFO, a socket or a device, and no file"
        }
    }

    /// The ending of the name in lower case, without its dot.
    var ending: String {
        String(decoding: name.bytes[name.stem.count...].dropFirst(), as: UTF8.self).lowercased()
    }

    /// Whether another program wrote it beside a photo or movie: XMP, or Apple's adjustments.
    var isSidecar: Bool { ["xmp", "aae"].contains(ending) }

    /// What files that belong together share: the name up to its last dot, and of a sidecar named after the whole file
    /// (`IMG_1.JPG.xmp`) that file's, unless its own stem is among those of the files beside it that are not sidecars.
    ///
    /// By bytes: two names that only look the same, as NFC and NFD twins do, are two names.
    func groupKey(isSidecar: Bool, among stems: Set<[UInt8]>) -> [UInt8] {
        let stem = Array(name.stem)
        guard isSidecar, !stems.contains(stem), let inner = FileName(bytes: stem) else { return stem }
        return Array(inner.stem)
    }
}
