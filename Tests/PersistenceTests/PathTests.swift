import Persistence
import PhotoModel
import Testing

struct PathTests {
    @Test("paths that are not UTF-8 keep their bytes, and are ordered by them where they look the same")
    func foreignBytes() throws {
        let names = try [[0xE4], [0xF6]].map { try #require(FileName(bytes: $0)) }
        for folder in [Path("/"), Path("/media"), Path("/media").appending(names[0])] {
            let (first, second) = (folder.appending(names[0]), folder.appending(names[1]))
            #expect(first.text == second.text && first != second)
            #expect(first < second && !(second < first) && !(first < first))
            #expect(first.parent == folder && second.appending("a").parent == second)
            #expect(second.appending("a").systemBytes == second.systemBytes.dropLast() + [0x2F, 0x61, 0])
        }
    }
}
