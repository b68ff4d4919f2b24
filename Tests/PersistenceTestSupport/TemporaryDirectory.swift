import Foundation
package import Persistence

/// A directory of its own for one test; it goes away with the value.
package final class TemporaryDirectory: Sendable {
    /// Where it is.
    package let path: Path

    /// Makes the directory.
    package init() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("tintype-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = Path(url.path)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path.text)
    }
}
