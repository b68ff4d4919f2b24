package import Authorization
package import LibraryAPI
package import PhotoModel

/// One answer of the change feed.
package struct ChangePage: Hashable, Sendable {
    /// What changed, in the order of the changes.
    package let changes: [EntityChange]
    /// Where to go on.
    package let position: ChangePosition
    /// Whether more is there already.
    package let hasMore: Bool
}

/// Whose view of the changes is wanted.
package enum ChangeViewer: Hashable, Sendable {
    /// Everything; the version belongs into the token.
    case everything(grantVersion: UInt64)
    /// What a limited device sees.
    case limited(DeviceID, Selection, grantVersion: UInt64)

    /// The version of the viewer's grant, for the token.
    package var grantVersion: UInt64 {
        switch self {
        case .everything(let version), .limited(_, _, let version): version
        }
    }

    /// What the viewer sees of assets.
    var view: LibraryView {
        switch self {
        case .everything: .everything
        case .limited(let device, let selection, _): .selection(selection, device)
        }
    }
}
