import LibraryAPI
import MediaFiles
import PhotoModel

/// What an asset was taken in with, so that what lies beside it later is told from what came with it.
struct TakenAsset {
    /// One thing that a sidecar may say of an asset.
    private enum Statement: Hashable {
        case title(String)
        case caption(String)
        case keyword(Keyword)
        case rating(Rating)
        case favorite
        case location(Location)
        case date(WallTime)
    }

    /// The bytes of all its resources.
    let digests: Set<ContentDigest>
    private let statements: Set<Statement>

    /// An asset by what was said of it when it was taken in.
    init(_ manifest: AssetManifest) {
        digests = Set(manifest.resources.map(\.digest))
        var said = Self.words(of: manifest)
        said.insert(.date(manifest.captureTime.wall))
        statements = said
    }

    /// Whether its sidecar says something, as it is now, that the asset was taken in without.
    ///
    /// - Parameter asset: the primary file and the sidecar, read again.
    /// - Returns: false also where the sidecar says less than it did.
    func lacksWords(of asset: ImportableAsset) -> Bool {
        var said = Self.words(of: asset.manifest)
        if let date = asset.captureDateOverride { said.insert(.date(date)) }
        return !said.isSubset(of: statements)
    }

    private static func words(of manifest: AssetManifest) -> Set<Statement> {
        var words: Set<Statement> = []
        for keyword in manifest.keywords ?? [] { words.insert(.keyword(keyword)) }
        if let title = manifest.title { words.insert(.title(title)) }
        if let caption = manifest.caption { words.insert(.caption(caption)) }
        if let rating = manifest.rating, rating != .unrated { words.insert(.rating(rating)) }
        if manifest.isFavorite == true { words.insert(.favorite) }
        if let location = manifest.location { words.insert(.location(location)) }
        return words
    }
}
