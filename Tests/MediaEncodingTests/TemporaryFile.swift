import Foundation

/// A file that goes with the value.
final class TemporaryFile {
    let path: String

    /// Writes bytes; nil when they cannot be written.
    init?(_ bytes: [UInt8]) {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("tintype-\(UUID().uuidString)")
        guard (try? Data(bytes).write(to: url)) != nil else { return nil }
        path = url.path
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }
}
