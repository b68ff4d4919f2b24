import LibraryAPI
import MediaFormats
import Persistence
package import PhotoModel

/// What another program says about one photo or movie, in whatever form it wrote it.
///
/// Google's, Apple's, PhotoPrism's and Immich's words become this before they become an asset's, so that there is one place
/// that decides what a library keeps of them.
package struct SidecarContent: Hashable, Sendable {
    /// A line that names it.
    package var title: String?
    /// What people wrote about it.
    package var caption: String?
    /// Where it is, in people's words.
    package var placeName: String?
    /// Words that it can be found by.
    package var keywords: [String] = []
    /// The names of people in it; they become keywords.
    package var people: [String] = []
    /// 1 to 5 stars.
    package var rating: Int?
    /// Whether somebody marked it.
    package var isFavorite = false
    /// Where it was taken.
    package var location: Location?
    /// When it was taken.
    package var captureDate: WallTime?
    /// The titles of its albums.
    package var albums: [String] = []
    /// The name that it had before the export cut or numbered it.
    package var originalName: FileName?
    /// Why it is not to be imported: it lies in a trash, for example.
    package var exclusion: String?
    /// What it says that a library has no place for.
    package var unsupported: [String] = []

    /// Nothing said.
    package init() {}

    /// What of it does not become the asset's own, for people.
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
        let titles = albums.filter { !Self.isWithin($0, Album.maximumTitleByteCount) }
        if !titles.isEmpty { reasons.append("the titles of \(titles.count) of its albums are too long") }
        return reasons
    }

    /// The bytes of a document; nil for one that is too long or cannot be read.
    static func bytes(of file: NamedFile, limit: Int, in fileSystem: any FileSystem) -> [UInt8]? {
        guard let source = try? FileSource(file.path, in: fileSystem), source.byteCount <= limit else { return nil }
        return try? source.bytes(in: FileRange(0..<source.byteCount))
    }

    /// A text that was written; nil for an empty one.
    static func written(_ text: String?) -> String? {
        text.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Whether a text fits a field of the library.
    static func isWithin(_ text: String, _ limit: Int) -> Bool {
        1...limit ~= text.utf8.count && !text.utf8.contains(0)
    }
}
