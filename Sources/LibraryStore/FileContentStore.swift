package import Persistence
package import PhotoModel

/// Plain files in a directory: `originals/ab/cd/<sha-256>.<extension>`, read-only, each of which any tool can open.
///
/// Publishing renames, so that bytes are there whole or not at all, then synchronises each directory once for all.
package struct FileContentStore<Files: FileSystem>: ContentStore {
    private let layout: LibraryLayout
    private let files: Files

    /// The content of a library.
    package init(_ layout: LibraryLayout, in files: Files) {
        self.layout = layout
        self.files = files
    }

    /// Opens `staging/<name>`.
    package func stage(_ name: String, durableByteCount: Int64) throws -> StagingFile {
        try StagingFile(layout.staging.appending(name), durableByteCount: durableByteCount, in: files)
    }

    /// Unlinks `staging/<name>`.
    package func discard(_ name: String) throws {
        try unlink(layout.staging.appending(name))
    }

    /// Lists `staging`.
    package func stagedNames() throws -> [String] {
        try files.list(layout.staging)
    }

    /// Renames into `originals`, then synchronises every directory that took something.
    package func publish(_ publications: [Publication]) -> [Result<Void, any Error>] {
        var results: [Result<Void, any Error>] = publications.map { publication in
            Result { try place(publication) }
        }
        var touched: [Path: [Int]] = [:]
        for (index, publication) in publications.enumerated() where !publication.isKnown {
            touched[publication.address.directory(in: layout.originals), default: []].append(index)
        }
        for (directory, indices) in touched {
            do {
                try files.synchronizeDirectory(directory)
            } catch {
                for index in indices { results[index] = .failure(error) }
            }
        }
        return results
    }

    private func place(_ publication: Publication) throws {
        let destination = publication.address.path(in: layout.originals)
        if publication.isKnown, try files.status(destination)?.byteCount == publication.byteCount { return }
        let source = layout.staging.appending(publication.stagedName)
        guard let staged = try files.status(source) else {
            return try acceptPlaced(publication, at: destination)
        }
        guard staged.byteCount == publication.byteCount else {
            throw PersistenceError(.damaged, "publish", source.text, "its length is not the announced one")
        }
        try files.makeReadOnly(source)
        try files.createDirectories(destination.parent)
        try files.rename(source, to: destination)
    }

    /// A crash between rename and commit leaves the bytes in their place: they count when they are the right ones.
    private func acceptPlaced(_ publication: Publication, at destination: Path) throws {
        guard let found = try measure(publication.address), found.digest == publication.address.digest,
            found.byteCount == publication.byteCount
        else {
            throw PersistenceError(.damaged, "publish", destination.text, "the staged bytes are gone: send them again")
        }
    }

    /// Opens a published file.
    package func open(_ address: ContentAddress) throws -> any OpenFile {
        try files.open(address.path(in: layout.originals), .read)
    }

    /// The length of a published file.
    package func byteCount(_ address: ContentAddress) throws -> Int64? {
        try files.status(address.path(in: layout.originals))?.byteCount
    }

    /// Hashes a published file.
    package func measure(_ address: ContentAddress) throws -> (digest: ContentDigest, byteCount: Int64)? {
        let path = address.path(in: layout.originals)
        guard try files.status(path) != nil else { return nil }
        return try ContentHasher.digest(path, in: files)
    }

    /// Walks the two levels of directories.
    package func visit(_ body: (_ address: ContentAddress?, _ name: String) throws -> Void) throws {
        for first in try files.list(layout.originals) {
            let outer = layout.originals.appending(first)
            guard try files.status(outer)?.isDirectory == true else {
                try body(nil, first)
                continue
            }
            for second in try files.list(outer) {
                let inner = outer.appending(second)
                guard try files.status(inner)?.isDirectory == true else {
                    try body(nil, "\(first)/\(second)")
                    continue
                }
                for name in try files.list(inner) {
                    let address = ContentAddress(fileName: name)
                    let isInPlace = address.map { $0.directoryNames == (first, second) } ?? false
                    try body(isInPlace ? address : nil, "\(first)/\(second)/\(name)")
                }
            }
        }
    }

    /// Renames into `quarantine`, under the same name.
    package func quarantine(_ address: ContentAddress) throws -> String {
        let source = address.path(in: layout.originals)
        try files.rename(source, to: layout.quarantine.appending(address.fileName))
        try files.synchronizeDirectory(layout.quarantine)
        try files.synchronizeDirectory(source.parent)
        return address.fileName
    }

    /// Hashes the file in `quarantine`, and renames it back into `originals`.
    package func restoreIfWhole(_ address: ContentAddress) throws -> Bool {
        let source = layout.quarantine.appending(address.fileName)
        guard try files.status(source) != nil, try ContentHasher.digest(source, in: files).digest == address.digest
        else { return false }
        let destination = address.path(in: layout.originals)
        try files.createDirectories(destination.parent)
        try files.rename(source, to: destination)
        try files.synchronizeDirectory(destination.parent)
        try files.synchronizeDirectory(layout.quarantine)
        return true
    }

    /// Unlinks `quarantine/<name>`.
    package func purge(_ name: String) throws {
        try unlink(layout.quarantine.appending(name))
        try files.synchronizeDirectory(layout.quarantine)
    }

    /// The free space of the file system that holds the originals.
    package func freeByteCount() throws -> Int64 {
        try files.freeByteCount(layout.originals)
    }

    private func unlink(_ path: Path) throws {
        do {
            try files.unlink(path)
        } catch  where error.code == .notFound {
            return
        }
    }
}
