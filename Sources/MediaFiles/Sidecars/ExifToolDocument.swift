import FoundationEssentials
import MediaFormats
import PhotoModel

/// A JSON document in the form of `exiftool -j`, which osxphotos writes beside the photos of an Apple Photos library.
///
/// A list of one object. Its keys are ExifTool's names, with their group before a colon (`--sidecar json`) or without
/// (`--sidecar exiftool`). A list of one text may be written as the text.
struct ExifToolDocument: Decodable {
    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// Its description of the photo.
    let content: SidecarContent

    /// Parses a document; nil if it is not one.
    init?(json bytes: [UInt8]) {
        guard let documents = try? JSONDecoder().decode([Self].self, from: Data(bytes)), documents.count == 1 else {
            return nil
        }
        self = documents[0]
    }

    /// Reads one object; an unexpected value counts as missing.
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let keys = Dictionary(container.allKeys.map { (Self.tag($0.stringValue), $0) }) { first, _ in first }
        func value<Value: Decodable>(_ tags: [String], as type: Value.Type) -> Value? {
            tags.lazy.compactMap { keys[$0] }.compactMap { try? container.decode(type, forKey: $0) }.first
        }
        func list(_ tag: String) -> [String] {
            value([tag], as: [String].self) ?? value([tag], as: String.self).map { [$0] } ?? []
        }
        guard keys["SourceFile"] != nil || keys["_CreatedBy"] != nil || keys["ExifToolVersion"] != nil else {
            throw decoder.corruption("ExifTool wrote no such object")
        }
        var content = SidecarContent()
        content.title = SidecarContent.written(value(["Title", "ObjectName"], as: String.self))
        content.caption = SidecarContent.written(
            value(["Description", "ImageDescription", "Caption-Abstract"], as: String.self)
        )
        content.people = list("PersonInImage").filter { $0 != Self.unknownPerson }
        let keywords = list("Keywords") + list("Subject")
        content.keywords = Set(keywords.filter { $0 != Self.unknownPerson }).sorted()
        content.rating = value(["Rating"], as: Int.self).flatMap { 1...5 ~= $0 ? $0 : nil }
        content.placeName = SidecarContent.written(value(["Location"], as: String.self))
        func degrees(_ tag: String) -> Double? {
            value([tag], as: Double.self) ?? value([tag], as: String.self).flatMap(Self.degrees)
        }
        if let latitude = degrees("GPSLatitude"), let longitude = degrees("GPSLongitude") {
            let isSouth = value(["GPSLatitudeRef"], as: String.self)?.hasPrefix("S") ?? false
            let isWest = value(["GPSLongitudeRef"], as: String.self)?.hasPrefix("W") ?? false
            content.location = Location(
                latitude: isSouth ? -abs(latitude) : latitude,
                longitude: isWest ? -abs(longitude) : longitude
            )
        } else {
            // A movie's, in which osxphotos writes both into one text.
            content.location = value(["GPSCoordinates"], as: String.self).flatMap(Self.location)
        }
        let offset = value(["OffsetTimeOriginal", "OffsetTime"], as: String.self)
        // A movie's CreationDate has its offset; its CreateDate is UTC without saying so.
        let date = value(["DateTimeOriginal", "CreationDate", "CreateDate"], as: String.self)
        content.captureDate = date.flatMap { Self.instant($0, offset) }
        self.content = content
    }

    /// A place as osxphotos and ExifTool write it into a movie: 41.25 -95.94, perhaps with commas and a height.
    private static func location(_ text: String) -> Location? {
        let numbers = text.split { $0 == " " || $0 == "," }.map { Double($0) }
        guard 2...3 ~= numbers.count, let latitude = numbers[0], let longitude = numbers[1] else { return nil }
        return Location(latitude: latitude, longitude: longitude, altitude: numbers.count > 2 ? numbers[2] : nil)
    }

    /// Degrees as ExifTool writes them for people: 41 deg 15' 0.00" S, where the last letter can be missing.
    private static func degrees(_ text: String) -> Double? {
        let parts = text.split(separator: " ")
        guard parts.count >= 4, parts[1] == "deg", parts[2].hasSuffix("'"), parts[3].hasSuffix("\""),
            let whole = Double(parts[0]), let minutes = Double(parts[2].dropLast()),
            let seconds = Double(parts[3].dropLast())
        else { return nil }
        let size = whole + minutes / 60 + seconds / 3600
        return parts.count > 4 && ["S", "W"].contains(parts[4]) ? -size : size
    }

    /// Apple Photos' name for an unnamed face.
    private static let unknownPerson = "_UNKNOWN_"

    /// A key without its group.
    private static func tag(_ key: String) -> String {
        key.lastIndex(of: ":").map { String(key[key.index(after: $0)...]) } ?? key
    }

    /// The instant of `2019:04:15 14:40:24` at an offset.
    private static func instant(_ date: String, _ offset: String?) -> WallTime? {
        let parts = date.split(separator: " ", maxSplits: 1)
        guard parts.count == 2 else { return nil }
        let zone = parts[1].contains { "+-Z".contains($0) } ? "" : offset ?? ""
        return CivilTime("\(parts[0].replacing(":", with: "-"))T\(parts[1])\(zone)")?.instant
    }
}
