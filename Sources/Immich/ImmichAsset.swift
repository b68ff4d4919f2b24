import FoundationEssentials
import MediaFiles
import PhotoModel

/// An asset as Immich's API describes it (`AssetResponseDto`); absent or unexpected fields count as missing.
struct ImmichAsset: Decodable {
    private struct Exif: Decodable {
        let description: String?
        let latitude, longitude: Double?
        let rating: Int?
        let dateTimeOriginal: String?
        let fileSizeInByte: Int64?
    }

    private struct Person: Decodable {
        let name: String
    }

    private struct Tag: Decodable {
        let value: String
    }

    private enum CodingKeys: CodingKey {
        case id, type, originalFileName, checksum, isFavorite, isArchived, isTrashed, isOffline, visibility
        case livePhotoVideoId, exifInfo, people, tags, stack
    }

    /// Immich's identifier.
    let id: String
    /// `IMAGE`, `VIDEO`, `AUDIO` or `OTHER`.
    let type: String
    /// The name it was uploaded with.
    let originalFileName: String?
    /// The SHA-1 of its bytes in Base64.
    let checksum: String?
    /// The hidden asset with a Live Photo's movie.
    let livePhotoVideoID: String?
    private let isFavorite, isArchived, isTrashed, isOffline: Bool
    private let visibility: String?
    private let exif: Exif?
    private let people: [Person]
    private let tags: [Tag]
    private let isStacked: Bool

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func value<Value: Decodable>(_ key: CodingKeys, as type: Value.Type) -> Value? {
            try? container.decodeIfPresent(type, forKey: key)
        }
        id = try container.decode(String.self, forKey: .id)
        type = try container.decode(String.self, forKey: .type)
        originalFileName = value(.originalFileName, as: String.self)
        checksum = value(.checksum, as: String.self)
        livePhotoVideoID = value(.livePhotoVideoId, as: String.self)
        isFavorite = value(.isFavorite, as: Bool.self) ?? false
        isArchived = value(.isArchived, as: Bool.self) ?? false
        isTrashed = value(.isTrashed, as: Bool.self) ?? false
        isOffline = value(.isOffline, as: Bool.self) ?? false
        visibility = value(.visibility, as: String.self)
        exif = value(.exifInfo, as: Exif.self)
        people = value(.people, as: [Person].self) ?? []
        tags = value(.tags, as: [Tag].self) ?? []
        isStacked = (try? container.contains(.stack) && !container.decodeNil(forKey: .stack)) ?? false
    }

    /// The size that Immich announces, or else the most bytes any file may have.
    var byteCountLimit: Int64 {
        let limit = AssetResource.maximumByteCount
        return exif?.fileSizeInByte.map { min(max($0, 0), limit) } ?? limit
    }

    /// Whether it is only the movie of a Live Photo.
    var isPart: Bool { visibility == "hidden" }

    /// What Immich knows about it, with the titles of its albums, and the reason if it should not be imported.
    func content(albums: [String]) -> SidecarContent {
        var content = SidecarContent()
        content.caption = exif?.description.flatMap { $0.isEmpty ? nil : $0 }
        content.rating = exif?.rating.flatMap { 1...5 ~= $0 ? $0 : nil }
        if let latitude = exif?.latitude, let longitude = exif?.longitude {
            content.location = Location(latitude: latitude, longitude: longitude)
        }
        content.captureDate = exif?.dateTimeOriginal.flatMap { WallTime($0) }
        content.isFavorite = isFavorite
        content.people = people.map(\.name).filter { !$0.isEmpty }
        content.keywords = tags.compactMap { $0.value.split(separator: "/").last.map(String.init) }
        content.albums = albums
        content.originalName = originalFileName.flatMap { FileName($0) }
        if isTrashed {
            content.exclusion = "it lies in the trash of Immich"
        } else if visibility == "locked" {
            content.exclusion = "it lies in the locked folder of Immich"
        } else if isOffline {
            content.exclusion = "Immich has lost its file"
        } else if type != "IMAGE" && type != "VIDEO" {
            content.exclusion = "Immich knows it as neither a photo nor a video"
        }
        if isArchived || visibility == "archive" {
            content.unsupported.append("it was archived in Immich, and is shown here")
        }
        if isStacked { content.unsupported.append("it was in a stack in Immich, and is separate here") }
        return content
    }
}
