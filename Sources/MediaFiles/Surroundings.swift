import Persistence
import PhotoModel

/// What is around a folder while it is looked through.
struct Surroundings {
    /// The file that osxphotos leaves in a folder that it exports into.
    private static let appleMarker = ".osxphotos_export.db"

    /// The path below the folder that a person named.
    private(set) var path: [String] = []
    /// What PhotoPrism knows about the photos here.
    private(set) var photoPrism: PhotoPrismStorage?
    /// Whether osxphotos wrote the files.
    private(set) var isAppleExport = false

    /// Nothing is around it.
    init() {}

    /// The surroundings of a folder that a person named.
    init(of root: Path, _ photoPrism: PhotoPrismStorage?, in fileSystem: any FileSystem) {
        self.photoPrism = photoPrism
        isAppleExport = (try? fileSystem.status(root.appending(Self.appleMarker))) != nil
    }

    /// Whether a folder's name may be an album's: osxphotos calls `_` where photos without an album go.
    func isAlbum(_ name: FileName?) -> Bool { !isAppleExport || name?.displayText != "_" }

    /// The surroundings of a folder in this one.
    func entering(_ name: FileName) -> Self {
        var inner = self
        inner.path.append(name.displayText)
        return inner
    }
}
