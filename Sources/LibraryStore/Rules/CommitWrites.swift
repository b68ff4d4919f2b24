import Authorization
import LibraryAPI
import PhotoModel

/// What the rows say of an asset that may be saved.
struct SavingFacts: Sendable {
    /// The caller's record; nil for operators.
    let record: DecisionRecord?
    /// The asset as somebody saved it before; nil if nobody did.
    let earlier: Asset?
    /// What counts for the device already; nil for callers without a quota.
    let usage: DeviceUsage?
    /// The server's time.
    let time: WallTime
}

/// What a commit writes.
struct CommitWrites: Hashable, Sendable {
    /// The asset: new, or one that was saved before, with the resources of both.
    let asset: Asset
    /// Whether nobody saved it before.
    let isNew: Bool
    /// Whether it joins the album that an operator assigned to the device.
    ///
    /// That requires no level. Others' assets that the device may not see do not join, and the answer does not tell.
    let joinsAssignedAlbum: Bool

    /// Decides, in the transaction in which the facts were read.
    ///
    /// - Throws: the first refusal.
    init(_ manifest: AssetManifest, _ facts: SavingFacts, within limits: StoreLimits) throws(StoreError) {
        if let earlier = facts.earlier {
            let mayChange = facts.record?.mayChange(earlier) ?? true
            asset = try Self.merged(manifest, with: earlier, mayChange: mayChange)
            joinsAssignedAlbum = mayChange
        } else {
            var new = manifest.asset
            new.additionDate = facts.time
            asset = new
            joinsAssignedAlbum = true
        }
        isNew = facts.earlier == nil
        try limits.requireRoom(for: manifest, beside: facts.usage)
    }

    /// What a caller may add to an imported photo that it may not see.
    ///
    /// Two boxes import one photo as one asset, and one may have files of the shot that the other lacked: refused, they
    /// would stay in its queue for ever.
    private static let completingTypes: Set<AssetResourceType> = [.pairedVideo, .alternatePhoto]

    /// Whether added resources only complete an imported photo, with one of each type that it lacks.
    private static func complete(_ asset: Asset, _ added: [AssetResource]) -> Bool {
        let types = Set(added.map(\.type))
        return asset.id.isDerived && types.count == added.count && types.isSubset(of: completingTypes)
            && types.isDisjoint(with: asset.resources.map(\.type))
    }

    /// An asset that was saved before, with the resources of both.
    private static func merged(
        _ manifest: AssetManifest,
        with earlier: Asset,
        mayChange: Bool
    ) throws(StoreError) -> Asset {
        var asset = earlier
        let known = Set(asset.resources.map(\.id))
        let present = asset.resources
        let added = manifest.resources.filter { resource in
            !known.contains(resource.id) && !present.contains { $0.hasBytes(of: resource) }
        }
        let all = asset.resources + added
        let isOtherwise = manifest.resources.contains { resource in
            present.contains { $0.id == resource.id && $0.digest != resource.digest }
        }
        guard !isOtherwise, asset.primaryResource?.digest == manifest.asset.primaryResource?.digest,
            AssetResource.problem(in: all) == nil, mayChange || complete(asset, added) || added.isEmpty
        else { throw StoreError.identifierTaken(manifest.id) }
        // Saving adds originals; an edit changes how the asset looks, which requires more rights.
        guard !added.contains(where: { AdjustmentRequest.renderingTypes.contains($0.type) }) else {
            throw StoreError(
                .assetConflict,
                "The asset already exists, without this edit: send the edit as an adjustment of it, or save both under "
                    + "a new identifier.",
                about: manifest.id.description
            )
        }
        asset.resources = all
        if asset.mediaType == .image, all.contains(where: { $0.type == .pairedVideo }) {
            asset.mediaSubtypes.insert(.photoLive)
            asset.playbackStyle = .livePhoto
        }
        return asset
    }
}

extension AssetResource {
    /// Whether another resource has the same role and the same bytes, whatever its name.
    fileprivate func hasBytes(of other: AssetResource) -> Bool {
        type == other.type && digest == other.digest && byteCount == other.byteCount
    }
}
