import Foundation
import LibraryAPI
import MediaFormats
import MediaSamples
import Persistence
import PhotoModel
import Testing

@testable import MediaFiles

/// Dates and places that cameras write if they know none.
struct FillerValueTests {
    private let tree: ExportTree

    init() throws { tree = try ExportTree() }

    private func imported(_ name: String, _ bytes: [UInt8], sidecar: [UInt8]? = nil) throws -> ImportableAsset {
        try tree.write(name, bytes)
        if let sidecar { try tree.write("\(name).xmp", sidecar) }
        return try asset()
    }

    private func asset() throws -> ImportableAsset {
        let group = try #require(try tree.collection().groups.first)
        return try ImportableAsset(group, album: nil, in: PosixFileSystem())
    }

    private static func photo(taken: String, offset: String? = nil) -> ExifMetadata {
        var exif = ExifMetadata()
        exif.original.text = taken
        exif.original.offset = offset
        return exif
    }

    private static func jpeg(_ exif: ExifMetadata) throws -> [UInt8] { try SampleStill.jpeg(exif: exif.bytes()) }

    // MARK: Dates

    @Test(
        "the zero of a clock is no date: the next best one counts, at last the file's",
        arguments: ["1904:01:01 00:00:00", "1970:01:01 00:00:00"],
        [nil, "+01:00"] as [String?]
    )
    func clockZero(taken: String, offset: String?) throws {
        var exif = Self.photo(taken: taken, offset: offset)
        let alone = try imported("a.jpg", Self.jpeg(exif)).manifest.captureTime
        #expect(alone.source == .fileModification)
        exif.modified.text = "2021:02:03 04:05:06"
        exif.modified.offset = "+00:00"
        let time = try imported("a.jpg", Self.jpeg(exif)).manifest.captureTime
        #expect(time.source == .fileMetadata)
        #expect(time.wall == WallTime("2021-02-03T04:05:06Z"))
    }

    @Test("a movie whose own date was never set has that of its header")
    func movie() throws {
        var movie = SampleMovie()
        movie.meta = SampleMovie.metadataList([("com.apple.quicktime.creationdate", "1904-01-01T00:00:00Z")])
        let time = try imported("a.mov", movie.bytes).manifest.captureTime
        #expect(time.wall == WallTime("2026-01-02T03:04:05Z"))
    }

    @Test("a movie of which only the day is known was recorded at its noon")
    func movieDay() throws {
        var movie = SampleMovie()
        movie.userData = SampleMovie.userText("©day", "2017-06-05")
        #expect(try Movie(movie.bytes).creationDate?.description == "2026-01-02T03:04:05Z", "the header has a time")
        movie.created = 0
        #expect(try Movie(movie.bytes).creationDate?.description == "2017-06-05T12:00:00")
    }

    @Test("a sidecar's day is that of a photo without a date, and of no other")
    func sidecarDay() throws {
        var words = XMPProperties()
        words.dateCreated = "1963-07"
        let undated = try imported("a.jpg", SampleStill.jpeg(), sidecar: words.packet())
        #expect(undated.captureDateOverride == WallTime("1963-07-01T12:00:00Z"))
        let photo = try Self.jpeg(Self.photo(taken: "2021:02:03 04:05:06", offset: "+00:00"))
        #expect(try imported("a.jpg", photo, sidecar: words.packet()).captureDateOverride == nil)
    }

    @Test("a date in the future is kept: it can be shifted together with the others of its camera")
    func future() throws {
        let exif = Self.photo(taken: "2099:12:31 23:59:59", offset: "+00:00")
        let time = try imported("a.jpg", Self.jpeg(exif)).manifest.captureTime
        #expect(time.source == .fileMetadata)
        #expect(time.wall == WallTime("2099-12-31T23:59:59Z"))
    }

    @Test("a sidecar's date that was never set replaces none", arguments: ["1904-01-01", "1970-01-01"])
    func sidecarDate(day: String) throws {
        var words = XMPProperties()
        words.title = "Beside"
        words.createDate = "\(day)T00:00:00Z"
        let photo = try Self.jpeg(Self.photo(taken: "2021:02:03 04:05:06", offset: "+00:00"))
        let asset = try imported("a.jpg", photo, sidecar: words.packet())
        #expect(asset.manifest.title == "Beside")
        #expect(asset.captureDateOverride == nil)
    }

    @Test("a date without an offset keeps the one it was taken by, so that every library shows the file's own time")
    func assumedOffset() throws {
        let time = try imported("a.jpg", Self.jpeg(Self.photo(taken: "2021:02:03 04:05:06"))).manifest.captureTime
        let local = CivilTime(time.wall, utcOffsetSeconds: try #require(time.utcOffsetSeconds))
        #expect(local.description.hasPrefix("2021-02-03T04:05:06"), "\(local)")
    }

    @Test("nobody knows whether the clock behind a file's date was synchronised")
    func clock() throws {
        let own = try imported("a.jpg", Self.jpeg(Self.photo(taken: "2021:02:03 04:05:06"))).manifest.captureTime
        #expect(own.source == .fileMetadata && !own.isSynchronized)
        let none = try imported("a.jpg", Self.jpeg(ExifMetadata())).manifest.captureTime
        #expect(none.source == .fileModification && !none.isSynchronized)
    }

    // MARK: Places

    @Test(
        "a place of exactly 0, 0, and one of a receiver without a position, is none",
        arguments: [
            (0, 0, nil, false), (0, 4.89, nil, true), (52.37, 0, "A", true), (52.37, 4.89, "V", false),
        ] as [(Double, Double, String?, Bool)]
    )
    func exifPlaces(latitude: Double, longitude: Double, status: String?, isKept: Bool) throws {
        var exif = ExifMetadata()
        exif.gps = ExifPosition(try #require(Location(latitude: latitude, longitude: longitude)))
        exif.gps.status = status
        let place = try imported("a.jpg", Self.jpeg(exif)).manifest.location
        #expect((place != nil) == isKept)
    }

    @Test(
        "so it is in a movie",
        arguments: [("+00.0000+000.0000/", false), ("+00.0000+000.0000+012.000/", false), ("+00.0000+004.8900/", true)]
    )
    func moviePlaces(text: String, isKept: Bool) throws {
        var movie = SampleMovie()
        movie.meta = SampleMovie.metadataList([("com.apple.quicktime.location.ISO6709", text)])
        let place = try imported("a.mov", movie.bytes).manifest.location
        #expect((place != nil) == isKept)
    }

    /// Status, latitude and longitude as XMP writes them, and whether they are a place.
    private static let coordinates = [
        ("V", "52,22.2N", "4,53.4E", false), ("A", "52,22.2N", "4,53.4E", true), ("A", "0,0.0N", "0,0.0E", false),
    ]

    private static func packet(_ status: String, _ latitude: String, _ longitude: String) -> [UInt8] {
        Array(
            """
            <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\
            <rdf:Description rdf:about="" xmlns:exif="http://ns.adobe.com/exif/1.0/" exif:GPSStatus="\(status)" \
            exif:GPSLatitude="\(latitude)" exif:GPSLongitude="\(longitude)"/></rdf:RDF></x:xmpmeta>
            """.utf8
        )
    }

    @Test("and in XMP", arguments: coordinates)
    func xmpPlaces(status: String, latitude: String, longitude: String, isKept: Bool) throws {
        let photo = try SampleStill.jpeg(xmp: Self.packet(status, latitude, longitude))
        let place = try imported("a.jpg", photo).manifest.location
        #expect((place != nil) == isKept)
    }

    @Test("a sidecar's filler replaces no place", arguments: coordinates)
    func sidecarPlaces(status: String, latitude: String, longitude: String, isKept: Bool) throws {
        let own = try #require(Location(latitude: 10, longitude: 20))
        var exif = ExifMetadata()
        exif.gps = ExifPosition(own)
        let packet = Self.packet(status, latitude, longitude)
        let place = try imported("a.jpg", Self.jpeg(exif), sidecar: packet).manifest.location
        #expect((place != own) == isKept)
    }
}
