package import PhotoModel

/// A photo's XMP properties (ISO 16684-1), from the file or its sidecar.
///
/// The same properties are read and written; absent ones are nil or empty.
package struct XMPProperties: Hashable, Sendable {
    // MARK: Identity
    /// Identifies the picture across all its versions (`xmpMM:DocumentID`).
    package var documentID: String?
    /// Its source (`dc:source`); for our captures, what triggered the shutter.
    package var source: String?

    // MARK: Words
    /// A title (`dc:title`), in the default language.
    package var title: String?
    /// A description (`dc:description`), in the default language.
    package var description: String?
    /// Keywords (`dc:subject`).
    package var keywords: [String] = []
    /// Keywords from the widest to the narrowest, joined by `|` (`lr:hierarchicalSubject`).
    package var hierarchicalKeywords: [String] = []
    /// Keywords from the widest to the narrowest, joined by `/` (`digiKam:TagsList`).
    package var digiKamTags: [String] = []
    /// The names of people in the picture (`Iptc4xmpExt:PersonInImage`).
    package var people: [String] = []
    /// 0 to 5 stars, -1 rejected (`xmp:Rating`).
    package var rating: Double?
    /// A comment (`exif:UserComment`), in the default language.
    package var userComment: String?
    /// A colour or a word (`xmp:Label`).
    package var label: String?

    // MARK: Dates, as written: ISO 8601, possibly shortened
    /// When it was made (`xmp:CreateDate`).
    package var createDate: String?
    /// When it was changed (`xmp:ModifyDate`).
    package var modifyDate: String?
    /// When the scene was captured (`photoshop:DateCreated`).
    package var dateCreated: String?
    /// The same, from writers that copy EXIF into XMP (`exif:DateTimeOriginal`).
    package var dateTimeOriginal: String?

    // MARK: Place
    /// Degrees north (`exif:GPSLatitude`).
    package var latitude: Double?
    /// Degrees east (`exif:GPSLongitude`).
    package var longitude: Double?
    /// Metres above sea level (`exif:GPSAltitude` and `exif:GPSAltitudeRef`).
    package var altitude: Double?
    /// When the position was measured (`exif:GPSTimeStamp`).
    package var positionDate: String?
    /// `A` if the receiver had a position, `V` (void) if it had none (`exif:GPSStatus`).
    package var positionStatus: String?
    /// The place by name (`photoshop:City` and the like).
    package var place = XMPPlace()
    /// The place where it was taken (`Iptc4xmpExt:LocationCreated`).
    package var placeCreated = XMPPlace()

    // MARK: Picture
    /// How to rotate the picture, 1 to 8 (`tiff:Orientation`).
    package var orientationCode: Int?
    /// A panorama's projection (`GPano:ProjectionType`).
    package var projection: String?
    /// How a depth map's values are spaced (`GDepth:Format`); the map itself is often in the Extended XMP.
    package var depthFormat: String?
    /// Joins the shots of a burst (`GCamera:BurstID`).
    package var burstIdentifier: String?
    /// 1: it represents its burst (`GCamera:BurstPrimary`).
    package var burstPrimary: Int?
    /// The properties of a Motion Photo.
    package var motionPhoto = XMPMotionPhoto()
    /// The parts of the file (`Container:Directory`), the picture first.
    package var containerItems: [XMPContainerItem] = []
    /// The name of the Extended XMP that belongs to it, 32 hexadecimal digits (`xmpNote:HasExtendedXMP`).
    package var extendedXMP: String?

    /// No properties.
    package init() {}
}

/// A place by its names.
package struct XMPPlace: Hashable, Sendable {
    /// A part of the city, or a landmark.
    package var sublocation: String?
    /// The city.
    package var city: String?
    /// The state or province.
    package var state: String?
    /// The country.
    package var country: String?
    /// The country's code in ISO 3166.
    package var countryCode: String?

    /// No names.
    package init() {}
}

/// Google's properties of a still with a movie (Motion Photo 1.0, and MicroVideo before it).
package struct XMPMotionPhoto: Hashable, Sendable {
    /// 1: it is a Motion Photo.
    package var motionPhoto: Int?
    /// The format's version, 1.
    package var version: Int?
    /// The still's time in the movie in microseconds; -1 if unknown.
    package var presentationTimestampMicroseconds: Int?
    /// 1: it is one by the older format.
    package var microVideo: Int?
    /// The older format's version, 1.
    package var microVideoVersion: Int?
    /// How many bytes before the end of the file the movie begins.
    package var microVideoOffset: Int?

    /// Not a Motion Photo.
    package init() {}
}

/// One part of a file that holds several; parts are in file order.
package struct XMPContainerItem: Hashable, Sendable {
    /// The media type, for example `image/jpeg`.
    package var mime: String
    /// What it is: `Primary`, `MotionPhoto`, `GainMap`, ...
    package var semantic: String
    /// The part's length in bytes; 0 for the primary.
    package var length: Int
    /// The number of bytes between this part and the next.
    package var padding: Int

    package init(mime: String, semantic: String, length: Int = 0, padding: Int = 0) {
        self.mime = mime
        self.semantic = semantic
        self.length = length
        self.padding = padding
    }
}

extension XMPProperties {
    /// The location, if both coordinates are present and on Earth, and the receiver had a position.
    package var location: Location? {
        guard positionStatus?.uppercased() != "V", let latitude, let longitude else { return nil }
        return Location(latitude: latitude, longitude: longitude, altitude: altitude)
    }

    /// When it was taken: the scene's date, else the creation date, else EXIF's; nil if none has a time of day.
    package var captureTime: CivilTime? {
        [dateCreated, createDate, dateTimeOriginal].lazy.compactMap { $0.flatMap(Self.civilTime) }.first
    }

    /// The day on which it was taken, by the first of the same dates that is only a day, month or year.
    package var captureDay: CivilTime? {
        [dateCreated, createDate, dateTimeOriginal].lazy.compactMap { $0.flatMap { CivilTime(day: $0) } }.first
    }

    /// Parses an XMP date, whose seconds may be omitted; nil without a time of day.
    package static func civilTime(_ text: String) -> CivilTime? {
        if let time = CivilTime(text) { return time }
        guard text.utf8.count >= 16 else { return nil }
        return CivilTime(String(text.prefix(16)) + ":00" + text.dropFirst(16))
    }
}
