import Foundation
import Persistence
import Testing

@testable import AgentCommands

/// Files that the user names on the command line.
struct ArgumentFileTests {
    @Test("A named file may be a link or a pipe; a folder and a file that is too long are refused in words")
    func kinds() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tintype-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "token")
        let link = folder.appending(path: "link")
        try Data("TT1".utf8).write(to: file)
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
        let pipe = Pipe()
        try pipe.fileHandleForWriting.write(contentsOf: Data("TT1".utf8))
        try pipe.fileHandleForWriting.close()
        defer { withExtendedLifetime(pipe) {} }
        let piped = "/dev/fd/\(pipe.fileHandleForReading.fileDescriptor)"
        for name in [file.path, link.path, piped] {
            #expect(try ArgumentFile.read(name, maximumByteCount: 3) == Array("TT1".utf8), "\(name)")
        }
        #expect(try ArgumentFile.read(folder.appending(path: "none").path, maximumByteCount: 3) == nil)
        let long = #expect(throws: PersistenceError.self) { _ = try ArgumentFile.read(link.path, maximumByteCount: 2) }
        #expect(long?.description.contains("longer than 2 bytes") == true)
        let name = folder.path
        let refused = #expect(throws: PersistenceError.self) { _ = try ArgumentFile.read(name, maximumByteCount: 3) }
        #expect(refused?.description.contains("it is a folder") == true)
    }

    @Test("A link where none is followed is refused in words")
    func unfollowed() throws {
        let link = FileManager.default.temporaryDirectory.appending(path: "tintype-\(UUID().uuidString)")
        try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: "/etc/hostname")
        defer { try? FileManager.default.removeItem(at: link) }
        let path = Path(link.path)
        let refused = #expect(throws: PersistenceError.self) { _ = try PosixFileSystem().open(path, .read) }
        #expect(refused?.description.contains("it is a link") == true)
    }
}
