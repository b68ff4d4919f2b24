import Foundation
import Persistence
import PhotoModel

extension Programs {
    /// Files that begin as JPEGs do, small and large.
    func photos(_ sizes: [Int], seed: UInt8 = 0) throws -> [URL] {
        let folder = root.appending(path: "card-\(seed)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return try sizes.enumerated().map { index, size in
            let file = folder.appending(path: "\(seed)-\(index).jpg")
            let bytes = [0xFF, 0xD8, 0xFF, UInt8(index), seed] + (0..<size).map { UInt8(truncatingIfNeeded: $0 >> 3) }
            try Data(bytes).write(to: file)
            return file
        }
    }

    static func digests(_ files: [URL]) throws -> Set<String> {
        Set(try files.map { ContentHasher.digest(Array(try Data(contentsOf: $0))).description })
    }
}
