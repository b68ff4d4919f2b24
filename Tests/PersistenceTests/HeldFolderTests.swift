import Glibc
import Persistence
import PersistenceTestSupport
import Testing

struct HeldFolderTests {
    private let directory: TemporaryDirectory
    private let root: Path
    private let files = PosixFileSystem()

    init() throws {
        directory = try TemporaryDirectory()
        root = directory.path.appending("root")
        try files.createDirectories(root)
    }

    private func write(_ path: Path) throws { try files.open(path, .create).write([1, 2, 3], at: 0) }

    @Test("a folder is made on request, and a link or a file in its place is refused by its own path")
    func subfolders() throws {
        let held = try HeldFolder(root)
        #expect(try held.subfolder("a") == nil)
        try #require(try held.subfolder("a", isMade: true)?.subfolder("b", isMade: true)).within { folder in
            try write(folder.appending("c"))
        }
        #expect(try files.list(root.appending("a").appending("b")) == ["c"])
        let link = root.appending("link")
        #expect(unsafe symlink("a", link.text) == 0)
        try write(root.appending("file"))
        for name in ["link", "file"] {
            let error = #expect(throws: PersistenceError.self) { try held.subfolder(name, isMade: true) }
            #expect(error?.code == .exists && error?.object == root.appending(name).text)
        }
        try HeldFolder(link).within { folder throws in #expect(try files.list(folder) == ["b"]) }
    }

    @Test("a held folder stays itself when a link takes its place, and links in it are not followed")
    func swapped() throws {
        let other = directory.path.appending("other")
        try files.createDirectories(other)
        try write(other.appending("file"))
        let held = try HeldFolder(root)
        try files.rename(root, to: directory.path.appending("moved"))
        #expect(unsafe symlink(other.text, root.text) == 0)
        try held.within { folder throws in
            #expect(try files.list(folder) == [])
            #expect(unsafe symlink(other.appending("file").text, folder.appending("link").text) == 0)
            #expect(try files.status(folder.appending("link"))?.byteCount != 3)
            #expect(throws: PersistenceError.self) { try files.open(folder.appending("link"), .read) }
        }
    }
}
