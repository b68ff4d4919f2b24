import Host
import MediaFormats
package import Persistence
package import PhotoModel

/// The photos, movies and Live Photos among files and folders.
///
/// A still and a movie of one name in one folder are a pair, unless they say that they belong to different ones. A still
/// and a movie whose names differ are one too where both carry the same content identifier, as in an Immich library that
/// stores every upload under a name of its own. A finished still and a camera's raw one of one name in one folder are
/// two forms of one photo, unless they say that they were taken at different times.
package struct MediaCollection: Sendable {
    /// What Immich derives from originals; it marks each of these folders with a file of its own.
    private static let derivedFolders: Set<String> = ["thumbs", "encoded-video", "profile", "backups"]
    private static let immichMarker = ".immich"
    /// Folders in which devices and servers that store for others keep thumbnails, trash and earlier versions.
    private static let foreignFolders: Set<String> = [
        "@eaDir", "#recycle", "lost+found", "files_trashbin", "files_versions",
    ]
    /// The beginning of the name of Nextcloud's folder of previews; the instance follows.
    private static let previewsPrefix = "appdata_"
    /// Deeper folders are reported and left out.
    static let maximumDepth = 64
    /// The number of entries kept for missing files, beside twice the existing ones.
    private static let spareRecordCount = 1024

    /// Returns the sets of a folder that were imported completely before.
    package typealias Memory = @Sendable (_ folder: String) -> [FileSetFingerprint: FileSet.Record]

    /// Groups in the order of their folders and names.
    package internal(set) var groups: [Group] = []
    /// The examined sets of files; empty without a memory.
    package internal(set) var sets: [FileSet] = []
    /// Photos, movies and pairs that are unchanged since their import, and were not read again.
    package internal(set) var unchanged = 0
    /// Folders with far more remembered sets than files.
    package internal(set) var outgrown: [String] = []
    /// Files that are neither media nor sidecars.
    package internal(set) var skipped = 0
    /// Links below the folders, which are not followed.
    package internal(set) var linkCount = 0
    /// FIFOs, sockets and devices below the folders, which are not opened.
    package internal(set) var specialCount = 0
    /// Sidecars without a photo or movie of their name.
    package internal(set) var orphans: [Remark] = []
    /// Sidecars of a photo or movie that are empty or too long.
    package internal(set) var unreadable: [Remark] = []
    /// Whether it was stopped before it had seen everything.
    package internal(set) var isStopped = false
    /// Files that are imported although they end before their own structure does.
    package internal(set) var damaged: [Remark] = []
    /// Parts of an export that a library has no field for, and assets that it excludes.
    package internal(set) var leftBehind: [Remark] = []
    /// Files and folders that cannot be imported: empty, unreadable, or media by their names alone.
    package internal(set) var failed: [Remark] = []

    /// Opens its files, including those in archives.
    package let fileSystem: any FileSystem
    let archives: ArchiveFileSystem?
    let memory: Memory?
    private let now: WallTime
    private let mustStop: @Sendable () -> Bool
    /// Folders of an export in several parts, until every part has been seen.
    private var parts: [String: FolderPart] = [:]
    /// Folders with Google's documents, until all have been seen: some describe photos in others.
    private var takeouts: [Folder] = []

    /// Creates an empty collection of files, also those in ZIP archives; the known ones are not read again, and the
    /// search ends if it must stop between files.
    package init(
        in fileSystem: any FileSystem,
        readsArchives: Bool = false,
        memory: Memory? = nil,
        now: WallTime = HostClock.now(),
        mustStop: @escaping @Sendable () -> Bool = { false }
    ) {
        archives = readsArchives ? ArchiveFileSystem(over: fileSystem) : nil
        self.fileSystem = archives ?? fileSystem
        self.memory = memory
        self.now = now
        self.mustStop = mustStop
    }

    /// Adds a file, or everything below a folder, as ``add(named:)`` does.
    package mutating func add(_ path: Path) throws { try add(named: [path]) }

    /// Adds files that a person named, and everything below folders that a person named; blocks.
    ///
    /// A link named itself is followed; one below a folder is not: it may lead anywhere, even back into the folder.
    /// Hidden files are skipped; what cannot be read, or is not a file, is reported.
    ///
    /// - Throws: `PersistenceError` with `notFound` for a missing path, before anything is examined.
    package mutating func add(named paths: [Path]) throws {
        var folders: [Path] = []
        var files: [Path] = []
        for path in paths {
            guard let status = try fileSystem.status(path) else {
                throw PersistenceError(.notFound, "open", path.text, "there is no such file")
            }
            if status.isDirectory || NamedFile.Facts(path, followsLink: true)?.kind == .folder {
                folders.append(path)
            } else {
                files.append(path)
            }
        }
        let storage = folders.lazy.compactMap { [fileSystem] in PhotoPrismStorage(near: $0, in: fileSystem) }.first
        for folder in folders where !holds(PhotoPrismStorage.marker, folder) {
            let surroundings = Surroundings(of: folder, storage, in: fileSystem)
            add(FolderListing.Place(folder), named: FileName(folder.name), depth: 0, surroundings)
        }
        files.removeAll { path in
            NamedFile(path, followsLink: true).map { $0.obstacle == nil && addArchive($0, isNamed: true) } ?? false
        }
        add(files, followsLinks: true)
    }

    /// Adds files that were grouped elsewhere.
    package mutating func add(_ group: Group) { groups.append(group) }

    /// Adds files of a watched folder, which wait for no others; they are grouped by the names they share, and links
    /// are refused.
    package mutating func add(_ paths: [Path]) {
        add(paths, followsLinks: false)
        addTakeouts()
    }

    private mutating func add(_ paths: [Path], followsLinks: Bool) {
        for (folder, files) in Dictionary(grouping: paths, by: \.parent).sorted(by: { $0.key < $1.key }) {
            let known = memory?(folder.text) ?? [:]
            let files = files.compactMap { NamedFile($0, followsLink: followsLinks) }
            add(files, in: FolderListing.Place(folder), named: nil, known, Surroundings())
        }
    }

    /// Completes exports in parts, and pairs files with the same content identifier but different names; call it once
    /// everything was added.
    package mutating func joinPairs() {
        addParts()
        addTakeouts()
        var movies: [String: Int] = [:]
        for (index, group) in groups.enumerated() where group.primary.kind.type == .video {
            guard let identifier = group.primary.contentIdentifier else { continue }
            movies["\(identifier)"] = index
        }
        var taken: Set<Int> = []
        for index in groups.indices where groups[index].primary.kind.type == .photo && groups[index].movie == nil {
            guard let identifier = groups[index].primary.contentIdentifier, let movie = movies["\(identifier)"],
                taken.insert(movie).inserted
            else { continue }
            groups[index].movie = groups[movie].primary
            // Each alone would be another asset than both.
            for group in [groups[index], groups[movie]] where sets.indices.contains(group.set) {
                sets[group.set].record = nil
            }
        }
        guard !taken.isEmpty else { return }
        groups = groups.enumerated().filter { !taken.contains($0.offset) }.map(\.element)
    }

    /// The set that a group is of; nil without a memory.
    package func set(of group: Group) -> FileSet? { sets.indices.contains(group.set) ? sets[group.set] : nil }

    /// Whether the next group is of another set.
    package func isLastOfSet(_ index: Int) -> Bool {
        index + 1 == groups.count || groups[index + 1].set != groups[index].set
    }

    private mutating func add(
        _ place: FolderListing.Place,
        named name: FileName?,
        depth: Int,
        _ surroundings: Surroundings
    ) {
        guard depth <= Self.maximumDepth else {
            return failed.append(Remark(path: place.displayPath, reason: "its folders are too deep"))
        }
        let listing: FolderListing
        do {
            listing = try FolderListing(place)
        } catch {
            return failed.append(Remark(path: place.displayPath, reason: error.message))
        }
        failed += listing.failed
        linkCount += listing.linkCount
        specialCount += listing.specialCount
        let documents = surroundings.photoPrism?.documents(of: surroundings.path) ?? []
        let files = listing.files.filter { !addArchive($0, isNamed: false) } + documents
        add(files, in: place, named: name, surroundings)
        for folder in listing.folders where !isStopped && !isForeign(folder) {
            let inner = surroundings.entering(folder.name)
            add(FolderListing.Place(folder), named: folder.name, depth: depth + 1, inner)
        }
    }

    /// Whether a folder holds what another program derived from originals.
    private func isForeign(_ folder: NamedFile) -> Bool {
        let name = folder.name.displayText
        return Self.isForeign(name) || holds(PhotoPrismStorage.marker, folder.path)
            || Self.derivedFolders.contains(name) && holds(Self.immichMarker, folder.path)
    }

    /// Whether a folder is another program's by its name alone.
    static func isForeign(_ name: String) -> Bool {
        foreignFolders.contains(name) || name.hasPrefix(previewsPrefix)
    }

    private func holds(_ marker: String, _ folder: Path) -> Bool {
        (try? fileSystem.status(folder.appending(marker))) != nil
    }

    /// Puts what has an album before the rest, for a caller that gives each photo one: an export may have it twice, in its
    /// album and among all photos.
    package mutating func putAlbumsFirst() {
        let inAlbums = Set(groups.filter { !$0.albums.isEmpty }.map(\.set))
        guard !inAlbums.isEmpty else { return }
        groups = groups.filter { inAlbums.contains($0.set) } + groups.filter { !inAlbums.contains($0.set) }
    }

    /// Takes the files of a folder; one of an export that may have come in several parts waits for the others.
    mutating func add(
        _ files: [NamedFile],
        in place: FolderListing.Place,
        named name: FileName?,
        _ surroundings: Surroundings
    ) {
        if let key = Self.exportedFolder(place.displayPath) {
            parts[key, default: FolderPart(place: place, name: name)].files += files
            return
        }
        let known = memory?(place.displayPath) ?? [:]
        if known.count > Self.spareRecordCount + 2 * files.count { outgrown.append(place.displayPath) }
        add(files, in: place, named: name, known, surroundings)
    }

    /// The path below the folder that the parts of one Takeout share.
    private static func exportedFolder(_ path: String) -> String? {
        let names = path.split(separator: "/")
        guard let root = names.lastIndex(of: "Takeout"), root + 1 < names.count else { return nil }
        return names[(root + 1)...].joined(separator: "/")
    }

    private mutating func addParts() {
        for (_, part) in parts.sorted(by: { $0.key < $1.key }) {
            let files = part.files.sorted { $0.name.bytes.lexicographicallyPrecedes($1.name.bytes) }
            add(files, in: part.place, named: part.name, memory?(part.place.displayPath) ?? [:], Surroundings())
        }
        parts = [:]
    }

    private mutating func add(
        _ files: [NamedFile],
        in place: FolderListing.Place,
        named name: FileName?,
        _ known: [FileSetFingerprint: FileSet.Record],
        _ surroundings: Surroundings
    ) {
        // Special files may never end, so they are not opened, not even for their first bytes.
        failed += files.compactMap { file in file.obstacle.map { Remark(path: file.displayPath, reason: $0) } }
        let files = files.filter { $0.obstacle == nil }
        let folder = Folder(
            name: surroundings.isAlbum(name) ? name : nil,
            place: place,
            files: files,
            known: known,
            documents: FolderDocuments(files, surroundings, in: fileSystem)
        )
        if folder.documents.takeout == nil { add(folder) } else { takeouts.append(folder) }
    }

    private mutating func addTakeouts() {
        TakeoutFolder.joinAlbums(in: &takeouts)
        for folder in takeouts { add(folder) }
        takeouts = []
    }

    private mutating func add(_ folder: Folder) {
        let documents = folder.documents
        orphans += documents.orphans
        leftBehind += documents.leftBehind
        guard memory != nil else {
            for files in documents.sets(of: folder.files) where mayContinue() { addSet(files, of: folder) }
            return
        }
        let keepsIdentity = FileSystemKind.keepsIdentity(folder.place.path)
        for files in documents.sets(of: folder.files) where mayContinue() {
            let seen = files + documents.distant(from: files)
            let mark = FileSetFingerprint(seen, keepsIdentity: keepsIdentity, in: fileSystem, now: now)
            if let record = mark.flatMap({ folder.known[$0] }) {
                unchanged += Int(record.assetCount)
                skipped += Int(record.skippedCount)
            } else {
                examine(files, mark, of: folder)
            }
        }
    }

    mutating func mayContinue() -> Bool {
        isStopped = isStopped || mustStop()
        return !isStopped
    }
}
