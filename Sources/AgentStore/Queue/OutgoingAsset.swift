package import Authorization
import FoundationEssentials
import GRDB
import LibraryAPI
package import PhotoModel

/// An entry as far as sending it and judging its receipt need it.
///
/// The manifest is sent as it is stored; little of it is decoded.
package struct OutgoingAsset: Hashable, Sendable, Identifiable {
    private struct Part: Decodable {
        let resources: [AssetResource]
        let desiredAlbum: DesiredAlbum?
    }

    /// The columns that it needs.
    static let columns = """
        asset_id, manifest, device_id, hold, state IN ('captured', 'held', 'uploading') AS is_owed
        """

    /// The asset's identifier.
    package let id: AssetID
    /// The owning device; nil while the box has never been enrolled.
    package let deviceID: DeviceID?
    /// Whether it is still owed to the library.
    package let isOwed: Bool
    /// Why it is held; nil if it is not.
    package let hold: HoldReason?
    /// Its resources.
    package let resources: [AssetResource]
    /// Whether it requests an album.
    package let wantsAlbum: Bool
    /// Its manifest, as JSON.
    package let manifest: [UInt8]

    init(_ row: Row) throws {
        let asset: String = row["asset_id"]
        guard let id = AssetID(asset) else { throw AgentStoreError(.damaged, nil, "the queue has a row of \(asset)") }
        let document: Data = row["manifest"]
        let part = try JSONDecoder().decode(Part.self, from: document)
        let device: String? = row["device_id"]
        self.id = id
        deviceID = device.flatMap { DeviceID($0) }
        isOwed = row["is_owed"]
        hold = AgentStore.holdReason(row["hold"])
        resources = part.resources
        wantsAlbum = part.desiredAlbum != nil
        manifest = Array(document)
    }
}
