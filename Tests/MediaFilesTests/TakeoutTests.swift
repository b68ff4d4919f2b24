import Foundation
import Host
import LibraryAPI
import MediaFormats
import MediaSamples
import Persistence
import PhotoModel
import Testing

@testable import MediaFiles

/// Folders as Google Takeout writes them.
struct TakeoutTests {
    private static let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0] + Array(repeating: 1, count: 60) + [0xFF, 0xD9]
    private static let mpeg4 = Array("\0\0\0\u{14}ftypisom\0\0\0\0isom".utf8)

    private let tree: ExportTree

    init() throws { tree = try ExportTree() }

    /// A photo's document; `title` and the date are in all of them.
    static func document(_ title: String, _ more: String = "") -> [UInt8] {
        Array(
            """
            {"title": "\(title)", "description": "", "imageViews": "7", "url": "https://photos.google.com/photo/1",
             "creationTime": {"timestamp": "1700000000", "formatted": "14.11.2023"},
             "photoTakenTime": {"timestamp": "1690794000", "formatted": "31.07.2023"},
             "geoData": {"latitude": 0.0, "longitude": 0.0, "altitude": 0.0}\(more)}
            """.utf8
        )
    }

    @Test(
        "a document finds its file by the name, however that was cut, numbered or ended",
        arguments: [
            ("PXL_20211013_220651983.jpg.json", "PXL_20211013_220651983.jpg"),
            ("DSC_0101.JPG(1).json", "DSC_0101(1).JPG"),
            (
                "PXL_20230809_203449253.LONG_EXPOSURE-02.ORIGIN.json",
                "PXL_20230809_203449253.LONG_EXPOSURE-02.ORIGINA.jpg"
            ),
            ("05yqt21kruxwwlhhgrwrdyb6chhwszi9bqmzu16w0 2.jp.json", "05yqt21kruxwwlhhgrwrdyb6chhwszi9bqmzu16w0 2.jpg"),
            ("😀😃😄😁😆😅😂🤣🥲☺️😊😇🙂🙃😉😌😍🥰😘😗😙😚😋.json", "😀😃😄😁😆😅😂🤣🥲☺️😊😇🙂🙃😉😌😍🥰😘😗😙😚😋😛.jpg"),
            (
                "Backyard_ceremony_wedding_photography_xxxxxxx_(494).json",
                "Backyard_ceremony_wedding_photography_xxxxxxx_m(494).jpg"
            ),
            ("PXL_20210102_221126856.MP~2.jpg.json", "PXL_20210102_221126856.MP~2.jpg"),
            (
                "13039_327707840323_537645323_9470255_27214_n.j(1).json",
                "13039_327707840323_537645323_9470255_27214_n(1).jpg"
            ),
            ("20161105_170829.jpg.supplemental-metadata.json", "20161105_170829.jpg"),
            ("Screenshot_20231027_123303_Facebook.jpg.supple(1).json", "Screenshot_20231027_123303_Facebook(1).jpg"),
            ("MVIMG_20200207_134534~2.jpg.supplemental-metad.json", "MVIMG_20200207_134534~2.jpg"),
            ("CLIP0001.AVI.supplemental-metadata(10).json", "CLIP0001(10).AVI"),
            (
                "Screenshot_2024-08-31-00-53-48-647_com.snapcha.json",
                "Screenshot_2024-08-31-00-53-48-647_com.snapchat.jpg"
            ),
            (
                "IMG_20240101_120000_0123456789_0123456789_0.jpg..json",
                "IMG_20240101_120000_0123456789_0123456789_0.jpg"
            ),
            ("2234089303984509579.supplemental-metadata.json", "2234089303984509579.jpg"),
            ("2234089303984509579.supplemental-metadata.json", "2234089303984509579-edited.jpg"),
            ("IMG_7.HEIC.supplemental-metadata.json", "IMG_7.jpg"),
        ]
    )
    func names(document: String, file: String) throws {
        try tree.write(file, Self.jpeg)
        try tree.write(document, Self.document("whatever"))
        let collection = try tree.collection()
        #expect(collection.groups.map { $0.sidecar?.name.displayText } == [document])
        #expect(collection.orphans.isEmpty && collection.leftBehind.isEmpty)
    }

    @Test(
        "a document of another file is told, and so is the file that has none",
        arguments: [
            ("PXL_20211013_220651983.jpg.json", "PXL_20211013_220651958.jpg"),
            ("DSC_0102.JPG(2).json", "DSC_0102(1).JPG"), ("DSC_0103.JPG(1).json", "DSC_0103.JPG"),
            ("DSC_0104.JPG.json", "DSC_0104(1).JPG"),
            (
                "Backyard_ceremony_wedding_photography_xxxxxxx_(494).json",
                "Backyard_ceremony_wedding_photography_xxxxxxx_m(185).jpg"
            ),
        ]
    )
    func strangers(document: String, file: String) throws {
        try tree.write(file, Self.jpeg)
        try tree.write(document, Self.document("whatever"))
        let collection = try tree.collection()
        #expect(collection.groups.count == 1 && collection.groups[0].told == nil)
        #expect(collection.orphans.map(\.path) == ["\(tree.path)/\(document)"])
        #expect(collection.leftBehind.map(\.path) == ["\(tree.path)/\(file)"])
    }

    @Test("what Google knows becomes the asset's; a clock without a zone gets the one that fits the instant")
    func words() throws {
        var exif = ExifMetadata()
        exif.original.text = "2023:07:31 11:00:00"
        try tree.write("IMG_1.jpg", SampleStill.jpeg(exif: exif.bytes()))
        let more = """
            , "favorited": true, "people": [{"name": "Ada"}, {"name": "Grace"}], "archived": true,
            "geoDataExif": {"latitude": 48.5, "longitude": 9.25, "altitude": 510.0}
            """
        try tree.write("IMG_1.jpg.supplemental-metadata.json", Self.document("IMG_1.jpg", more))
        let collection = try tree.collection()
        let manifest = try asset(try #require(collection.groups.first)).manifest
        #expect(manifest.isFavorite == true)
        #expect(manifest.caption == nil && manifest.title == nil)
        #expect(manifest.keywords?.map(\.text) == ["Ada", "Grace"])
        #expect(manifest.location == Location(latitude: 48.5, longitude: 9.25, altitude: 510))
        #expect(manifest.captureTime.wall == WallTime("2023-07-31T09:00:00Z"))
        #expect(manifest.captureTime.utcOffsetSeconds == 7200)
        #expect(collection.leftBehind.map(\.reason) == ["it was archived in Google Photos, and is shown here"])
    }

    @Test("a file without a date has Google's; its name is the one before it was numbered")
    func dateAndName() throws {
        try tree.write("IMG_2(1).jpg", Self.jpeg)
        let document = String(decoding: Self.document("IMG_2.jpg"), as: UTF8.self)
            .replacing("\"description\": \"\"", with: "\"description\": \"By the lake\"")
        try tree.write("IMG_2.jpg(1).json", Array(document.utf8))
        let asset = try asset(try #require(try tree.collection().groups.first))
        #expect(asset.captureDateOverride == WallTime("2023-07-31T09:00:00Z"))
        #expect(asset.manifest.caption == "By the lake")
        #expect(asset.manifest.resources.map { $0.originalFilename?.displayText } == ["IMG_2.jpg"])
    }

    @Test("the movie of a Live Photo and an edited form have no document, and belong to the photo that has")
    func companions() throws {
        try tree.write("IMG_1.HEIC", Array("\0\0\0\u{14}ftypheic\0\0\0\0heic".utf8))
        try tree.write("IMG_1.MP4", Self.mpeg4)
        try tree.write("IMG_1.HEIC.supplemental-metadata.json", Self.document("IMG_1.HEIC"))
        try tree.write("PXL_2.MP.jpg", Self.jpeg)
        try tree.write("PXL_2.MP", Self.mpeg4 + [1])
        try tree.write("PXL_2.MP.jpg.supplemental-metadata.json", Self.document("PXL_2.MP.jpg"))
        try tree.write("IMG_3.jpg", Self.jpeg + [3])
        try tree.write("IMG_3-bearbeitet.jpg", Self.jpeg + [4])
        try tree.write("IMG_3.jpg.json", Self.document("IMG_3.jpg"))
        try tree.write("IMG_4.jpg", Self.jpeg + [5])
        try tree.write("IMG_4.mp4", Self.mpeg4 + [5])
        try tree.write("IMG_4.jpg.json", Self.document("IMG_4.jpg"))
        try tree.write("IMG_4.mp4.json", Self.document("IMG_4.mp4"))
        let groups = try tree.collection().groups
        #expect(
            groups.map(\.primary.path.name) == ["IMG_1.HEIC", "IMG_3.jpg", "IMG_4.jpg", "IMG_4.mp4", "PXL_2.MP.jpg"]
        )
        #expect(groups.map { $0.movie?.path.name } == ["IMG_1.MP4", nil, nil, nil, "PXL_2.MP"])
        #expect(groups.map { $0.edit?.path.name } == [nil, "IMG_3-bearbeitet.jpg", nil, nil, nil])
        #expect(groups.allSatisfy { $0.told != nil })
        #expect(try asset(groups[0]).manifest.mediaSubtypes.contains(.photoLive))
        #expect(try asset(groups[1]).manifest.resources.map(\.type) == [.photo, .fullSizePhoto])
    }

    @Test("an edited form with the original's bytes is no second resource")
    func untouched() throws {
        try tree.write("IMG_3.jpg", Self.jpeg)
        try tree.write("IMG_3-edited.jpg", Self.jpeg)
        try tree.write("IMG_3.jpg.json", Self.document("IMG_3.jpg"))
        let asset = try asset(try #require(try tree.collection().groups.first))
        #expect(asset.manifest.resources.map(\.type) == [.photo] && asset.manifest.problem == nil)
    }

    @Test("folders are albums where they have an album's document, in any language; the trash stays where it is")
    func albums() throws {
        try tree.write("Google Fotos/Fotos von 2023/IMG_1.jpg", Self.jpeg)
        try tree.write("Google Fotos/Fotos von 2023/IMG_1.jpg.json", Self.document("IMG_1.jpg"))
        try tree.write("Google Fotos/Urlaub(2)/IMG_1.jpg", Self.jpeg)
        try tree.write("Google Fotos/Urlaub(2)/IMG_1.jpg.json", Self.document("IMG_1.jpg"))
        try tree.write(
            "Google Fotos/Urlaub(2)/Metadaten.json",
            Array(#"{"title": "Urlaub: am See", "description": "x"}"#.utf8)
        )
        try tree.write("Google Fotos/Papierkorb/IMG_2.jpg", Self.jpeg)
        try tree.write("Google Fotos/Papierkorb/IMG_2.jpg.json", Self.document("IMG_2.jpg", ", \"trashed\": true"))
        let collection = try tree.collection()
        #expect(collection.groups.map(\.albums) == [[], ["Urlaub: am See"]])
        #expect(
            collection.leftBehind.map(\.reason).sorted() == [
                "it lies in the trash of Google Photos, and is not taken", "the album's description",
            ]
        )
    }

    @Test("a Takeout in several parts is one: the document may lie in another part than its photo")
    func parts() throws {
        try tree.write("takeout-1/Takeout/Google Photos/Lake/IMG_1.jpg", Self.jpeg)
        try tree.write(
            "takeout-2/Takeout/Google Photos/Lake/IMG_1.jpg.supplemental-metadata.json",
            Self.document("IMG_1.jpg")
        )
        try tree.write("takeout-2/Takeout/Google Photos/Lake/metadata.json", Array(#"{"title": "Lake"}"#.utf8))
        var collection = MediaCollection(in: PosixFileSystem())
        try collection.add(named: [Path("\(tree.path)/takeout-1"), Path("\(tree.path)/takeout-2")])
        collection.joinPairs()
        #expect(collection.groups.map(\.albums) == [["Lake"]])
        #expect(collection.groups.first?.told?.captureDate == WallTime("2023-07-31T09:00:00Z"))
        #expect(collection.orphans.isEmpty && collection.leftBehind.isEmpty && collection.failed.isEmpty)
    }

    @Test(
        "a document whose name was truncated is about every file of that name; another one is about one file",
        arguments: [
            ("original_1d4caa6f-16c6-4c3d-901b-9387de10e528_", "P.jpg", "P(1).jpg", true),
            ("1556189729458-8d2e2d13-bca5-467e-a242-9e4cb238", "e.jpg", "e(1).jpg", true),
            ("original_1d4caa6f-16c6-4c3d-901b-9387de10e528_", "P.jpg", "Q(1).jpg", false),
            ("original_1d4caa6f-16c6-4c3d-901b-9387de10e528_", "P.jpg", "P(1).png", false),
            // Truncated behind the name: Google would have numbered the document.
            ("05yqt21kruxwwlhhgrwrdyb6chhwszi9bqmzu16w0 2", ".jpg", "(1).jpg", false),
            ("IMG_5", ".jpg", "(1).jpg", false),
        ]
    )
    func shared(name: String, first: String, second: String, isShared: Bool) throws {
        let title = "original_1d4caa6f-16c6-4c3d-901b-9387de10e528_PXL_20220516_164814158.jpg"
        try tree.write("\(name)\(first)", Self.jpeg)
        try tree.write("\(name)\(second)", Self.jpeg + [2])
        let ending = first == ".jpg" ? ".jp" : ""
        try tree.write("\(name)\(ending).json", Self.document(title, ", \"favorited\": true"))
        let collection = try tree.collection()
        let groups = collection.groups.sorted { $0.primary.byteCount < $1.primary.byteCount }
        #expect(groups.map { $0.told?.isFavorite } == [true, isShared ? true : nil])
        #expect(groups.map { $0.sidecar == nil } == [false, !isShared])
        #expect(collection.leftBehind.count == (isShared ? 0 : 1) && collection.orphans.isEmpty)
    }

    /// Writes an album of which one photo is only in its year's folder, in two parts.
    private func writeAlbum() throws {
        let (year, album) = ("one/Takeout/Google Photos/Photos from 2023", "two/Takeout/Google Photos/Lake")
        try tree.write("\(year)/IMG_1.jpg", Self.jpeg)
        try tree.write("\(year)/IMG_1.jpg.json", Self.document("IMG_1.jpg").replacing("1690794000", "1690880400"))
        try tree.write("\(year)/IMG_1(1).jpg", Self.jpeg + [1])
        try tree.write("\(year)/IMG_1.jpg(1).json", Self.document("IMG_1.jpg"))
        try tree.write("\(year)/IMG_2.jpg", Self.jpeg + [2])
        try tree.write("\(year)/IMG_2.jpg.json", Self.document("IMG_2.jpg"))
        try tree.write("\(album)/IMG_1.jpg.json", Self.document("IMG_1.jpg"))
        try tree.write("\(album)/IMG_2.jpg", Self.jpeg + [2])
        try tree.write("\(album)/IMG_2.jpg.json", Self.document("IMG_2.jpg"))
        try tree.write("\(album)/metadata.json", Array(#"{"title": "Lake"}"#.utf8))
    }

    @Test("a photo that lies only in its year's folder joins the album that has a document about it")
    func albumOfDocuments() throws {
        try writeAlbum()
        var collection = MediaCollection(in: PosixFileSystem())
        try collection.add(named: [Path("\(tree.path)/one"), Path("\(tree.path)/two")])
        collection.joinPairs()
        let albums = Dictionary(grouping: collection.groups, by: \.primary.file.name.displayText)
            .mapValues { $0.map(\.albums).sorted { $0.count < $1.count } }
        // Both are IMG_1.jpg to Google: the date tells which is in the album.
        #expect(albums == ["IMG_1.jpg": [[]], "IMG_1(1).jpg": [["Lake"]], "IMG_2.jpg": [[], ["Lake"]]])
        #expect(collection.orphans.isEmpty && collection.leftBehind.isEmpty)
    }

    @Test(
        "of many photos with one name and date, the one whose document has the same name joins the album",
        arguments: [2, 256, 257]
    )
    func albumOfTwins(count: Int) throws {
        let document = Self.document("IMG_1.jpg")
        for number in 1...count {
            try tree.write("Year/IMG_1(\(number)).jpg", Self.jpeg)
            try tree.write("Year/IMG_1.jpg(\(number)).json", document)
        }
        try tree.write("Lake/IMG_1.jpg(2).json", document)
        try tree.write("Lake/metadata.json", Array(#"{"title": "Lake"}"#.utf8))
        let collection = try tree.collection()
        let taken = collection.groups.filter { !$0.albums.isEmpty }.map(\.primary.file.name.displayText)
        // Comparing each document with each photo would take an import of 100,000 of them minutes.
        #expect(taken == (count > 256 ? [] : ["IMG_1(2).jpg"]))
        #expect(collection.orphans.count == (count > 256 ? 1 : 0))
    }

    @Test(
        "a document that may be about two photos, or one in the trash, or none stays an orphan",
        arguments: ["twice", "trash", "otherDate", "noAlbum"]
    )
    func albumOfStrangers(_ what: String) throws {
        let document = Self.document("IMG_1.jpg")
        try tree.write("Year/IMG_1(1).jpg", Self.jpeg)
        let other = document.replacing("1690794000", "1690794001")
        try tree.write("Year/IMG_1.jpg(1).json", what == "otherDate" ? other : document)
        if what == "twice" {
            try tree.write("Year/IMG_1(2).jpg", Self.jpeg + [1])
            try tree.write("Year/IMG_1.jpg(2).json", document)
        }
        if what == "trash" {
            try tree.write("Year/IMG_1.jpg(1).json", Self.document("IMG_1.jpg", ", \"trashed\": true"))
        }
        try tree.write("Lake/IMG_1.jpg.json", document)
        if what != "noAlbum" { try tree.write("Lake/metadata.json", Array(#"{"title": "Lake"}"#.utf8)) }
        let collection = try tree.collection()
        #expect(collection.groups.allSatisfy { $0.albums.isEmpty })
        #expect(collection.orphans.map(\.path) == ["\(tree.path)/Lake/IMG_1.jpg.json"])
    }

    @Test("a photo that was taken before is looked at again once a document puts it into an album, and only then")
    func laterAlbum() throws {
        try writeAlbum()
        let later = HostClock.now().advanced(by: .seconds(60))
        func collection(_ names: [String], knowing known: [FileSet.Record]) throws -> MediaCollection {
            let marks = Dictionary(known.map { ($0.mark, $0) }) { first, _ in first }
            var collection = MediaCollection(in: PosixFileSystem(), memory: { _ in marks }, now: later)
            try collection.add(named: names.map { Path("\(tree.path)/\($0)") })
            collection.joinPairs()
            return collection
        }
        let first = try collection(["one"], knowing: [])
        let known = first.sets.compactMap(\.record)
        #expect(known.count == 3 && first.groups.allSatisfy(\.albums.isEmpty))
        let second = try collection(["one", "two"], knowing: known)
        #expect(second.groups.map(\.primary.file.name.displayText).sorted() == ["IMG_1(1).jpg", "IMG_2.jpg"])
        #expect(second.groups.map(\.albums) == [["Lake"], ["Lake"]])
        let third = try collection(["one", "two"], knowing: known + second.sets.compactMap(\.record))
        #expect(third.groups.isEmpty && third.unchanged == 4 && third.orphans.isEmpty)
    }

    @Test("documents that are none, too long or out of range say nothing, and are no media")
    func hostile() throws {
        try tree.write("IMG_1.jpg", Self.jpeg)
        try tree.write("IMG_1.jpg.json", Array("{\"title\": 3, \"photoTakenTime\": \"now\"}".utf8))
        try tree.write("deep.json", Array(repeating: UInt8(ascii: "["), count: 200_000))
        try tree.write("print-subscriptions.json", Array(#"{"title": "Prints"}"#.utf8))
        #expect(try tree.collection().skipped == 3)
        for seconds in ["\(Int64.max)", "\(Int64.min)", "253402300800", "18446744073709551615", "1e9"] {
            let far = String(decoding: Self.document("IMG_1.jpg"), as: UTF8.self).replacing("1690794000", with: seconds)
            try tree.write("IMG_1.jpg.json", Array(far.utf8))
            let group = try #require(try tree.collection().groups.first)
            #expect(try group.told != nil && asset(group).captureDateOverride == nil, "\(seconds)")
        }
        let long = Self.document("IMG_1.jpg") + Array(repeating: UInt8(ascii: " "), count: 1 << 20)
        try tree.write("IMG_1.jpg.json", long)
        #expect(try tree.collection().groups.map { $0.told == nil } == [true])
    }

    private func asset(_ group: MediaCollection.Group) throws -> ImportableAsset {
        try ImportableAsset(group, album: nil, in: PosixFileSystem())
    }
}

extension [UInt8] {
    /// A document with another text in place of one.
    fileprivate func replacing(_ text: String, _ other: String) -> Self {
        Array(String(decoding: self, as: UTF8.self).replacing(text, with: other).utf8)
    }
}
