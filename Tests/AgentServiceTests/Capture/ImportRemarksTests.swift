import AgentStore
import Host
import Persistence
import PhotoModel
import Synchronization
import Testing

@testable import AgentCapture
@testable import AgentCommands

/// What an import says of what it did not take, or not as it should be.
struct ImportRemarksTests {
    private static func jpeg(_ number: UInt8) -> [UInt8] {
        [0xFF, 0xD8, 0xFF, 0xE0, number] + Array(repeating: 1, count: 60) + [0xFF, 0xD9]
    }

    private let card: Card

    init() throws { card = try Card() }

    @Test("A watched folder's photo comes in with Google's document; one without its photo is an orphan, and stays")
    func watchedTakeout() throws {
        let document = Array(#"{"title": "IMG_1", "photoTakenTime": {"timestamp": "1690794000"}}"#.utf8)
        try card.folder.write("IMG_1.jpg", Self.jpeg(1))
        try card.folder.write("IMG_1.json", document)
        try card.folder.write("IMG_2.jpg.json", document)
        var report = Importer.Report()
        let importer = Importer(store: card.bench.store, limits: SpaceLimits(), album: nil)
        try importer.take(["IMG_1.jpg", "IMG_1.json"].map { card.folder.path.appending($0) }, &report)
        #expect(report.added == 1 && report.sidecars == 1 && report.unusedSidecarCount == 0, "\(report)")
        // A folder that is emptied keeps files with an unused sidecar.
        try importer.take([card.folder.path.appending("IMG_2.jpg.json")], &report)
        #expect(report.added == 1 && report.unusedSidecarCount == 1, "\(report)")
    }

    @Test("Sidecars without a photo, or that are empty, too long or no XMP, are named each time; the photos come in")
    func sidecars() throws {
        for number in UInt8(1)...4 { try card.folder.write("IMG_\(number).JPG", Self.jpeg(number)) }
        try card.folder.write("IMG_1.xmp", [])
        try card.folder.write("IMG_2.xmp", Array("no XMP at all".utf8))
        try card.folder.write("IMG_3.AAE", [])
        try card.folder.write("IMG_4.xmp", Array(repeating: 0x20, count: (1 << 20) + 1))
        try card.folder.write("IMG_9.xmp", Array("<x/>".utf8))
        let wanted = [
            "IMG_1.xmp: it is empty", "IMG_2.xmp: it is not readable XMP", "IMG_3.AAE: it is empty",
            "IMG_4.xmp: it is longer",
        ]
        for round in 0..<3 {
            // Later, files are known by how they look.
            let importer = Importer(
                store: card.bench.store,
                limits: SpaceLimits(),
                album: nil,
                now: { HostClock.now().advanced(by: .seconds(60)) }
            )
            let report = try importer.run([card.folder.path]).report
            #expect(report.added == (round == 0 ? 4 : 0) && report.known == (round == 0 ? 0 : 4), "\(report)")
            #expect(report.sidecars == 0 && report.skipped == 0 && report.failed.isEmpty, "\(report)")
            #expect(report.orphans.count == 1 && report.orphans[0].contains("IMG_9.xmp: no photo"), "\(report)")
            let unreadable = report.unreadable.sorted()
            #expect(unreadable.count == 4, "\(report)")
            for (line, words) in zip(unreadable, wanted) { #expect(line.contains(words), "\(report)") }
        }
        #expect(try card.types() == Array(repeating: [.photo], count: 4))
    }

    @Test("The last line has every number that is not zero, and the three that always tell something")
    func summary() {
        var report = Importer.Report()
        #expect(report.summary(isDryRun: false) == "0 new, 0 known, 0 no media.")
        (report.added, report.livePhotos, report.known, report.skipped, report.sidecars) = (35, 4, 3, 4, 7)
        (report.damaged, report.failed, report.orphans) = (["a", "b"], ["c"], ["d", "e"])
        #expect(
            report.summary(isDryRun: false) == "35 new (4 Live Photos), 3 known, 4 no media, 7 sidecars taken up, "
                + "2 damaged (imported anyway), 1 not taken, 2 without a photo."
        )
        (report.late, report.unreadable, report.livePhotos) = (["f"], ["g"], 1)
        #expect(
            report.summary(isDryRun: true) == "35 would be new (1 Live Photo), 3 known, 4 no media, "
                + "7 sidecars would be taken up, 2 damaged (would be imported anyway), 1 not taken, 2 not taken up, "
                + "2 without a photo."
        )
    }

    @Test("An import that is told to stop keeps what it has looked at, takes nothing more, and goes on the next time")
    func stopped() throws {
        // More than are read at once on any machine.
        let count = 200
        for number in 1...count { try card.folder.write("IMG_\(number).JPG", Self.jpeg(UInt8(number))) }
        let mustStop = Atomic(false)
        let importer = Importer(
            store: card.bench.store,
            limits: SpaceLimits(),
            album: nil,
            mustStop: { mustStop.load(ordering: .relaxed) }
        )
        let outcome = try importer.run([card.folder.path]) { progress in
            if progress.doneCount == 2 { mustStop.store(true, ordering: .relaxed) }
        }
        let taken = outcome.report.added
        #expect(outcome.isStopped && 2..<count ~= taken && outcome.error == nil, "\(outcome)")
        #expect(try card.bench.store.entries().count == taken)
        let early = try importer.run([card.folder.path])
        #expect(early.isStopped && early.report.added == 0, "half a look is none")
        #expect(try card.run().added == count - taken)
    }
}
