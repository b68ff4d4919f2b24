import LibraryAPI
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
}
