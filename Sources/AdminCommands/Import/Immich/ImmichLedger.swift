import FoundationEssentials
import Persistence
import PhotoModel
import Terminal

/// Maps an Immich server's assets to the library's, so that a repeated import fetches nothing twice.
///
/// JSON lines in the user's state folder; only the last line can be torn by a power cut, and is then ignored. It is
/// a hint, not a proof: the library is asked whether it has the asset.
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
    ///   - folder: its folder.
    /// - Throws: if it cannot be read.
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

    /// The library's asset; nil if it was not imported, or its bytes have changed.
    subscript(asset: ImmichAsset) -> AssetID? {
        assets[asset.id].flatMap { $0.checksum == asset.checksum ?? "" ? $0.asset : nil }
    }

    /// Records the library's asset for one of the server's.
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
