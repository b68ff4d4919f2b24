import Foundation
import Persistence

@testable import MediaFiles

/// A folder that another program exported photos into, or a card from a camera.
final class ExportTree {
    let root = FileManager.default.temporaryDirectory.appending(path: "tt-\(UUID().uuidString.prefix(8))")

    init() throws { try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(at: root) }

    var path: String { root.path }

    func write(_ name: String, _ bytes: [UInt8]) throws {
        let file = root.appending(path: name)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        try Data(bytes).write(to: file)
    }

    /// What an import finds in it.
    func collection() throws -> MediaCollection {
        var collection = MediaCollection(in: PosixFileSystem())
        try collection.add(Path(root.path))
        collection.joinPairs()
        return collection
    }
}
