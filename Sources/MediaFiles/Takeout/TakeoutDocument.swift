import FoundationEssentials
import PhotoModel

/// A JSON document of a Google Takeout: Google Photos' description of a photo, or of a folder's album.
///
/// The format is undocumented. A photo's document has `title` (the name that the file was uploaded with) and
/// `photoTakenTime`; an album's (`metadata.json`, in the language of the account) has a `title` alone, in older exports
/// inside `albumData`. Places are 0, 0 where none is known, times are decimal texts of seconds since 1970.
struct TakeoutDocument: Decodable {
    private struct Moment: Decodable {
        let timestamp: String
    }

    private struct Place: Decodable {
        let latitude: Double
        let longitude: Double
        let altitude: Double?

        var location: Location? {
            guard latitude != 0 || longitude != 0 else { return nil }
            return Location(latitude: latitude, longitude: longitude, altitude: altitude == 0 ? nil : altitude)
        }
    }

    private struct Person: Decodable {
        let name: String
    }

    private struct AlbumData: Decodable {
        let title: String?
        let description: String?
    }

    private enum CodingKeys: CodingKey {
        case title, description, photoTakenTime, geoData, geoDataExif, people, favorited, archived, trashed
        case inLockedFolder, albumData, sharedAlbumComments, enrichments
    }

    /// The file's name at its upload, or an album's title.
    let title: String?
    private let text: String?
    private let taken: WallTime?
    private let location: Location?
    private let people: [String]
    private let isFavorite, isArchived, isTrashed, isLocked: Bool
    private let hasEnrichments: Bool
    /// Whether it describes a photo or movie.
    let isItem: Bool

    /// Reads the present fields; an unexpected value counts as missing.
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func value<Value: Decodable>(_ key: CodingKeys, as type: Value.Type) -> Value? {
            try? container.decodeIfPresent(type, forKey: key)
        }
        let album = value(.albumData, as: AlbumData.self)
        title = SidecarContent.written(album?.title ?? value(.title, as: String.self))
        text = SidecarContent.written(album?.description ?? value(.description, as: String.self))
        let moment = value(.photoTakenTime, as: Moment.self)
        isItem = moment != nil && title != nil && album == nil
        let seconds = moment.flatMap { Int64($0.timestamp) }.flatMap { $0 == 0 ? nil : $0 }
        taken = seconds.flatMap(Self.time)
        location = value(.geoData, as: Place.self)?.location ?? value(.geoDataExif, as: Place.self)?.location
        people = (value(.people, as: [Person].self) ?? []).map(\.name).filter { !$0.isEmpty }
        isFavorite = value(.favorited, as: Bool.self) ?? false
        isArchived = value(.archived, as: Bool.self) ?? false
        isTrashed = value(.trashed, as: Bool.self) ?? false
        isLocked = value(.inLockedFolder, as: Bool.self) ?? false
        hasEnrichments = container.contains(.enrichments) || container.contains(.sharedAlbumComments)
    }

    /// The instant of a number of seconds since 1970; nil for one that no calendar has.
    private static func time(_ seconds: Int64) -> WallTime? {
        let (microseconds, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
        guard !overflow, WallTime.range ~= microseconds else { return nil }
        return WallTime(microsecondsSince1970: microseconds)
    }

    /// Parses a document; nil if it is not one.
    init?(json bytes: [UInt8]) {
        guard let document = try? JSONDecoder().decode(Self.self, from: Data(bytes)) else { return nil }
        self = document
    }

    /// Whether it names an album.
    var isAlbum: Bool { !isItem && title != nil }

    /// Its description of the photo.
    var content: SidecarContent {
        var content = SidecarContent()
        content.caption = text
        content.captureDate = taken
        content.location = location
        content.people = people
        content.isFavorite = isFavorite
        content.originalName = title.flatMap { FileName($0) }
        if isTrashed { content.exclusion = "it lies in the trash of Google Photos" }
        if isArchived { content.unsupported.append("it was archived in Google Photos, and is shown here") }
        if isLocked { content.unsupported.append("it was in the locked folder of Google Photos, and is shown here") }
        return content
    }

    /// Contents of an album's document that an album has no field for.
    var albumLeftBehind: [String] {
        var reasons: [String] = []
        if text != nil { reasons.append("the album's description") }
        if hasEnrichments { reasons.append("the album's texts, maps and comments") }
        return reasons
    }
}
