import LibraryAPI
import MediaFormats
import Persistence
package import PhotoModel

/// Another program's description of a photo or movie, independent of its format.
///
/// Google's, Apple's, PhotoPrism's and Immich's formats are converted to this first, so that one place
/// decides what a library keeps of them.
package struct SidecarContent: Hashable, Sendable {
    /// A line that names it.
    package var title: String?
    /// Its description.
    package var caption: String?
    /// The name of its place.
    package var placeName: String?
    /// Its keywords.
    package var keywords: [String] = []
    /// The names of people in it; they become keywords.
    package var people: [String] = []
    /// 1 to 5 stars.
    package var rating: Int?
    /// Whether it is a favourite.
    package var isFavorite = false
    /// Where it was taken.
    package var location: Location?
    /// When it was taken.
    package var captureDate: WallTime?
    /// The titles of its albums.
    package var albums: [String] = []
    /// Its name before the export truncated or numbered it.
    package var originalName: FileName?
    /// Why it should not be imported; for example, it is in a trash.
    package var exclusion: String?
    /// Its contents that a library has no field for.
    package var unsupported: [String] = []

    /// An empty description.
    package init() {}

    /// Contents not kept in the asset, for people.
    package var leftBehind: [String] {
        var reasons = unsupported
        func check(_ text: String?, _ limit: Int, _ what: String) {
            guard let text, !Self.isWithin(text, limit) else { return }
            reasons.append("its \(what) is longer than \(limit) bytes")
        }
        check(title, APILimits.titleByteCount, "title")
        check(caption, APILimits.captionByteCount, "description")
        let words = Set(keywords + people)
        let invalid = words.count { Keyword($0) == nil }
        if invalid > 0 { reasons.append("\(invalid) of its keywords and people have names that no keyword can have") }
        if words.count - invalid > APILimits.keywordCount {
            reasons.append("it has more than \(APILimits.keywordCount) keywords and people")
        }
        let invalidCount = albums.count - validAlbums.count
        if invalidCount > 0 { reasons.append("\(invalidCount) of its albums have titles that no album can have") }
        return reasons
    }

    /// The titles of its albums that an album of the library can have.
    package var validAlbums: [String] { albums.filter { Self.isWithin($0, Album.maximumTitleByteCount) } }

    /// The bytes of a document; nil if it is too long or unreadable.
    static func bytes(of file: NamedFile, limit: Int, in fileSystem: any FileSystem) -> [UInt8]? {
        guard let source = try? FileSource(file.path, in: fileSystem), source.byteCount <= limit else { return nil }
        return try? source.head(limit)
    }

    /// A text; nil if it is empty.
    static func written(_ text: String?) -> String? {
        text.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Whether a text fits a field of the library.
    static func isWithin(_ text: String, _ limit: Int) -> Bool {
        1...limit ~= text.utf8.count && !text.utf8.contains(0)
    }
}
