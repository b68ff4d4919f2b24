package import PhotoModel

/// What a change means to one viewer.
///
/// Why an asset left is not told.
package enum ViewEvent: String, Hashable, Sendable, Codable {
    /// The asset came into the view.
    case inserted
    /// It stayed, and its content changed.
    case updated
    /// It left the view, for whatever reason.
    case removed

    /// What happened to an asset in a view that did not change itself; nil when the viewer notices nothing.
    ///
    /// - Parameters:
    ///   - before: the asset as it was; nil when it did not exist.
    ///   - after: the asset as it is; nil when it is gone.
    ///   - selection: what the viewer may see.
    ///   - device: the viewer.
    package init?(from before: Asset?, to after: Asset?, in selection: Selection, for device: DeviceID) {
        let wasVisible = before.map { selection.contains($0, for: device) } ?? false
        let isVisible = after.map { selection.contains($0, for: device) } ?? false
        switch (wasVisible, isVisible) {
        case (false, true): self = .inserted
        case (true, false): self = .removed
        case (true, true) where before != after: self = .updated
        case (true, true), (false, false): return nil
        }
    }
}

/// What a change of selection does to a view.
package struct ViewChange: Hashable, Sendable {
    /// The assets that come into it.
    package let entering: Set<AssetID>
    /// The assets that leave it.
    package let leaving: Set<AssetID>

    /// Compares two views.
    package init(from before: Set<AssetID>, to after: Set<AssetID>) {
        entering = after.subtracting(before)
        leaving = before.subtracting(after)
    }
}

extension Selection {
    /// The assets of a library that a device may see.
    package func view(of library: some Sequence<Asset>, for device: DeviceID) -> Set<AssetID> {
        Set(library.lazy.filter { contains($0, for: device) }.map(\.id))
    }

    /// What a device gains and loses when this selection is replaced.
    package func change(to next: Selection, over library: [Asset], for device: DeviceID) -> ViewChange {
        ViewChange(from: view(of: library, for: device), to: next.view(of: library, for: device))
    }
}

/// A place in one viewer's change feed.
///
/// Its opaque, signed text is the change token.
package struct ViewPosition: Hashable, Sendable, Codable {
    /// The grant version under which the view was computed; a grant change starts a new epoch.
    package let epoch: UInt64
    /// Counts the view's changes within the epoch, without gaps.
    package let sequence: UInt64

    /// Takes both numbers as they are.
    package init(epoch: UInt64, sequence: UInt64) {
        self.epoch = epoch
        self.sequence = sequence
    }

    /// Makes sure that a feed can go on from here.
    ///
    /// - Parameters:
    ///   - current: the newest position of the feed.
    ///   - oldest: the first sequence whose successor is still known.
    /// - Throws: `changesTokenExpired` for another epoch, for trimmed history and for a place that never was.
    package func requireContinuable(to current: ViewPosition, oldest: UInt64) throws(AuthorizationError) {
        guard epoch == current.epoch, (oldest...max(oldest, current.sequence)).contains(sequence) else {
            throw AuthorizationError(.changesTokenExpired, "the view changed or its history is gone; enumerate again")
        }
    }
}
