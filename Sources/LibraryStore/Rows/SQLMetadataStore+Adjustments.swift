import FoundationEssentials
package import LibraryAPI
import Persistence
package import PhotoModel

extension SQLMetadataStore {
    /// What must be uploaded or published before an edit can be applied.
    ///
    /// Its uploads belong to a separate creation, named after the asset and the whole description, so that the same
    /// description finds them again.
    package func planAdjustment(
        of asset: AssetID,
        in view: LibraryView,
        by caller: StoreCaller,
        _ request: AdjustmentRequest
    ) async throws -> AdjustmentPlan {
        try await store.write(caller.locks) { database in
            _ = try admit(caller, database)
            if let problem = request.problem {
                throw StoreError(problem.code ?? .resourceInvalid, problem.detail, about: asset.description)
            }
            let current = try Self.visible(asset, in: view, database)
            if current.adjustment == request.adjustment, Set(request.resources).isSubset(of: current.resources) {
                return .done(current)
            }
            guard Set(current.resources.map(\.id)).isDisjoint(with: request.resources.map(\.id)) else {
                throw StoreError(.resourceInvalid, "The edit's resources need identifiers of their own.")
            }
            let draft = try Self.draft(request, of: current)
            let uploads = try describe(draft, isEdit: true, by: caller, database)
            guard uploads.allSatisfy(\.isComplete) else { return .send(uploads.map(\.status)) }
            return .publish(
                try Self.publications(uploads, of: draft, database),
                CommitRequest(
                    manifest: draft,
                    caller: caller,
                    needsCreation: true,
                    adjustment: AdjustmentTarget(asset: asset, view: view)
                ),
                replaced: try Self.addresses(of: current.resources.filter(\.belongsToEdit), database)
            )
        }
    }

    private static func draft(_ request: AdjustmentRequest, of asset: Asset) throws -> AssetManifest {
        let name = Array(try JSONColumn.encode(request).utf8)
        var draft = AssetManifest(
            id: .derived(from: ContentHasher.digest(asset.id.bytes + name)),
            mediaType: asset.mediaType,
            captureTime: asset.captureTime,
            resources: request.resources
        )
        draft.adjustment = request.adjustment
        return draft
    }

    private static func visible(_ id: AssetID, in view: LibraryView, _ database: any SQLSession) throws -> Asset {
        try AssetTable.fetch(id, in: view, database).orNotFound(id)
    }

    private static func addresses(of resources: [AssetResource], _ database: any SQLSession) throws -> [ContentAddress]
    {
        try resources.compactMap { try CommitTable.contentRow($0.digest, database)?.address }
    }

    /// Applies an edit whose bytes are published; the base is kept, and an earlier edit replaced.
    func apply(
        _ request: CommitRequest,
        to target: AdjustmentTarget,
        _ identity: LibraryIdentity,
        _ database: any SQLSession
    ) throws -> CommittedAsset {
        let (manifest, owner) = (request.manifest, request.caller.owner)
        try manifest.requireCreation(CommitTable.manifest(manifest.id, owner, database))
        var asset = try Self.visible(target.asset, in: target.view, database)
        try limits.requireRoom(for: manifest, isEdit: true, beside: usage(of: request.caller, database))
        try release(asset.resources.filter(\.belongsToEdit), of: asset, database)
        asset.resources = asset.resources.filter { !$0.belongsToEdit } + manifest.resources
        asset.adjustment = manifest.adjustment
        try recordContents(of: request, database)
        try AssetTable.save(asset, paidBy: owner, database)
        let number = try rows(of: request.caller, "adjusted", database).touch(.asset(asset.id))
        let receipt = receipt(request, asset.id, number, identity)
        return CommittedAsset(
            response: CommitResponse(receipt: try effects.signer.sign(receipt), album: nil),
            ended: try CommitTable.dropCreation(manifest.id, owner, database)
        )
    }

    private func release(_ edit: [AssetResource], of asset: Asset, _ database: any SQLSession) throws {
        for resource in edit {
            try UsageTable.release(resource, of: asset, at: effects.now(), within: limits, database)
        }
    }

    /// Reverts an asset's edit.
    package func revert(_ asset: AssetID, in view: LibraryView, by caller: StoreCaller) async throws -> RevertedAsset {
        try await store.write([.library]) { database in
            _ = try admit(caller, database)
            var current = try Self.visible(asset, in: view, database)
            let edit = current.resources.filter(\.belongsToEdit)
            guard current.adjustment != nil || !edit.isEmpty else { return RevertedAsset(asset: current, released: []) }
            let addresses = try Self.addresses(of: edit, database)
            try release(edit, of: current, database)
            current.resources.removeAll(where: \.belongsToEdit)
            current.adjustment = nil
            try AssetTable.save(current, database)
            try rows(of: caller, "reverted", database).touch(.asset(asset))
            return RevertedAsset(asset: current, released: addresses)
        }
    }

    /// Who changed what after a number.
    package func history(of asset: AssetID?, after number: ChangeNumber, limit: Int) async throws -> [HistoryEntry] {
        try await store.read { try HistoryTable.page(after: number, of: asset, limit: limit, $0) }
    }
}

extension AssetResource {
    /// Whether it was made by an edit and is removed with it.
    fileprivate var belongsToEdit: Bool { AdjustmentRequest.resourceTypes.contains(type) }
}
