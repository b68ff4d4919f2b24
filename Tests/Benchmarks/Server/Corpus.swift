import Foundation
import LibraryAPI
import LibraryClient
import LibraryLoad
import Persistence
import PhotoModel
import TestSupport

/// Files on disk with what a box knows of them after a capture: a manifest, with the digest that was made then.
struct Corpus {
    let folder: URL
    let manifests: [AssetManifest]
    let byteCount: Int64

    /// Writes files of equal size, each with bytes of its own.
    init(_ folder: URL, count: Int, byteCount: Int64, seed: UInt64) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var generator = SeededGenerator(seed: seed)
        var manifests: [AssetManifest] = []
        for index in 0..<count {
            let capture = try SampleCapture(sizes: [byteCount], &generator)
            let bytes = capture.contents[0].read(0, Int(byteCount))
            try Data(bytes).write(to: folder.appending(path: "\(index).jpg"))
            manifests.append(capture.manifest)
        }
        self.folder = folder
        self.manifests = manifests
        self.byteCount = byteCount
    }

    var totalByteCount: Int64 { byteCount * Int64(manifests.count) }

    /// A file's bytes, read while they are sent.
    func source(_ index: Int) throws -> BodySource {
        let path = Path(folder.appending(path: "\(index).jpg").path)
        let file = try PosixFileSystem().open(path, .read)
        return BodySource(byteCount: byteCount) { offset, count in try file.read(count, at: offset) }
    }
}

/// A folder that is gone afterwards.
final class BenchmarkFolder {
    let url = FileManager.default.temporaryDirectory.appending(path: "tt-\(UUID().uuidString.prefix(8))")

    init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: url) }
}
