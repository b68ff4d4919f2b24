package import MediaFormats
import PhotoModel

/// Generated metadata: every field may be there or not, with values that a camera could have written.
package struct SampleMetadata<Generator: RandomNumberGenerator> {
    private var generator: Generator

    /// Starts with a source of randomness.
    package init(_ generator: Generator) {
        self.generator = generator
    }

    /// EXIF in which each field is present in most cases.
    package mutating func exif() -> ExifMetadata {
        var exif = ExifMetadata()
        fillCamera(&exif)
        fillExposure(&exif)
        if chance() { exif.gps = position() }
        return exif
    }

    private mutating func fillCamera(_ exif: inout ExifMetadata) {
        exif.make = text()
        exif.model = text()
        exif.software = text()
        exif.bodySerialNumber = text()
        exif.lensModel = text()
        exif.imageDescription = text()
        exif.userComment = text()
        exif.imageUniqueID = chance() ? String(repeating: "0a1b2c3d", count: 4) : nil
        exif.original = date()
        exif.digitized = date()
        exif.modified = date()
        exif.orientationCode = optional(1...8)
        exif.pixelWidth = optional(1...70_000)
        exif.pixelHeight = optional(1...70_000)
    }

    private mutating func fillExposure(_ exif: inout ExifMetadata) {
        exif.exposureTime = chance() ? fraction() : nil
        exif.fNumber = chance() ? fraction() : nil
        exif.isoSpeed = optional(1...65_000)
        exif.exposureProgram = optional(0...8)
        exif.exposureMode = optional(0...2)
        exif.exposureCompensation = chance() ? signedFraction() : nil
        exif.flash = optional(0...95)
        exif.sceneType = chance() ? 1 : nil
        exif.focalLength = chance() ? fraction() : nil
        exif.focalLengthIn35mm = optional(1...2000)
    }

    private mutating func position() -> ExifPosition {
        var position = location().map { ExifPosition($0) } ?? ExifPosition()
        if chance() {
            position.setTime(
                WallTime(microsecondsSince1970: Int64.random(in: 0...4_000_000_000_000_000, using: &generator))
            )
        }
        return position
    }

    private mutating func location() -> Location? {
        Location(
            latitude: Double.random(in: -90...90, using: &generator),
            longitude: Double.random(in: -180...180, using: &generator),
            altitude: chance() ? Double.random(in: -400...8000, using: &generator) : nil
        )
    }

    /// XMP in which each property is present in most cases.
    package mutating func xmp() -> XMPProperties {
        var xmp = XMPProperties()
        xmp.documentID = text()
        xmp.source = text()
        xmp.title = text()
        xmp.description = text()
        xmp.keywords = texts()
        xmp.hierarchicalKeywords = texts()
        xmp.digiKamTags = texts()
        xmp.rating = optional(-1...5).map(Double.init)
        xmp.label = text()
        xmp.createDate = isoDate()
        xmp.modifyDate = isoDate()
        xmp.dateCreated = isoDate()
        xmp.orientationCode = optional(1...8)
        xmp.projection = chance() ? "equirectangular" : nil
        fillPlace(&xmp)
        fillMotion(&xmp)
        xmp.people = texts()
        return xmp
    }

    private mutating func fillPlace(_ xmp: inout XMPProperties) {
        if chance(), let location = location() {
            // To the precision of the format, so that reading gives back what was written.
            xmp.latitude = (location.latitude * 1000).rounded() / 1000
            xmp.longitude = (location.longitude * 1000).rounded() / 1000
            xmp.altitude = location.altitude.map { ($0 * 8).rounded() / 8 }
            xmp.positionDate = isoDate()
        }
        for path in [\XMPProperties.place, \.placeCreated] where chance() {
            xmp[keyPath: path].sublocation = text()
            xmp[keyPath: path].city = text()
            xmp[keyPath: path].state = text()
            xmp[keyPath: path].country = text()
            xmp[keyPath: path].countryCode = chance() ? "CHE" : nil
        }
    }

    private mutating func fillMotion(_ xmp: inout XMPProperties) {
        guard chance() else { return }
        xmp.motionPhoto.motionPhoto = 1
        xmp.motionPhoto.version = 1
        xmp.motionPhoto.presentationTimestampMicroseconds = optional(-1...3_000_000)
        xmp.motionPhoto.microVideo = 1
        xmp.motionPhoto.microVideoVersion = 1
        xmp.motionPhoto.microVideoOffset = optional(1...10_000_000)
        xmp.containerItems = [
            XMPContainerItem(mime: "image/jpeg", semantic: "Primary"),
            XMPContainerItem(mime: "video/mp4", semantic: "MotionPhoto", length: 4_096),
        ]
    }

    // MARK: Values
    private mutating func chance() -> Bool { Int.random(in: 0..<4, using: &generator) > 0 }

    private mutating func optional(_ range: ClosedRange<Int>) -> Int? {
        chance() ? Int.random(in: range, using: &generator) : nil
    }

    private mutating func fraction() -> ExifRational {
        ExifRational(
            Int64.random(in: 1...100_000, using: &generator),
            [1, 10, 100, 125, 1000].randomElement(using: &generator) ?? 1
        )
    }

    private mutating func signedFraction() -> ExifRational {
        ExifRational(Int64.random(in: -600...600, using: &generator), 100)
    }

    private mutating func texts() -> [String] {
        (0..<Int.random(in: 0...3, using: &generator)).compactMap { _ in text() }
    }

    private static var words: [String] {
        ["Camera 7", "Zürich", "東京 駅", "a<b>&\"c'", "Łódź", "x]]>y", "A", "naïve 📷", "semi;colon, comma", "=1+1"]
    }

    private mutating func text() -> String? {
        chance() ? Self.words.randomElement(using: &generator) : nil
    }

    private mutating func civilTime() -> CivilTime {
        let time = WallTime(microsecondsSince1970: Int64.random(in: 0...4_000_000_000, using: &generator) * 1_000_000)
        let civil = CivilTime(time, utcOffsetSeconds: 900 * Int.random(in: -48...56, using: &generator))
        return civil
    }

    private mutating func date() -> ExifDate {
        guard chance() else { return ExifDate() }
        var date = ExifDate(civilTime())
        date.subSecond = chance() ? String(Int.random(in: 100...999, using: &generator)) : nil
        if !chance() { date.offset = nil }
        return date
    }

    private mutating func isoDate() -> String? {
        chance() ? civilTime().description : nil
    }
}
