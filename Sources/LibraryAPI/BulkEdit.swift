package import PhotoModel

/// One edit of many assets at once.
package struct BulkEdit: Hashable, Sendable, Codable {
    /// The assets, without duplicates.
    package var assets: [AssetID]
    /// The changes to each.
    package var edit = AssetEdit()
    /// A capture date for each asset in the order of ``assets``, to correct a wrong camera clock; nil for none.
    ///
    /// Dates rather than a shift, so that repeating a request whose response was lost does not move them twice.
    package var captureDateOverrides: [WallTime]?

    /// The response to an invalid request; nil if it is valid.
    package var problem: ProblemDetails? {
        guard 1...APILimits.bulkEditCount ~= assets.count, Set(assets).count == assets.count else {
            return ProblemDetails(
                .tooLarge,
                "Edit 1 to \(APILimits.bulkEditCount) assets at once, each once.",
                field: "assets"
            )
        }
        if let dates = captureDateOverrides, dates.count != assets.count || edit.captureDateOverride != nil {
            return ProblemDetails(
                .malformedRequest,
                "Give one date for all assets, or a date for each in their order.",
                field: "captureDateOverrides"
            )
        }
        return edit.problem
    }

    /// The edit of the asset at an index of ``assets``.
    package func edit(at index: Int) -> AssetEdit {
        guard let dates = captureDateOverrides else { return edit }
        var own = edit
        own.captureDateOverride = dates[index]
        return own
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

    package init(outcomes: [Outcome]) { self.outcomes = outcomes }
}
