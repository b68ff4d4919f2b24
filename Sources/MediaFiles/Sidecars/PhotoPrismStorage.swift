import Persistence
import PhotoModel

/// PhotoPrism's storage beside a folder of originals: a document for each photo and each album.
final class PhotoPrismStorage: Sendable {
    /// The file that marks the storage, which may be among the originals, beside them, or named itself.
    static let marker = ".ppstorage"
    private static let maximumDepth = 64
    private static let endings: Set<String> = ["yml", "yaml"]

    /// Documents by the path of their photos' folder below the originals.
    private let documents: [String: [NamedFile]]
    /// The titles of the albums that photos are in, by PhotoPrism's identifiers of the photos.
    private let albums: [String: [String]]

    /// Reads PhotoPrism's storage, which is `root` or the folder `storage` in it; nil if neither is one.
    init?(near root: Path, in fileSystem: any FileSystem) {
        let storage = [root, root.appending("storage")].first { folder in
            (try? fileSystem.status(folder.appending(Self.marker))) != nil
        }
        guard let storage else { return nil }
        var documents: [String: [NamedFile]] = [:]
        Self.walk(FolderListing.Place(storage.appending("sidecar"))) { path, files in
            documents[path] = files
        }
        var albums: [String: [String]] = [:]
        Self.walk(FolderListing.Place(storage.appending("albums"))) { _, files in
            for file in files {
                guard let document = Self.document(file, in: fileSystem), let title = document.album else { continue }
                for photo in document.photos { albums[photo, default: []].append(title) }
            }
        }
        self.documents = documents
        self.albums = albums
    }

    /// The documents of the photos in a folder below the originals.
    func documents(of path: [String]) -> [NamedFile] {
        documents[(path.first == "originals" ? path.dropFirst() : path[...]).joined(separator: "/")] ?? []
    }

    /// A document's description of its photo, with the photo's albums; nil if it is not a photo's.
    static func content(
        _ file: NamedFile,
        _ storage: PhotoPrismStorage?,
        in fileSystem: any FileSystem
    ) -> SidecarContent? {
        guard endings.contains(file.ending), let document = document(file, in: fileSystem) else { return nil }
        var content = document.content
        content.albums = storage?.albums[document.identifier] ?? []
        return content
    }

    private static func document(_ file: NamedFile, in fileSystem: any FileSystem) -> PhotoPrismDocument? {
        SidecarContent.bytes(of: file, limit: PhotoPrismDocument.maximumByteCount, in: fileSystem).flatMap {
            PhotoPrismDocument(yaml: $0)
        }
    }

    /// Calls back with the documents of a folder and those below it; unreadable folders are skipped.
    private static func walk(
        _ place: FolderListing.Place,
        _ path: [String] = [],
        _ body: (String, [NamedFile]) -> Void
    ) {
        guard path.count <= maximumDepth, let listing = try? FolderListing(place) else { return }
        let files = listing.files.filter { endings.contains($0.ending) }
        if !files.isEmpty { body(path.joined(separator: "/"), files) }
        for folder in listing.folders {
            walk(FolderListing.Place(folder), path + [folder.name.displayText], body)
        }
    }
}
