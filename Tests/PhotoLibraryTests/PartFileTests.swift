import Foundation
import Persistence
import PhotoModel
import Testing

@testable import PhotoLibrary

struct PartFileTests {
    @Test("Two that are written at once for one name keep their own bytes, and both get a name")
    func together() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tintype-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = Path(folder.path)
        let name = SafeFileName(nil, identifier: AssetID(rawValue: 1), contentType: "image/jpeg")
        let still = try PartFile(name, in: path)
        _ = try still.append([1, 2])
        let movie = try PartFile(name, in: path)
        _ = try movie.append([3])
        _ = try still.append([4])
        let stillPath = try still.publish(named: name, in: path)
        let moviePath = try movie.publish(named: name, in: path)
        let files = PosixFileSystem()
        #expect(try files.readAll(stillPath) == [1, 2, 4] && files.readAll(moviePath) == [3])
        #expect(try Set(files.list(path)) == [stillPath.name, moviePath.name], "nothing else is left")
    }
}
