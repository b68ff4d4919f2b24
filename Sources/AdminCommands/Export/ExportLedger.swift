import FoundationEssentials
import Persistence
import PhotoModel
import Terminal

/// What an export has written so far, so that it can resume, and never takes a foreign file for its own.
///
/// A file of JSON lines in the export's folder; only the last line can be torn by a power cut, and is then ignored.
final class ExportLedger {
    /// One file that was written.
    struct Entry: Hashable, Codable {
        /// Its asset.
        let asset: AssetID
        /// The common beginning of the paths of the asset's files.
        let base: String
        /// The path below the export's folder.
        let path: String
        /// The digest of its bytes.
        let digest: ContentDigest
        /// Its length.
        let byteCount: Int64
    }

    /// A file that was deleted because its asset left the library.
    private struct Removal: Codable {
        let removed: String
    }

    static let fileName = ".tintype-export.jsonl"

    private let path: Path
    private let fileSystem: any FileSystem
    private var entriesByPath: [String: Entry] = [:]
    private var basesByAsset: [AssetID: String] = [:]
    private var pathsByAsset: [AssetID: Set<String>] = [:]
    private var byteCount: Int64 = 0

    /// Reads the ledger of a folder.
    init(folder: Path, in fileSystem: any FileSystem) throws {
        path = folder.appending(Self.fileName)
        self.fileSystem = fileSystem
        guard let bytes = try fileSystem.readAll(path, maximumByteCount: 1 << 30) else { return }
        var length = 0
        for line in bytes.split(separator: 0x0A) {
            if let entry = try? JSONDecoder().decode(Entry.self, from: Data(line)) {
                remember(entry)
            } else if let removal = try? JSONDecoder().decode(Removal.self, from: Data(line)) {
                forget(removal.removed)
            } else {
                break
            }
            length += line.count + 1
        }
        byteCount = Int64(min(length, bytes.count))
    }

    /// The file written at a path.
    subscript(path: String) -> Entry? { entriesByPath[path] }

    /// The common beginning of the paths of an asset's files, if it was exported before.
    func base(of asset: AssetID) -> String? { basesByAsset[asset] }

    /// The asset whose file is at a path.
    func owner(of path: String) -> AssetID? { entriesByPath[path]?.asset }

    /// The assets that have files.
    var assets: Set<AssetID> { Set(pathsByAsset.keys) }

    /// The files of an asset.
    func entries(of asset: AssetID) -> [Entry] {
        (pathsByAsset[asset] ?? []).sorted().compactMap { entriesByPath[$0] }
    }

    /// Records a durable file.
    func add(_ entry: Entry) throws {
        try append(entry)
        remember(entry)
    }

    /// Records that a file is no longer the export's.
    func remove(_ entry: Entry) throws {
        try append(Removal(removed: entry.path))
        forget(entry.path)
    }

    private func append(_ value: some Encodable) throws {
        let line = Array((try Renderer.compactJSON(value) + "\n").utf8)
        let file = try fileSystem.open(path, .update)
        try file.truncate(to: byteCount)
        try file.write(line[...], at: byteCount)
        try file.close()
        byteCount += Int64(line.count)
    }

    private func remember(_ entry: Entry) {
        entriesByPath[entry.path] = entry
        basesByAsset[entry.asset] = entry.base
        pathsByAsset[entry.asset, default: []].insert(entry.path)
    }

    private func forget(_ path: String) {
        guard let entry = entriesByPath.removeValue(forKey: path) else { return }
        pathsByAsset[entry.asset]?.remove(path)
        guard pathsByAsset[entry.asset]?.isEmpty ?? true else { return }
        pathsByAsset[entry.asset] = nil
        basesByAsset[entry.asset] = nil
    }
}
