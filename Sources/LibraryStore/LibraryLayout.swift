package import LibraryAPI
package import Persistence
import PhotoModel

/// Where the parts of a library lie below its root, and the marker that says which library it is.
///
/// - `tintype-library`: the marker, one line `tintype-library 1 <uuid>`;
/// - `library.sqlite`: the rows;
/// - `originals/ab/cd/<sha-256>.<extension>`: immutable plain files;
/// - `journals/`: what batches brought and is no plain file yet, see `ContentJournal`;
/// - `staging/`: what is being received; `quarantine/`: what was taken out, until its time has passed;
/// - `derivatives/`: what can be made again; `authority/`: keys, not read here;
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
    /// What is being received.
    package var staging: Path { root.appending("staging") }
    /// What batches brought and is no plain file yet.
    package var journals: Path { root.appending("journals") }
    /// What was taken out.
    package var quarantine: Path { root.appending("quarantine") }
    /// What can be made again.
    package var derivatives: Path { root.appending("derivatives") }
    /// The keys.
    package var authority: Path { root.appending("authority") }
    /// The file whose lock says that the library is open.
    package var lock: Path { root.appending("lock") }
    /// The file that names the library.
    package var marker: Path { root.appending("tintype-library") }

    /// Makes the directories of a new library; it is none before it is marked.
    ///
    /// - Parameter fileSystem: where it is made.
    /// - Throws: `exists` when the directory holds anything already.
    package func createFolders(in fileSystem: some FileSystem) throws(PersistenceError) {
        if try fileSystem.status(root) != nil {
            let names = try fileSystem.list(root)
            guard names.isEmpty else {
                throw PersistenceError(
                    .exists,
                    "create",
                    root.text,
                    "the directory is not empty (\(names.prefix(3).joined(separator: ", "))): name an empty one"
                )
            }
        }
        for directory in [originals, staging, journals, quarantine, derivatives] {
            try fileSystem.createDirectories(directory)
        }
    }

    /// Writes the marker, which makes the directory a library.
    func mark(_ id: LibraryID, in fileSystem: some FileSystem) throws(PersistenceError) {
        try fileSystem.writeAtomically(marker, Array("tintype-library 1 \(id)\n".utf8))
    }

    /// Holds that a part is there which cannot be made again.
    ///
    /// Without it a server would begin an empty library in the place of a full one. An empty folder in the place of the
    /// originals is a part: `verify` tells what it lacks.
    ///
    /// - Parameters:
    ///   - part: one of the paths.
    ///   - fileSystem: where the library is.
    /// - Throws: `notFound` naming the part.
    func require(_ part: Path, in fileSystem: some FileSystem) throws(PersistenceError) {
        if try fileSystem.status(part) != nil {
            do {
                // Follows a link, as one to a disk that is not mounted leads nowhere.
                _ = try fileSystem.freeByteCount(part)
                return
            } catch  where error.code == .notFound {}
        }
        throw PersistenceError(
            .notFound,
            "open",
            part.text,
            "it is missing from the library: is its disk mounted? A backup is put into an empty folder with restore"
        )
    }

    /// Reads the marker.
    ///
    /// - Parameter fileSystem: where the library is.
    /// - Returns: the library's name.
    /// - Throws: `foreign` when the directory is missing, empty, or not a library.
    package func identify(in fileSystem: some FileSystem) throws(PersistenceError) -> LibraryID {
        guard let bytes = try fileSystem.readAll(marker, maximumByteCount: 256) else {
            throw PersistenceError(
                .foreign,
                "open",
                root.text,
                "there is no library: is the disk mounted? A new library is made with init"
            )
        }
        let words = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace)
        guard words.count == 3, words[0] == "tintype-library", words[1] == "1", let id = LibraryID(String(words[2]))
        else {
            throw PersistenceError(.foreign, "open", marker.text, "it is not the marker of a library of this version")
        }
        return id
    }
}
