package import Persistence
import PhotoModel

/// Files and folders looked through for photos, movies and Live Photos.
///
/// A still and a movie of one name in one folder are a pair, unless they say that they belong to different ones. A still
/// and a movie whose names differ are one too where both carry the same content identifier, as in an Immich library that
/// stores every upload under a name of its own.
package struct MediaCollection: Sendable {
    /// What stands alone or belongs together.
    package struct Group: Sendable {
        /// The photo, movie or sound.
        package let primary: MediaFile
        /// The movie of a Live Photo.
        package var movie: MediaFile?
        /// What a program wrote beside it.
        package var sidecar: Path?
    }

    /// What Immich derives from originals; it marks each of these folders with a file of its own.
    private static let derivedFolders: Set<String> = ["thumbs", "encoded-video", "profile", "backups"]
    private static let immichMarker = ".immich"
    /// Folders in which devices that store for others keep thumbnails.
    private static let foreignFolders: Set<String> = ["@eaDir", "#recycle", "lost+found"]

    /// Groups in the order of their folders and names.
    package private(set) var groups: [Group] = []
    /// Files that are no media and no sidecars.
    package private(set) var skipped = 0

    private let fileSystem: any FileSystem
    private let isPairingAcrossFolders: Bool

    /// A collection of nothing yet.
    ///
    /// - Parameters:
    ///   - fileSystem: where files are read.
    ///   - isPairingAcrossFolders: whether stills and movies of different names may be a pair.
    package init(in fileSystem: any FileSystem, isPairingAcrossFolders: Bool = true) {
        self.fileSystem = fileSystem
        self.isPairingAcrossFolders = isPairingAcrossFolders
    }

    /// Looks at a file, or at everything below a folder; blocks.
    ///
    /// Hidden files and links that lead nowhere are left out.
    ///
    /// - Throws: `PersistenceError` for what cannot be read, `notFound` for a path that is not there.
    package mutating func add(_ path: Path) throws {
        guard let status = try fileSystem.status(path) else {
            throw PersistenceError(.notFound, "open", path.text, "there is no such file")
        }
        if !status.isDirectory { return try add([path]) }
        var files: [String: [Path]] = [:]
        var folders: [Path] = []
        for name in try fileSystem.list(path) where !name.hasPrefix(".") && !Self.foreignFolders.contains(name) {
            let child = path.appending(name)
            guard let status = try fileSystem.status(child) else { continue }
            if status.isDirectory {
                let isDerived =
                    try Self.derivedFolders.contains(name)
                    && fileSystem.status(child.appending(Self.immichMarker)) != nil
                if !isDerived { folders.append(child) }
            } else {
                files[Self.stem(name), default: []].append(child)
            }
        }
        for (_, files) in files.sorted(by: { $0.key < $1.key }) { try add(files) }
        for folder in folders { try add(folder) }
    }

    /// Looks at files of one name: pairs a still with its movie, and both with their sidecar.
    ///
    /// - Throws: `PersistenceError` for what cannot be read.
    package mutating func add(_ paths: [Path]) throws {
        var media: [MediaFile] = []
        var sidecars: [Path] = []
        for path in paths {
            if path.name.lowercased().hasSuffix(XMPSidecar.fileExtension) {
                sidecars.append(path)
            } else if let file = try MediaFile(path, in: fileSystem) {
                media.append(file)
            } else {
                skipped += 1
            }
        }
        let stills = media.filter { $0.kind.type == .photo }
        let movies = media.filter { $0.kind.type == .video }
        var made: [Group]
        if media.count == 2, let still = stills.first, let movie = movies.first, Self.isPair(still, movie) {
            made = [Group(primary: still, movie: movie)]
        } else {
            made = media.map { Group(primary: $0) }
        }
        for index in made.indices { made[index].sidecar = Self.sidecar(of: made[index], among: sidecars) }
        skipped += sidecars.count - Set(made.compactMap(\.sidecar)).count
        groups += made
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
        }
        groups = groups.enumerated().filter { !taken.contains($0.offset) }.map(\.element)
    }

    /// Files of one name are a pair unless they say that they belong to different ones.
    ///
    /// Cameras that write QuickTime movies beside stills mean a pair; an MPEG-4 movie has to say so.
    private static func isPair(_ still: MediaFile, _ movie: MediaFile) -> Bool {
        guard let left = still.contentIdentifier, let right = movie.contentIdentifier else {
            return movie.kind.contentType == "video/quicktime"
        }
        return left == right
    }

    /// `IMG_1.jpg.xmp` is of `IMG_1.jpg` alone, `IMG_1.xmp` of whatever is called so.
    private static func sidecar(of group: Group, among sidecars: [Path]) -> Path? {
        let name = group.primary.path.name.lowercased()
        return sidecars.first { $0.name.lowercased() == name + XMPSidecar.fileExtension }
            ?? sidecars.first { $0.name.lowercased() == stem(name) + XMPSidecar.fileExtension }
    }

    /// The part of a name that a still, its movie and their sidecars share: without a sidecar's ending and the file's.
    private static func stem(_ name: String) -> String {
        var name = name[...]
        if name.lowercased().hasSuffix(XMPSidecar.fileExtension) {
            name = name.dropLast(XMPSidecar.fileExtension.count)
        }
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return String(name) }
        return String(name[..<dot])
    }
}
