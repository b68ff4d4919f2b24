/// One field of ``ExifMetadata`` as a TIFF entry: the table shared by reading and writing.
struct ExifField: Sendable {
    typealias Path<Value> = any WritableKeyPath<ExifMetadata, Value> & Sendable

    /// How a field is stored.
    enum Kind: Sendable {
        /// Text, NUL-terminated.
        case text(Path<String?>)
        /// A character code, then text (Exif 2.32, table 9).
        case comment(Path<String?>)
        /// One unsigned number; read from any integer type, written as this type or, if it does not fit, as LONG.
        case number(TIFFType, Path<Int?>)
        /// One fraction, written as this type.
        case fraction(TIFFType, Path<ExifRational?>)
        /// This many unsigned fractions.
        case fractions(Int, Path<[ExifRational]>)
    }

    let directory: TIFFDirectory.Kind
    let tag: UInt16
    let kind: Kind

    init(_ directory: TIFFDirectory.Kind, _ tag: UInt16, _ kind: Kind) {
        self.directory = directory
        self.tag = tag
        self.kind = kind
    }

    /// Every field by directory and tag, in ascending order of tags.
    static let all: [ExifField] = [
        ExifField(.image(0), 0x010E, .text(\.imageDescription)),
        ExifField(.image(0), 0x010F, .text(\.make)),
        ExifField(.image(0), 0x0110, .text(\.model)),
        ExifField(.image(0), 0x0112, .number(.short, \.orientationCode)),
        ExifField(.image(0), 0x0131, .text(\.software)),
        ExifField(.image(0), 0x0132, .text(\.modified.text)),
        ExifField(.image(0), 0x4746, .number(.short, \.rating)),
        ExifField(.exif, 0x829A, .fraction(.rational, \.exposureTime)),
        ExifField(.exif, 0x829D, .fraction(.rational, \.fNumber)),
        ExifField(.exif, 0x8822, .number(.short, \.exposureProgram)),
        ExifField(.exif, 0x8827, .number(.short, \.isoSpeed)),
        ExifField(.exif, 0x9003, .text(\.original.text)),
        ExifField(.exif, 0x9004, .text(\.digitized.text)),
        ExifField(.exif, 0x9010, .text(\.modified.offset)),
        ExifField(.exif, 0x9011, .text(\.original.offset)),
        ExifField(.exif, 0x9012, .text(\.digitized.offset)),
        ExifField(.exif, 0x9204, .fraction(.signedRational, \.exposureCompensation)),
        ExifField(.exif, 0x9209, .number(.short, \.flash)),
        ExifField(.exif, 0x920A, .fraction(.rational, \.focalLength)),
        ExifField(.exif, 0x9286, .comment(\.userComment)),
        ExifField(.exif, 0x9290, .text(\.modified.subSecond)),
        ExifField(.exif, 0x9291, .text(\.original.subSecond)),
        ExifField(.exif, 0x9292, .text(\.digitized.subSecond)),
        ExifField(.exif, 0xA002, .number(.long, \.pixelWidth)),
        ExifField(.exif, 0xA003, .number(.long, \.pixelHeight)),
        ExifField(.exif, 0xA301, .number(.undefined, \.sceneType)),
        ExifField(.exif, 0xA401, .number(.short, \.customRendered)),
        ExifField(.exif, 0xA402, .number(.short, \.exposureMode)),
        ExifField(.exif, 0xA405, .number(.short, \.focalLengthIn35mm)),
        ExifField(.exif, 0xA420, .text(\.imageUniqueID)),
        ExifField(.exif, 0xA431, .text(\.bodySerialNumber)),
        ExifField(.exif, 0xA434, .text(\.lensModel)),
        ExifField(.gps, 0x0001, .text(\.gps.latitudeReference)),
        ExifField(.gps, 0x0002, .fractions(3, \.gps.latitudeParts)),
        ExifField(.gps, 0x0003, .text(\.gps.longitudeReference)),
        ExifField(.gps, 0x0004, .fractions(3, \.gps.longitudeParts)),
        ExifField(.gps, 0x0005, .number(.byte, \.gps.altitudeReference)),
        ExifField(.gps, 0x0006, .fraction(.rational, \.gps.altitudeMagnitude)),
        ExifField(.gps, 0x0007, .fractions(3, \.gps.timeParts)),
        ExifField(.gps, 0x0009, .text(\.gps.status)),
        ExifField(.gps, 0x0012, .text(\.gps.mapDatum)),
        ExifField(.gps, 0x001D, .text(\.gps.dateStamp)),
    ]

    /// The index into ``all`` by directory and tag.
    static let indices: [Key: Int] = Dictionary(
        uniqueKeysWithValues: all.indices.map { (Key(directory: all[$0].directory, tag: all[$0].tag), $0) }
    )

    /// A directory and a tag.
    struct Key: Hashable, Sendable {
        let directory: TIFFDirectory.Kind
        let tag: UInt16
    }
}
