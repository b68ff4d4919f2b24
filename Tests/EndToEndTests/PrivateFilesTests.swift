import Foundation
import Testing

/// Who else can read what the programs keep, when somebody starts them by hand.
struct PrivateFilesTests {
    private func mode(_ path: URL) throws -> Int {
        try #require(FileManager.default.attributesOfItem(atPath: path.path)[.posixPermissions] as? Int)
    }

    @Test("A box's folders and files are its user's alone, whatever the umask")
    func agent() throws {
        let box = try Box()
        let photo = box.root.appending(path: "photo.jpg")
        try Data([0xFF, 0xD8, 0xFF, 0xD9]).write(to: photo)
        let process = box.process(["import", photo.path], ["library.add.usage=Keeps photos in tests"])
        let program = try #require(process.executableURL).path
        let words = ["-c", #"umask 0; exec "$0" "$@""#, program] + (process.arguments ?? [])
        let outcome = try tool("sh", words)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let names = try FileManager.default.subpathsOfDirectory(atPath: box.agentPath.path)
        #expect(names.contains("state.sqlite") && names.contains { $0.hasPrefix("originals/") })
        for name in [""] + names {
            let path = box.agentPath.appending(path: name)
            let isFolder = try path.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true
            let found = try mode(path)
            #expect(found == (isFolder ? 0o700 : 0o600), "\(name) has \(String(found, radix: 8))")
        }
    }
}
