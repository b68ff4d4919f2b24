import MediaFormats
package import Persistence
import PhotoModel
import Synchronization

/// A file system that can also open files in ZIP archives.
///
/// Such a file's path is its archive's path and the file's number in it: its name is whatever somebody wrote
/// into the archive, and is never used as a path.
package struct ArchiveFileSystem: LayeredFileSystem {
    /// An archive's directory.
    ///
    /// The archive is opened only while one of its files is: a folder may have more archives than a process may open.
    struct Archive: Sendable {
        let path: Path
        let entries: [ZIPDirectory.Entry]
    }

    /// The archives whose files can be opened, and the most recently opened files, which are read several times in a row.
    private final class State: Sendable {
        let archives = Mutex<[Path: Archive]>([:])
        let recent = Mutex<[(path: Path, file: ArchivedFile)]>([])
    }

    private static let recentCount = 2
    /// Deflate shrinks by at most a factor of 1032; photos and movies hardly shrink.
    private static let largestRatio = 200
    private static let smallByteCount = 1 << 20

    /// The file system below.
    package let base: any FileSystem
    private let state = State()

    /// A file system over another one, without an archive.
    package init(over base: any FileSystem) { self.base = base }

    /// Reads an archive's directory.
    ///
    /// - Throws: `MediaFormatError` if it is not a readable archive; `PersistenceError`.
    func archive(_ path: Path) throws -> Archive {
        if let known = state.archives.withLock({ $0[path] }) { return known }
        return Archive(path: path, entries: try ZIPDirectory(FileSource(path, in: base)).entries)
    }

    /// Makes an archive's files available.
    func add(_ archive: Archive) { state.archives.withLock { $0[archive.path] = archive } }

    /// The path of a file of an archive.
    static func path(of index: Int, in archive: Path) -> Path { archive.appending("\(index)") }

    /// Opens a file; one in an archive only for reading.
    package func open(_ path: Path, _ mode: OpenMode) throws(PersistenceError) -> any OpenFile {
        guard let (archive, entry) = find(path) else { return try base.open(path, mode) }
        guard mode == .read else {
            throw PersistenceError(.notPermitted, "open", path.text, "it is in an archive, which is read-only")
        }
        if let file = state.recent.withLock({ $0.first { $0.path == path }?.file }) { return file }
        let shown = Path("\(archive.path)/\(String(decoding: entry.name, as: UTF8.self))")
        func refusal(_ reason: String) -> PersistenceError { PersistenceError(.damaged, "open", shown.text, reason) }
        if entry.isEncrypted { throw refusal("it is encrypted: unpack the archive first") }
        guard entry.method != nil else {
            throw refusal("it is packed in a way that is not read: unpack the archive first")
        }
        guard entry.byteCount <= AssetResource.maximumByteCount else { throw refusal("it is too long") }
        guard entry.byteCount <= Self.smallByteCount || entry.byteCount / Self.largestRatio <= entry.storedByteCount
        else {
            throw refusal("it would grow more than \(Self.largestRatio)-fold, which no photo or movie does")
        }
        let packed = try base.open(archive.path, .read)
        let data: FileRange
        do {
            data = try ZIPDirectory.data(of: entry, in: FileSource(packed))
        } catch let error as PersistenceError {
            throw error
        } catch {
            throw refusal("\(error)")
        }
        let file = ArchivedFile(entry, at: data, in: packed, shown)
        state.recent.withLock { recent in
            if recent.count >= Self.recentCount { recent.removeFirst() }
            recent.append((path, file))
        }
        return file
    }

    /// The attributes at a path, also in an archive.
    package func status(_ path: Path) throws(PersistenceError) -> FileStatus? {
        guard let (_, entry) = find(path) else { return try base.status(path) }
        return FileStatus(isDirectory: false, byteCount: Int64(entry.byteCount), isReadOnly: true)
    }

    private func find(_ path: Path) -> (Archive, ZIPDirectory.Entry)? {
        guard let archive = state.archives.withLock({ $0[path.parent] }), let index = Int(path.name),
            archive.entries.indices.contains(index)
        else { return nil }
        return (archive, archive.entries[index])
    }
}
