import AgentStore
import Glibc
import Persistence
import PhotoModel
import Testing

@testable import AgentCapture

/// What is no file in a folder, and links, which may lead anywhere.
struct ImportLinksTests {
    private static func jpeg(_ number: UInt8) -> [UInt8] {
        [0xFF, 0xD8, 0xFF, 0xE0, number] + Array(repeating: 1, count: 60) + [0xFF, 0xD9]
    }

    private let card: Card

    init() throws { card = try Card() }

    private func link(_ name: String, to target: String) {
        #expect(unsafe symlink(target, card.folder.path.text + "/" + name) == 0)
    }

    private func run(_ paths: [Path]) throws -> Importer.Report {
        try Importer(store: card.bench.store, limits: SpaceLimits(), album: nil).run(paths).report
    }

    @Test("Links below a folder are not followed, neither round and round nor out of it, and are counted each time")
    func links() throws {
        let elsewhere = try TemporaryFolder()
        try elsewhere.write("other.jpg", Self.jpeg(9))
        try PosixFileSystem().createDirectories(card.folder.path.appending("dup"))
        try card.folder.write("dup/IMG_1.JPG", Self.jpeg(1))
        link("dup/loop", to: "..")
        link("out", to: elsewhere.path.text)
        link("file.jpg", to: elsewhere.path.appending("other.jpg").text)
        link("nowhere.jpg", to: "not-there")
        for round in 0..<2 {
            let report = try card.run()
            #expect(report.added == 1 - round && report.known == round, "\(report)")
            #expect(report.links == 4 && report.failed.isEmpty && report.skipped == 0, "\(report)")
        }
    }

    @Test("A link that is named itself stands for what it leads to, under its own name; one that leads nowhere is told")
    func named() throws {
        let elsewhere = try TemporaryFolder()
        try elsewhere.write("abc123", Self.jpeg(9))
        try elsewhere.write("IMG_2.JPG", Self.jpeg(2))
        link("IMG_1.JPG", to: elsewhere.path.appending("abc123").text)
        link("folder", to: elsewhere.path.text)
        link("nowhere.jpg", to: "not-there")
        let paths = ["IMG_1.JPG", "folder", "nowhere.jpg"].map { card.folder.path.appending($0) }
        let report = try run(paths)
        #expect(report.added == 2 && report.known == 1 && report.links == 0, "\(report)")
        #expect(report.failed.count == 1 && report.failed[0].contains("nowhere.jpg: it is a link that leads nowhere"))
        // The same bytes come by the folder first.
        #expect(try card.names().count == 2 && card.names().contains(Array("IMG_2.JPG".utf8)))
        let alone = try Card()
        let importer = Importer(store: alone.bench.store, limits: SpaceLimits(), album: nil)
        #expect(try importer.run([paths[0]]).report.added == 1)
        #expect(try alone.names() == [Array("IMG_1.JPG".utf8)])
    }

    @Test(
        "A FIFO is counted in a folder and refused in words where it is named; nothing waits for it",
        .timeLimit(.minutes(1))
    )
    func fifos() throws {
        try card.folder.write("IMG_1.JPG", Self.jpeg(1))
        let names = ["fifo.jpg", "IMG_1.xmp", "\u{FC}.mov"].map { card.folder.path.appending($0) }
        for name in names { #expect(unsafe mkfifo(name.text, 0o600) == 0) }
        let report = try card.run()
        #expect(report.added == 1 && report.specialFiles == 3 && report.failed.isEmpty, "\(report)")
        let refused = try run(names + [card.folder.path.appending("IMG_1.JPG")])
        #expect(refused.known == 1 && refused.failed.count == 3, "\(refused)")
        #expect(refused.failed.allSatisfy { $0.contains("it is a FIFO, a socket or a device, and no file") })
    }

    @Test("Files of a watched folder are not links")
    func watched() throws {
        let elsewhere = try TemporaryFolder()
        try elsewhere.write("IMG_1.JPG", Self.jpeg(1))
        link("IMG_1.JPG", to: elsewhere.path.appending("IMG_1.JPG").text)
        var report = Importer.Report()
        try Importer(store: card.bench.store, limits: SpaceLimits(), album: nil)
            .take([card.folder.path.appending("IMG_1.JPG")], &report)
        #expect(report.added == 0 && report.failed.count == 1, "\(report)")
        #expect(report.failed.first?.contains("it is a link, and not followed") == true, "\(report)")
    }
}
