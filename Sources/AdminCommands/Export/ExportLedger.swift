import FoundationEssentials
import Persistence
import PhotoModel

/// What an export has written so far, so that it can go on, and never mistakes somebody else's file for its own.
///
/// A file of JSON lines in the export's folder; a line that a power cut tore is the last one, and counts for nothing.
final class ExportLedger {
    /// One file that was written.
    struct Entry: Hashable, Codable {
        /// The asset that it is of.
        let asset: AssetID
        /// What the paths of the asset's files begin with.
        let base: String
        /// The path below the export's folder.
        let path: String
        /// The digest of its bytes.
        let digest: ContentDigest
        /// Its length.
        let byteCount: Int64
    }

    static let fileName = ".tintype-export.jsonl"

    private let path: Path
    private let fileSystem: any FileSystem
    private var entriesByPath: [String: Entry] = [:]
    private var basesByAsset: [AssetID: String] = [:]
    private var byteCount: Int64 = 0

    /// Reads the ledger of a folder.
    init(folder: Path, in fileSystem: any FileSystem) throws {
        path = folder.appending(Self.fileName)
        self.fileSystem = fileSystem
        guard let bytes = try fileSystem.readAll(path, maximumByteCount: 1 << 30) else { return }
        var length = 0
        for line in bytes.split(separator: 0x0A) {
            guard let entry = try? JSONDecoder().decode(Entry.self, from: Data(line)) else { break }
            remember(entry)
            length += line.count + 1
        }
        byteCount = Int64(min(length, bytes.count))
    }

    /// What was written at a path.
    subscript(path: String) -> Entry? { entriesByPath[path] }

    /// What the paths of an asset's files begin with, when it was exported before.
    func base(of asset: AssetID) -> String? { basesByAsset[asset] }

    /// The asset whose file is at a path.
    func owner(of path: String) -> AssetID? { entriesByPath[path]?.asset }

    /// Writes down a file that is durable.
    func add(_ entry: Entry) throws {
        let line = Array((try Renderer.compactJSON(entry) + "\n").utf8)
        let file = try fileSystem.open(path, .update)
        try file.truncate(to: byteCount)
        try file.write(line[...], at: byteCount)
        try file.close()
        byteCount += Int64(line.count)
        remember(entry)
    }

    private func remember(_ entry: Entry) {
        entriesByPath[entry.path] = entry
        basesByAsset[entry.asset] = entry.base
    }
}
