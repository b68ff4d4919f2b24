import Persistence
import PhotoModel
import Synchronization

/// Plain files in a directory: `originals/ab/cd/<sha-256>.<extension>`, read-only, which any tool can open.
///
/// Every call blocks and belongs on the blocking pool. Publishing links files, so that bytes are there whole or not at
/// all, and stay in staging until their row exists; then it syncs the directories, after all links, so that the file
/// system's own journal takes them together. Bytes of batches are in a `ContentJournal` first.
struct ContentFolder<Files: FileSystem>: Sendable {
    let layout: LibraryLayout
    let files: Files
    let shelf = JournalIndex()
    /// Directories whose names this process has made durable, by the two bytes they are named after.
    private let durableDirectories = DirectorySet()
    /// Contents that this process has made durable in their places, which need not be read again: a commit that lost a
    /// race, or another upload of the same bytes, would keep everybody's commits waiting while gigabytes are hashed.
    private let placed = PlacedContents()

    init(_ layout: LibraryLayout, in files: Files) {
        self.layout = layout
        self.files = files
    }

    /// Opens `staging/<name>`.
    func stage(_ name: String, durableByteCount: Int64, from mark: StagingFile.Mark?) throws -> StagingFile {
        try StagingFile(layout.staging.appending(name), durableByteCount: durableByteCount, from: mark, in: files)
    }

    /// Unlinks `staging/<name>`.
    func discard(_ name: String) throws { try unlink(layout.staging.appending(name)) }

    /// Lists `staging`.
    func stagedNames() throws -> [String] { try files.list(layout.staging) }

    /// Links into `originals`, then syncs every changed directory.
    func publish(_ publications: [Publication]) -> [Result<Void, any Error>] {
        var results: [Result<Void, any Error>] = []
        var made: Set<Path> = []
        var touched: [Path: [Int]] = [:]
        var fresh: Set<ContentAddress> = []
        for (index, publication) in publications.enumerated() {
            do {
                if try place(publication, after: fresh, &made) {
                    touched[publication.address.directory(in: layout.originals), default: []].append(index)
                    fresh.insert(publication.address)
                }
                results.append(.success(()))
            } catch {
                results.append(.failure(error))
            }
        }
        let failures = synchronize(Set(touched.keys))
        for (directory, indices) in touched {
            guard let error = failures[directory] else { continue }
            for index in indices { results[index] = .failure(error) }
        }
        placed.insert(fresh.filter { failures[$0.directory(in: layout.originals)] == nil })
        return results
    }

    /// Makes the names in directories durable, and those of the directories and their parents if they may be new, each
    /// directory once.
    ///
    /// - Returns: the errors of directories that could not be made durable.
    private func synchronize(_ directories: Set<Path>) -> [Path: any Error] {
        var failures: [Path: any Error] = [:]
        let new = directories.filter { !durableDirectories.contains($0) }
        let parents = Dictionary(grouping: new, by: \.parent)
        let steps: [(Path, [Path])] =
            directories.map { ($0, [$0]) } + parents.map { ($0.key, $0.value) }
            + (new.isEmpty ? [] : [(layout.originals, Array(new))])
        for (directory, affected) in steps {
            do {
                try files.synchronizeDirectory(directory)
            } catch {
                for directory in affected { failures[directory] = failures[directory] ?? error }
            }
        }
        for directory in new where failures[directory] == nil { durableDirectories.insert(directory) }
        return failures
    }

    /// Moves bytes to their place.
    ///
    /// - Parameters:
    ///   - publication: the bytes.
    ///   - fresh: contents placed by the same call, which are not durable yet.
    ///   - made: the directories made so far.
    /// - Returns: false if they are already durable there.
    /// - Throws: the file system's error; `damaged` if they are not the announced ones.
    private func place(
        _ publication: Publication,
        after fresh: Set<ContentAddress>,
        _ made: inout Set<Path>
    ) throws -> Bool {
        let upload: String
        switch publication.source {
        case .upload(let name, _): upload = name
        case .batch(let journal, let offset):
            let record = ContentJournal.Record(
                address: publication.address,
                offset: offset,
                byteCount: publication.byteCount
            )
            shelf.publish(JournalIndex.Place(journal: journal, record: record))
            return false
        }
        let destination = publication.address.path(in: layout.originals)
        let isFresh = fresh.contains(publication.address)
        let isBelieved = isFresh || publication.isKnown || placed.contains(publication.address)
        if isBelieved, shelf.place(of: publication.address) == nil,
            try files.status(destination)?.byteCount == publication.byteCount
        {
            return isFresh
        }
        let source = layout.staging.appending(upload)
        guard let staged = try files.status(source) else {
            try acceptPlaced(publication, at: destination)
            return true
        }
        guard staged.byteCount == publication.byteCount else {
            throw PersistenceError(.damaged, "publish", source.text, "its length is not the announced one")
        }
        try files.makeReadOnly(source)
        try makeDirectory(destination.parent, &made)
        try link(source, to: destination, as: publication)
        shelf.forget(publication.address)
        return true
    }

    private func link(_ source: Path, to destination: Path, as publication: Publication) throws {
        do {
            try files.link(source, to: destination)
        } catch  where error.code == .exists {
            // Left by a crash before the commit, or sent before by somebody: trusted only once hashed.
            if try !isWhole(publication, at: destination) { try files.rename(source, to: destination) }
        }
    }

    /// Creates a directory and its parents; their names are not synced yet.
    func makeDirectory(_ path: Path, _ made: inout Set<Path>) throws {
        guard !made.contains(path), try files.status(path) == nil else { return }
        try makeDirectory(path.parent, &made)
        do {
            try files.createDirectory(path)
        } catch  where error.code == .exists {}
        made.insert(path)
    }

    /// Accepts bytes that a crash between rename and commit left in their place, if they are the right ones.
    private func acceptPlaced(_ publication: Publication, at destination: Path) throws {
        guard try files.status(destination) != nil, try isWhole(publication, at: destination) else {
            throw PersistenceError(.damaged, "publish", destination.text, "the staged bytes are gone: send them again")
        }
    }

    private func isWhole(_ publication: Publication, at path: Path) throws -> Bool {
        let found = try ContentHasher.digest(path, in: files)
        return found.digest == publication.address.digest && found.byteCount == publication.byteCount
    }

    /// Opens a published file.
    func open(_ address: ContentAddress) throws -> any OpenFile {
        try openJournaled(address) ?? files.open(address.path(in: layout.originals), .read)
    }

    /// The length of a published file.
    func byteCount(_ address: ContentAddress) throws -> Int64? {
        try shelf.place(of: address)?.record.byteCount ?? files.status(address.path(in: layout.originals))?.byteCount
    }

    /// The entries of one outer directory.
    func stored(in first: String) throws -> [StoredContent] {
        let outer = layout.originals.appending(first)
        guard try files.status(outer)?.isDirectory == true else { return [StoredContent(address: nil, name: first)] }
        var found: [StoredContent] = []
        for second in try files.list(outer) {
            let inner = outer.appending(second)
            guard try files.status(inner)?.isDirectory == true else {
                found.append(StoredContent(address: nil, name: "\(first)/\(second)"))
                continue
            }
            for name in try files.list(inner) {
                let address = ContentAddress(fileName: name)
                let isInPlace = address.map { $0.directoryNames == (first, second) } ?? false
                found.append(StoredContent(address: isInPlace ? address : nil, name: "\(first)/\(second)/\(name)"))
            }
        }
        return found
    }

    /// Renames into `quarantine`, under the same name; damaged bytes get another name if that one is taken.
    func quarantine(_ address: ContentAddress, isDamaged: Bool) throws -> String {
        try settleNow(address)
        let source = address.path(in: layout.originals)
        let isTaken = try isDamaged && files.status(layout.quarantine.appending(address.fileName)) != nil
        let name = isTaken ? address.fileName + ".damaged" : address.fileName
        placed.remove(address)
        try files.rename(source, to: layout.quarantine.appending(name))
        try files.synchronizeDirectory(layout.quarantine)
        try files.synchronizeDirectory(source.parent)
        return name
    }

    /// Hashes the file in `quarantine`, and renames it back into `originals`.
    func restoreIfWhole(_ address: ContentAddress) throws -> Bool {
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
    func purge(_ name: String) throws {
        try unlink(layout.quarantine.appending(name))
        try files.synchronizeDirectory(layout.quarantine)
    }

    func unlink(_ path: Path) throws {
        do {
            try files.unlink(path)
        } catch  where error.code == .notFound {
            return
        }
    }
}

/// Directories, a few bytes each.
private final class DirectorySet: Sendable {
    private let names = Mutex<Set<UInt16>>([])

    func contains(_ directory: Path) -> Bool {
        Self.number(directory).map { number in names.withLock { $0.contains(number) } } ?? false
    }

    func insert(_ directory: Path) {
        guard let number = Self.number(directory) else { return }
        _ = names.withLock { $0.insert(number) }
    }

    private static func number(_ directory: Path) -> UInt16? {
        UInt16(directory.parent.name + directory.name, radix: 16)
    }
}

/// Contents placed lately, about 400 KiB at most.
private final class PlacedContents: Sendable {
    private static let maximumCount = 4096

    private let addresses = Mutex<Set<ContentAddress>>([])

    func contains(_ address: ContentAddress) -> Bool { addresses.withLock { $0.contains(address) } }

    func insert(_ fresh: Set<ContentAddress>) {
        addresses.withLock { known in
            // Forgetting costs a hash at most.
            if known.count + fresh.count > Self.maximumCount { known = [] }
            known.formUnion(fresh)
        }
    }

    func remove(_ address: ContentAddress) { addresses.withLock { _ = $0.remove(address) } }
}
