import Foundation
import LibraryAPI
import MediaFormats
import MediaSamples
import Persistence
import PhotoModel
import TestSupport
import Testing

@testable import MediaFiles

/// Folders that osxphotos, PhotoPrism and digiKam leave behind.
struct ExportedFolderTests {
    private static let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0] + Array(repeating: 1, count: 60) + [0xFF, 0xD9]
    private static let quickTime = Array("\0\0\0\u{14}ftypqt  \0\0\0\0qt  ".utf8)

    private let tree: ExportTree

    init() throws { tree = try ExportTree() }

    private func manifest(_ group: MediaCollection.Group?) throws -> AssetManifest {
        try ImportableAsset(#require(group), album: nil, in: PosixFileSystem()).manifest
    }

    @Test("osxphotos: ExifTool's JSON with groups and without, edits beside their originals, folders as albums")
    func applePhotos() throws {
        try tree.write(".osxphotos_export.db", [])
        try tree.write("Lake/IMG_1.HEIC", Array("\0\0\0\u{14}ftypheic\0\0\0\0heic".utf8))
        try tree.write("Lake/IMG_1.mov", Self.quickTime)
        try tree.write("Lake/IMG_1.AAE", Array("<plist/>".utf8))
        try tree.write("Lake/IMG_1_edited.jpeg", Self.jpeg + [1])
        try tree.write("Lake/IMG_1_edited.mov", Self.quickTime + [1])
        let document = """
            [{"SourceFile": "IMG_1.HEIC", "ExifTool:ExifToolVersion": "12.00", "EXIF:ImageDescription": "Wedding day",
              "XMP:Title": "Wedding", "IPTC:Keywords": ["wedding", "Maria"], "XMP:Subject": "wedding",
              "XMP:PersonInImage": ["Maria", "_UNKNOWN_"], "XMP:Rating": 5, "EXIF:DateTimeOriginal": "2019:04:15 14:40:24",
              "EXIF:OffsetTimeOriginal": "-04:00", "EXIF:GPSLatitude": 41.25, "EXIF:GPSLatitudeRef": "N",
              "EXIF:GPSLongitude": 95.94, "EXIF:GPSLongitudeRef": "W"}]
            """
        for name in ["IMG_1.HEIC.json", "IMG_1_edited.jpeg.json"] {
            try tree.write("Lake/\(name)", Array(document.utf8))
        }
        try tree.write("_/IMG_2.jpg", Self.jpeg)
        let bare = #"[{"SourceFile": "IMG_2.jpg", "ImageDescription": "Bare", "Keywords": "one"}]"#
        try tree.write("_/IMG_2.jpg.json", Array(bare.utf8))
        try tree.write("_/IMG_2.jpg.xmp", Array("<x/>".utf8))
        let collection = try tree.collection()
        #expect(collection.groups.map(\.primary.path.name) == ["IMG_1.HEIC", "IMG_2.jpg"])
        #expect(collection.groups.map { $0.folder?.displayText } == ["Lake", nil])
        #expect(
            collection.orphans.isEmpty && collection.failed.isEmpty && collection.skipped == 0,
            "\(collection.orphans)"
        )
        let first = try manifest(collection.groups.first)
        #expect(
            first.resources.map(\.type) == [
                .photo, .pairedVideo, .adjustmentData, .fullSizePhoto, .fullSizePairedVideo,
            ]
        )
        #expect(first.title == "Wedding" && first.caption == "Wedding day" && first.rating?.rawValue == 5)
        #expect(first.keywords?.map(\.text) == ["Maria", "wedding"])
        #expect(first.location == Location(latitude: 41.25, longitude: -95.94))
        #expect(collection.groups[0].told?.captureDate == WallTime("2019-04-15T18:40:24Z"))
        let second = try manifest(collection.groups.last)
        #expect(second.caption == "Bare" && second.keywords?.map(\.text) == ["one"])
    }

    @Test("osxphotos: a movie's place and date, which its document names otherwise than a photo's")
    func appleMovie() throws {
        try tree.write("IMG_1.mov", Self.quickTime)
        let document = """
            [{"SourceFile": "IMG_1.mov", "ExifTool:ExifToolVersion": "12.00", "_CreatedBy": "osxphotos",
              "Keys:GPSCoordinates": "41.25 -95.94", "UserData:GPSCoordinates": "41.25 -95.94",
              "QuickTime:CreationDate": "2020:12:10 22:10:10-08:00", "QuickTime:CreateDate": "2020:12:11 06:10:10",
              "QuickTime:ModifyDate": "2020:12:11 06:10:10"}]
            """
        try tree.write("IMG_1.mov.json", Array(document.utf8))
        let group = try #require(try tree.collection().groups.first)
        #expect(group.told?.captureDate == WallTime("2020-12-11T06:10:10Z"))
        #expect(try manifest(group).location == Location(latitude: 41.25, longitude: -95.94))
    }

    @Test("photos and movies of a format that is not taken are named; other files are counted")
    func foreignFormats() throws {
        try tree.write("CLIP0001.AVI", Array("RIFF\0\0\0\0AVI LIST".utf8))
        try tree.write("dance.wmv", [0x30, 0x26, 0xB2, 0x75, 0x8E, 0x66, 0xCF, 0x11])
        try tree.write("notes.txt", Array("words".utf8))
        let google = #"{"title": "x", "photoTakenTime": {"timestamp": "1"}}"#
        try tree.write("Google Photos/Photos from 2020/strange.bin.json", Array(google.utf8))
        try tree.write("Google Photos/Photos from 2020/strange.bin", Array("no photo".utf8))
        let collection = try tree.collection()
        #expect(collection.groups.isEmpty && collection.failed.isEmpty && collection.skipped == 4)
        let told = collection.leftBehind.filter { $0.reason.contains("format") }
        let names = Set(told.map { $0.path.split(separator: "/").last })
        #expect(names == ["strange.bin", "CLIP0001.AVI", "dance.wmv"] && told.count == 3, "\(told)")
    }

    @Test("what only its name makes a photo is named, also if a person named it", arguments: [false, true])
    func misnamed(isNamed: Bool) throws {
        try tree.write("text.jpg", Array("words".utf8))
        try tree.write("short.JPG", [0xFF])
        try tree.write("notes.txt", Array("words".utf8))
        var collection = MediaCollection(in: PosixFileSystem())
        let names = ["text.jpg", "short.JPG", "notes.txt"]
        try collection.add(named: isNamed ? names.map { Path("\(tree.path)/\($0)") } : [Path(tree.path)])
        collection.joinPairs()
        let told = collection.failed.filter { $0.reason.hasPrefix("it is not what its name says") }
        #expect(Set(told.map { $0.path.split(separator: "/").last }) == ["text.jpg", "short.JPG"])
        #expect(told.count == collection.failed.count && collection.skipped == 1 && collection.groups.isEmpty)
    }

    @Test(
        "sidecars that exiftool itself wrote, in JSON and in XMP, say what it was told",
        arguments: [("json", false), ("json", true), ("xmp", false)]
    )
    func exifTool(form: String, isForPeople: Bool) throws {
        let source = try ExportTree()
        try source.write("a.jpg", SampleStill.jpeg())
        let (picture, packet) = ("\(source.path)/a.jpg", "\(source.path)/a.xmp")
        let words = [
            "-XMP:Title=Wedding", "-XMP:Description=By the lake", "-IPTC:Keywords=wedding", "-IPTC:Keywords=Maria",
            "-XMP:Subject=wedding", "-XMP:Subject=Maria", "-XMP:PersonInImage=Ada", "-XMP:Rating=5",
            "-EXIF:DateTimeOriginal=2019:04:15 14:40:24", "-EXIF:OffsetTimeOriginal=-04:00",
            "-XMP:CreateDate=2019:04:15 14:40:24-04:00", "-GPSLatitude=41.25", "-GPSLatitudeRef=N",
            "-GPSLongitude=95.94", "-GPSLongitudeRef=W",
        ]
        let written = try ChildProcess.run("exiftool", ["-q", "-overwrite_original"] + words + [picture])
        try #require(written.status == 0, "\(written.errors)")
        // Numbers, as osxphotos writes them, or degrees and minutes for people.
        let options = form == "xmp" ? ["-o", packet, picture] : ["-j", "-G"] + (isForPeople ? [] : ["-n"]) + [picture]
        let told = try ChildProcess.run("exiftool", options)
        try #require(told.status == 0, "\(told.errors)")
        let sidecar = form != "xmp" ? told.output : try Data(contentsOf: URL(filePath: packet))

        try tree.write("IMG_1.jpg", SampleStill.jpeg())
        try tree.write("IMG_1.jpg.\(form)", [UInt8](sidecar))
        let collection = try tree.collection()
        try #require(collection.groups.count == 1 && collection.skipped == 0)
        let asset = try ImportableAsset(collection.groups[0], album: nil, in: PosixFileSystem())
        let manifest = asset.manifest
        #expect(manifest.title == "Wedding" && manifest.caption == "By the lake" && manifest.rating?.rawValue == 5)
        #expect(manifest.keywords?.map(\.text) == ["Ada", "Maria", "wedding"])
        let location = try #require(manifest.location)
        #expect(abs(location.latitude - 41.25) < 0.000_001 && abs(location.longitude + 95.94) < 0.000_001)
        #expect(asset.captureDateOverride == WallTime("2019-04-15T18:40:24Z"))
    }

    @Test("shots whose maker notes name one burst are of that burst, which exiftool finds in them, too")
    func burst() throws {
        let text = "0F1E2D3C-4B5A-6978-8796-A5B4C3D2E1F0"
        var note = AppleMakerNote.bytes(contentIdentifier: try #require(ContentIdentifier(text)))
        // The tag of a burst in place of a Live Photo's.
        note[17] = 0x0B
        let block = try ExifMetadata().bytes(makerNote: note)
        try tree.write(".osxphotos_export.db", [])
        for number in 1...2 {
            try tree.write("IMG_\(number).jpg", SampleStill.jpeg(exif: block, imageBytes: number))
        }
        try tree.write("IMG_3.jpg", SampleStill.jpeg(imageBytes: 3))
        let named = try ChildProcess.run("exiftool", ["-s3", "-BurstUUID", "\(tree.path)/IMG_1.jpg"])
        #expect(named.text == "\(text)\n")
        let bursts = try tree.collection().groups.map { try manifest($0).burst?.id }
        let burst = try #require(BurstID(text))
        #expect(bursts == [burst, burst, nil])
    }

    @Test("a name that only looks like an edited form, and JSON that is not ExifTool's, are what they were")
    func noExport() throws {
        try tree.write("IMG_1.jpg", Self.jpeg)
        try tree.write("IMG_1_edited.jpg", Self.jpeg + [1])
        try tree.write("IMG_1.jpg.json", Array(#"[{"a": 1}]"#.utf8))
        let collection = try tree.collection()
        #expect(collection.groups.count == 2 && collection.groups.allSatisfy { $0.edit == nil && $0.told == nil })
        #expect(collection.skipped == 1)
    }

    @Test("PhotoPrism's fields are texts whatever they look like; null and empty ones are missing")
    func photoPrismFields() throws {
        func content(_ fields: String) -> SidecarContent? {
            PhotoPrismDocument(yaml: Array("UID: pq1\nTitleSrc: manual\n\(fields)\n".utf8))?.content
        }
        for (written, expected) in [
            ("2023", "2023"), ("yes", "yes"), ("'~'", "~"), ("\"null\"", "null"), ("0x1F", "0x1F"),
            ("2023-07-31", "2023-07-31"), ("|-\n  a\n  b", "a\nb"), ("~", nil), ("null", nil), ("", nil), ("''", nil),
            ("[a]", nil), ("{a: b}", nil),
        ] as [(String, String?)] {
            #expect(content("Title: \(written)")?.title == expected, "\(written)")
        }
        for (written, expected) in [("true", true), ("True", true), ("false", false), ("1", false), ("[true]", false)] {
            #expect(content("Favorite: \(written)")?.isFavorite == expected, "\(written)")
        }
        #expect(content("Lat: 47.5\nLng: -8\nAltitude: 400")?.location?.altitude == 400)
        #expect(content("Lat: .nan\nLng: 8")?.location == nil && content("Lat: 91\nLng: 8")?.location == nil)
        for text in ["", "UID: ~", "- UID: a", "UID: a\n--- \nUID: b", "UID: [", "\u{0}"] {
            #expect(PhotoPrismDocument(yaml: Array(text.utf8)) == nil, "\(text)")
        }
    }

    @Test("a document whose parts stand for others is none of PhotoPrism's, and is not unfolded")
    func photoPrismAliases() throws {
        let start = "UID: pq1\na: &a [x, x]\nb: &b [*a, *a]\n"
        for bomb in ["? *b\n: 1\n", "? [*b]\n: 1\n", "?\n  *b\n: 1\n", "c: {*b: 1}\n", "? # c\n  *b\n: 1\n"] {
            #expect(PhotoPrismDocument(yaml: Array((start + bomb).utf8)) == nil, "\(bomb)")
        }
        let caption = "Salt &pepper, 5 *stars*, Tom & *Jerry*"
        let document = try #require(PhotoPrismDocument(yaml: Array("UID: pq1\nCaption: \(caption)\n".utf8)))
        #expect(document.content.caption == caption)
    }

    @Test(
        "PhotoPrism: documents of the storage, its albums, what it archived, and what it made up",
        arguments: ["", "originals"]
    )
    func photoPrism(named: String) throws {
        try tree.write("originals/2018/01/20180101_000253_2C6CF514.jpg", Self.jpeg)
        try tree.write("originals/2018/01/20180102_000253_3C6CF514.jpg", Self.jpeg + [2])
        try tree.write("originals/2018/01/20180103_000253_4C6CF514.jpg", Self.jpeg + [3])
        try tree.write("storage/.ppstorage", [])
        try tree.write("storage/cache/thumbnails/a.jpg", Self.jpeg + [9])
        let sidecars = "storage/sidecar/2018/01"
        try tree.write(
            "\(sidecars)/20180101_000253_2C6CF514.yml",
            Array(
                """
                TakenAt: 2018-01-01T00:02:53Z
                TakenSrc: meta
                UID: pqnkwgd18ghabopp
                Type: image
                Title: 2018
                TitleSrc: manual
                Description: By the sea
                Favorite: true
                Private: true
                Altitude: 25
                Lat: 45.448994
                Lng: -122.796295
                PlaceSrc: meta
                Details:
                  Keywords: beaverton, gold , oregon
                  Notes: mine
                  NotesSrc: manual
                CreatedAt: 2021-01-27T05:55:25.001738034Z
                """.utf8
            )
        )
        let guessed = """
            TakenAt: 2018-01-02T00:02:53Z
            UID: pqnkwgd18ghabopq
            Title: Beaverton / USA / 2018
            Lat: 1.5
            Lng: 2.5
            PlaceSrc: estimate
            """
        try tree.write("\(sidecars)/20180102_000253_3C6CF514.yml", Array(guessed.utf8))
        try tree.write(
            "\(sidecars)/20180103_000253_4C6CF514.yml",
            Array("UID: x\nDeletedAt: 2022-08-05T18:06:59.585384018Z".utf8)
        )
        try tree.write(
            "storage/albums/album/aq1.yml",
            Array("UID: aq1\nType: album\nTitle: Coast\nPhotos:\n- UID: pqnkwgd18ghabopp\n- UID: other\n".utf8)
        )
        try tree.write("storage/albums/month/aq2.yml", Array("UID: aq2\nType: month\nTitle: January 2018\n".utf8))
        var collection = MediaCollection(in: PosixFileSystem())
        let paths = named.isEmpty ? [tree.path] : ["\(tree.path)/\(named)", "\(tree.path)/storage"]
        try collection.add(named: paths.map { Path($0) })
        collection.joinPairs()
        #expect(collection.groups.map(\.albums) == [["Coast"], []])
        let manifest = try manifest(collection.groups.first)
        #expect(manifest.title == "2018" && manifest.caption == "By the sea" && manifest.isFavorite == true)
        #expect(manifest.keywords?.map(\.text) == ["beaverton", "gold", "oregon"])
        #expect(manifest.location == Location(latitude: 45.448994, longitude: -122.796295, altitude: 25))
        #expect(collection.groups[0].told?.captureDate == WallTime("2018-01-01T00:02:53Z"))
        let second = try self.manifest(collection.groups.last)
        #expect(second.title == nil && second.location == nil && collection.groups[1].told?.captureDate == nil)
        #expect(
            Set(collection.leftBehind.map(\.reason)) == [
                "it lies in the archive of PhotoPrism, and is not taken", "its notes in PhotoPrism",
                "it was private in PhotoPrism, and is shown here",
            ]
        )
    }

    @Test("YAML that is none, too deep, or makes much of little says nothing")
    func hostileYAML() throws {
        try tree.write("IMG_1.jpg", Self.jpeg)
        let bomb = (1...40).reduce("a0: &a0 [x, x]\n") { $0 + "a\($1): &a\($1) [*a\($1 - 1), *a\($1 - 1)]\n" }
        for text in ["UID: [", "- a", String(repeating: "[", count: 10_000), bomb, "UID: {a: b}"] {
            try tree.write("IMG_1.yml", Array(text.utf8))
            let collection = try tree.collection()
            #expect(collection.groups.map { $0.told == nil } == [true] && collection.skipped == 1)
        }
    }

    @Test("digiKam: leaves of its tags, people, stars, title and caption out of its XMP")
    func digiKam() throws {
        try tree.write("IMG_1.jpg", Self.jpeg)
        let packet = """
            <x:xmpmeta xmlns:x="adobe:ns:meta/" x:xmptk="XMP Core 5.5.0">
             <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
              <rdf:Description rdf:about="" xmlns:digiKam="http://www.digikam.org/ns/1.0/"
                xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xmp="http://ns.adobe.com/xap/1.0/"
                xmlns:Iptc4xmpExt="http://iptc.org/std/Iptc4xmpExt/2008-02-29/" xmp:Rating="3" digiKam:ColorLabel="0">
               <digiKam:TagsList><rdf:Seq><rdf:li>Places/Lake</rdf:li><rdf:li>People/Ada</rdf:li></rdf:Seq></digiKam:TagsList>
               <Iptc4xmpExt:PersonInImage><rdf:Bag><rdf:li>Grace</rdf:li></rdf:Bag></Iptc4xmpExt:PersonInImage>
               <dc:title><rdf:Alt><rdf:li xml:lang="x-default">Lake</rdf:li></rdf:Alt></dc:title>
               <dc:description><rdf:Alt><rdf:li xml:lang="x-default">By the lake</rdf:li></rdf:Alt></dc:description>
              </rdf:Description>
             </rdf:RDF>
            </x:xmpmeta>
            """
        try tree.write("IMG_1.jpg.xmp", Array(packet.utf8))
        let manifest = try manifest(try tree.collection().groups.first)
        #expect(manifest.title == "Lake" && manifest.caption == "By the lake" && manifest.rating?.rawValue == 3)
        #expect(manifest.keywords?.map(\.text) == ["Ada", "Grace", "Lake"])
    }
}
