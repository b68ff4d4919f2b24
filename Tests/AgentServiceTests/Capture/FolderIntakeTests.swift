import Capture
import Persistence
import PhotoModel
import TestSupport
import Testing

@testable import AgentCapture

extension FolderIntake.Mark {
    /// A file whose name is UTF-8.
    init(name: String, byteCount: Int64, modified: WallTime) {
        guard let file = FileName(name) else { preconditionFailure("not a name: \(name)") }
        self.init(file: file, byteCount: byteCount, modified: modified)
    }
}

struct FolderIntakeTests {
    private func at(_ milliseconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: milliseconds * 1_000_000) }

    private func mark(_ name: String, _ byteCount: Int64 = 10) -> FolderIntake.Mark {
        FolderIntake.Mark(name: name, byteCount: byteCount, modified: WallTime(microsecondsSince1970: byteCount))
    }

    @Test("A file is complete once its writer closed it, and waits the settling time for a partner")
    func closed() {
        var intake = FolderIntake(settleTime: .seconds(2), taken: [])
        intake.observe([mark("a.jpg")], closed: ["a.jpg"], at: at(0))
        #expect(intake.ready(at: at(1900)).isEmpty)
        #expect(intake.nextDeadline() == at(2000))
        #expect(intake.ready(at: at(2000)) == [[mark("a.jpg")]])
        intake.observe([mark("a.jpg")], closed: [], at: at(3000))
        #expect(intake.ready(at: at(9000)).isEmpty, "each file once")
    }

    @Test("Without a word from the kernel a file is complete when it has stayed the same")
    func settled() {
        var intake = FolderIntake(settleTime: .seconds(2), taken: [])
        intake.observe([mark("a.jpg", 10)], closed: [], at: at(0))
        intake.observe([mark("a.jpg", 20)], closed: [], at: at(1500))
        intake.observe([mark("a.jpg", 20)], closed: [], at: at(3000))
        #expect(intake.ready(at: at(3000)).isEmpty)
        intake.observe([mark("a.jpg", 20)], closed: [], at: at(3500))
        #expect(intake.ready(at: at(3500)) == [[mark("a.jpg", 20)]])
    }

    @Test("A still and its movie go together as soon as both are complete, and not before")
    func pair() {
        var intake = FolderIntake(settleTime: .seconds(2), taken: [])
        intake.observe([mark("a.heic"), mark("a.mov")], closed: ["a.heic"], at: at(0))
        #expect(intake.ready(at: at(1900)).isEmpty, "the movie is still written")
        intake.observe([mark("a.heic"), mark("a.mov", 50)], closed: [], at: at(2500))
        #expect(intake.ready(at: at(2500)).isEmpty, "the movie is still written")
        #expect(intake.nextDeadline() == at(4500), "nobody looks again and again meanwhile")
        intake.observe([mark("a.heic"), mark("a.mov", 99)], closed: ["a.mov"], at: at(2600))
        #expect(intake.ready(at: at(2600)) == [[mark("a.heic"), mark("a.mov", 99)]])
    }

    @Test(
        "Hidden and unfinished names are left alone until they get their own",
        arguments: [".a.jpg", "a.jpg.part", "a.TMP"]
    )
    func unfinished(name: String) {
        var intake = FolderIntake(settleTime: .seconds(1), taken: [])
        intake.observe([mark(name)], closed: [name], at: at(0))
        intake.observe([mark(name)], closed: [], at: at(5000))
        #expect(intake.ready(at: at(5000)).isEmpty && intake.nextDeadline() == nil)
    }

    @Test("A file that is written over is another file; one that could not be taken comes again")
    func again() {
        var intake = FolderIntake(settleTime: .seconds(1), taken: [mark("a.jpg")])
        intake.observe([mark("a.jpg", 77)], closed: ["a.jpg"], at: at(0))
        #expect(intake.ready(at: at(1000)) == [[mark("a.jpg", 77)]])
        intake.giveBack([mark("a.jpg", 77)], until: at(2000))
        intake.observe([mark("a.jpg", 77)], closed: [], at: at(2000))
        intake.observe([mark("a.jpg", 77)], closed: [], at: at(3000))
        #expect(intake.ready(at: at(3000)) == [[mark("a.jpg", 77)]])
    }

    @Test("However files are written, each is taken exactly once, whole, and with its partner")
    func property() {
        checkProperty("folder intake", cases: 200) { generator, size in
            var intake = FolderIntake(settleTime: .seconds(1), taken: [])
            var growing: [String: (now: Int64, last: Int64)] = [:]
            for index in 0..<size {
                growing["\(index).jpg"] = (1, Int64(generator.below(4) + 1))
                if generator.oneIn(2) { growing["\(index).mov"] = (1, Int64(generator.below(4) + 1)) }
            }
            var taken: [[FolderIntake.Mark]] = []
            for tick in 0..<40 {
                var closed: Set<String> = []
                for name in growing.keys.sorted() {
                    guard let file = growing[name], file.now < file.last else { continue }
                    growing[name]?.now += 1
                    if file.now + 1 == file.last { closed.insert(name) }
                }
                intake.observe(growing.map { mark($0.key, $0.value.now) }, closed: closed, at: at(Int64(tick) * 300))
                taken += intake.ready(at: at(Int64(tick) * 300))
            }
            let names = taken.joined().map(\.name)
            if Set(names).count != names.count { return "taken twice: \(names)" }
            if Set(names) != Set(growing.keys) { return "left: \(Set(growing.keys).subtracting(names))" }
            for group in taken {
                if group.contains(where: { $0.byteCount != growing[$0.name]?.last }) { return "taken too early" }
                let stem = FolderIntake.stem(group[0].name)
                if group.count != growing.keys.count(where: { FolderIntake.stem($0) == stem }) { return "torn apart" }
            }
            return nil
        }
    }

    @Test("The ledger remembers over a restart, forgets what is gone, and steps over damage")
    func ledger() throws {
        let folder = try TemporaryFolder()
        let ledger = TakenLedger(folder.path.appending("watched").appending("drop"))
        #expect(try ledger.load { _ in true }.isEmpty)
        try ledger.append([mark("a b.jpg", 1), mark("c.mov", 2)])
        try ledger.append([mark("d.jpg", 3)])
        #expect(try ledger.load { _ in true } == [mark("a b.jpg", 1), mark("c.mov", 2), mark("d.jpg", 3)])
        #expect(try ledger.load { $0.name != "c.mov" }.count == 2)
        #expect(try ledger.load { _ in true } == [mark("a b.jpg", 1), mark("d.jpg", 3)])
        try folder.write("watched/drop", Array("nonsense\n5 x y\n1 1 e.jpg\n".utf8))
        #expect(try ledger.load { _ in true } == [mark("e.jpg", 1)])
    }
}
