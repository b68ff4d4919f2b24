package import Persistence
package import PhotoModel

extension MediaCollection {
    /// Files that form one asset.
    ///
    /// An import holds tens of thousands: what few have is kept apart.
    package struct Group: Sendable {
        /// The photo, movie or sound.
        package let primary: MediaFile
        /// The movie of a Live Photo.
        @Rare package var movie: MediaFile?
        /// The same photo as the camera's sensor saw it.
        @Rare package var raw: MediaFile?
        /// A program's sidecar: XMP.
        @Rare package var sidecar: NamedFile?
        /// The content of a sidecar that is not XMP.
        @Rare package var told: SidecarContent?
        /// How an edit was made: Apple's adjustments (AAE).
        @Rare package var adjustment: NamedFile?
        /// The photo or movie, and the movie of a Live Photo, as they were edited.
        var editedForms: [MediaFile] = []
        /// The title of the album that its folder is.
        package var folderAlbum: String?
        /// Its folder below the given one; nil for a file named itself.
        package var folder: FileName?
        /// The place in the collection's sets of the one that it is of.
        package internal(set) var set = 0

        init(primary: MediaFile, folder: FileName? = nil, set: Int = 0) {
            self.primary = primary
            self.folder = folder
            self.set = set
        }

        /// The photo or movie as it was edited.
        package var edit: MediaFile? { editedForms.first { $0.kind.type == primary.kind.type } }

        /// The movie of a Live Photo as it was edited.
        package var editedMovie: MediaFile? {
            movie == nil ? nil : editedForms.first { $0.kind.type == .video }
        }

        /// Its photos and movies beside the primary one.
        package var partners: [MediaFile] { [raw, movie].compactMap(\.self) + editedForms }

        /// Bytes of its photos and movies.
        package var byteCount: Int64 { partners.reduce(primary.byteCount) { $0 + $1.byteCount } }

        /// Whether other files belong to the photo, movie or sound.
        package var hasPartners: Bool { !partners.isEmpty || sidecar != nil || adjustment != nil }

        /// The titles of its albums at the source.
        package var albums: [String] {
            let titles = [folderAlbum].compactMap(\.self) + (told?.albums ?? [])
            return titles.filter { SidecarContent.isWithin($0, Album.maximumTitleByteCount) }
        }

        /// One of its photos and movies as it would be without the others.
        package func alone(_ file: MediaFile) -> Self { Self(primary: file, folder: folder, set: set) }
    }

    /// A file, and what a person should know about it.
    package struct Remark: Hashable, Sendable, Encodable, CustomStringConvertible {
        /// Its location, for people.
        package let path: String
        /// The problem.
        package let reason: String

        /// A remark on a file.
        package init(path: String, reason: String) {
            self.path = path
            self.reason = reason
        }

        /// Both in one line.
        package var description: String { "\(path): \(reason)" }
    }

    /// A folder while its files are examined.
    struct Folder {
        /// Its name; nil for a file named itself.
        let name: FileName?
        let place: FolderListing.Place
        let files: [NamedFile]
        /// The sets in it that were examined before; empty without a memory.
        let known: [FileSetFingerprint: FileSet.Record]
        /// What other programs wrote about its files.
        var documents: FolderDocuments
    }

    /// A folder's files in one part of an export.
    struct FolderPart {
        let place: FolderListing.Place
        let name: FileName?
        var files: [NamedFile] = []
    }
}

extension MediaCollection.Group {
    /// An asset described by a server, with the original file name, and with files fetched from there, its photo or
    /// movie and the movie of a Live Photo; nil if the first is not a photo, movie or sound.
    ///
    /// - Throws: `PersistenceError` for what cannot be read.
    package init?(
        _ path: Path,
        movie: Path?,
        described told: SidecarContent,
        at address: String,
        in fileSystem: any FileSystem
    ) throws {
        func file(_ path: Path, _ name: FileName?) throws -> MediaFile? {
            guard let name = name ?? FileName(path.name) else { return nil }
            let facts = NamedFile.Facts(path, followsLink: false)
            let file = NamedFile(name, at: path, displayPath: address, facts: facts)
            return try MediaFile(file, upTo: AssetResource.maximumByteCount, in: fileSystem)
        }
        guard let primary = try file(path, told.originalName) else { return nil }
        self.init(primary: primary)
        self.told = told
        guard let movie, primary.kind.type == .photo, let found = try file(movie, nil), found.kind.type == .video else {
            return
        }
        let stem = told.originalName.map { Array($0.stem) } ?? []
        let ending = found.kind.contentType == "video/quicktime" ? ".MOV" : ".MP4"
        self.movie = try file(movie, FileName(bytes: stem + ending.utf8))
    }
}
