import MediaFormats
import MediaSamples
import PhotoModel
import TestSupport
import Testing

/// What people wrote into files, written by exiftool and read by us.
struct PictureWordsTests {
    private static let iptc = [
        "-IPTC:ObjectName=IPTC title", "-IPTC:Caption-Abstract=IPTC caption", "-IPTC:Keywords=two",
        "-IPTC:Keywords=drei ü", "-IPTC:City=Ulm", "-IPTC:Country-PrimaryLocationName=Germany",
        "-IPTC:DateCreated=2020:01:02",
        "-IPTC:TimeCreated=03:04:05+01:00", "-codedcharacterset=utf8",
    ]
    private static let xmp = [
        "-XMP-dc:Title=XMP title", "-XMP-dc:Description=XMP caption", "-XMP-dc:Subject=one", "-XMP:Rating=4",
        "-XMP-photoshop:City=Bern",
    ]
    private static let exif = [
        "-EXIF:ImageDescription=EXIF caption", "-EXIF:XPTitle=EXIF title", "-EXIF:XPKeywords=three;four",
        "-IFD0:Rating=2",
    ]

    private static func read(_ file: [UInt8]) throws -> PictureMetadata {
        try file.withBytes { bytes throws(MediaFormatError) in try StillMetadata(bytes) }.metadata
    }

    private static func tagged(_ fileExtension: String, _ tags: [String]) throws -> PictureMetadata {
        let plain = fileExtension == "jpg" ? try SampleStill.jpeg() : try SampleStill.tiff(ExifMetadata())
        return try read(MediaTools.tagged(plain, fileExtension, tags))
    }

    @Test("XMP goes before IPTC, and IPTC before EXIF", arguments: ["jpg", "tif"])
    func order(fileExtension: String) throws {
        let all = try Self.tagged(fileExtension, Self.exif + Self.iptc + Self.xmp).words
        #expect(all.title == "XMP title")
        #expect(all.caption == "XMP caption")
        #expect(all.keywords == ["one"])
        #expect(all.rating == 4)
        #expect(all.placeName == "Bern")
        let older = try Self.tagged(fileExtension, Self.exif + Self.iptc)
        #expect(older.words.title == "IPTC title")
        #expect(older.words.caption == "IPTC caption")
        #expect(older.words.keywords == ["two", "drei ü"])
        #expect(older.words.placeName == "Ulm, Germany")
        #expect(older.words.rating == 2)
        #expect(older.captureTime?.description == "2020-01-02T03:04:05+01:00")
        let exif = try Self.tagged(fileExtension, Self.exif).words
        #expect(exif.title == "EXIF title")
        #expect(exif.caption == "EXIF caption")
        #expect(exif.keywords == ["three", "four"])
        #expect(exif.placeName == nil)
    }

    @Test(
        "a place's names come from several forms, unless these describe different places",
        arguments: [
            (["-XMP-photoshop:Country=Germany"], "Ulm, Germany"),
            (["-XMP-iptcCore:CountryCode=DE"], "Ulm, Germany"),
            (
                ["-XMP-iptcExt:LocationCreatedCountryName=germany", "-XMP-iptcExt:LocationCreatedSublocation=Quay"],
                "Quay, Ulm, germany"
            ),
            (["-XMP-photoshop:Country=Austria"], "Austria"),
            (["-XMP-photoshop:City=Bern"], "Bern"),
            (["-XMP-iptcCore:CountryCode=CHE"], "CHE"),
        ]
    )
    func places(xmp: [String], expected: String) throws {
        let iptc = [
            "-IPTC:City=Ulm", "-IPTC:Country-PrimaryLocationName=Germany", "-IPTC:Country-PrimaryLocationCode=DEU",
        ]
        #expect(try Self.tagged("jpg", iptc + xmp).words.placeName == expected)
    }

    @Test(
        "what a camera writes into every photo is no caption",
        arguments: [
            "OLYMPUS DIGITAL CAMERA", "SONY DSC", "KONICA MINOLTA DIGITAL CAMERA", "Maker Box", "Box", "---",
            "SANYO DIGITAL CAMERA", "GE DIGITAL CAMERA", "POLAROID DIGITAL CAMERA", "DCF 1.0", "Box Image",
            "hp PhotoSmart 720", "IMG_1234", "DSC_0001.JPG", "_DSC0042", "DSCN0815.jpg", "P1010001",
            "IMG_20230501_123456.jpg", "PXL_20230501_123456789",
        ]
    )
    func fillers(text: String) throws {
        var exif = ExifMetadata()
        (exif.make, exif.model, exif.imageDescription) = ("Maker", "Box", text)
        #expect(PictureWords(xmp: nil, iptc: nil, exif: exif).caption == nil)
        var xmp = XMPProperties()
        xmp.description = text
        exif.imageDescription = "Ada by the gate"
        #expect(PictureWords(xmp: xmp, iptc: nil, exif: exif).caption == "Ada by the gate", "the next form tells")
    }

    @Test(
        "what a person may write is a caption where people write, also if it resembles a camera's filler",
        arguments: ["Photo", "Camera", "Default", "My digital camera", "Wien 2019", "DSC", "Image of the DCF 1.0 card"]
    )
    func words(text: String) {
        var xmp = XMPProperties()
        xmp.description = text
        var exif = ExifMetadata()
        (exif.make, exif.model) = ("Maker", "Box")
        #expect(PictureWords(xmp: xmp, iptc: nil, exif: exif).caption == text)
    }

    @Test("a word without a meaning is no caption where cameras write", arguments: ["Photo", "Camera", "Default"])
    func generic(text: String) {
        var exif = ExifMetadata()
        exif.imageDescription = text
        #expect(PictureWords(xmp: nil, iptc: nil, exif: exif).caption == nil)
    }

    @Test(
        "a phone's code for its picture mode is no caption; the same word of another camera, or of a person, is one",
        arguments: [("HUAWEI", "oznor"), ("Xiaomi", "sdr_vivid")]
    )
    func codes(make: String, code: String) {
        var exif = ExifMetadata()
        (exif.make, exif.imageDescription) = (make, code)
        #expect(PictureWords(xmp: nil, iptc: nil, exif: exif).caption == nil)
        var xmp = XMPProperties()
        xmp.description = "sunset"
        #expect(PictureWords(xmp: xmp, iptc: nil, exif: exif).caption == "sunset")
        exif.make = "Maker"
        #expect(PictureWords(xmp: nil, iptc: nil, exif: exif).caption == code)
    }

    @Test("trees of keywords give their narrowest parts where nothing else is written")
    func trees() {
        var xmp = XMPProperties()
        xmp.hierarchicalKeywords = ["animal|bird|owl"]
        #expect(PictureWords(xmp: xmp, iptc: nil, exif: nil).keywords == ["owl"])
        xmp.keywords = ["heron"]
        #expect(PictureWords(xmp: xmp, iptc: nil, exif: nil).keywords == ["heron"])
    }

    @Test("a rating of 0, below or beyond 5 is none", arguments: [-1.0, 0, 6, 1e300])
    func ratings(stars: Double) {
        var xmp = XMPProperties()
        xmp.rating = stars
        #expect(PictureWords(xmp: xmp, iptc: nil, exif: nil).rating == nil)
    }

    @Test("a date of change alone is a date, behind that of the position and of the shot")
    func dates() throws {
        var exif = ExifMetadata()
        exif.modified.text = "2021:02:03 04:05:06"
        #expect(try Self.read(SampleStill.tiff(exif)).captureTime?.description == "2021-02-03T04:05:06")
        let position = try #require(WallTime("2021-02-03T01:00:00Z"))
        exif.gps.setTime(position)
        #expect(PictureMetadata(exif: exif).captureTime?.instant(assumingUTCOffsetSeconds: 0) == position)
        var xmp = XMPProperties()
        xmp.modifyDate = "2022-05-05T05:05:05"
        xmp.positionDate = "2021-02-03T01:00:00Z"
        #expect(PictureMetadata(xmp: xmp).captureTime?.description.hasPrefix("2021-02-03T01:00:00") == true)
        var fromExif = XMPProperties()
        fromExif.dateTimeOriginal = "2021-02-03T02:00:00"
        #expect(PictureMetadata(xmp: fromExif).captureTime?.description.hasPrefix("2021-02-03T02:00:00") == true)
        exif.digitized.text = "2021:02:03 00:00:00"
        #expect(PictureMetadata(exif: exif).captureTime?.description == "2021-02-03T00:00:00")
    }

    @Test(
        "a date without a time of day is noon of its first day; no other text and no clock's zero is a date",
        arguments: [
            ("1963", "1963-01-01T12:00:00"), ("1963-07", "1963-07-01T12:00:00"), ("2012-02-03", "2012-02-03T12:00:00"),
            ("1963-00-00", "1963-01-01T12:00:00"), ("1963-07-00", "1963-07-01T12:00:00"),
            ("1970", "1970-01-01T12:00:00"), ("1970-01-01", nil), ("1904-01-01", nil), ("0000-00-00", nil),
            ("1963-00-05", nil), ("2012-02-30", nil), ("2012-13", nil), ("2012-2-3", nil), ("2012-02-03-04", nil),
            ("63", nil), ("", nil), ("-", nil), ("2012-02-", nil), ("２０１２", nil), ("+012", nil),
        ] as [(String, String?)]
    )
    func days(text: String, expected: String?) {
        var xmp = XMPProperties()
        xmp.dateCreated = text
        #expect(PictureMetadata(xmp: xmp).captureTime?.description == expected)
    }

    @Test("a day counts after every date with a time, and before that of a change")
    func dayOrder() throws {
        var xmp = XMPProperties()
        xmp.dateCreated = "2012-02-03"
        xmp.modifyDate = "2022-05-05T05:05:05"
        #expect(PictureMetadata(xmp: xmp).captureTime?.description == "2012-02-03T12:00:00")
        let iptc = try Self.tagged("jpg", ["-IPTC:DateCreated=2012:02:03", "-EXIF:ModifyDate=2022:05:05 05:05:05"])
        #expect(iptc.captureTime?.description == "2012-02-03T12:00:00")
        var exif = ExifMetadata()
        exif.digitized.text = "2013:03:04 05:06:07"
        #expect(PictureMetadata(exif: exif, xmp: xmp).captureTime?.description == "2013-03-04T05:06:07")
    }

    @Test("IPTC is read up to its first damage, and never beyond its limits")
    func damage() {
        let whole: [UInt8] = [0x1C, 2, 5, 0, 1, 0x41, 0x1C, 2, 25, 0, 1, 0x42, 0x1C, 2, 25, 0, 1, 0x43]
        func record(_ bytes: [UInt8], _ limits: ParseLimits = .standard) -> IPTCRecord {
            bytes.withBytes { IPTCRecord($0, block: $0.fullRange, limits: limits) }
        }
        #expect(record(whole).keywords == ["B", "C"])
        #expect(record(Array(whole.dropLast())).keywords == ["B"])
        #expect(record([0x1C, 2, 5, 0xFF, 0xFF] + whole).title == nil)
        #expect(record([0x1C, 2, 5, 0x80, 8] + Array(repeating: 0xFF, count: 8)).title == nil)
        var limits = ParseLimits()
        limits.listItems = 1
        #expect(record(whole, limits).keywords == ["B"])
    }

    @Test("004.30: a panorama is told by its projection, by the camera, or by being three times as wide as high")
    func panoramas() {
        let plain = PixelSize(width: 4000, height: 3000)
        var xmp = XMPProperties()
        xmp.projection = "equirectangular"
        #expect(PictureMetadata(xmp: xmp).subtypes(size: plain) == .photoPanorama)
        var exif = ExifMetadata()
        exif.customRendered = 6
        #expect(PictureMetadata(exif: exif).subtypes(size: plain) == .photoPanorama)
        exif.customRendered = nil
        exif.make = "Maker"
        #expect(PictureMetadata(exif: exif).subtypes(size: plain) == [])
        #expect(PictureMetadata(exif: exif).subtypes(size: PixelSize(width: 900, height: 2700)) == .photoPanorama)
        #expect(PictureMetadata().subtypes(size: PixelSize(width: 900, height: 2700)) == [], "a web page's banner")
    }

    @Test("004.24, 004.28, 004.29: screenshots, depth and bursts are told by EXIF and XMP")
    func kinds() throws {
        var exif = ExifMetadata()
        exif.userComment = "Screenshot"
        #expect(PictureMetadata(exif: exif).subtypes(size: nil) == .photoScreenshot)
        var xmp = XMPProperties()
        xmp.containerItems = [XMPContainerItem(mime: "image/jpeg", semantic: "Depth")]
        #expect(PictureMetadata(xmp: xmp).subtypes(size: nil) == .photoDepthEffect)
        xmp.containerItems = []
        #expect(PictureMetadata(xmp: xmp).subtypes(size: nil) == [])
        // Google's camera before it had a container: GDepth, in the first of the two packets of XMP.
        xmp.depthFormat = "RangeInverse"
        #expect(try Self.read(SampleStill.jpeg(xmp: xmp.packet())).subtypes(size: nil) == .photoDepthEffect)
        xmp.burstIdentifier = "0197a1c2-0000-7000-8000-00000000000a"
        let burst = try #require(BurstID("0197a1c2-0000-7000-8000-00000000000a"))
        #expect(PictureMetadata(xmp: xmp).burst == BurstMembership(id: burst))
        xmp.burstPrimary = 1
        #expect(PictureMetadata(xmp: xmp).burst == BurstMembership(id: burst, representsBurst: true))
        let read = try Self.read(SampleStill.jpeg(xmp: xmp.packet()))
        #expect(read.burst?.representsBurst == true)
    }
}
