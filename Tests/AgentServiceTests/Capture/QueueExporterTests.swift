import AgentStore
import Foundation
import Glibc
import LibraryAPI
import Persistence
import PhotoModel
import Testing

@testable import AgentCapture
@testable import AgentCommands

/// What is taken away from a box on a stick, and what it is good for elsewhere.
struct QueueExporterTests {
    private static let movie = Array("\0\0\0\u{14}ftypqt  \0\0\0\0qt  ".utf8)
    private static let words = """
        <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
        <rdf:Description xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmp:Rating="4"/></rdf:RDF></x:xmpmeta>
        """

    private static func jpeg(_ number: UInt8) -> [UInt8] {
        [0xFF, 0xD8, 0xFF, 0xE0, number] + Array(repeating: 1, count: 60) + [0xFF, 0xD9]
    }

    private let card: Card
    private let stick: TemporaryFolder

    init() throws {
        card = try Card()
        stick = try TemporaryFolder()
    }

    private func export() throws -> QueueExporter.Report {
        var exporter = QueueExporter(card.bench.store, into: stick.path)
        for entry in try card.bench.store.entries() { try exporter.export(entry) }
        return exporter.report
    }

    /// The bytes of what is in an asset's folder, by the names' bytes.
    private func files(of asset: AssetID) throws -> [[UInt8]: [UInt8]] {
        let folder = stick.path.appending("\(asset)")
        var found: [[UInt8]: [UInt8]] = [:]
        guard let directory = unsafe opendir(folder.text) else { throw POSIXError(.ENOENT) }
        defer { unsafe closedir(directory) }
        while let entry = unsafe readdir(directory) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { unsafe Array($0.prefix { $0 != 0 }) }
            if name == Array(".".utf8) || name == Array("..".utf8) { continue }
            let bytes = Array(folder.text.utf8) + [UInt8(ascii: "/")] + name + [0]
            let path = bytes.map { CChar(truncatingIfNeeded: $0) }
            let file = FileHandle(fileDescriptor: unsafe open(path, O_RDONLY), closeOnDealloc: true)
            found[name] = Array(try file.readToEnd() ?? Data())
        }
        return found
    }

    private func onlyAsset() throws -> QueueEntry {
        let entries = try card.bench.store.entries()
        try #require(entries.count == 1)
        return entries[0]
    }

    @Test("Files that were cut short, made longer or changed in place are written again and named; whole ones stay")
    func damagedThere() throws {
        for number in UInt8(1)...4 { try card.folder.write("IMG_\(number).JPG", Self.jpeg(number)) }
        #expect(try card.run().added == 4)
        let first = try export()
        #expect(first.exported == 4 && first.written == 4 && first.rewritten.isEmpty, "\(first)")
        let entries = try card.bench.store.entries()
        let paths = try entries.map { entry in
            let name = try #require(entry.manifest.resources[0].originalFilename?.displayText)
            return stick.path.appending("\(entry.id)").appending(name).text
        }
        let good = try paths.map { try Data(contentsOf: URL(filePath: $0)) }
        try good[0].dropLast(7).write(to: URL(filePath: paths[0]))
        try (good[1] + Data([0])).write(to: URL(filePath: paths[1]))
        try (Data([0]) + good[2].dropFirst()).write(to: URL(filePath: paths[2]))
        let second = try export()
        #expect(second.exported == 4 && second.failed.isEmpty && second.unchanged == 1, "\(second)")
        #expect(Set(second.rewritten) == Set(paths[0...2]), "\(second)")
        #expect(try paths.map { try Data(contentsOf: URL(filePath: $0)) } == good)
        #expect(try export().rewritten.isEmpty)
    }

    @Test("A pair, its raw form and its sidecars keep their names, and are one asset where they are imported")
    func names() async throws {
        let jpeg = Self.jpeg(1)
        let raw = Array("\0\0\0\u{18}ftypcrx \0\0\0\u{1}crx isom".utf8)
        let adjustment = Array("<plist/>".utf8)
        try card.folder.write("IMG_1.JPG", jpeg)
        try card.folder.write("IMG_1.MOV", Self.movie)
        try card.folder.write("IMG_1.CR3", raw)
        try card.folder.write("IMG_1.AAE", adjustment)
        try card.folder.write("IMG_1.xmp", Array(Self.words.utf8))
        #expect(try card.run().added == 1)
        #expect(try export().exported == 1)
        let entry = try onlyAsset()
        let written = try files(of: entry.id)
        let names = ["IMG_1.AAE", "IMG_1.CR3", "IMG_1.JPG", "IMG_1.JPG.xmp", "IMG_1.MOV", "manifest.json"]
        #expect(written.keys.map { String(decoding: $0, as: UTF8.self) }.sorted() == names)
        #expect(written[Array("IMG_1.MOV".utf8)] == Self.movie && written[Array("IMG_1.AAE".utf8)] == adjustment)

        let other = try CaptureBench()
        let report = try Importer(store: other.store, limits: SpaceLimits(), album: nil).run([stick.path]).report
        #expect(report.added == 1 && report.sidecars == 2 && report.orphans.isEmpty, "\(report)")
        let again = try #require(try other.store.entries().first).manifest
        #expect(again.id == entry.id && again.rating == Rating(rawValue: 4))
        #expect(again.resources.map(\.type) == entry.manifest.resources.map(\.type))
        #expect(again.resources.map(\.originalFilename) == entry.manifest.resources.map(\.originalFilename))
    }

    @Test("Names that are no UTF-8 or hold a line end, and those of 255 bytes, come out as the bytes that went in")
    func oddNames() throws {
        let names: [[UInt8]] = [
            [0xE9, 0x74, 0xE9] + Array(".jpg".utf8), Array("two\nlines.jpg".utf8),
            Array(repeating: UInt8(ascii: "n"), count: 251) + Array(".jpg".utf8), Array("manifest.json".utf8),
        ]
        for (number, name) in names.enumerated() { try card.write(name, Self.jpeg(UInt8(number))) }
        #expect(try card.run().added == names.count)
        for round in 0..<2 {
            let report = try export()
            #expect(report.exported == names.count && report.failed.isEmpty, "\(report)")
            #expect(report.unchanged == (round == 0 ? 0 : names.count), "\(report)")
        }
        for entry in try card.bench.store.entries() {
            let name = try #require(entry.manifest.resources[0].originalFilename)
            let written = try files(of: entry.id)
            #expect(written.count == 2)
            // What is ours beside the files gives way to no photo, and no photo to it.
            let wanted = name == FileName("manifest.json") ? Array("manifest.jpg".utf8) : name.bytes
            #expect(written[wanted].map { ContentHasher.digest($0) } == entry.manifest.resources[0].digest)
        }
    }

    @Test("A pair without names gets one stem, a movie without one its photo's, and twins by case are told apart")
    func madeUp() throws {
        func names(_ files: [(AssetResourceType, String, String?)]) throws -> [String] {
            let manifest = AssetManifest(
                id: AssetID(rawValue: 1),
                mediaType: .image,
                captureTime: CaptureTime(
                    wall: try #require(WallTime("2026-07-01T10:00:00Z")),
                    source: .fileMetadata,
                    isSynchronized: true
                ),
                resources: files.enumerated().map { index, file in
                    AssetResource(
                        id: ResourceID(rawValue: UInt128(index)),
                        type: file.0,
                        digest: ContentHasher.digest([UInt8(index)]),
                        byteCount: 1,
                        contentType: file.1,
                        originalFilename: file.2.flatMap { FileName($0) }
                    )
                }
            )
            return ExportedNames(manifest).files.map(\.name.displayText)
        }
        let adjustment = "application/x-apple-adjustment-data"
        let pair: [(AssetResourceType, String, String?)] = [
            (.photo, "image/jpeg", nil), (.pairedVideo, "video/quicktime", nil), (.adjustmentData, adjustment, nil),
        ]
        let stem = "IMG_20260701_100000_000"
        #expect(try names(pair) == ["\(stem).jpg", "\(stem).mov", "\(stem).AAE"])
        #expect(
            try names([(.photo, "image/jpeg", "PXL_1.MP.jpg"), (.pairedVideo, "video/mp4", nil)])
                == ["PXL_1.MP.jpg", "PXL_1.MP.mp4"]
        )
        #expect(
            try names([(.photo, "image/jpeg", "a.JPG"), (.fullSizePhoto, "image/jpeg", "A.jpg")])
                == ["a.JPG", "a-edited.jpg"]
        )
        #expect(
            try names([(.photo, "image/jpeg", "a.mov"), (.pairedVideo, "video/quicktime", nil)])
                == ["a.mov", "a-2.mov"]
        )
    }

    @Test("Whole files that an earlier version wrote get their names, broken ones stay beside, and nothing is lost")
    func former() throws {
        try card.folder.write("IMG_1.JPG", Self.jpeg(1))
        try card.folder.write("IMG_1.MOV", Self.movie)
        #expect(try card.run().added == 1)
        let entry = try onlyAsset()
        let folder = stick.path.appending("\(entry.id)")
        try PosixFileSystem().createDirectories(folder)
        let former = entry.manifest.resources.map { card.bench.store.file(of: $0, in: entry.id).name }
        try stick.write("\(entry.id)/\(former[0])", Self.jpeg(1))
        try stick.write("\(entry.id)/\(former[1])", Array(Self.movie.dropLast()))
        try stick.write("\(entry.id)/notes.txt", [1])
        let report = try export()
        #expect(report.exported == 1 && report.unchanged == 1 && report.written == 1, "\(report)")
        let names = try files(of: entry.id).keys.map { String(decoding: $0, as: UTF8.self) }.sorted()
        #expect(names == [former[1], "IMG_1.JPG", "IMG_1.MOV", "manifest.json", "notes.txt"])
    }

    @Test("What the queue itself lost is written as far as it is there, and told; it replaces nothing")
    func damagedQueue() throws {
        try card.folder.write("IMG_1.JPG", Self.jpeg(1))
        try card.folder.write("IMG_2.JPG", Self.jpeg(2))
        #expect(try card.run().added == 2)
        let entries = try card.bench.store.entries()
        let file = card.bench.store.file(of: entries[0].manifest.resources[0], in: entries[0].id).text
        #expect(unsafe chmod(file, 0o600) == 0 && truncate(file, 20) == 0)
        let report = try export()
        #expect(report.exported == 1 && report.failed.count == 1, "\(report)")
        #expect(report.failed[0].contains("\(entries[0].id)") && report.failed[0].contains("check its disk"))
        let name = try #require(entries[0].manifest.resources[0].originalFilename)
        #expect(try files(of: entries[0].id)[name.bytes]?.count == 20)
        try stick.write("\(entries[0].id)/\(name.displayText)", Array(Self.jpeg(1).prefix(30)))
        #expect(try export().failed.count == 1)
        #expect(try files(of: entries[0].id)[name.bytes]?.count == 30, "more of it is there than in the queue")
        try stick.write("\(entries[0].id)/\(name.displayText)", Self.jpeg(entries[0].manifest.resources[0]))
        #expect(try export().failed.isEmpty, "the stick has it whole")
    }

    private static func jpeg(_ resource: AssetResource) -> [UInt8] {
        [jpeg(1), jpeg(2)].first { ContentHasher.digest($0) == resource.digest } ?? []
    }

    @Test("T33: a link that takes an asset's folder's place while it is written leads nothing out of the export")
    func linkDuringExport() throws {
        try card.folder.write("IMG_1.JPG", Self.jpeg(1))
        #expect(try card.run().added == 1)
        let outside = try TemporaryFolder()
        let asset = try onlyAsset()
        let (inner, before) = (stick.path.appending("\(asset.id)"), stick.path.appending("before"))
        let meddler = ReadCounter { path, mode in
            guard mode == .create, path.name == ExportedNames.temporary else { return }
            #expect(unsafe rename(inner.text, before.text) == 0)
            #expect(unsafe symlink(outside.path.text, inner.text) == 0)
        }
        var exporter = QueueExporter(card.bench.store, into: stick.path, in: meddler)
        try exporter.export(asset)
        #expect(exporter.report.exported == 1, "\(exporter.report)")
        #expect(try PosixFileSystem().list(outside.path).isEmpty)
        #expect(try PosixFileSystem().list(before) == ["IMG_1.JPG", "manifest.json"])
        let refused = try export()
        #expect(refused.exported == 0 && refused.failed.count == 1, "\(refused)")
        #expect(refused.failed.first?.contains("\(inner): it is a link or a file, not a folder") == true)
        #expect(try PosixFileSystem().list(outside.path).isEmpty)
    }

    @Test("A folder for the export that is a link is used, since somebody chose it")
    func linkedRoot() throws {
        try card.folder.write("IMG_1.JPG", Self.jpeg(1))
        #expect(try card.run().added == 1)
        let elsewhere = try TemporaryFolder()
        let link = elsewhere.path.appending("link")
        #expect(unsafe symlink(stick.path.text, link.text) == 0)
        var exporter = QueueExporter(card.bench.store, into: link)
        try exporter.export(try onlyAsset())
        #expect(exporter.report.exported == 1, "\(exporter.report)")
        #expect(try files(of: onlyAsset().id).count == 2)
    }

    @Test("A link or folder in the place of a file is refused and stays, and the others are written")
    func inTheWay() throws {
        try card.folder.write("IMG_1.JPG", Self.jpeg(1))
        try card.folder.write("IMG_1.MOV", Self.movie)
        try card.folder.write("IMG_2.JPG", Self.jpeg(2))
        #expect(try card.run().added == 2)
        let pair = try #require(try card.bench.store.entries().first { $0.manifest.resources.count == 2 })
        try PosixFileSystem().createDirectories(stick.path.appending("\(pair.id)"))
        let link = stick.path.appending("\(pair.id)").appending("IMG_1.JPG").text
        #expect(unsafe symlink("/dev/null", link) == 0)
        let report = try export()
        #expect(report.exported == 1 && report.failed.count == 1, "\(report)")
        #expect(report.failed[0].contains("is not a file, and stays"), "\(report)")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "/dev/null")
        let movie = stick.path.appending("\(pair.id)").appending("IMG_1.MOV")
        let left = try PosixFileSystem().status(movie)?.byteCount
        #expect(left == Int64(Self.movie.count), "the rest is not left behind")
    }
}
