package import PhotoModel

/// One edit of many assets at once.
package struct BulkEdit: Hashable, Sendable, Codable {
    /// Seconds by which a date may be moved: 200 years of 365 days.
    package static let maximumShiftSeconds: Int64 = 200 * 365 * 86_400

    /// The assets, each once.
    package var assets: [AssetID]
    /// What is changed of each.
    package var edit: AssetEdit
    /// Seconds by which each capture date is moved, later or earlier: for a camera whose clock was wrong.
    package var captureDateShiftSeconds: Int64?

    package init(assets: [AssetID], edit: AssetEdit = AssetEdit(), captureDateShiftSeconds: Int64? = nil) {
        self.assets = assets
        self.edit = edit
        self.captureDateShiftSeconds = captureDateShiftSeconds
    }

    /// What is wrong with it, as the answer to who asks for it; nil when it can be tried.
    package var problem: ProblemDetails? {
        guard 1...APILimits.bulkEditCount ~= assets.count, Set(assets).count == assets.count else {
            return ProblemDetails(
                .tooLarge,
                "Edit 1 to \(APILimits.bulkEditCount) assets at once, each once.",
                field: "assets"
            )
        }
        if let shift = captureDateShiftSeconds {
            guard edit.captureDateOverride == nil, shift.magnitude <= Self.maximumShiftSeconds.magnitude else {
                return ProblemDetails(
                    .malformedRequest,
                    "A date is set or moved, not both, and moved by at most \(Self.maximumShiftSeconds) seconds.",
                    field: "captureDateShiftSeconds"
                )
            }
        }
        return edit.problem
    }

    /// The edit of one of the assets.
    package func edit(of asset: Asset) -> AssetEdit {
        guard let shift = captureDateShiftSeconds else { return edit }
        var moved = edit
        moved.captureDateOverride = asset.captureDate.advanced(by: .seconds(shift))
        return moved
    }
}

/// What became of each asset of a bulk edit, in the order of the request.
package struct BulkEditResponse: Hashable, Sendable, Codable {
    /// What became of one.
    package struct Outcome: Hashable, Sendable, Codable {
        /// Names the asset.
        package var id: AssetID
        /// The asset as it is now; nil where it was not changed.
        package var asset: Asset?
        /// Why it was not changed.
        package var problem: ProblemDetails?

        package init(id: AssetID, asset: Asset? = nil, problem: ProblemDetails? = nil) {
            self.id = id
            self.asset = asset
            self.problem = problem
        }
    }

    /// One outcome an asset.
    package var outcomes: [Outcome]

    package init(outcomes: [Outcome]) {
        self.outcomes = outcomes
    }
}
