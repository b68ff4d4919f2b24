import AgentStore
import Capture
import Foundation
import LibraryAPI
import Persistence
import PhotoModel
import TestSupport
import Testing

@testable import AgentCapture

/// Watched folders into which anybody writes, such as an FTP server's.
struct FolderAttackTests {
    private static let photo: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0] + Array(repeating: 1, count: 60) + [0xFF, 0xD9]

    private let bench: CaptureBench
    private let drop: TemporaryFolder

    init() throws {
        bench = try CaptureBench()
        drop = try TemporaryFolder()
    }

    private func runner(_ disposal: CaptureProfile.WatchPlan.Disposal = .remove) -> FolderRunner {
        let store = bench.store
        return FolderRunner(
            "drop",
            CaptureProfile.WatchPlan(folder: drop.path.text, settleTime: .milliseconds(100), disposal: disposal),
            bench.context(),
            importer: { Importer(store: store, limits: SpaceLimits(), album: nil) }
        )
    }

    @Test("T142: a photo that a document beside it excludes is not taken, and not removed from the folder either")
    func excluded() async throws {
        try drop.write("DSC_1.JPG", Self.photo)
        try drop.write("DSC_1.yml", Array("UID: ps1\nDeletedAt: 2026-01-01T00:00:00Z\n".utf8))
        let runner = runner()
        await runner.runOnce()
        #expect(try bench.store.entries().isEmpty)
        #expect(try PosixFileSystem().list(drop.path) == ["DSC_1.JPG", "DSC_1.yml"])
        #expect(await runner.status().failed["DSC_1.JPG"]?.contains("archive of PhotoPrism") == true)
    }

    @Test("T158: a photo whose transfer stalls is taken once, when it is whole; one that never is stays in the folder")
    func stalled() async throws {
        let part = Array(Self.photo.dropLast(30))
        try drop.write("DSC_1.JPG", part)
        let runner = runner()
        await runner.runOnce()
        #expect(try bench.store.entries().isEmpty)
        #expect(await runner.status().failed["DSC_1.JPG"]?.contains("it ends too early") == true)
        try drop.write("DSC_1.JPG", Self.photo)
        await runner.runOnce()
        #expect(try bench.store.entries().map(\.byteCount) == [Int64(Self.photo.count)])
        #expect(try PosixFileSystem().list(drop.path).isEmpty)
        try drop.write("DSC_2.JPG", part)
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1_700_000_000)],
            ofItemAtPath: drop.path.appending("DSC_2.JPG").text
        )
        await runner.runOnce()
        #expect(try bench.store.entries().last?.byteCount == Int64(part.count))
        #expect(try PosixFileSystem().list(drop.path) == ["DSC_2.JPG"])
        #expect(await runner.status().failed["DSC_2.JPG"]?.contains("it ends too early") == true)
    }

    @Test("T166: a photo in a folder that keeps its files, freed by a history that the library left, is taken again")
    func freedByFormerHistory() async throws {
        let store = bench.store
        try store.setDevice(DeviceID(rawValue: 5))
        _ = try store.offerAgain(unlessOf: LibraryEpoch(rawValue: 1))
        try drop.write("DSC_1.JPG", Self.photo)
        let runner = runner(.keep)
        await runner.runOnce()
        try store.saveAndFree(try #require(try store.entries().first))
        await runner.runOnce()
        #expect(try store.entries().map(\.state) == [.freed])
        _ = try store.offerAgain(unlessOf: LibraryEpoch(rawValue: 2))
        await runner.runOnce()
        #expect(try store.entries().map(\.state) == [.captured])
    }

    @Test("T143: problems of files are remembered as long as the files are there, and of so many at most")
    func problems() async throws {
        let most = FolderRunner.maximumFailureCount
        for number in 0..<most + 5 { try drop.write("\(number).JPG", []) }
        let runner = runner()
        await runner.runOnce()
        #expect(await runner.status().failed.count == most)
        for number in 0..<most + 5 { try PosixFileSystem().unlink(drop.path.appending("\(number).JPG")) }
        await runner.runOnce()
        #expect(await runner.status().failed.isEmpty)
    }

    @Test("T143: files that were taken are forgotten once they are gone")
    func forgotten() {
        let mark = FolderIntake.Mark(name: "a.jpg", byteCount: 1, modified: WallTime(microsecondsSince1970: 1))
        var intake = FolderIntake(settleTime: .zero, taken: [mark])
        let now = MonotonicTime(nanoseconds: 0)
        intake.observe([mark], closed: ["a.jpg"], at: now)
        #expect(intake.ready(at: now).isEmpty)
        intake.observe([], closed: [], at: now)
        intake.observe([mark], closed: ["a.jpg"], at: now)
        #expect(intake.ready(at: now) == [[mark]])
    }

    @Test("T143: files that could not be imported are tried again after a while, or once they change")
    func refused() {
        let time = WallTime(microsecondsSince1970: 1)
        let marks = (Int64(1)...2).map { FolderIntake.Mark(name: "a.jpg", byteCount: $0, modified: time) }
        var intake = FolderIntake(settleTime: .zero, taken: [])
        for (seconds, mark, isReady) in [(0, 0, true), (1, 0, false), (29, 0, false), (30, 0, true), (31, 1, true)] {
            let now = MonotonicTime(nanoseconds: Int64(seconds) * 1_000_000_000)
            intake.observe([marks[mark]], closed: [], at: now)
            let ready = intake.ready(at: now)
            #expect(ready == (isReady ? [[marks[mark]]] : []), "after \(seconds) s")
            for group in ready { intake.giveBack(group, until: now.advanced(by: .seconds(30))) }
        }
    }

    @Test("A still that could not be imported goes with the movie that comes or changes before it is tried again")
    func refusedPair() {
        let time = WallTime(microsecondsSince1970: 1)
        let still = FolderIntake.Mark(name: "a.jpg", byteCount: 1, modified: time)
        let movies = (Int64(1)...2).map { FolderIntake.Mark(name: "a.mov", byteCount: $0, modified: time) }
        let other = FolderIntake.Mark(name: "b.jpg", byteCount: 1, modified: time)
        var intake = FolderIntake(settleTime: .zero, taken: [])
        for (seconds, marks) in [[still, other], [still, movies[0], other], [still, movies[1], other]].enumerated() {
            let now = MonotonicTime(nanoseconds: Int64(seconds) * 1_000_000_000)
            intake.observe(marks, closed: [], at: now)
            let ready = intake.ready(at: now)
            #expect(ready == (seconds == 0 ? [[still], [other]] : [Array(marks.dropLast())]), "after \(seconds) s")
            for group in ready { intake.giveBack(group, until: now.advanced(by: .seconds(30))) }
        }
    }

    @Test("T144: the ledger of a folder whose files come and go starts over before it is too long to be read")
    func ledger() throws {
        let path = drop.path.appending("ledger")
        let ledger = TakenLedger(path, maximumByteCount: 100)
        let marks = (Int64(0)..<50).map { number in
            let time = WallTime(microsecondsSince1970: number)
            return FolderIntake.Mark(name: "latest.jpg", byteCount: 1, modified: time)
        }
        for mark in marks {
            try ledger.append([mark])
            let byteCount = try PosixFileSystem().status(path)?.byteCount
            #expect(byteCount.map { 1...100 ~= $0 } == true)
        }
        let kept = try ledger.load { $0 == marks[49] }
        #expect(kept == [marks[49]])
        // One of an earlier version, which had no limit but that of reading it.
        try drop.write("ledger", Array(repeating: UInt8(ascii: "\n"), count: 101))
        #expect(try ledger.load { _ in true }.isEmpty)
        #expect(try PosixFileSystem().status(path) == nil)
    }

    @Test("T145: a photo whose name is not UTF-8 is taken under that name; names that only look the same are two files")
    func names() async throws {
        let name = try #require(FileName(bytes: Array("Stra".utf8) + [0xDF] + Array("e.JPG".utf8)))
        let path = drop.path.appending(name)
        let file = try PosixFileSystem().open(path, .create)
        try file.write(Self.photo[...], at: 0)
        try file.close()
        await runner().runOnce()
        #expect(try bench.store.entries().map { $0.manifest.resources[0].originalFilename } == [name])
        #expect(try PosixFileSystem().list(drop.path).isEmpty)
        let now = MonotonicTime(nanoseconds: 0)
        var intake = FolderIntake(settleTime: .zero, taken: [])
        let time = WallTime(microsecondsSince1970: 1)
        let twins = ["caf\u{E9}.jpg", "cafe\u{301}.jpg"].map {
            FolderIntake.Mark(name: $0, byteCount: 1, modified: time)
        }
        intake.observe(twins, closed: [], at: now)
        #expect(Set(intake.ready(at: now).joined()) == Set(twins))
    }

    @Test("T145: a name that looks like a line of the ledger makes no other file count as taken")
    func forgedLine() throws {
        let ledger = TakenLedger(drop.path.appending("ledger"))
        let time = WallTime(microsecondsSince1970: 1)
        try ledger.append([.init(name: "a\n9 1 b.jpg", byteCount: 1, modified: time)])
        try ledger.append([.init(name: "c d.jpg", byteCount: 1, modified: time)])
        #expect(try ledger.load { _ in true }.map(\.name) == ["c d.jpg"])
    }
}
