package import PhotoModel

/// Describes an edit of an asset: how it was made, and its renderings.
///
/// The base is unchanged. Repeating the request returns the same uploads; repeating it once their bytes are complete
/// applies the edit.
package struct AdjustmentRequest: Hashable, Sendable, Codable {
    /// The resource types that may belong to an edit.
    package static let resourceTypes: Set<AssetResourceType> = [
        .fullSizePhoto, .fullSizeVideo, .fullSizePairedVideo, .adjustmentData, .adjustmentBasePhoto,
        .adjustmentBaseVideo, .adjustmentBasePairedVideo,
    ]
    /// The resources of an edit that are shown instead of the original, or stand in for it.
    package static let renderingTypes = resourceTypes.subtracting([.adjustmentData])
    /// The longest name or version of a format, in bytes.
    package static let formatByteCount = 255

    /// The format of the adjustment data.
    package var adjustment: Adjustment
    /// The adjustment data and the renderings.
    package var resources: [AssetResource]

    package init(adjustment: Adjustment, resources: [AssetResource]) {
        self.adjustment = adjustment
        self.resources = resources
    }

    /// The first problem; nil if it is acceptable.
    package var problem: ProblemDetails? {
        let types = resources.map(\.type)
        guard types.count(where: { $0 == .adjustmentData }) == 1,
            types.contains(where: { [.fullSizePhoto, .fullSizeVideo].contains($0) })
        else {
            return ProblemDetails(
                .resourceMissing,
                "An edit needs its adjustment data and a rendering: describe both.",
                field: "resources"
            )
        }
        guard Set(types).count == types.count, Set(types).isSubset(of: Self.resourceTypes),
            Set(resources.map(\.id)).count == resources.count,
            [adjustment.formatIdentifier, adjustment.formatVersion].allSatisfy({
                1...Self.formatByteCount ~= $0.utf8.count && !$0.utf8.contains(0)
            })
        else {
            return ProblemDetails(
                .resourceInvalid,
                "An edit has each of its parts at most once, and no part of the original.",
                field: "resources"
            )
        }
        return resources.lazy.compactMap(\.problem).first
    }
}

/// The status of an edit.
package struct AdjustmentResponse: Hashable, Sendable, Codable {
    /// The remaining uploads; empty once the edit is applied.
    package var uploads: [UploadStatus]
    /// The edited asset; nil until every byte has arrived.
    package var asset: Asset?

    package init(uploads: [UploadStatus], asset: Asset? = nil) {
        self.uploads = uploads
        self.asset = asset
    }
}
