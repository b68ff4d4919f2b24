import Foundation
import Glibc
import LibraryAPI
import MediaFormats
import Persistence
import PhotoModel
import Testing

@testable import MediaFiles

struct MediaCollectionTests {
    private static let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0] + Array(repeating: 1, count: 60)
    private static let quickTime = Array("\0\0\0\u{14}ftypqt  \0\0\0\0qt  ".utf8) + Array(repeating: 2, count: 60)
    private static let mpeg4 = Array("\0\0\0\u{14}ftypisom\0\0\0\0isom".utf8) + Array(repeating: 3, count: 60)

    @Test(
        "the brands tell what a file of boxes is; one of unknown brands is no movie",
        arguments: [
            ("jp2 ", "jp2 ", nil), ("zzzz", "isom", "video/mp4"), ("niko", "niko", "video/mp4"),
            ("mif1", "avif", "image/avif"),
            ("mif1", "heic", "image/heic"), ("mif1", "miaf", "image/heif"), ("M4A ", "mp42", "audio/mp4"),
            ("M4B ", "M4B ", "audio/mp4"), ("3gp4", "3gp4", "video/mp4"), ("qt  ", "qt  ", "video/quicktime"),
        ] as [(String, String, String?)]
    )
    func brands(major: String, compatible: String, expected: String?) {
        let head = Array("\0\0\0\u{14}ftyp\(major)\0\0\0\0\(compatible)".utf8)
        #expect(FileKind(head: head)?.contentType == expected)
    }

    @Test("a GIF is a photo with its size; one of several frames is played", arguments: [1, 2])
    func gif(frames: Int) throws {
        let card = try ExportTree()
        let frame: [UInt8] = [0x2C, 0, 0, 0, 0, 3, 0, 2, 0, 0, 2, 1, 0, 0]
        let bytes = Array("GIF89a".utf8) + [3, 0, 2, 0, 0, 0, 0] + (0..<frames).flatMap { _ in frame } + [0x3B]
        try card.write("dance.gif", bytes)
        let group = try #require(try card.collection().groups.first)
        let manifest = try ImportableAsset(group, album: nil, in: PosixFileSystem()).manifest
        #expect(manifest.mediaType == .image && manifest.pixelSize == PixelSize(width: 3, height: 2))
        #expect(manifest.resources.map(\.contentType) == ["image/gif"] && manifest.resources[0].type == .photo)
        #expect(manifest.asset.playbackStyle == (frames > 1 ? .imageAnimated : .image))
    }

    @Test("T97: a photo or an adjustment that is longer than a library takes is reported, and the others are taken")
    func tooLong() throws {
        let card = try ExportTree()
        for name in ["good.jpg", "long.jpg", "IMG_1.jpg"] { try card.write(name, Self.jpeg) }
        try card.write("IMG_1.AAE", [1])
        for name in ["long.jpg", "IMG_1.AAE"] {
            let path = card.root.appending(path: name).path
            try #require(unsafe truncate(path, Int(AssetResource.maximumByteCount) + 1) == 0)
        }
        var collection = MediaCollection(in: PosixFileSystem())
        try collection.add(Path(card.root.path))
        #expect(collection.groups.map(\.primary.path.name).sorted() == ["IMG_1.jpg", "good.jpg"])
        #expect(collection.groups.allSatisfy { $0.adjustment == nil })
        for (remarks, name) in [(collection.failed, "long.jpg"), (collection.unreadable, "IMG_1.AAE")] {
            #expect(remarks.count == 1, "\(remarks)")
            #expect(remarks.allSatisfy { $0.path.hasSuffix(name) && $0.reason.contains("64 GiB") }, "\(remarks)")
        }
    }

    @Test(
        "T97: a file's date beyond all years is the first or the last that there is",
        arguments: [(Int64.max, WallTime.latest), (Int64.min, WallTime.earliest)]
    )
    func farDates(seconds: Int64, shown: WallTime) throws {
        let card = try ExportTree()
        try card.write("a.jpg", Self.jpeg)
        let name = try #require(FileName("a.jpg"))
        let named = NamedFile(
            name,
            at: Path(card.root.appending(path: "a.jpg").path),
            displayPath: "a.jpg",
            facts: NamedFile.Facts(byteCount: Self.jpeg.count, modifiedSeconds: seconds)
        )
        let file = try #require(try MediaFile(named, in: PosixFileSystem()))
        #expect(file.captureTime.wall == shown)
    }

    @Test("a still and a QuickTime movie of one name are a pair; an MPEG-4 movie has to say so")
    func pairs() throws {
        let card = try ExportTree()
        try card.write("a/IMG_1.JPG", Self.jpeg)
        try card.write("a/IMG_1.MOV", Self.quickTime)
        try card.write("b/IMG_2.jpg", Self.jpeg)
        try card.write("b/IMG_2.mp4", Self.mpeg4)
        try card.write("b/readme.txt", Array("no media".utf8))
        let groups = try card.collection().groups
        #expect(groups.map(\.primary.path.name) == ["IMG_1.JPG", "IMG_2.jpg", "IMG_2.mp4"])
        #expect(groups.map { $0.movie?.path.name } == ["IMG_1.MOV", nil, nil])
    }

    @Test("a GIF of a movie's name is no Live Photo with it, and leaves the movie to its photo")
    func gifBesideMovie() throws {
        let card = try ExportTree()
        let gif = Array("GIF89a".utf8) + [3, 0, 2, 0, 0, 0, 0, 0x3B]
        for name in ["IMG_1", "IMG_2"] {
            try card.write("\(name).GIF", gif)
            try card.write("\(name).MOV", Self.quickTime)
        }
        try card.write("IMG_2.JPG", Self.jpeg)
        let groups = try card.collection().groups
        #expect(Set(groups.map(\.primary.path.name)) == ["IMG_1.GIF", "IMG_1.MOV", "IMG_2.GIF", "IMG_2.JPG"])
        #expect(groups.count == 4 && groups.compactMap { $0.movie?.path.name } == ["IMG_2.MOV"])
    }

    @Test("names that are not UTF-8 hold nothing open, however many there are, and lead to their own bytes")
    func foreignNames() throws {
        let card = try ExportTree()
        let root = Path(card.root.path)
        let folder = root.appending(try #require(FileName(bytes: [0xFC, 0x62])))
        try PosixFileSystem().createDirectory(folder)
        // They look the same: each is “�.jpg” or “�x.jpg” for people.
        for (index, byte) in (UInt8(0x80)...0xBF).enumerated() {
            for (place, ending) in [(root, ".jpg"), (folder, "x.jpg")] {
                let name = try #require(FileName(bytes: [byte] + Array(ending.utf8)))
                let file = try PosixFileSystem().open(place.appending(name), .create)
                try file.write((Self.jpeg + [UInt8(index)])[...], at: 0)
                try file.close()
            }
        }
        let link = root.appending("link.jpg")
        let target = folder.appending(try #require(FileName(bytes: [0x80] + Array("x.jpg".utf8))))
        #expect(unsafe symlink(target.systemBytes, link.systemBytes) == 0)
        var collection = MediaCollection(in: PosixFileSystem())
        try collection.add(named: [root, link])
        let found = collection.groups.map(\.primary)
        #expect(found.count == 129 && collection.failed.isEmpty && collection.linkCount == 1, "\(collection.failed)")
        let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").map { number in
            var target = [CChar](repeating: 0, count: 4096)
            let count = unsafe readlink("/proc/self/fd/\(number)", &target, target.count)
            return String(decoding: target.prefix(max(0, count)).map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
        #expect(!open.contains { $0.contains(card.root.lastPathComponent) })
        for file in found {
            let first = file.file.name == FileName("link.jpg") ? 0x80 : try #require(file.file.name.bytes.first)
            let bytes = try collection.fileSystem.open(file.path, .read).read(100, at: 0)
            #expect(bytes == Self.jpeg + [first - 0x80], "\(file.file.displayPath)")
        }
    }

    /// A TIFF file whose first directory says how its values are to be seen, and whose EXIF directory says when it was
    /// taken.
    private static func tiff(_ photometricInterpretation: UInt16, takenAt time: String? = nil) -> [UInt8] {
        let date: [UInt8] = time.map { Array($0.utf8) + [0] } ?? []
        var bytes: [UInt8] = [0x49, 0x49, 0x2A, 0, 8, 0, 0, 0, date.isEmpty ? 1 : 2, 0]
        bytes += [0x06, 0x01, 3, 0, 1, 0, 0, 0]
        bytes += [UInt8(photometricInterpretation & 0xFF), UInt8(photometricInterpretation >> 8), 0, 0]
        if !date.isEmpty {
            bytes += [0x69, 0x87, 4, 0, 1, 0, 0, 0, 38, 0, 0, 0] + [0, 0, 0, 0]
            bytes += [1, 0, 0x03, 0x90, 2, 0, UInt8(date.count), 0, 0, 0, 56, 0, 0, 0]
        }
        return bytes + [0, 0, 0, 0] + date + Array(repeating: 4, count: 20)
    }

    private static let rgb: UInt16 = 2
    private static let sensor: UInt16 = 32_803
    private static let raw = tiff(sensor)

    @Test("a finished still and a raw one of one name are one photo, with its movie and its sidecars")
    func rawPhotos() throws {
        let card = try ExportTree()
        try card.write("a/IMG_1.JPG", Self.jpeg)
        try card.write("a/IMG_1.NEF", Self.raw)
        try card.write("a/IMG_1.NEF.xmp", Array("<x/>".utf8))
        try card.write("b/IMG_2.HEIC", Array("\0\0\0\u{14}ftypheic\0\0\0\0heic".utf8))
        try card.write("b/IMG_2.MOV", Self.quickTime)
        try card.write("b/IMG_2.CR3", Array("\0\0\0\u{14}ftypcrx \0\0\0\u{1}crx ".utf8))
        try card.write("c/IMG_3.DNG", Self.raw)
        let groups = try card.collection().groups
        #expect(groups.map(\.primary.path.name) == ["IMG_1.JPG", "IMG_2.HEIC", "IMG_3.DNG"])
        #expect(groups.map { $0.raw?.path.name } == ["IMG_1.NEF", "IMG_2.CR3", nil])
        #expect(groups.map { $0.raw?.kind.contentType } == ["image/x-dcraw", "image/x-canon-cr3", nil])
        #expect(groups.map { $0.movie?.path.name } == [nil, "IMG_2.MOV", nil])
        #expect(groups.map { $0.sidecar?.name.displayText } == ["IMG_1.NEF.xmp", nil, nil])
        let asset = try ImportableAsset(groups[0], album: nil, in: PosixFileSystem())
        #expect(asset.manifest.resources.map(\.type) == [.photo, .alternatePhoto])
        #expect(asset.manifest.mediaSubtypes == [])
        let digest = try ContentHasher.digest(groups[0].primary.path, in: PosixFileSystem()).digest
        #expect(asset.manifest.id == .derived(from: digest))
        let known = try ImportableAsset(groups[0], primaryDigest: digest, album: nil, in: PosixFileSystem())
        #expect(known.manifest == asset.manifest)
        #expect(AssetResource.problem(in: asset.manifest.resources) == nil)
    }

    @Test("a TIFF that is no raw photo, two finished stills, and a raw one of another time stand alone")
    func noRawPhotos() throws {
        let card = try ExportTree()
        try card.write("a/scan.jpg", Self.jpeg)
        try card.write("a/scan.tif", Self.tiff(Self.rgb))
        try card.write("b/IMG_1.jpg", Self.jpeg)
        try card.write("b/IMG_1.png", [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
        try card.write("b/IMG_1.NEF", Self.raw)
        try card.write("c/IMG_2.tif", Self.tiff(Self.rgb, takenAt: "2026:07:01 10:00:00"))
        try card.write("c/IMG_2.NEF", Self.tiff(Self.sensor, takenAt: "2026:07:01 10:00:05"))
        try card.write("d/IMG_2.tif", Self.tiff(Self.rgb, takenAt: "2026:07:01 10:00:00"))
        try card.write("d/IMG_2.NEF", Self.tiff(Self.sensor, takenAt: "2026:07:01 10:00:01"))
        let groups = try card.collection().groups
        let together = groups.filter { $0.raw != nil }.map(\.primary.path.parent.name)
        #expect(together == ["d"])
        #expect(groups.count == 8)
    }

    @Test("a sidecar belongs to the file that it names whole, else to the one of its stem")
    func sidecars() throws {
        let card = try ExportTree()
        try card.write("IMG_1.jpg", Self.jpeg)
        try card.write("IMG_1.jpg.xmp", Array("<x/>".utf8))
        try card.write("IMG_2.jpg", Self.jpeg)
        try card.write("IMG_2.xmp", Array("<x/>".utf8))
        try card.write("IMG_3.xmp", Array("<x/>".utf8))
        let groups = try card.collection().groups
        #expect(groups.map { $0.sidecar?.name.displayText } == ["IMG_1.jpg.xmp", "IMG_2.xmp"])
    }

    @Test("what Immich derived, thumbnails of a storage and hidden files are left out; folders of these names are not")
    func derived() throws {
        let card = try ExportTree()
        try card.write("library/ada/2026/IMG_1.jpg", Self.jpeg)
        try card.write("thumbs/.immich", [])
        try card.write("thumbs/ada/1.jpg", Self.jpeg)
        try card.write("profile/mine.jpg", Self.jpeg)
        try card.write("@eaDir/IMG_1.jpg", Self.jpeg)
        try card.write(".hidden.jpg", Self.jpeg)
        #expect(try card.collection().groups.map(\.primary.path.name).sorted() == ["IMG_1.jpg", "mine.jpg"])
    }

    @Test("of a Nextcloud data folder the people's files are taken, not previews, trash and earlier versions")
    func nextcloud() throws {
        let card = try ExportTree()
        try card.write("ada/files/Photos/IMG_1.jpg", Self.jpeg)
        try card.write("ada/files_trashbin/files/IMG_2.jpg.d1700000000/IMG_2.jpg", Self.jpeg)
        try card.write("ada/files_versions/Photos/IMG_1.jpg", Self.jpeg)
        try card.write("appdata_oc1a2b3c4d/preview/1/2/3/4/256-256.jpg", Self.jpeg)
        #expect(try card.collection().groups.map(\.primary.path.name) == ["IMG_1.jpg"])
    }

    @Test("a group without partners is small: an import holds one for each of tens of thousands of photos")
    func groupSize() {
        #expect(MemoryLayout<MediaCollection.Group>.stride < 1000)
    }

    @Test("of a PhotoPrism folder its originals are taken, not what its storage among them holds")
    func photoPrism() throws {
        let card = try ExportTree()
        try card.write("2026/07/20260701_101500_1A2B3C4D.jpg", Self.jpeg)
        try card.write("2026/07/20260701_101500_1A2B3C4D.xmp", Array("<x/>".utf8))
        try card.write(".ppignore", Array("*.tmp".utf8))
        try card.write("storage/.ppstorage", [])
        try card.write("storage/sidecar/2026/07/20260701_101500_1A2B3C4D.png.jpg", Self.jpeg)
        try card.write("storage/cache/thumbnails/1/2/3/1a2b_500x500_center.jpg", Self.jpeg)
        let groups = try card.collection().groups
        #expect(groups.map(\.primary.path.name) == ["20260701_101500_1A2B3C4D.jpg"])
        #expect(groups.map { $0.sidecar?.name.displayText } == ["20260701_101500_1A2B3C4D.xmp"])
    }

    @Test("what people wrote comes back from a sidecar as it went into it")
    func words() throws {
        let card = try ExportTree()
        try card.write("IMG_1.jpg", Self.jpeg)
        let capture = CaptureTime(
            wall: try #require(WallTime("2026-07-01T10:00:00Z")),
            source: .fileMetadata,
            isSynchronized: true
        )
        var asset = Asset(id: AssetID(rawValue: 1), mediaType: .image, captureTime: capture)
        #expect(XMPSidecar.bytes(for: asset) == nil, "nobody wrote anything")
        asset.title = "Red <car> & co"
        asset.caption = "by the gate\nat noon"
        asset.keywords = Set(["car", "red car"].compactMap { Keyword($0) })
        asset.rating = try #require(Rating(rawValue: 4))
        asset.isFavorite = true
        asset.location = Location(latitude: 48.1374, longitude: 11.5755)
        asset.captureDateOverride = WallTime("2026-06-30T22:15:00Z")
        try card.write("IMG_1.jpg.xmp", try #require(XMPSidecar.bytes(for: asset)))
        let group = try #require(try card.collection().groups.first)
        let imported = try ImportableAsset(group, album: .title("Gate"), in: PosixFileSystem())
        #expect(imported.manifest.title == asset.title)
        #expect(imported.manifest.caption == asset.caption)
        #expect(imported.manifest.keywords == asset.keywords.sorted())
        #expect(imported.manifest.rating == asset.rating)
        #expect(imported.manifest.isFavorite == true)
        #expect(imported.captureDateOverride == asset.captureDateOverride)
        #expect(imported.manifest.location.map { abs($0.latitude - 48.1374) < 0.0001 } == true)
        #expect(imported.manifest.desiredAlbum == .title("Gate"))
    }

    @Test("a sidecar that is none, or goes beyond the library's limits, stops nothing")
    func hostileSidecar() throws {
        let card = try ExportTree()
        try card.write("IMG_1.jpg", Self.jpeg)
        try card.write("IMG_1.xmp", Array("<!DOCTYPE x [<!ENTITY a \"b\">]><x>&a;</x>".utf8))
        let group = try #require(try card.collection().groups.first)
        let imported = try ImportableAsset(group, album: nil, in: PosixFileSystem())
        #expect(imported.manifest.title == nil)
        let digest = try ContentHasher.digest(group.primary.path, in: PosixFileSystem()).digest
        #expect(imported.manifest.id == .derived(from: digest))
    }
}
