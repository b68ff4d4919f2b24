import Persistence
import PhotoModel

/// The context of a folder while it is read.
struct Surroundings {
    /// The file that osxphotos leaves in its export folder.
    private static let appleMarker = ".osxphotos_export.db"

    /// The path below the folder that a person named.
    private(set) var path: [String] = []
    /// PhotoPrism's storage for the photos here.
    private(set) var photoPrism: PhotoPrismStorage?
    /// Whether osxphotos wrote the files.
    private(set) var isAppleExport = false

    /// No context.
    init() {}

    /// The context of a folder named by a person.
    init(of root: Path, _ photoPrism: PhotoPrismStorage?, in fileSystem: any FileSystem) {
        self.photoPrism = photoPrism
        isAppleExport = (try? fileSystem.status(root.appending(Self.appleMarker))) != nil
    }

    /// Whether a folder's name may be an album's: osxphotos puts photos without an album into `_`.
    func isAlbum(_ name: FileName?) -> Bool { !isAppleExport || name?.displayText != "_" }

    /// The context of a folder in this one.
    func entering(_ name: FileName) -> Self {
        var inner = self
        inner.path.append(name.displayText)
        return inner
    }
}
