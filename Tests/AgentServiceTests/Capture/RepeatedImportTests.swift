import AgentStore
import Foundation
import Host
import LibraryAPI
import Persistence
import PhotoLibrary
import PhotoModel
import Synchronization
import TestSupport
import Testing

@testable import AgentCapture

/// What an import of a folder that was imported before reads, and what it must not pass over.
struct RepeatedImportTests {
    private static let still: [UInt8] = [0xFF, 0xD8, 0xFF, 0xD9]
    /// A time at which the files that a test has just written are no news any more.
    private static var later: WallTime { HostClock.now().advanced(by: .seconds(60)) }

    private let card: Card
    private let counter = ReadCounter()

    init() throws {
        card = try Card()
    }

    private func run(
        _ options: Importer.Options = Importer.Options(),
        paths: [Path]? = nil,
        now: WallTime = later
    ) throws -> Importer.Report {
        try Importer(
            store: card.bench.store,
            limits: SpaceLimits(),
            album: nil,
            options: options,
            in: counter,
            now: { now }
        ).run(paths ?? [card.folder.path]).report
    }

    private func write(_ name: String, _ extra: [UInt8] = []) throws {
        try card.folder.write(name, Self.still + extra)
    }

    @Test("What was taken and looks the same is known without a byte of it being read, in whichever way it is named")
    func unchanged() throws {
        for number in 0..<200 { try write("IMG_\(number).JPG", [UInt8(number)]) }
        try card.folder.write("notes.txt", Array("no picture".utf8))
        let first = try run()
        #expect(first.added == 200 && first.skipped == 1)
        let read = counter.byteCount(of: "IMG_7.JPG")
        #expect(read > 0)
        let ways = [card.folder.path, Path(card.folder.path.text + "/."), card.folder.path.appending("IMG_7.JPG")]
        for way in ways {
            let again = try run(paths: [way])
            #expect(again.added == 0 && again.known == (way == ways[2] ? 1 : 200))
            #expect(counter.byteCount(of: "IMG_7.JPG") == read, "\(way)")
        }
        #expect(try run().skipped == 1 && counter.byteCount(of: "notes.txt") == 10)
        var options = Importer.Options()
        options.readsEverything = true
        #expect(try run(options).known == 200 && counter.byteCount(of: "IMG_7.JPG") > read)
    }

    @Test("Another file of one name, length and modification time is taken, and so is one that was written in place")
    func replaced() throws {
        try write("IMG_1.JPG", [1])
        try write("IMG_2.JPG", [2])
        #expect(try run().added == 2)
        let path = card.folder.path.appending("IMG_1.JPG").text
        let date = try #require(try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date)
        try FileManager.default.removeItem(atPath: path)
        try write("IMG_1.JPG", [3])
        try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path)
        let second = card.folder.path.appending("IMG_2.JPG").text
        let file = try #require(FileHandle(forUpdatingAtPath: second))
        try file.seek(toOffset: 4)
        try file.write(contentsOf: Data([4]))
        try file.close()
        try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: second)
        let again = try run()
        #expect(again.added == 2 && again.known == 0)
    }

    @Test("What was changed within the clock's last seconds, or after a clock that is behind, is read again")
    func news() throws {
        try write("IMG_1.JPG")
        let path = card.folder.path.appending("IMG_1.JPG")
        let written = try #require(try PosixFileSystem().status(path)).modifiedNanoseconds / 1000
        let clocks = [written + 1_500_000, 0].map { WallTime(microsecondsSince1970: $0) }
        for clock in clocks {
            _ = try run(now: clock)
            let read = counter.byteCount(of: "IMG_1.JPG")
            #expect(try run(now: clock).known == 1 && counter.byteCount(of: "IMG_1.JPG") > read)
        }
    }

    @Test("What a person is to be told of is told each time, and what lies beside a known photo is seen")
    func remarks() throws {
        try card.folder.write("cut.jpg", [0xFF, 0xD8, 0xFF])
        try card.folder.write("empty.jpg", [])
        try write("IMG_1.JPG")
        for round in 0..<2 {
            let report = try run()
            #expect(report.damaged.count == 1 && report.failed.count == 1)
            #expect(report.known == 2 * round)
        }
        let words = """
            <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
            <rdf:Description xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmp:Rating="4"/></rdf:RDF></x:xmpmeta>
            """
        try card.folder.write("IMG_1.xmp", Array(words.utf8))
        for _ in 0..<2 { #expect(try run().late.count == 1) }
    }

    @Test("A dry run remembers nothing, and neither does an import that the queue refused")
    func untaken() throws {
        try write("IMG_1.JPG")
        var options = Importer.Options()
        options.isDryRun = true
        for _ in 0..<2 { #expect(try run(options).added == 1) }
        let full = Importer(
            store: card.bench.store,
            limits: SpaceLimits(maximumByteCount: 1),
            album: nil,
            in: counter,
            now: { Self.later }
        )
        #expect(try full.run([card.folder.path]).obstacle?.code == .full)
        #expect(try run().added == 1)
    }

    @Test("Parts of a Live Photo whose names differ are looked at again, since one alone would be another asset")
    func partners() async throws {
        let source = try CaptureBench()
        let shot = try #require(try await source.takeShots(CaptureBench.liveProfile()).first)
        let parts = try shot.files.map { Array(try Data(contentsOf: URL(filePath: $0))) }
        try card.folder.write("IMG_1.JPG", parts[0])
        try card.folder.write("MOV_9.MOV", parts[1])
        #expect(try run().added == 1)
        // The movie alone is touched: it is still the photo's.
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1_700_000_000)],
            ofItemAtPath: card.folder.path.appending("MOV_9.MOV").text
        )
        let again = try run()
        #expect(again.added == 0 && again.known == 1)
    }

    @Test("T157: an unchanged file whose copy the queue lost is not known, whether the loss was noticed or not")
    func lost() throws {
        let store = card.bench.store
        try write("IMG_1.JPG")
        #expect(try run().added == 1 && run().known == 1)
        let entry = try #require(try store.entries().first)
        try PosixFileSystem().unlink(store.file(of: entry.manifest.resources[0], in: entry.id))
        for isNoticed in [false, true] {
            if isNoticed { try store.reject(entry.id, "its bytes are missing on this box") }
            var options = Importer.Options()
            options.readsEverything = !isNoticed
            let report = try run(options)
            #expect(report.known == 0 && report.failed.count == 1, "\(report)")
            #expect(report.failed.allSatisfy { $0.contains("keep this file") })
        }
    }

    @Test("T155: a folder whose freed photos are forgotten while it is imported again is read by the next import")
    func forgottenMeanwhile() throws {
        let store = card.bench.store
        let first = LibraryEpoch(rawValue: 1)
        #expect(try store.offerAgain(unlessOf: first) == 0)
        try write("IMG_1.JPG", [1])
        #expect(try run().added == 1)
        try store.saveAndFree(try #require(try store.entries().first))
        // Under another name it is read.
        let path = card.folder.path.appending("IMG_1.JPG").text
        try FileManager.default.moveItem(atPath: path, toPath: path + ".JPG")
        try write("IMG_2.JPG", [2])
        let clockReadings = Mutex(0)
        let importer = Importer(
            store: store,
            limits: SpaceLimits(),
            album: nil,
            in: counter,
            now: {
                let count = clockReadings.withLock { count in
                    count += 1
                    return count
                }
                // The first is before the files are read, the second before they are added.
                if count == 2 { _ = try? store.offerAgain(unlessOf: LibraryEpoch(rawValue: 2)) }
                return Self.later
            }
        )
        let report = try importer.run([card.folder.path]).report
        #expect(report.added == 1 && report.failed.count == 1, "\(report)")
        #expect(report.failed.allSatisfy { $0.contains("import it again") })
        #expect(try store.entries().count == 1)
        let next = try run()
        #expect(next.added == 1 && next.known == 1, "\(next)")
    }

    @Test("An erased store has forgotten the folders, and a folder whose files have all become others is forgotten")
    func forgotten() throws {
        let key = URL(filePath: card.folder.path.text).resolvingSymlinksInPath().path
        for number in 0..<700 { try write("IMG_\(number).JPG", [UInt8(number % 256), UInt8(number / 256)]) }
        _ = try run()
        for number in 0..<700 {
            let path = card.folder.path.appending("IMG_\(number).JPG").text
            try FileManager.default.moveItem(atPath: path, toPath: path + ".JPG")
        }
        _ = try run()
        #expect(try card.bench.store.imports(of: key).joined().count == 1400 * 18)
        for number in 0..<600 {
            try FileManager.default.removeItem(atPath: card.folder.path.appending("IMG_\(number).JPG.JPG").text)
        }
        _ = try run()
        #expect(try card.bench.store.imports(of: key).isEmpty)
        #expect(try run().known == 100 && !card.bench.store.imports(of: key).isEmpty)
        try card.bench.store.erase()
        #expect(try card.bench.store.imports(of: key).isEmpty)
        #expect(try run().added == 100)
    }
}
