package import Authorization
import FoundationEssentials
package import PhotoModel

/// On whose behalf the store acts, and what judges it inside the transaction.
///
/// The gate sees what is recorded of the device in the same transaction as the write that it allows, so that no write
/// is older than a decision against it.
package struct StoreCaller: Sendable {
    /// Judges the call by what is recorded of the device; nil for operators.
    ///
    /// Throws what the caller is to be told.
    package typealias Gate = @Sendable (_ record: DecisionRecord?) throws -> Void

    /// Who it is.
    package let actor: Actor
    /// What judges the call.
    package let gate: Gate

    /// A caller who is judged by a gate.
    package init(_ actor: Actor, gate: @escaping Gate = { _ in }) {
        self.actor = actor
        self.gate = gate
    }

    /// A device.
    package static func device(_ id: DeviceID, gate: @escaping Gate = { _ in }) -> StoreCaller {
        StoreCaller(.device(id), gate: gate)
    }

    /// An operator.
    package static func administrator(_ name: String) -> StoreCaller {
        StoreCaller(.administrator(name))
    }

    /// The device that calls; nil for operators.
    package var deviceID: DeviceID? {
        guard case .device(let id) = actor else { return nil }
        return id
    }

    /// Whom uploads and receipts belong to: the device, or all operators together.
    var owner: Data { deviceID?.blob ?? Data() }
}

/// Which part of the library a call may see.
package enum LibraryView: Hashable, Sendable {
    /// Everything.
    case everything
    /// What a limited device was granted, its own captures among it.
    case selection(Selection, DeviceID)
    /// What a device sent itself.
    case own(DeviceID)

    /// Whether an asset is in it; the evaluator in memory that SQL is held against.
    package func contains(_ asset: Asset) -> Bool {
        switch self {
        case .everything: true
        case .selection(let selection, let device): selection.contains(asset, for: device)
        case .own(let device): asset.deviceID == device
        }
    }

    /// The asset as this view shows it; nil where it is not in it.
    ///
    /// Of the albums that hold it only those that were granted are named.
    func shown(_ asset: Asset) -> Asset? {
        guard contains(asset) else { return nil }
        guard self != .everything else { return asset }
        var asset = asset
        asset.albums = Set(asset.albums.filter(names))
        return asset
    }

    /// Whether an album may be named.
    func names(_ album: AlbumID) -> Bool {
        switch self {
        case .everything: true
        case .selection(let selection, _): selection.grantedAlbums.contains(album)
        case .own: false
        }
    }

    /// A list's options as they count in this view: an album that may not be named is one that is not there.
    func visible(_ options: FetchOptions) -> FetchOptions {
        guard self != .everything, let filter = options.filter else { return options }
        var options = options
        options.filter = visible(filter)
        return options
    }

    private func visible(_ filter: AssetFilter) -> AssetFilter {
        switch filter {
        case .album(let album): names(album) ? filter : .any([])
        case .any(let parts): .any(parts.map(visible))
        case .all(let parts): .all(parts.map(visible))
        case .not(let part): .not(visible(part))
        case .kind, .playbackStyle, .captured, .device, .keyword, .rating, .text, .near: filter
        }
    }
}
