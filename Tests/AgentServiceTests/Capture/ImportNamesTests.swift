import AgentStore
import Foundation
import Glibc
import LibraryAPI
import Persistence
import PhotoModel
import Testing

@testable import AgentCapture

/// Folders as they come from cards, cameras and other systems, with names that only bytes can tell.
struct ImportNamesTests {
    private static func jpeg(_ number: UInt8) -> [UInt8] {
        [0xFF, 0xD8, 0xFF, 0xE0, number] + Array(repeating: 1, count: 60) + [0xFF, 0xD9]
    }

    @Test("Names of 255 bytes, NFC and NFD twins, line ends and bytes that are no UTF-8 come through as they are")
    func oddNames() throws {
        let card = try Card()
        let names: [[UInt8]] = [
            Array(repeating: UInt8(ascii: "n"), count: 251) + Array(".jpg".utf8),
            Array("caf\u{E9}.jpg".utf8), Array("cafe\u{301}.jpg".utf8), Array("two\nlines.jpg".utf8),
            [0xE9, 0x74, 0xE9] + Array(".jpg".utf8), Array("\u{301}mark.jpg".utf8), Array("no ending".utf8),
        ]
        for (index, name) in names.enumerated() { try card.write(name, Self.jpeg(UInt8(index))) }
        let report = try card.run()
        #expect(report.added == names.count && report.failed.isEmpty, "\(report)")
        #expect(try card.names() == Set(names))
        #expect(try card.run().known == names.count, "again they are known")
    }

    @Test("A folder whose name is no UTF-8, and one 24 folders deep, are looked through")
    func oddFolders() throws {
        let card = try Card()
        let bytes = Array(card.folder.path.text.utf8) + Array("/".utf8) + [0xFC, 0x62]
        let latin = bytes.map { CChar(truncatingIfNeeded: $0) }
        #expect(unsafe mkdir(latin + [0], 0o700) == 0)
        try card.write([0xFC, 0x62] + Array("/inside.jpg".utf8), Self.jpeg(1))
        var deep = card.folder.path
        for level in 0..<24 { deep = deep.appending("level \(level)") }
        try PosixFileSystem().createDirectories(deep)
        try Data(Self.jpeg(2)).write(to: URL(filePath: deep.appending("bottom.jpg").text))
        let report = try card.run()
        #expect(report.added == 2 && report.failed.isEmpty, "\(report)")
    }

    @Test("A file whose name is not UTF-8 is moved into the queue like any other")
    func moved() throws {
        let card = try Card()
        let name: [UInt8] = [0xE9, 0x74, 0xE9] + Array(".jpg".utf8)
        try card.write(name, Self.jpeg(1))
        var options = Importer.Options()
        options.transfer = .move
        let report = try card.run(options)
        #expect(report.added == 1 && report.failed.isEmpty, "\(report)")
        #expect(try card.names() == [name])
        #expect(try PosixFileSystem().list(card.folder.path).isEmpty)
    }

    @Test("Empty files are reported, truncated ones taken and reported, others skipped, and none stops the rest")
    func damaged() throws {
        let card = try Card()
        try card.write(Array("empty.jpg".utf8), [])
        try card.write(Array("cut.jpg".utf8), [0xFF, 0xD8, 0xFF, 0xE0] + Array(repeating: 3, count: 100))
        try card.write(Array("good.jpg".utf8), Self.jpeg(3))
        try card.write(Array("notes.txt".utf8), Array("no media".utf8))
        try card.write(Array("text.jpg".utf8), Array("no media".utf8))
        let report = try card.run()
        #expect(report.added == 2 && report.skipped == 1)
        #expect(report.failed.count == 2, "\(report.failed)")
        #expect(report.failed.contains { $0.hasSuffix("empty.jpg: it is empty") }, "\(report.failed)")
        #expect(report.failed.contains { $0.contains("text.jpg: it is not what its name says") }, "\(report.failed)")
        #expect(report.damaged.count == 1 && report.damaged[0].contains("cut.jpg"), "\(report.damaged)")
    }

    @Test("A dry run says what would be taken, twins once, and takes nothing")
    func dryRun() throws {
        let card = try Card()
        try card.write(Array("a.jpg".utf8), Self.jpeg(1))
        try card.write(Array("copy of a.jpg".utf8), Self.jpeg(1))
        var options = Importer.Options()
        options.isDryRun = true
        let report = try card.run(options)
        #expect(report.added == 1 && report.known == 1)
        #expect(try card.bench.store.entries().isEmpty)
    }

    @Test("Sidecars come with their photo, also where the name has more than one dot, and folders become albums")
    func sidecarsAndAlbums() throws {
        let card = try Card()
        try PosixFileSystem().createDirectories(card.folder.path.appending("Winter"))
        let xmp = """
            <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
            <rdf:Description xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmp:Rating="4"/></rdf:RDF></x:xmpmeta>
            """
        try card.write(Array("Winter/first.snow.jpg".utf8), Self.jpeg(1))
        try card.write(Array("Winter/first.snow.xmp".utf8), Array(xmp.utf8))
        try card.write(Array("Winter/first.snow.aae".utf8), Array("<plist/>".utf8))
        var options = Importer.Options()
        options.makesAlbumsOfFolders = true
        let report = try card.run(options)
        #expect(report.added == 1 && report.sidecars == 2, "\(report)")
        let manifest = try #require(try card.bench.store.entries().first?.manifest)
        #expect(manifest.desiredAlbum == .title("Winter") && manifest.rating == Rating(rawValue: 4))
        #expect(manifest.resources.map(\.type) == [.photo, .adjustmentData])
    }
}
