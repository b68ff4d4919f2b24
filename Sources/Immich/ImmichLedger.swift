import FoundationEssentials
package import Persistence
import PhotoModel

/// Maps an Immich server's assets to the library's, so that a repeated import fetches nothing twice.
///
/// JSON lines; only the last line can be torn by a power cut, and is then ignored. It is a hint, not a proof: the
/// program that imported the asset checks that it is still there.
package final class ImmichLedger {
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
    ///   - fileSystem: where the folder lies.
    /// - Throws: when it cannot be read.
    package init(of server: String, in folder: Path, _ fileSystem: any FileSystem) throws {
        path = folder.appending("immich-\("\(ContentHasher.digest(server.utf8))".prefix(16)).jsonl")
        self.fileSystem = fileSystem
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
        let line = Array(try JSONEncoder().encode(entry)) + [0x0A]
        let file = try fileSystem.open(path, .update)
        try file.truncate(to: byteCount)
        try file.write(line[...], at: byteCount)
        try file.close()
        byteCount += Int64(line.count)
        assets[entry.immich] = entry
    }
}
