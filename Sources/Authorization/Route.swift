/// Every route of the server.
///
/// Any other route is denied to everybody.
///
/// `RouteTable` holds each route's pattern and answers.
package enum Route: Int, CaseIterable, Hashable, Sendable {
    // Open to everybody.
    case authority, health, readiness, apiDescription, page, pageFile, loginForm, login, logout
    // A device's identity.
    case enroll, enrollment, renewIdentity, rotateIdentity, identityState, identityWiped
    case authorizationStatus, requestAuthorization, contact
    // Saving.
    case createAsset, createBatch, appendUpload, uploadOffset, commitAsset, cancelUpload
    case receipts, receipt, checkHashes
    // Reading and editing.
    case assets, timeline, places, asset, thumbnail, resource, livePhoto, motionPhoto, superseded, facts
    case createArchive, archive, prepareArchive, archiveContent
    case changes, rangeHashes, changeStream
    case editAsset, editAssets, pushChanges, adjustAsset, revertAsset, trashAsset, purgeAsset
    case albums, createAlbum, albumAssets, addToAlbum, moveInAlbum, removeFromAlbum, editAlbum, deleteAlbum
    case selection, expandSelection
    // Picking.
    case createPicker, picker, editPicker, endPicker, pickedItems, pickedItem
    // Operators.
    case pickPage, picks
    case adminDevices, adminRequests, adminRevoke, adminWipe, adminDrain, adminResolve
    case adminEnrollmentTokens, adminCeilings, adminSelections, adminAudit, metrics
    case adminOperators, adminLibrary, adminJobs, adminImports, adminExports, adminPickers, adminWebLogins, adminWatch
}

extension Route {
    /// Whether a successful call shows that a device uses its right to read.
    ///
    /// Following the change feed does not, because every device that may read does so by itself; a push is judged by
    /// what it changes.
    package var isUseOfReading: Bool {
        switch self {
        case .changes, .rangeHashes, .changeStream, .pushChanges, .selection, .expandSelection: false
        default: DecisionTable.aspects[rawValue] == .reading
        }
    }
}

/// An HTTP method that the server supports (RFC 9110, section 9; PATCH: RFC 5789).
package enum RouteMethod: String, Hashable, Sendable {
    /// Reads.
    case get = "GET"
    /// Reads without a body.
    case head = "HEAD"
    /// Creates, or starts work.
    case post = "POST"
    /// Changes or appends.
    case patch = "PATCH"
    /// Removes or cancels.
    case delete = "DELETE"
}

extension Route {
    /// The route that covers a router's endpoint, for the check at startup; nil if no row of the table does.
    ///
    /// The method is in upper case, and the path's parameters are in braces; their names do not matter. A pattern
    /// ending in `/**` covers everything below. The longest match wins.
    package init?(method: String, template: String) {
        let wanted = Self.segments(template)
        let matching = RouteTable.entries.filter { entry in
            guard entry.method == nil || entry.method?.rawValue == method else { return false }
            var pattern = Self.segments(entry.path)
            if pattern.last == "**" {
                pattern.removeLast()
                return wanted.starts(with: pattern)
            }
            return wanted == pattern
        }
        guard let longest = matching.max(by: { Self.segments($0.path).count < Self.segments($1.path).count }) else {
            return nil
        }
        self = longest.route
    }

    private static func segments(_ path: String) -> [Substring] {
        path.split(separator: "/").map { $0.hasPrefix("{") && $0.hasSuffix("}") ? "{}" : $0 }
    }
}
