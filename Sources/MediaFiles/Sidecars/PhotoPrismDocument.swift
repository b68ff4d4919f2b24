import FoundationEssentials
import PhotoModel
import Yams

/// A YAML document of PhotoPrism: what it knows about a photo, or which photos an album has.
///
/// A photo's lies in `storage/sidecar` under the photo's path and the name without its ending, or beside the photo; an album's
/// in `storage/albums`. A field whose source (`TitleSrc`) is missing was made up by PhotoPrism itself.
struct PhotoPrismDocument: Decodable {
    private struct Details: Decodable {
        let keywords, notes, notesSource: String?

        private enum CodingKeys: String, CodingKey {
            case keywords = "Keywords", notes = "Notes", notesSource = "NotesSrc"
        }
    }

    private struct Photo: Decodable {
        let identifier: String

        private enum CodingKeys: String, CodingKey {
            case identifier = "UID"
        }
    }

    private enum CodingKeys: String, CodingKey {
        case identifier = "UID", type = "Type", taken = "TakenAt", takenSource = "TakenSrc", title = "Title"
        case titleSource = "TitleSrc", description = "Description", caption = "Caption", favorite = "Favorite"
        case favourite = "Favourite", isPrivate = "Private", latitude = "Lat", longitude = "Lng", altitude = "Altitude"
        case placeSource = "PlaceSrc", deleted = "DeletedAt", details = "Details", photos = "Photos"
    }

    /// Longer documents are not read; in bytes.
    static let maximumByteCount = 8 << 20

    /// How PhotoPrism calls the photo or album.
    let identifier: String
    private let type, albumTitle: String?
    /// How PhotoPrism calls the photos of an album.
    let photos: [String]
    /// What it says about its photo.
    let content: SidecarContent

    /// Reads a document; nil for what is none.
    init?(yaml bytes: [UInt8]) {
        guard bytes.count <= Self.maximumByteCount,
            let document = try? YAMLDecoder().decode(Self.self, from: Data(bytes))
        else { return nil }
        self = document
    }

    /// Reads what is there; a field that is not as expected counts as missing.
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func value<Value: Decodable>(_ key: CodingKeys, as type: Value.Type) -> Value? {
            try? container.decodeIfPresent(type, forKey: key)
        }
        func text(_ key: CodingKeys) -> String? { SidecarContent.written(value(key, as: String.self)) }
        identifier = try container.decode(String.self, forKey: .identifier)
        type = text(.type)
        albumTitle = text(.title)
        photos = (value(.photos, as: [Photo].self) ?? []).map(\.identifier)
        var content = SidecarContent()
        if text(.titleSource) != nil { content.title = albumTitle }
        content.caption = text(.caption) ?? text(.description)
        content.isFavorite = value(.favorite, as: Bool.self) ?? value(.favourite, as: Bool.self) ?? false
        if text(.takenSource) != nil { content.captureDate = text(.taken).flatMap { WallTime($0) } }
        if text(.placeSource) != "estimate", let latitude = value(.latitude, as: Double.self),
            let longitude = value(.longitude, as: Double.self), latitude != 0 || longitude != 0
        {
            content.location = Location(
                latitude: latitude,
                longitude: longitude,
                altitude: value(.altitude, as: Double.self)
            )
        }
        let details = value(.details, as: Details.self)
        content.keywords = (details?.keywords ?? "").split(separator: ",").map {
            String($0.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
        }.filter { !$0.isEmpty }
        if text(.deleted) != nil { content.exclusion = "it lies in the archive of PhotoPrism" }
        if value(.isPrivate, as: Bool.self) == true {
            content.unsupported.append("it was private in PhotoPrism, and is shown here")
        }
        if details?.notesSource == "manual", SidecarContent.written(details?.notes) != nil {
            content.unsupported.append("its notes in PhotoPrism")
        }
        self.content = content
    }

    /// The title of the album that a person made; nil for what is none.
    var album: String? { type == "album" ? albumTitle : nil }
}
