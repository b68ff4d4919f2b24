import MediaFormats
package import Persistence
package import PhotoModel

/// Files and folders looked through for photos, movies and Live Photos.
///
/// A still and a movie of one name in one folder are a pair, unless they say that they belong to different ones. A still
/// and a movie whose names differ are one too where both carry the same content identifier, as in an Immich library that
/// stores every upload under a name of its own. A finished still and a camera's raw one of one name in one folder are
/// two forms of one photo, unless they say that they were taken at different times.
package struct MediaCollection: Sendable {
    /// What stands alone or belongs together.
    package struct Group: Sendable {
        /// The photo, movie or sound.
        package let primary: MediaFile
        /// The movie of a Live Photo.
        package var movie: MediaFile?
        /// The same photo as the camera's sensor saw it.
        package var raw: MediaFile?
        /// What a program wrote beside it: XMP.
        package var sidecar: NamedFile?
        /// How an edit was made: Apple's adjustments (AAE).
        package var adjustment: NamedFile?
        /// The folder below the given one that it lies in; nil for what was given itself.
        package var folder: FileName?
        /// The place in the collection's sets of the one that it is of.
        package internal(set) var set = 0

        /// Bytes of its photos and movies.
        package var byteCount: Int64 { primary.byteCount + (movie?.byteCount ?? 0) + (raw?.byteCount ?? 0) }

        /// Whether other files belong to the photo, movie or sound.
        package var hasPartners: Bool { movie != nil || raw != nil || sidecar != nil || adjustment != nil }

        /// One of its photos and movies as it would be without the others.
        package func alone(_ file: MediaFile) -> Self { Self(primary: file, folder: folder, set: set) }
    }

    /// A file, and something that a person should know of it.
    package struct Remark: Hashable, Sendable {
        /// Where it lies, for people.
        package let path: String
        /// What is the matter.
        package let reason: String
    }

    /// What Immich derives from originals; it marks each of these folders with a file of its own.
    private static let derivedFolders: Set<String> = ["thumbs", "encoded-video", "profile", "backups"]
    private static let immichMarker = ".immich"
    /// PhotoPrism marks its storage of caches, previews and sidecars, which may lie among the originals.
    private static let photoPrismMarker = ".ppstorage"
    /// Folders in which devices that store for others keep thumbnails.
    private static let foreignFolders: Set<String> = ["@eaDir", "#recycle", "lost+found"]
    /// Deeper folders are reported and left out.
    private static let maximumDepth = 64
    /// What may be known of files that are gone, beside twice of what is there.
    private static let spareRecordCount = 1024

    /// Tells which sets of a folder were taken whole before.
    package typealias Memory = @Sendable (_ folder: String) -> [FileSetFingerprint: FileSet.Record]

    /// Groups in the order of their folders and names.
    package private(set) var groups: [Group] = []
    /// The sets of files that were looked at; there are none without a memory.
    package private(set) var sets: [FileSet] = []
    /// Photos, movies and pairs that are as they were when they were taken, and were not read again.
    package private(set) var unchanged = 0
    /// Folders of which more is known than is there.
    package private(set) var outgrown: [String] = []
    /// Files that are no media and no sidecars.
    package private(set) var skipped = 0
    /// Links below the folders, which are not followed.
    package private(set) var linkCount = 0
    /// FIFOs, sockets and devices below the folders, which are not opened.
    package private(set) var specialCount = 0
    /// Sidecars beside which nothing has their name.
    package private(set) var orphans: [Remark] = []
    /// Sidecars beside a photo or movie that say nothing, since they are empty.
    package private(set) var unreadable: [Remark] = []
    /// Whether it was told to stop before it had seen everything.
    package private(set) var isStopped = false
    /// Files that are taken though they end before their own structure says so.
    package private(set) var damaged: [Remark] = []
    /// Files and folders that cannot be taken: empty, or not readable.
    package private(set) var failed: [Remark] = []

    private let fileSystem: any FileSystem
    private let isPairingAcrossFolders: Bool
    private let memory: Memory?
    private let now: WallTime
    private let mustStop: @Sendable () -> Bool

    /// A collection of nothing yet.
    ///
    /// - Parameters:
    ///   - fileSystem: where files are read.
    ///   - isPairingAcrossFolders: whether stills and movies of different names may be a pair.
    ///   - memory: what is known already; nil where every file is to be read.
    ///   - now: the box's clock.
    ///   - mustStop: asked again and again whether to look no further.
    package init(
        in fileSystem: any FileSystem,
        isPairingAcrossFolders: Bool = true,
        memory: Memory? = nil,
        now: WallTime = LocalClock.now(),
        mustStop: @escaping @Sendable () -> Bool = { false }
    ) {
        self.fileSystem = fileSystem
        self.isPairingAcrossFolders = isPairingAcrossFolders
        self.memory = memory
        self.now = now
        self.mustStop = mustStop
    }

    /// Looks at a file, or at everything below a folder, as ``add(named:)`` does.
    package mutating func add(_ path: Path) throws { try add(named: [path]) }

    /// Looks at files that a person named, and at everything below folders that they named; blocks.
    ///
    /// A link stands for what it leads to where it was named itself, and is left alone below a folder: it may lead
    /// anywhere, also back into the folder. Hidden files are left out; what cannot be read, or is no file, is reported.
    ///
    /// - Parameter paths: files and folders; files of one name and folder belong together.
    /// - Throws: `PersistenceError` with `notFound` for a path that is not there, before anything is looked at.
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
        for folder in folders { add(FolderListing.Place(folder), named: FileName(folder.name), depth: 0) }
        add(files, followsLinks: true)
    }

    /// Looks at files, which are grouped by the names they share: a still with its movie, and both with their sidecars.
    ///
    /// - Parameters:
    ///   - paths: the files.
    ///   - followsLinks: whether links stand for what they lead to; they cannot be taken otherwise.
    package mutating func add(_ paths: [Path], followsLinks: Bool = false) {
        for (folder, files) in Dictionary(grouping: paths, by: \.parent).sorted(by: { $0.key.text < $1.key.text }) {
            let known = memory?(folder.text) ?? [:]
            let files = files.compactMap { NamedFile($0, followsLink: followsLinks) }
            add(files, in: FolderListing.Place(folder), named: nil, known)
        }
    }

    /// Pairs what carries the same content identifier under different names; call it once everything was added.
    package mutating func joinPairs() {
        guard isPairingAcrossFolders else { return }
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
        groups = groups.enumerated().filter { !taken.contains($0.offset) }.map(\.element)
    }

    /// The set that a group is of; nil without a memory.
    package func set(of group: Group) -> FileSet? { sets.indices.contains(group.set) ? sets[group.set] : nil }

    /// Whether the next group is of another set.
    package func isLastOfSet(_ index: Int) -> Bool {
        index + 1 == groups.count || groups[index + 1].set != groups[index].set
    }

    private mutating func add(_ place: FolderListing.Place, named name: FileName?, depth: Int) {
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
        let known = memory?(place.displayPath) ?? [:]
        if known.count > Self.spareRecordCount + 2 * listing.files.count { outgrown.append(place.displayPath) }
        add(listing.files, in: place, named: name, known)
        for folder in listing.folders where !isStopped && !isForeign(folder) {
            add(FolderListing.Place(folder), named: folder.name, depth: depth + 1)
        }
    }

    /// Whether a folder holds what another program derived from originals.
    private func isForeign(_ folder: NamedFile) -> Bool {
        let name = folder.name.displayText
        func holds(_ marker: String) -> Bool { (try? fileSystem.status(folder.path.appending(marker))) != nil }
        return Self.foreignFolders.contains(name) || holds(Self.photoPrismMarker)
            || Self.derivedFolders.contains(name) && holds(Self.immichMarker)
    }

    private mutating func add(
        _ files: [NamedFile],
        in place: FolderListing.Place,
        named name: FileName?,
        _ known: [FileSetFingerprint: FileSet.Record]
    ) {
        // What is no file may never end, and is not opened, not even to see its first bytes.
        failed += files.compactMap { file in file.obstacle.map { Remark(path: file.displayPath, reason: $0) } }
        let files = files.filter { $0.obstacle == nil }
        let stems = Set(files.filter { !$0.isSidecar }.map { Array($0.name.stem) })
        let sets = Dictionary(grouping: files) { $0.groupKey(among: stems) }
            .sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.value)
        guard memory != nil else {
            for files in sets where goesOn() { addSet(files, of: name) }
            return
        }
        let keepsIdentity = FileSystemKind.keepsIdentity(place.path)
        for files in sets where goesOn() {
            let mark = FileSetFingerprint(files, keepsIdentity: keepsIdentity, in: fileSystem, now: now)
            if let record = mark.flatMap({ known[$0] }) {
                unchanged += Int(record.assetCount)
                skipped += Int(record.skippedCount)
            } else {
                look(at: files, mark, in: place, named: name)
            }
        }
    }

    private mutating func goesOn() -> Bool {
        isStopped = isStopped || mustStop()
        return !isStopped
    }

    /// What a person is told of files.
    private var remarkCount: Int { damaged.count + failed.count + orphans.count + unreadable.count }

    /// Looks at files that share a name, and notes how they looked.
    private mutating func look(
        at files: [NamedFile],
        _ mark: FileSetFingerprint?,
        in place: FolderListing.Place,
        named name: FileName?
    ) {
        let before = (groups: groups.count, skipped: skipped, remarks: remarkCount)
        addSet(files, of: name)
        for index in before.groups..<groups.count { groups[index].set = sets.count }
        var set = FileSet(folder: place.displayPath, record: nil)
        if let mark, remarkCount == before.remarks,
            groups[before.groups...].allSatisfy({ $0.movie != nil || $0.primary.contentIdentifier == nil }),
            let assetCount = UInt8(exactly: groups.count - before.groups),
            let skippedCount = UInt8(exactly: skipped - before.skipped)
        {
            set.record = FileSet.Record(mark: mark, assetCount: assetCount, skippedCount: skippedCount)
        }
        sets.append(set)
    }

    /// Takes in files that share a name.
    private mutating func addSet(_ files: [NamedFile], of folder: FileName?) {
        var media: [MediaFile] = []
        var sidecars: [NamedFile] = []
        for file in files {
            if file.isSidecar {
                sidecars.append(file)
            } else if let found = look(at: file) {
                media.append(found)
            }
        }
        var made = Self.joined(media)
        for index in made.indices {
            made[index].folder = folder
            made[index].sidecar = Self.sidecar("xmp", of: made[index], among: sidecars)
            made[index].adjustment = Self.sidecar("aae", of: made[index], among: sidecars)
        }
        let taken = made.flatMap { [$0.sidecar?.name, $0.adjustment?.name] }
        orphans += sidecars.filter { !taken.contains($0.name) }.map {
            Remark(path: $0.displayPath, reason: "no photo or movie of its name lies beside it")
        }
        for index in made.indices {
            made[index].sidecar = telling(made[index].sidecar)
            made[index].adjustment = telling(made[index].adjustment)
        }
        groups += made
    }

    /// A sidecar that has bytes; an empty one is noted, and is nothing that an asset could consist of.
    private mutating func telling(_ sidecar: NamedFile?) -> NamedFile? {
        guard let sidecar, sidecar.facts?.byteCount == 0 else { return sidecar }
        unreadable.append(Remark(path: sidecar.displayPath, reason: "it is empty"))
        return nil
    }

    /// Puts together which files of one name make one asset; each stands alone where that could be told in several ways.
    private static func joined(_ media: [MediaFile]) -> [Group] {
        let stills = media.filter { $0.kind.type == .photo }
        let finished = stills.filter { !$0.kind.isRaw }
        guard finished.count <= 1, stills.count <= finished.count + 1, let still = finished.first ?? stills.first else {
            return media.map { Group(primary: $0) }
        }
        var group = Group(primary: still)
        if let raw = stills.first(where: \.kind.isRaw), !still.kind.isRaw, isSameShot(still, raw) { group.raw = raw }
        let movies = media.filter { $0.kind.type == .video }
        if movies.count == 1, isPair(still, movies[0]) { group.movie = movies[0] }
        let taken = [still.path, group.raw?.path, group.movie?.path]
        return [group] + media.filter { !taken.contains($0.path) }.map { Group(primary: $0) }
    }

    /// Whether nothing speaks against two stills being one photo: a camera writes both with one date.
    private static func isSameShot(_ finished: MediaFile, _ raw: MediaFile) -> Bool {
        guard let one = finished.time, let other = raw.time else { return true }
        let difference = one.instant(assumingUTCOffsetSeconds: 0).duration(
            since: other.instant(assumingUTCOffsetSeconds: 0)
        )
        return abs(difference / .seconds(1)) < 2
    }

    /// A file's description; nil for what is no media or cannot be taken, which is noted.
    private mutating func look(at file: NamedFile) -> MediaFile? {
        do {
            if let found = try MediaFile(file, in: fileSystem) {
                if found.isCutOff { damaged.append(Remark(path: file.displayPath, reason: "it ends too early")) }
                return found
            }
            if try FileSource(file.path, in: fileSystem).byteCount == 0 {
                failed.append(Remark(path: file.displayPath, reason: "it is empty"))
            } else {
                skipped += 1
            }
        } catch {
            let reason = (error as? PersistenceError)?.message ?? "\(error)"
            failed.append(Remark(path: file.displayPath, reason: reason))
        }
        return nil
    }

    /// Files of one name are a pair unless they say that they belong to different ones.
    ///
    /// Cameras that write QuickTime movies beside stills mean a pair; an MPEG-4 movie has to say so.
    private static func isPair(_ still: MediaFile, _ movie: MediaFile) -> Bool {
        guard let left = still.contentIdentifier, let right = movie.contentIdentifier else {
            // A movie that was taken out of the still itself, as an export does, is the same movie.
            let isTakenOut = still.motionPhoto.map { Int64($0.movie.length) == movie.byteCount } ?? false
            return movie.kind.contentType == "video/quicktime" || isTakenOut
        }
        return left == right
    }

    /// `IMG_1.jpg.xmp` is of `IMG_1.jpg` alone, `IMG_1.xmp` of whatever is called so.
    private static func sidecar(_ ending: String, of group: Group, among sidecars: [NamedFile]) -> NamedFile? {
        let sidecars = sidecars.filter { $0.ending == ending }
        let name = group.primary.file.name
        let whole = [name, group.raw?.file.name].compactMap(\.self)
        return whole.lazy.compactMap { file in
            sidecars.first { lowercased($0.name.stem) == lowercased(file.bytes[...]) }
        }.first ?? sidecars.first { lowercased($0.name.stem) == lowercased(name.stem) }
    }

    private static func lowercased(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        bytes.map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 }
    }
}
