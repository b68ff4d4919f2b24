package import PhotoModel

/// A movie's metadata apart from its tracks.
///
/// If a movie has the same value in several places, `moov/meta` wins, then `moov/udta/meta`, then the boxes of
/// `moov/udta`.
package struct MovieMetadata: Hashable, Sendable {
    /// Joins a Live Photo's movie with its still (`com.apple.quicktime.content.identifier`).
    package var contentIdentifier: ContentIdentifier?
    /// When it was recorded, by the camera's clock (`com.apple.quicktime.creationdate`, `©day`).
    package var creationDate: CivilTime?
    /// Where it was recorded (`com.apple.quicktime.location.ISO6709`, `©xyz`, `loci`).
    package var location: Location?
    /// The camera's maker.
    package var make: String?
    /// The camera's model.
    package var model: String?
    /// The program that wrote the file.
    package var software: String?
    /// Whether the system, rather than a person, chose to make a Live Photo (`live-photo.auto`).
    package var isAutomaticLivePhoto: Bool?
    /// The capture rate, if slow motion is played at another (`com.android.capture.fps`).
    package var recordedFrameRate: Double?
    /// All named values, unchanged; the first of equal names.
    package var values: [String: MetadataValue] = [:]

    /// Empty metadata.
    package init() {}
}

extension MovieMetadata {
    /// The author that Apple's systems set for a screen recording.
    static let screenRecorder = "ReplayKitRecording"

    /// The names of Apple's metadata keys that this module reads and writes.
    enum Key {
        static let prefix = "com.apple.quicktime."
        static let contentIdentifier = prefix + "content.identifier"
        static let creationDate = prefix + "creationdate"
        static let location = prefix + "location.ISO6709"
        static let make = prefix + "make"
        static let model = prefix + "model"
        static let software = prefix + "software"
        static let author = prefix + "author"
        static let isAutomaticLivePhoto = prefix + "live-photo.auto"
        static let stillImageTime = prefix + "still-image-time"

        /// Whether a key carries a location in any form: coordinates, name, note, date, accuracy; also other makers'
        /// keys.
        static func isLocation(_ key: String) -> Bool {
            key.hasPrefix(prefix + "location.") || key.hasPrefix("com.android.location") || key == "©xyz"
                || key == "loci" || key == "location" || key.hasPrefix("location-") || key.contains(".GPS")
        }
    }

    /// Reads the metadata of a `moov` box.
    ///
    /// Unreadable lists are skipped: a movie with a broken comment is still a movie.
    init(moov: Box, of bytes: RawSpan, limits: ParseLimits) throws(MediaFormatError) {
        let children = try bytes.children(of: moov, limits: limits)
        let userData = children.first(ofType: "udta")
        let userDataBoxes = userData.flatMap { try? bytes.children(of: $0, limits: limits) } ?? []
        for meta in [children.first(ofType: "meta"), userDataBoxes.first(ofType: "meta")] {
            guard let meta, let list = try? MetadataList(meta: meta, of: bytes, limits: limits) else { continue }
            for item in list.items where values[item.key] == nil { values[item.key] = item.value }
        }
        for box in userDataBoxes where box.type.rawValue >> 24 == 0xA9 && values[box.type.description] == nil {
            let text = try? UserDataText.international(box, of: bytes, limits: limits)
            values[box.type.description] = text.map { .text($0) }
        }
        interpret()
        if location?.isFiller != false, let box = userDataBoxes.first(ofType: "loci") {
            location = (try? UserDataText.location(box, of: bytes)) ?? nil
        }
        if location?.isFiller == true { location = nil }
    }

    private mutating func interpret() {
        contentIdentifier = firstText(Key.contentIdentifier).flatMap { ContentIdentifier($0) }
        creationDate = dates.lazy.compactMap { CivilTime($0) }.first
        location = firstText(Key.location, "©xyz").flatMap { ISO6709.location($0) }
        make = firstText(Key.make, "©mak", "com.android.manufacturer")
        model = firstText(Key.model, "©mod", "com.android.model")
        software = firstText(Key.software, "©swr", "©too")
        isAutomaticLivePhoto = values[Key.isAutomaticLivePhoto]?.numeric.map { $0 != 0 }
        recordedFrameRate = values["com.android.capture.fps"]?.numeric
    }

    /// The day on which it was recorded, if only that was written.
    var creationDay: CivilTime? { dates.lazy.compactMap { CivilTime(day: $0) }.first }

    private var dates: [String] { [Key.creationDate, "©day"].compactMap { firstText($0) } }

    /// People's texts: the title, the description, the keywords and the place.
    package var words: PictureWords {
        var words = PictureWords()
        func isWords(_ text: String) -> Bool {
            !CaptionFiller.isFiller(text, make: make, model: model, isFromCamera: true)
        }
        words.title = firstText(Key.prefix + "title", Key.prefix + "displayname", "©nam").flatMap {
            isWords($0) ? $0 : nil
        }
        words.caption = firstText(Key.prefix + "description", "desc", "©des").flatMap { isWords($0) ? $0 : nil }
        let keywords = firstText(Key.prefix + "keywords", "keyw", "©key") ?? ""
        words.keywords = keywords.split(separator: ",").prefix(ParseLimits.standard.listItems).map(String.init)
        words.placeName = firstText(Key.prefix + "location.name")
        return words
    }

    private func firstText(_ keys: String...) -> String? {
        for key in keys {
            if let text = values[key]?.text, !text.isEmpty { return text }
        }
        return nil
    }
}
