import Persistence
import PhotoModel
import Testing

@testable import AgentCapture

/// Folders in which a photo's partners appear only after the photo was imported.
struct LatePartnersTests {
    private static let photo: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0] + Array(repeating: 1, count: 60) + [0xFF, 0xD9]
    private static let movie = Array("\0\0\0\u{14}ftypqt  \0\0\0\0qt  ".utf8)
    private static let raw = Array("\0\0\0\u{18}ftypcrx \0\0\0\u{1}crx isom".utf8)
    private static let adjustment = Array("<plist/>".utf8)

    private static func sidecar(_ words: String) -> [UInt8] {
        let text = """
            <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
            <rdf:Description xmlns:xmp="http://ns.adobe.com/xap/1.0/" \(words)/></rdf:RDF></x:xmpmeta>
            """
        return Array(text.utf8)
    }

    @Test("A movie and a raw form that come after their photo become assets of their own, which is said once")
    func media() throws {
        let card = try Card()
        try card.folder.write("IMG_1.JPG", Self.photo)
        #expect(try card.run().added == 1)
        try card.folder.write("IMG_1.MOV", Self.movie)
        try card.folder.write("IMG_1.CR3", Self.raw)
        let report = try card.run()
        #expect(report.added == 2 && report.known == 1 && report.failed.isEmpty, "\(report)")
        #expect(report.separate.count == 2, "\(report)")
        #expect(report.separate.allSatisfy { $0.contains("it came after IMG_1.JPG") }, "\(report)")
        #expect(try card.types() == [[.photo], [.photo], [.video]])
        let again = try card.run()
        #expect(again.added == 0 && again.known == 3 && again.separate.isEmpty && again.late.isEmpty, "\(again)")
    }

    @Test("What came after its photo is read once to be told apart and described")
    func readOnce() throws {
        let card = try Card()
        try card.folder.write("IMG_1.JPG", Self.photo)
        #expect(try card.run().added == 1)
        let box = [0, 0x10, 0, 8] + Array("free".utf8)
        let content = [UInt8](repeating: 0, count: 1 << 20)
        try card.folder.write("IMG_1.MOV", Self.movie + box + content)
        let counter = ReadCounter()
        #expect(try card.run(in: counter).separate.count == 1)
        let read = counter.byteCount(of: "IMG_1.MOV")
        #expect(content.count <= read && read < content.count * 2, "\(read) bytes")
    }

    @Test("What came with its photo is known with it, whether it still lies there or not")
    func together() throws {
        let card = try Card()
        try card.folder.write("IMG_1.JPG", Self.photo)
        try card.folder.write("IMG_1.MOV", Self.movie)
        try card.folder.write("IMG_1.CR3", Self.raw)
        try card.folder.write("IMG_1.AAE", Self.adjustment)
        try card.folder.write("IMG_1.xmp", Self.sidecar("xmp:Rating=\"4\" xmp:Label=\"Favourite\""))
        #expect(try card.run().added == 1)
        #expect(try card.types() == [[.photo, .pairedVideo, .alternatePhoto, .adjustmentData]])
        let again = try card.run()
        #expect(again.known == 1 && again.separate.isEmpty && again.late.isEmpty, "\(again)")
        try PosixFileSystem().unlink(card.folder.path.appending("IMG_1.MOV"))
        try PosixFileSystem().unlink(card.folder.path.appending("IMG_1.xmp"))
        let less = try card.run()
        #expect(less.added == 0 && less.known == 1 && less.separate.isEmpty && less.late.isEmpty, "\(less)")
    }

    @Test("Sidecars that come after their photo are reported each time, unless they say nothing new")
    func sidecars() throws {
        let card = try Card()
        try card.folder.write("IMG_1.JPG", Self.photo)
        try card.folder.write("IMG_2.JPG", Self.photo + [0])
        #expect(try card.run().added == 2)
        try card.folder.write("IMG_1.AAE", Self.adjustment)
        try card.folder.write("IMG_1.xmp", Self.sidecar("xmp:Rating=\"4\""))
        try card.folder.write("IMG_2.xmp", Self.sidecar("xmp:Rating=\"0\""))
        for _ in 1...2 {
            let report = try card.run()
            #expect(report.added == 0 && report.known == 2 && report.sidecars == 0, "\(report)")
            #expect(report.late.count == 2, "\(report)")
            #expect(report.late.first?.contains("IMG_1.AAE: it came after IMG_1.JPG") == true, "\(report)")
            #expect(report.late.last?.contains("IMG_1.xmp: it says what IMG_1.JPG") == true, "\(report)")
        }
    }

    @Test("A sidecar that is written anew after it was taken up is reported")
    func rewritten() throws {
        let card = try Card()
        try card.folder.write("IMG_1.JPG", Self.photo)
        try card.folder.write("IMG_1.xmp", Self.sidecar("xmp:Rating=\"4\""))
        #expect(try card.run().sidecars == 1)
        try card.folder.write("IMG_1.xmp", Self.sidecar("xmp:Rating=\"5\""))
        #expect(try card.run().late.count == 1)
    }

    @Test("Twins of one import of which only the second has a movie leave it behind neither in a dry run nor after it")
    func twins() throws {
        let card = try Card()
        for folder in ["a", "b"] {
            try PosixFileSystem().createDirectories(card.folder.path.appending(folder))
            try card.folder.write("\(folder)/IMG_1.JPG", Self.photo)
        }
        try card.folder.write("b/IMG_1.MOV", Self.movie)
        for isDryRun in [true, false] {
            var options = Importer.Options()
            options.isDryRun = isDryRun
            let report = try card.run(options)
            #expect(report.added == 2 && report.known == 1 && report.separate.count == 1, "\(report)")
        }
        #expect(try card.types() == [[.photo], [.video]])
    }
}
