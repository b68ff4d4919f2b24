package import Authorization
package import LibraryAPI
package import PhotoModel

/// One response of the change feed.
package struct ChangePage: Hashable, Sendable {
    /// The changes, in order.
    package let changes: [EntityChange]
    /// Where to continue.
    package let position: ChangePosition
    /// Whether more is available already.
    package let hasMore: Bool
}

extension ChangePage {
    /// A page without changes.
    package static func empty(at position: ChangePosition) -> ChangePage {
        ChangePage(changes: [], position: position, hasMore: false)
    }
}

/// Whose view of the changes is requested.
package enum ChangeViewer: Hashable, Sendable {
    /// Everything; the version goes into the token.
    case everything(grantVersion: UInt64)
    /// What a limited device sees.
    case limited(DeviceID, Selection, grantVersion: UInt64)

    /// The version of the viewer's grant, for the token.
    package var grantVersion: UInt64 {
        switch self {
        case .everything(let version), .limited(_, _, let version): version
        }
    }

    /// The viewer's view of assets.
    var view: LibraryView {
        switch self {
        case .everything: .everything
        case .limited(let device, let selection, _): .selection(selection, device)
        }
    }
}
