package import PhotoModel

/// One edit of many assets at once.
package struct BulkEdit: Hashable, Sendable, Codable {
    /// Largest shift of a date in seconds: 200 years of 365 days.
    package static let maximumShiftSeconds: Int64 = 200 * 365 * 86_400

    /// The assets, without duplicates.
    package var assets: [AssetID]
    /// The changes to each.
    package var edit: AssetEdit
    /// Seconds to add to each capture date, to correct a wrong camera clock.
    package var captureDateShiftSeconds: Int64?

    package init(assets: [AssetID], edit: AssetEdit = AssetEdit(), captureDateShiftSeconds: Int64? = nil) {
        self.assets = assets
        self.edit = edit
        self.captureDateShiftSeconds = captureDateShiftSeconds
    }

    /// The problem to answer an invalid request with; nil if it is valid.
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

/// The outcome for each asset of a bulk edit, in the order of the request.
package struct BulkEditResponse: Hashable, Sendable, Codable {
    /// The outcome for one asset.
    package struct Outcome: Hashable, Sendable, Codable {
        /// The asset's identifier.
        package var id: AssetID
        /// The asset as it is now; nil if it was not changed.
        package var asset: Asset?
        /// Why it was not changed.
        package var problem: ProblemDetails?

        package init(id: AssetID, asset: Asset? = nil, problem: ProblemDetails? = nil) {
            self.id = id
            self.asset = asset
            self.problem = problem
        }
    }

    /// One outcome per asset.
    package var outcomes: [Outcome]

    package init(outcomes: [Outcome]) {
        self.outcomes = outcomes
    }
}
