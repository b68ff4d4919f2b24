package import Authorization
import FoundationEssentials
package import PhotoModel

/// The caller of the store, and the gate that judges it inside the transaction.
///
/// The gate sees the device's record in the same transaction as the write it allows, so that no write takes effect
/// after a decision against it.
package struct StoreCaller: Sendable {
    /// Judges the call by the device's record; nil for operators.
    ///
    /// Throws the refusal for the caller.
    package typealias Gate = @Sendable (_ record: DecisionRecord?) throws -> Void

    /// The actor.
    package let actor: Actor
    /// Judges the call.
    package let gate: Gate

    /// A caller judged by a gate.
    package init(_ actor: Actor, gate: @escaping Gate = { _ in }) {
        self.actor = actor
        self.gate = gate
    }

    /// A device.
    package static func device(_ id: DeviceID, gate: @escaping Gate = { _ in }) -> StoreCaller {
        StoreCaller(.device(id), gate: gate)
    }

    /// An operator.
    package static func administrator(_ name: String) -> StoreCaller { StoreCaller(.administrator(name)) }

    /// The calling device; nil for operators.
    package var deviceID: DeviceID? {
        guard case .device(let id) = actor else { return nil }
        return id
    }

    /// The owner of uploads, receipts and resources: the device, or all operators together.
    var owner: Data { deviceID?.blob ?? Data() }
}

/// The part of the library that a call may see.
package enum LibraryView: Hashable, Sendable {
    /// Everything.
    case everything
    /// A limited device's selection, including its own captures.
    case selection(Selection, DeviceID)
    /// A device's own assets.
    case own(DeviceID)

    /// Whether it contains an asset; the in-memory evaluator that SQL is tested against.
    package func contains(_ asset: Asset) -> Bool {
        switch self {
        case .everything: true
        case .selection(let selection, let device): selection.contains(asset, for: device)
        case .own(let device): asset.deviceID == device
        }
    }

    /// The asset as shown in this view; nil if it is not in it.
    ///
    /// It names only granted albums.
    func shown(_ asset: Asset) -> Asset? {
        guard contains(asset) else { return nil }
        guard self != .everything else { return asset }
        var asset = asset
        asset.albums = Set(asset.albums.filter(names))
        return asset
    }

    /// Whether an album may be named.
    func names(_ album: AlbumID) -> Bool { grantedAlbums?.contains(album) ?? true }

    /// The albums that may be named; nil for all.
    var grantedAlbums: Set<AlbumID>? {
        switch self {
        case .everything: nil
        case .selection(let selection, _): selection.grantedAlbums
        case .own: []
        }
    }

    /// A list's options within this view: albums outside it count as nonexistent.
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
        case .kind, .playbackStyle, .captured, .device, .keyword, .rating, .text, .near, .inside: filter
        }
    }
}

extension DecisionRecord {
    /// The part of the library that the device may see.
    var view: LibraryView { access.readWrite == .authorized ? .everything : .selection(selection, device) }

    /// Whether saving an asset again may change it: the device saved it first, or may see it.
    func mayChange(_ asset: Asset) -> Bool {
        asset.deviceID == device || access.readWrite.grantsAccess && view.contains(asset)
    }
}
