import FoundationEssentials
import Persistence
import PhotoModel
import Terminal

/// What an export has written so far, so that it can resume, and never takes a foreign file for its own.
///
/// It is a ``LineFile`` in the export's folder.
final class ExportLedger {
    /// One file that was written.
    struct Entry: Hashable, Codable {
        let asset: AssetID
        /// The common beginning of the paths of the asset's files.
        let base: String
        /// The path below the export's folder.
        let path: String
        let digest: ContentDigest
        let byteCount: Int64
    }

    /// A file that was deleted because its asset left the library.
    private struct Removal: Codable {
        let removed: String
    }

    static let fileName = ".tintype-export.jsonl"

    private var file: LineFile
    private var entriesByPath: [String: Entry] = [:]
    private var basesByAsset: [AssetID: String] = [:]
    private var pathsByAsset: [AssetID: Set<String>] = [:]

    /// Reads the ledger of a folder.
    init(folder: Path, in fileSystem: any FileSystem) throws {
        var lines: [(entry: Entry?, removed: String?)] = []
        file = try LineFile(folder.appending(Self.fileName), in: fileSystem) { line in
            let entry = try? JSONDecoder().decode(Entry.self, from: Data(line))
            let removal = entry == nil ? try? JSONDecoder().decode(Removal.self, from: Data(line)) : nil
            lines.append((entry, removal?.removed))
            return entry != nil || removal != nil
        }
        for line in lines {
            if let entry = line.entry { remember(entry) }
            if let path = line.removed { forget(path) }
        }
    }

    /// The file written at a path.
    subscript(path: String) -> Entry? { entriesByPath[path] }

    /// The common beginning of the paths of an asset's files, if it was exported before.
    func base(of asset: AssetID) -> String? { basesByAsset[asset] }

    /// The asset whose file is at a path.
    func owner(of path: String) -> AssetID? { entriesByPath[path]?.asset }

    /// The assets that have files.
    var assets: Set<AssetID> { Set(pathsByAsset.keys) }

    func entries(of asset: AssetID) -> [Entry] {
        (pathsByAsset[asset] ?? []).sorted().compactMap { entriesByPath[$0] }
    }

    /// Records a durable file.
    func add(_ entry: Entry) throws {
        try file.append(Renderer.compactJSON(entry).utf8)
        remember(entry)
    }

    /// Records that a file is no longer the export's.
    func remove(_ entry: Entry) throws {
        try file.append(Renderer.compactJSON(Removal(removed: entry.path)).utf8)
        forget(entry.path)
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
