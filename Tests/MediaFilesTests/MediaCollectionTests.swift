import Foundation
import LibraryAPI
import MediaFormats
import Persistence
import PhotoModel
import Testing

@testable import MediaFiles

struct MediaCollectionTests {
    /// A folder with files whose first bytes say what they are.
    private final class Card {
        let root = FileManager.default.temporaryDirectory.appending(path: "tt-\(UUID().uuidString.prefix(8))")

        init() throws { try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true) }
        deinit { try? FileManager.default.removeItem(at: root) }

        func write(_ path: String, _ bytes: [UInt8]) throws {
            let file = root.appending(path: path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try Data(bytes).write(to: file)
        }

        func groups() throws -> [MediaCollection.Group] {
            var collection = MediaCollection(in: PosixFileSystem())
            try collection.add(Path(root.path))
            collection.joinPairs()
            return collection.groups
        }
    }

    private static let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0] + Array(repeating: 1, count: 60)
    private static let quickTime = Array("\0\0\0\u{14}ftypqt  \0\0\0\0qt  ".utf8) + Array(repeating: 2, count: 60)
    private static let mpeg4 = Array("\0\0\0\u{14}ftypisom\0\0\0\0isom".utf8) + Array(repeating: 3, count: 60)

    @Test("a still and a QuickTime movie of one name are a pair; an MPEG-4 movie has to say so")
    func pairs() throws {
        let card = try Card()
        try card.write("a/IMG_1.JPG", Self.jpeg)
        try card.write("a/IMG_1.MOV", Self.quickTime)
        try card.write("b/IMG_2.jpg", Self.jpeg)
        try card.write("b/IMG_2.mp4", Self.mpeg4)
        try card.write("b/readme.txt", Array("no media".utf8))
        let groups = try card.groups()
        #expect(groups.map(\.primary.path.name) == ["IMG_1.JPG", "IMG_2.jpg", "IMG_2.mp4"])
        #expect(groups.map { $0.movie?.path.name } == ["IMG_1.MOV", nil, nil])
    }

    @Test("a sidecar belongs to the file that it names whole, else to the one of its stem")
    func sidecars() throws {
        let card = try Card()
        try card.write("IMG_1.jpg", Self.jpeg)
        try card.write("IMG_1.jpg.xmp", Array("<x/>".utf8))
        try card.write("IMG_2.jpg", Self.jpeg)
        try card.write("IMG_2.xmp", Array("<x/>".utf8))
        try card.write("IMG_3.xmp", Array("<x/>".utf8))
        let groups = try card.groups()
        #expect(groups.map { $0.sidecar?.name.displayText } == ["IMG_1.jpg.xmp", "IMG_2.xmp"])
    }

    @Test("what Immich derived, thumbnails of a storage and hidden files are left out; folders of these names are not")
    func derived() throws {
        let card = try Card()
        try card.write("library/ada/2026/IMG_1.jpg", Self.jpeg)
        try card.write("thumbs/.immich", [])
        try card.write("thumbs/ada/1.jpg", Self.jpeg)
        try card.write("profile/mine.jpg", Self.jpeg)
        try card.write("@eaDir/IMG_1.jpg", Self.jpeg)
        try card.write(".hidden.jpg", Self.jpeg)
        #expect(try card.groups().map(\.primary.path.name).sorted() == ["IMG_1.jpg", "mine.jpg"])
    }

    @Test("of a PhotoPrism folder its originals are taken, not what its storage among them holds")
    func photoPrism() throws {
        let card = try Card()
        try card.write("2026/07/20260701_101500_1A2B3C4D.jpg", Self.jpeg)
        try card.write("2026/07/20260701_101500_1A2B3C4D.xmp", Array("<x/>".utf8))
        try card.write(".ppignore", Array("*.tmp".utf8))
        try card.write("storage/.ppstorage", [])
        try card.write("storage/sidecar/2026/07/20260701_101500_1A2B3C4D.png.jpg", Self.jpeg)
        try card.write("storage/cache/thumbnails/1/2/3/1a2b_500x500_center.jpg", Self.jpeg)
        let groups = try card.groups()
        #expect(groups.map(\.primary.path.name) == ["20260701_101500_1A2B3C4D.jpg"])
        #expect(groups.map { $0.sidecar?.name.displayText } == ["20260701_101500_1A2B3C4D.xmp"])
    }

    @Test("what people wrote comes back from a sidecar as it went into it")
    func words() throws {
        let card = try Card()
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
        let group = try #require(try card.groups().first)
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
        let card = try Card()
        try card.write("IMG_1.jpg", Self.jpeg)
        try card.write("IMG_1.xmp", Array("<!DOCTYPE x [<!ENTITY a \"b\">]><x>&a;</x>".utf8))
        let group = try #require(try card.groups().first)
        let imported = try ImportableAsset(group, album: nil, in: PosixFileSystem())
        #expect(imported.manifest.title == nil)
        #expect(try imported.manifest.id == ImportableAsset.identifier(of: group, in: PosixFileSystem()))
    }
}
