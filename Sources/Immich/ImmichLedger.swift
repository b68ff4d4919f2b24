import FoundationEssentials
package import Persistence
import PhotoModel

/// Maps an Immich server's assets to the library's, so that a repeated import fetches nothing twice.
///
/// It is a hint, not a proof: the program that imported the asset checks that it is still there.
package final class ImmichLedger {
    private struct Entry: Codable {
        let immich: String
        let checksum: String
        let asset: AssetID
    }

    private var file: LineFile
    private var assets: [String: Entry]

    /// Reads the ledger of a server's address in a folder.
    package init(of server: String, in folder: Path, _ fileSystem: any FileSystem) throws {
        let path = folder.appending("immich-\("\(ContentHasher.digest(server.utf8))".prefix(16)).jsonl")
        var entries: [String: Entry] = [:]
        file = try LineFile(path, in: fileSystem) { line in
            guard let entry = try? JSONDecoder().decode(Entry.self, from: Data(line)) else { return false }
            entries[entry.immich] = entry
            return true
        }
        assets = entries
    }

    /// The library's asset; nil if it was not imported, or its bytes have changed.
    subscript(asset: ImmichAsset) -> AssetID? {
        assets[asset.id].flatMap { $0.checksum == asset.checksum ?? "" ? $0.asset : nil }
    }

    /// Records the library's asset for one of the server's.
    func add(_ asset: ImmichAsset, _ id: AssetID) throws {
        let entry = Entry(immich: asset.id, checksum: asset.checksum ?? "", asset: id)
        try file.append(JSONEncoder().encode(entry))
        assets[entry.immich] = entry
    }
}
