import Foundation
import LibraryAPI
import MediaFormats
import Persistence
import PhotoModel
import TestSupport
import Testing

@testable import MediaFiles

/// ZIP archives as Python's `zipfile` writes them, and as nobody should.
struct ArchiveTests {
    private static let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0] + Array(repeating: 1, count: 60) + [0xFF, 0xD9]

    private let tree: ExportTree

    init() throws { tree = try ExportTree() }

    /// Packs files with Python; a script has `archive`, an open `ZipFile`, and `method`.
    private func pack(_ name: String, _ script: String) throws {
        let program = """
            import sys, zipfile
            archive = zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED)
            jpeg = bytes([0xFF, 0xD8, 0xFF, 0xE0]) + bytes([1]) * 60 + bytes([0xFF, 0xD9])
            stored, deflated = zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED
            \(script)
            archive.close()
            """
        let outcome = try ChildProcess.run("python3", ["-c", program, "\(tree.path)/\(name)"])
        try #require(outcome.status == 0, "\(outcome.errors)")
    }

    private func collection(_ names: String...) throws -> MediaCollection {
        var collection = MediaCollection(in: PosixFileSystem(), readsArchives: true)
        try collection.add(named: names.map { Path("\(tree.path)/\($0)") })
        collection.joinPairs()
        return collection
    }

    private func bytes(of file: MediaFile, in collection: MediaCollection) throws -> [UInt8] {
        try collection.fileSystem.open(file.path, .read).read(Int(file.byteCount), at: 0)
    }

    @Test("a Takeout in two archives is read as one folder, stored and deflated files alike")
    func takeout() throws {
        try pack(
            "takeout-001.zip",
            """
            archive.writestr("Takeout/Google Photos/Lake/IMG_1.jpg", jpeg, stored)
            archive.writestr("Takeout/Google Photos/Lake/IMG_2.jpg", jpeg + b"2", deflated)
            archive.writestr("Takeout/archive_browser.html", "<html>")
            """
        )
        try pack(
            "takeout-002.zip",
            """
            document = '{"title": "IMG_%d.jpg", "photoTakenTime": {"timestamp": "1690794000"}, "favorited": true}'
            archive.writestr("Takeout/Google Photos/Lake/IMG_1.jpg.supplemental-metadata.json", document % 1)
            archive.writestr("Takeout/Google Photos/Lake/IMG_2.jpg.supplemental-metadata.json", document % 2)
            archive.writestr("Takeout/Google Photos/Lake/metadata.json", '{"title": "Lake"}')
            """
        )
        let found = try collection("takeout-001.zip", "takeout-002.zip")
        #expect(
            found.groups.map(\.primary.file.displayPath)
                == [1, 2].map {
                    "\(tree.path)/takeout-001.zip/Takeout/Google Photos/Lake/IMG_\($0).jpg"
                }
        )
        #expect(found.groups.map(\.albums) == [["Lake"], ["Lake"]] && found.skipped == 1)
        #expect(found.groups.allSatisfy { $0.told?.isFavorite == true })
        #expect(
            try found.groups.map { try bytes(of: $0.primary, in: found) } == [Self.jpeg, Self.jpeg + Array("2".utf8)]
        )
        let asset = try ImportableAsset(found.groups[1], album: nil, in: found.fileSystem)
        #expect(asset.manifest.id == .derived(from: ContentHasher.digest(Self.jpeg + Array("2".utf8))))
        let folder = try collection("")
        #expect(folder.groups.count == 2, "in a folder, the archives of a Takeout are read, too")
        var plain = MediaCollection(in: PosixFileSystem())
        try plain.add(Path(tree.path))
        #expect(plain.groups.isEmpty && plain.skipped == 2)
    }

    @Test("a file larger than what is kept in memory is read whole, forwards and back, and its checksum is held to it")
    func large() throws {
        try pack(
            "a.zip",
            """
            with archive.open("movie.mov", "w") as file:
                for index in range(6): file.write(bytes([index, 7, 9]) * (1 << 18))
            """
        )
        let source = try FileSource(Path("\(tree.path)/a.zip"), in: PosixFileSystem())
        let archive = try PosixFileSystem().open(Path("\(tree.path)/a.zip"), .read)
        let entry = try #require(try ZIPDirectory(source).entries.first)
        let data = try ZIPDirectory.data(of: entry, in: source)
        let file = ArchivedFile(entry, at: data, in: archive, Path("movie.mov"), windowByteCount: 1 << 20)
        let part = Int64(3 << 18)
        for index in [5, 0, 3, 2, 5] { #expect(try file.read(1, at: part * Int64(index)) == [UInt8(index)]) }
        #expect(try file.read(2, at: 6 * part - 1) == [9] && file.read(16, at: 6 * part).isEmpty)
        var digestible: [UInt8] = []
        while let more = try? file.read(100_000, at: Int64(digestible.count)), !more.isEmpty { digestible += more }
        #expect(digestible == (0..<6).flatMap { index in (0..<(1 << 18)).flatMap { _ in [UInt8(index), 7, 9] } })
    }

    @Test("a file is inflated once: when it is described, nothing of it is read again")
    func once() throws {
        try pack(
            "a.zip",
            """
            for number in range(4): archive.writestr(f"IMG_{number}.jpg", jpeg + bytes([number]), deflated)
            """
        )
        let found = try collection("a.zip")
        try Data().write(to: URL(filePath: "\(tree.path)/a.zip"))
        for (number, group) in found.groups.enumerated() {
            let asset = try ImportableAsset(group, album: nil, in: found.fileSystem)
            #expect(asset.manifest.resources.map(\.digest) == [ContentHasher.digest(Self.jpeg + [UInt8(number)])])
        }
        #expect(found.groups.count == 4)
    }

    @Test("a photo of one archive joins the album of which another has a document about it")
    func albumOfDocuments() throws {
        let document = """
            document = '{"title": "IMG_1.jpg", "photoTakenTime": {"timestamp": "1690794000"}}'
            """
        try pack(
            "takeout-001.zip",
            """
            \(document)
            archive.writestr("Takeout/Google Photos/Lake/IMG_1.jpg.supplemental-metadata.json", document)
            """
        )
        try pack(
            "takeout-002.zip",
            """
            \(document)
            archive.writestr("Takeout/Google Photos/Photos from 2023/IMG_1.jpg", jpeg)
            archive.writestr("Takeout/Google Photos/Photos from 2023/IMG_1.jpg.supplemental-metadata.json", document)
            """
        )
        try pack(
            "takeout-003.zip",
            """
            archive.writestr("Takeout/Google Photos/Lake/metadata.json", '{"title": "Lake"}')
            """
        )
        let found = try collection("takeout-001.zip", "takeout-002.zip", "takeout-003.zip")
        #expect(found.groups.map(\.albums) == [["Lake"]] && found.orphans.isEmpty, "\(found.orphans)")
    }

    @Test("paths that lead out, folders without end and hidden files are not taken; the rest is")
    func paths() throws {
        try pack(
            "a.zip",
            """
            for name in ["../IMG_1.jpg", "/etc/IMG_2.jpg", "a/../IMG_3.jpg", "d/" * 70 + "IMG_4.jpg", "a//IMG_5.jpg"]:
                archive.writestr(name, jpeg)
            for name in [".IMG_6.jpg", "__MACOSX/IMG_7.jpg", "@eaDir/IMG_8.jpg", "b/IMG_9.jpg"]:
                archive.writestr(name, jpeg)
            """
        )
        let found = try collection("a.zip")
        #expect(found.groups.map(\.primary.file.name.displayText) == ["IMG_9.jpg"])
        #expect(found.failed.count == 5 && found.failed.allSatisfy { $0.reason == "no file can have this path" })
    }

    @Test("a file that would grow without measure, and one that needs a password, is refused by itself")
    func refusedFiles() throws {
        try pack(
            "a.zip",
            """
            archive.writestr("bomb.jpg", jpeg + bytes(64 << 20))
            archive.writestr("good.jpg", jpeg)
            archive.writestr("secret.jpg", jpeg)
            archive.filelist[2].flag_bits |= 1
            """
        )
        let found = try collection("a.zip")
        #expect(found.groups.map(\.primary.file.name.displayText) == ["good.jpg"])
        #expect(found.failed.count == 2)
        #expect(found.failed[0].reason.contains("200-fold") && found.failed[1].reason.contains("encrypted"))
    }

    @Test("bytes that are not those that were packed are never taken as good", arguments: ["stored", "deflated"])
    func damage(method: String) throws {
        try pack("a.zip", "archive.writestr('IMG_1.jpg', jpeg, \(method))")
        var bytes = [UInt8](try Data(contentsOf: URL(filePath: "\(tree.path)/a.zip")))
        // In the data, behind the local header and the name.
        bytes[30 + 9 + 5] ^= 0x10
        try Data(bytes).write(to: URL(filePath: "\(tree.path)/a.zip"))
        let found = try collection("a.zip")
        let isRefused = found.groups.isEmpty && found.failed.count == 1
        let group = found.groups.first
        #expect(isRefused || (try? ImportableAsset(#require(group), album: nil, in: found.fileSystem)) == nil)
    }

    @Test("archives are open only while they are read: a folder may have more than a process may open")
    func descriptors() throws {
        try pack("takeout.zip", "archive.writestr('Takeout/Google Photos/Lake/IMG_1.jpg', jpeg)")
        try pack("other.zip", "archive.writestr('IMG_2.jpg', jpeg)")
        let found = try collection("")
        #expect(found.groups.count == 1)
        let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { number in
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")
        }
        // The file that was read last may be read again.
        #expect(open.filter { $0.hasPrefix(tree.path) } == ["\(tree.path)/takeout.zip"])
        #expect(try bytes(of: found.groups[0].primary, in: found) == Self.jpeg)
    }

    @Test("an archive whose files overlap, or that is cut off, is refused as a whole")
    func refusedArchives() throws {
        try pack(
            "overlap.zip",
            """
            archive.writestr("a.jpg", jpeg)
            archive.writestr("b.jpg", jpeg)
            archive.filelist[1].header_offset = archive.filelist[0].header_offset
            """
        )
        try pack("cut.zip", "archive.writestr('a.jpg', jpeg)")
        let whole = try Data(contentsOf: URL(filePath: "\(tree.path)/cut.zip"))
        try whole.prefix(whole.count / 2).write(to: URL(filePath: "\(tree.path)/cut.zip"))
        let found = try collection("overlap.zip", "cut.zip")
        #expect(found.groups.isEmpty && found.failed.count == 2, "\(found.failed)")
        #expect(found.failed.contains { $0.reason.contains("overlap") })
    }
}
