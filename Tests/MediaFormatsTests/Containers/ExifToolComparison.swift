import Foundation
import MediaFormats
import PhotoModel

/// Compares every field that exiftool and we both know.
struct ExifToolComparison {
    /// Sentences about fields where the two say different things; empty when they agree.
    private(set) var disagreements: [String] = []
    /// How many fields both have.
    private(set) var agreedFields = 0
    private let answer: ExifTool.Answer

    init(_ ours: StillMetadata, _ answer: ExifTool.Answer) {
        self.answer = answer
        compareFile(ours)
        compareExif(ours.exif ?? ExifMetadata())
        comparePosition(ours.exif?.gps ?? ExifPosition())
        compareXMP(ours.xmp ?? XMPProperties())
        compareXMPPlace(ours.xmp ?? XMPProperties())
        compareXMPPicture(ours.xmp ?? XMPProperties())
    }

    // MARK: Fields
    private mutating func compareFile(_ ours: StillMetadata) {
        let group: String =
            switch ours.container {
            case .jpeg: "File"
            case .png: "PNG"
            case .webp: "RIFF"
            case .tiff: "IFD0"
            }
        number("\(group):ImageWidth", ours.storedSize?.width)
        number("\(group):ImageHeight", ours.storedSize?.height)
        text("Apple:ContentIdentifier", ours.contentIdentifier?.fileText)
        text("Apple:BurstUUID", ours.exif?.appleMakerNote?.burstIdentifier?.description.uppercased())
        number("IFD1:ThumbnailLength", ours.exif?.thumbnail?.length)
    }

    private mutating func compareExif(_ exif: ExifMetadata) {
        text("IFD0:ImageDescription", exif.imageDescription)
        text("IFD0:Make", exif.make)
        text("IFD0:Model", exif.model)
        number("IFD0:Orientation", exif.orientationCode)
        text("IFD0:Software", exif.software)
        text("IFD0:ModifyDate", exif.modified.text)
        fraction("ExifIFD:ExposureTime", exif.exposureTime)
        fraction("ExifIFD:FNumber", exif.fNumber)
        number("ExifIFD:ExposureProgram", exif.exposureProgram)
        number("ExifIFD:ISO", exif.isoSpeed)
        text("ExifIFD:DateTimeOriginal", exif.original.text)
        text("ExifIFD:CreateDate", exif.digitized.text)
        text("ExifIFD:OffsetTime", exif.modified.offset)
        text("ExifIFD:OffsetTimeOriginal", exif.original.offset)
        text("ExifIFD:OffsetTimeDigitized", exif.digitized.offset)
        fraction("ExifIFD:ExposureCompensation", exif.exposureCompensation)
        number("ExifIFD:Flash", exif.flash)
        fraction("ExifIFD:FocalLength", exif.focalLength)
        text("ExifIFD:UserComment", exif.userComment)
        text("ExifIFD:SubSecTime", exif.modified.subSecond)
        text("ExifIFD:SubSecTimeOriginal", exif.original.subSecond)
        text("ExifIFD:SubSecTimeDigitized", exif.digitized.subSecond)
        number("ExifIFD:ExifImageWidth", exif.pixelWidth)
        number("ExifIFD:ExifImageHeight", exif.pixelHeight)
        number("ExifIFD:SceneType", exif.sceneType)
        number("ExifIFD:ExposureMode", exif.exposureMode)
        number("ExifIFD:FocalLengthIn35mmFormat", exif.focalLengthIn35mm)
        text("ExifIFD:ImageUniqueID", exif.imageUniqueID)
        text("ExifIFD:SerialNumber", exif.bodySerialNumber)
        text("ExifIFD:LensModel", exif.lensModel)
    }

    private mutating func comparePosition(_ gps: ExifPosition) {
        text("GPS:GPSLatitudeRef", gps.latitudeReference)
        decimal("GPS:GPSLatitude", gps.latitude?.magnitude)
        decimal("Composite:GPSLatitude", gps.latitudeReference == nil ? nil : gps.latitude)
        text("GPS:GPSLongitudeRef", gps.longitudeReference)
        decimal("GPS:GPSLongitude", gps.longitude?.magnitude)
        decimal("Composite:GPSLongitude", gps.longitudeReference == nil ? nil : gps.longitude)
        number("GPS:GPSAltitudeRef", gps.altitudeReference)
        fraction("GPS:GPSAltitude", gps.altitudeMagnitude)
        let seconds = gps.timeParts.compactMap(\.value)
        let clock = seconds.count == 3 ? seconds[0] * 3600 + seconds[1] * 60 + seconds[2] : nil
        compare("GPS:GPSTimeStamp", clock.map { "\($0) s" }) { theirs in
            let parts = "\(theirs)".split(separator: ":").compactMap { Double($0) }
            guard let clock, parts.count == 3 else { return clock == nil }
            return abs(parts[0] * 3600 + parts[1] * 60 + parts[2] - clock) < 0.001
        }
        text("GPS:GPSDateStamp", gps.dateStamp)
        text("GPS:GPSMapDatum", gps.mapDatum)
    }

    private mutating func compareXMP(_ xmp: XMPProperties) {
        text("XMP-xmpMM:DocumentID", xmp.documentID)
        text("XMP-dc:Source", xmp.source)
        text("XMP-dc:Title", xmp.title)
        text("XMP-dc:Description", xmp.description)
        list("XMP-dc:Subject", xmp.keywords)
        list("XMP-lr:HierarchicalSubject", xmp.hierarchicalKeywords)
        list("XMP-digiKam:TagsList", xmp.digiKamTags)
        list("XMP-iptcExt:PersonInImage", xmp.people)
        decimal("XMP-xmp:Rating", xmp.rating)
        text("XMP-xmp:Label", xmp.label)
        date("XMP-xmp:CreateDate", xmp.createDate)
        date("XMP-xmp:ModifyDate", xmp.modifyDate)
        date("XMP-photoshop:DateCreated", xmp.dateCreated)
    }

    private mutating func compareXMPPlace(_ xmp: XMPProperties) {
        decimal("XMP-exif:GPSLatitude", xmp.latitude)
        decimal("XMP-exif:GPSLongitude", xmp.longitude)
        decimal("XMP-exif:GPSAltitude", xmp.altitude?.magnitude)
        date("XMP-exif:GPSDateTime", xmp.positionDate)
        text("XMP-iptcCore:Location", xmp.place.sublocation)
        text("XMP-photoshop:City", xmp.place.city)
        text("XMP-photoshop:State", xmp.place.state)
        text("XMP-photoshop:Country", xmp.place.country)
        text("XMP-iptcCore:CountryCode", xmp.place.countryCode)
        text("XMP-iptcExt:LocationCreatedSublocation", xmp.placeCreated.sublocation)
        text("XMP-iptcExt:LocationCreatedCity", xmp.placeCreated.city)
        text("XMP-iptcExt:LocationCreatedProvinceState", xmp.placeCreated.state)
        text("XMP-iptcExt:LocationCreatedCountryName", xmp.placeCreated.country)
        text("XMP-iptcExt:LocationCreatedCountryCode", xmp.placeCreated.countryCode)
    }

    private mutating func compareXMPPicture(_ xmp: XMPProperties) {
        number("XMP-tiff:Orientation", xmp.orientationCode)
        text("XMP-GPano:ProjectionType", xmp.projection)
        number("XMP-GCamera:MotionPhoto", xmp.motionPhoto.motionPhoto)
        number("XMP-GCamera:MotionPhotoVersion", xmp.motionPhoto.version)
        number(
            "XMP-GCamera:MotionPhotoPresentationTimestampUs",
            xmp.motionPhoto.presentationTimestampMicroseconds
        )
        number("XMP-GCamera:MicroVideo", xmp.motionPhoto.microVideo)
        number("XMP-GCamera:MicroVideoVersion", xmp.motionPhoto.microVideoVersion)
        number("XMP-GCamera:MicroVideoOffset", xmp.motionPhoto.microVideoOffset)
        list("XMP-GContainer:DirectoryItemMime", xmp.containerItems.map(\.mime), isFirstEnough: true)
        list("XMP-GContainer:DirectoryItemSemantic", xmp.containerItems.map(\.semantic), isFirstEnough: true)
        list("XMP-GContainer:DirectoryItemLength", xmp.containerItems.map { "\($0.length)" }, isFirstEnough: true)
    }

    // MARK: Kinds of values
    private mutating func text(_ key: String, _ ours: String?) {
        compare(key, ours) { theirs in
            let trimmed = "\(theirs)".trimmingCharacters(in: .whitespacesAndNewlines)
            if trimmed == (ours ?? "").trimmingCharacters(in: .whitespacesAndNewlines) { return true }
            // JSON has numbers where the text looks like one.
            guard theirs is NSNumber, let ours, let number = Double(ours) else { return false }
            return number == Double(trimmed)
        }
    }

    /// Compares lists; an exiftool that does not know a namespace keeps the first item only, which `isFirstEnough`
    /// allows.
    private mutating func list(_ key: String, _ ours: [String], isFirstEnough: Bool = false) {
        compare(key, ours.isEmpty ? nil : "\(ours)") { theirs in
            let texts = (theirs as? [Any])?.map { "\($0)" } ?? ["\(theirs)"]
            let present = texts.filter { !$0.isEmpty }
            return present == ours || isFirstEnough && present == Array(ours.prefix(1))
        }
    }

    private mutating func number(_ key: String, _ ours: Int?) {
        decimal(key, ours.map(Double.init))
    }

    private mutating func decimal(_ key: String, _ ours: Double?) {
        compare(key, ours.map { "\($0)" }) { theirs in
            guard let number = Double("\(theirs)"), let ours else { return false }
            return abs(number - ours) <= 1e-8 * max(1, abs(number))
        }
    }

    private mutating func fraction(_ key: String, _ ours: ExifRational?) {
        fractions(key, ours.map { [$0] } ?? [])
    }

    private mutating func fractions(_ key: String, _ ours: [ExifRational]) {
        compare(key, ours.isEmpty ? nil : "\(ours)") { theirs in
            let parts = "\(theirs)".split(separator: " ")
            return parts.count == ours.count
                && zip(parts, ours).allSatisfy { part, fraction in
                    guard let value = fraction.value else { return part == "undef" || part == "inf" }
                    return Double(part).map { abs($0 - value) <= 1e-8 * max(1e-6, abs(value)) } ?? false
                }
        }
    }

    private mutating func date(_ key: String, _ ours: String?) {
        var bytes = Array((ours ?? "").utf8)
        for (position, separator) in [(4, ":"), (7, ":"), (10, " ")] where bytes.count > position {
            bytes[position] = separator.utf8.first ?? 0
        }
        text(key, ours.map { _ in String(decoding: bytes, as: UTF8.self) })
    }

    private mutating func compare(_ key: String, _ ours: String?, _ agrees: (Any) -> Bool) {
        switch (ours, answer[key]) {
        case (nil, nil):
            return
        case (let ours?, nil):
            disagreements.append("\(key): we read \(ours), exiftool nothing")
        case (nil, let theirs?) where "\(theirs)".allSatisfy(\.isWhitespace):
            return
        case (nil, let theirs?):
            disagreements.append("\(key): we read nothing, exiftool \(theirs)")
        case (let ours?, let theirs?):
            if agrees(theirs) {
                agreedFields += 1
            } else {
                disagreements.append("\(key): we read \(ours), exiftool \(theirs)")
            }
        }
    }
}
