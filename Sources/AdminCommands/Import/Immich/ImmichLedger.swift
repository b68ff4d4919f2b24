import FoundationEssentials
import Persistence
import PhotoModel

/// Which asset each asset of an Immich server has become, so that an import that is repeated fetches nothing twice.
///
/// A file of JSON lines in the user's state folder; a line that a power cut tore is the last one, and counts for nothing. It is
/// a memory, no proof: the library is asked whether it has the asset.
final class ImmichLedger {
    private struct Entry: Codable {
        let immich: String
        let checksum: String
        let asset: AssetID
    }

    private static let maximumByteCount = 1 << 30

    private let path: Path
    private let fileSystem: any FileSystem
    private var assets: [String: Entry] = [:]
    private var byteCount: Int64 = 0

    /// Reads the ledger of a server.
    ///
    /// - Parameters:
    ///   - server: the server's address.
    ///   - folder: where it lies.
    /// - Throws: when it cannot be read.
    init(of server: String, in folder: StateFolder) throws {
        path = folder.path.appending("immich-\("\(ContentHasher.digest(server.utf8))".prefix(16)).jsonl")
        fileSystem = folder.fileSystem
        guard let bytes = try fileSystem.readAll(path, maximumByteCount: Self.maximumByteCount) else { return }
        var length = 0
        for line in bytes.split(separator: 0x0A) {
            guard let entry = try? JSONDecoder().decode(Entry.self, from: Data(line)) else { break }
            assets[entry.immich] = entry
            length += line.count + 1
        }
        byteCount = Int64(min(length, bytes.count))
    }

    /// What an asset has become; nil where it was not imported, or has other bytes now.
    subscript(asset: ImmichAsset) -> AssetID? {
        assets[asset.id].flatMap { $0.checksum == asset.checksum ?? "" ? $0.asset : nil }
    }

    /// Writes down what an asset has become.
    func add(_ asset: ImmichAsset, _ id: AssetID) throws {
        let entry = Entry(immich: asset.id, checksum: asset.checksum ?? "", asset: id)
        let line = Array((try Renderer.compactJSON(entry) + "\n").utf8)
        let file = try fileSystem.open(path, .update)
        try file.truncate(to: byteCount)
        try file.write(line[...], at: byteCount)
        try file.close()
        byteCount += Int64(line.count)
        assets[entry.immich] = entry
    }
}
