package import LibraryAPI
package import Persistence
import PhotoModel

/// The layout of a library's folder, and the marker that identifies it.
///
/// - `tintype-library`: the marker, one line `tintype-library 1 <uuid>`, or `tintype-library moved <uuid> <arrival> <place>`
///   once the library moved away, see `LibraryMove`;
/// - `tintype-arriving`: marks a library that is being moved or restored to here, see `LibraryArrival`;
/// - `library.sqlite`: the rows;
/// - `originals/ab/cd/<sha-256>.<extension>`: immutable plain files;
/// - `journals/`: batch contents that are not plain files yet, see `ContentJournal`;
/// - `staging/`: uploads in progress; `quarantine/`: removed content, until it expires;
/// - `derivatives/`: regenerable files; `authority/`: keys, not read here;
/// - `lock`: held by the one process that has the library open.
package struct LibraryLayout: Hashable, Sendable {
    /// The library's directory.
    package let root: Path

    /// A library in a directory.
    package init(root: Path) { self.root = root }

    /// The rows.
    package var database: Path { root.appending("library.sqlite") }
    /// The immutable files.
    package var originals: Path { root.appending("originals") }
    /// Uploads in progress.
    package var staging: Path { root.appending("staging") }
    /// Batch contents that are not plain files yet.
    package var journals: Path { root.appending("journals") }
    /// Removed content.
    package var quarantine: Path { root.appending("quarantine") }
    /// Regenerable files.
    package var derivatives: Path { root.appending("derivatives") }
    /// The keys.
    package var authority: Path { root.appending("authority") }
    /// The lock file of an open library.
    package var lock: Path { root.appending("lock") }
    /// The file that identifies the library.
    package var marker: Path { root.appending("tintype-library") }
    /// The file that identifies a library arriving here.
    var arriving: Path { root.appending("tintype-arriving") }

    /// Creates the directories of a new library, which is not a library until marked.
    ///
    /// - Parameters:
    ///   - fileSystem: its file system.
    ///   - holdsOriginals: whether it contains the originals.
    /// - Throws: `exists` if the directory is not empty.
    package func createFolders(in fileSystem: some FileSystem, holdsOriginals: Bool = true) throws(PersistenceError) {
        if try fileSystem.status(root) != nil {
            let names = try fileSystem.list(root)
            guard names.isEmpty else { throw notEmpty(names) }
        }
        for directory in [staging, derivatives] + (holdsOriginals ? [originals, journals, quarantine] : []) {
            try fileSystem.createDirectories(directory)
        }
    }

    /// The error about a directory that should be empty, and has entries with these names.
    func notEmpty(_ names: [String]) -> PersistenceError {
        let first = names.prefix(3).joined(separator: ", ")
        let problem = "the directory is not empty (\(first)): name an empty one"
        return PersistenceError(.exists, "create", root.text, problem)
    }

    /// Writes the marker, which makes the directory a library.
    func mark(_ id: LibraryID, in fileSystem: some FileSystem) throws(PersistenceError) {
        try fileSystem.writeAtomically(marker, Array("tintype-library 1 \(id)\n".utf8))
    }

    /// Checks that an irreplaceable part exists.
    ///
    /// Otherwise a server would start an empty library in place of a full one. An empty folder of originals passes:
    /// `verify` reports what is missing.
    ///
    /// - Parameters:
    ///   - part: one of the paths.
    ///   - fileSystem: its file system.
    /// - Throws: `notFound` naming the part.
    func require(_ part: Path, in fileSystem: some FileSystem) throws(PersistenceError) {
        if try fileSystem.status(part) != nil {
            do {
                // Follows links: one to an unmounted disk leads nowhere.
                _ = try fileSystem.freeByteCount(part)
                return
            } catch  where error.code == .notFound {}
        }
        throw PersistenceError(
            .notFound,
            "open",
            part.text,
            "it is missing from the library: is its disk mounted? To use a backup, restore it into an empty folder"
        )
    }

    /// The new place of a library that was here; nil if none left.
    package func departure() throws(PersistenceError) -> String? {
        try PosixFileSystem().readAll(marker, maximumByteCount: 4096).flatMap(Departure.init)?.place
    }

    /// Reads the marker.
    ///
    /// - Returns: the library's identifier.
    /// - Throws: `foreign` if the directory is missing, empty, or not a library.
    package func identify(in fileSystem: some FileSystem) throws(PersistenceError) -> LibraryID {
        guard let bytes = try fileSystem.readAll(marker, maximumByteCount: 4096) else {
            throw PersistenceError(
                .foreign,
                "open",
                root.text,
                "there is no library here: is the disk mounted? To create one, run init"
            )
        }
        let words = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace)
        if let departure = Departure(bytes) {
            throw PersistenceError(.foreign, "open", root.text, "it moved to \(departure.place): serve it there")
        }
        guard words.count == 3, words[0] == "tintype-library", words[1] == "1", let id = LibraryID(String(words[2]))
        else {
            throw PersistenceError(.foreign, "open", marker.text, "it is not the marker of a library of this version")
        }
        return id
    }
}
