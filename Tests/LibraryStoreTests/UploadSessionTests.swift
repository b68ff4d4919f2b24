import LibraryAPI
import Persistence
import PersistenceTestSupport
import PhotoModel
import Testing

@testable import LibraryStore

struct UploadSessionTests {
    @Test("an upload that has ended keeps no file open, unless a request still writes to it")
    func forgets() async {
        let sessions = UploadSessions()
        let (unused, used) = (UploadID(rawValue: 1), UploadID(rawValue: 2))
        let ended = await sessions.borrow(unused)
        await sessions.giveBack(unused)
        let written = await sessions.borrow(used)
        await sessions.forget([unused, used, UploadID(rawValue: 3)])
        let next = await sessions.borrow(unused)
        #expect(next !== ended)
        let same = await sessions.borrow(used)
        #expect(same === written)
    }

    @Test("T120: the hashes of the uploads used last are remembered, and of none that is too short or has ended")
    func remembers() throws {
        let file = try StagingFile(Path("/upload"), durableByteCount: 0, in: SimulatedFileSystem(seed: 1))
        let marks = ReceptionMarks(maximumCount: 2, minimumByteCount: 1)
        marks.keep(file.mark(), of: "empty")
        #expect(marks.mark(of: "empty") == nil)
        try file.append([1])
        for name in ["a", "b", "c", "d"] {
            marks.keep(file.mark(), of: name)
            #expect(marks.mark(of: "a")?.byteCount == 1)
        }
        #expect(["a", "b", "c", "d"].filter { marks.mark(of: $0) != nil } == ["a", "c", "d"])
        marks.forget(["a"])
        #expect(marks.mark(of: "a") == nil)
    }
}
