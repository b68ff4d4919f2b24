package import LibraryAPI
package import Persistence
import PhotoModel

/// The layout of a backup's folder.
///
/// - `tintype-backup`: the marker, one line `tintype-backup 1 <uuid of the library>`;
/// - `originals/ab/cd/<sha-256>.<extension>`: the bytes of all snapshots, each content once, so that every backup after
///   the first copies only what is new;
/// - `snapshots/<time>/`: `library.sqlite`, `authority/` and, written last, `manifest.json`.
package struct BackupLayout: Hashable, Sendable {
    /// The backup's folder.
    package let root: Path

    /// A backup in a folder.
    package init(root: Path) { self.root = root }

    /// The bytes of all snapshots.
    package var originals: Path { root.appending("originals") }
    /// One folder per snapshot, whose names sort by time.
    package var snapshots: Path { root.appending("snapshots") }
    /// The file that names the library.
    package var marker: Path { root.appending("tintype-backup") }

    /// The parts of one snapshot.
    package func snapshot(_ name: String) -> Snapshot { Snapshot(root: snapshots.appending(name)) }

    /// The layout of a snapshot.
    package struct Snapshot: Hashable, Sendable {
        /// The snapshot's folder.
        package let root: Path
        /// The rows.
        package var database: Path { root.appending("library.sqlite") }
        /// The snapshot's description; a snapshot without it was never finished.
        package var manifest: Path { root.appending("manifest.json") }
        /// The library's keys, without which devices would not know the restored library.
        package var authority: Path { root.appending("authority") }
    }

    /// Creates the folders of a new backup, or checks that existing ones are this library's.
    ///
    /// - Throws: `foreign` for a folder with other contents, or another library's backup.
    package func prepare(for library: LibraryID, in fileSystem: some FileSystem) throws(PersistenceError) {
        if let known = try identify(in: fileSystem) {
            guard known == library else {
                throw PersistenceError(.foreign, "back up", root.text, "it holds the backup of library \(known)")
            }
        } else {
            let names = try fileSystem.status(root) == nil ? [] : try fileSystem.list(root)
            guard names.isEmpty else {
                throw PersistenceError(
                    .foreign,
                    "back up",
                    root.text,
                    "it contains other files (\(names.prefix(3).joined(separator: ", "))): name an empty folder"
                )
            }
            try fileSystem.createDirectories(root)
            try fileSystem.writeAtomically(marker, Array("tintype-backup 1 \(library)\n".utf8))
        }
        try fileSystem.createDirectories(originals)
        try fileSystem.createDirectories(snapshots)
    }

    /// The library of this backup; nil without a marker.
    ///
    /// - Returns: the library.
    /// - Throws: `foreign` for a marker of another version.
    package func identify(in fileSystem: some FileSystem) throws(PersistenceError) -> LibraryID? {
        guard let bytes = try fileSystem.readAll(marker, maximumByteCount: 256) else { return nil }
        let words = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace)
        guard words.count == 3, words[0] == "tintype-backup", words[1] == "1", let id = LibraryID(String(words[2]))
        else {
            throw PersistenceError(.foreign, "open", marker.text, "it is not the marker of a backup of this version")
        }
        return id
    }

    /// The finished snapshots, oldest first.
    package func finishedSnapshots(in fileSystem: some FileSystem) throws(PersistenceError) -> [String] {
        guard try fileSystem.status(snapshots) != nil else { return [] }
        var names: [String] = []
        for name in try fileSystem.list(snapshots) where try fileSystem.status(snapshot(name).manifest) != nil {
            names.append(name)
        }
        return names
    }
}
