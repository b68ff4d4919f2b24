import Authorization
import FoundationEssentials
package import LibraryAPI
import Persistence
package import PhotoModel

extension SQLMetadataStore {
    /// What must be published before an asset can be committed.
    package func planCommit(_ asset: AssetID, by caller: StoreCaller) async throws -> CommitPlan {
        try await store.read { database in
            _ = try admit(caller, database)
            // If there is a response and a creation, bytes were missing and have been sent again. An edit's creation
            // does not make an asset: it is applied by its own call.
            guard let manifest = try CommitTable.manifest(asset, caller.owner, database), manifest.problem == nil else {
                if let answer = try CommitTable.answer(asset, caller.owner, database) { return .done(answer) }
                throw StoreError.notFound(asset.description)
            }
            let uploads = try UploadTable.of(asset: asset, owner: caller.owner, database)
            guard uploads.allSatisfy(\.isComplete) else { throw Self.incomplete(uploads, of: asset) }
            return .publish(try Self.publications(uploads, of: manifest, database), manifest)
        }
    }

    /// What to do with the staged bytes of complete uploads.
    static func publications(
        _ uploads: [UploadRecord],
        of manifest: AssetManifest,
        _ database: any SQLSession
    ) throws -> [Publication] {
        let types = Dictionary(
            manifest.resources.map { ($0.id, $0.contentType) },
            uniquingKeysWith: { first, _ in first }
        )
        return try uploads.map { upload in
            let known = try CommitTable.contentRow(upload.digest, database)
            let announced = ContentAddress(upload.digest, contentType: types[upload.resourceID] ?? "")
            return Publication(
                .upload(upload.id.description, copy: upload.copy),
                address: known?.address ?? announced,
                announced: announced,
                byteCount: upload.byteCount,
                isKnown: try known != nil && !CommitTable.isMissing(upload.digest, database)
            )
        }
    }

    private static func incomplete(_ uploads: [UploadRecord], of asset: AssetID) -> StoreError {
        let missing = uploads.filter { !$0.isComplete }
        return StoreError(
            .assetIncomplete,
            "\(missing.count) of \(uploads.count) resources are not complete: send the rest of "
                + missing.prefix(3).map(\.resourceID.description).joined(separator: ", ") + ".",
            about: asset.description
        )
    }

    /// Makes assets visible.
    package func commit(_ requests: [CommitRequest]) async -> [Result<CommitResponse, any Error>] {
        await transaction(of: requests, [.library]) { requests, database in
            let identity = try Self.identity(database)
            var answers: [Result<CommitResponse, any Error>] = []
            var rest = requests[...]
            while !rest.isEmpty {
                let part = rest.prefix(Self.unrepeatedCount(rest))
                answers += try give(try Self.apart(part, database) { try commit($0, identity, $1) }, database)
                rest = rest.dropFirst(part.count)
            }
            return answers
        }
    }

    /// The number of requests before the first one that repeats an asset: the repeated one is answered with the first
    /// one's receipt, which must be in its row by then.
    private static func unrepeatedCount(_ requests: ArraySlice<CommitRequest>) -> Int {
        var assets: Set<AssetID> = []
        return requests.prefix { assets.insert($0.adjustment?.asset ?? $0.manifest.id).inserted }.count
    }

    /// Signs the owed receipts together, and stores them.
    private func give(
        _ commits: [Result<Commit, any Error>],
        _ database: any SQLSession
    ) throws -> [Result<CommitResponse, any Error>] {
        let owed = commits.compactMap { commit in
            if case .success(.owed(let receipt, _, _)) = commit { receipt } else { nil }
        }
        var sealed = try effects.signer.seal(owed)[...]
        return try commits.map { commit in
            switch commit {
            case .failure(let error): return .failure(error)
            case .success(.answered(let answer)): return .success(answer)
            case .success(.owed(_, let album, let owner)):
                guard let receipt = sealed.popFirst() else { throw RowDamage("a receipt that nobody signed") }
                try CommitTable.store(receipt, album, owner, database)
                return .success(CommitResponse(receipt: receipt.signed, album: album))
            }
        }
    }

    private func commit(
        _ request: CommitRequest,
        _ identity: LibraryIdentity,
        _ database: any SQLSession
    ) throws -> Commit {
        let record = try admit(request.caller, database)
        let owner = request.caller.owner
        if let target = request.adjustment {
            try Self.requireCreation(request.manifest, owner, database)
            return .answered(try apply(request, to: target, identity, database))
        }
        let manifest = try request.manifest.completed(for: request.caller)
        try record?.requireAnnounced(manifest.id, AnnouncedTable.includes(manifest.id, of: record, database))
        if let answer = try healed(manifest, for: request, owner, database) { return .answered(answer) }
        if request.needsCreation { try Self.requireCreation(manifest, owner, database) }
        let placement = try Self.placement(of: manifest, record)
        guard try !EntityTable.isRemoved(.asset(manifest.id), database) else {
            throw StoreError.purged(manifest.id, for: record)
        }
        let earlier = try AssetTable.fetch(manifest.id, database)
        let mayChange = earlier.map { record?.mayChange($0) ?? true } ?? true
        let asset = try merged(manifest, with: earlier, mayChange: mayChange)
        try limits.requireRoom(for: manifest, beside: usage(of: request.caller, database))
        try claimObjects(of: request, database)
        try CommitTable.addContents(of: manifest, in: request.places, database)
        try AssetTable.save(
            asset,
            over: earlier == nil ? .nothing : .unknown,
            paidBy: earlier == nil ? nil : request.caller.owner,
            database
        )
        let rows = rows(of: request.caller, "saved", database)
        // What an existing asset is called is changed by edits only: a file's metadata would overwrite people's.
        let entity = EntityReference.asset(manifest.id)
        let number = try earlier == nil ? announce(manifest, rows) : rows.touch(entity)
        let profile = try record.flatMap { try DeviceTable.savingProfile(of: $0.device, database) }
        // An album that an operator assigned to the device requires no level. Others' assets that the device may not
        // see do not join it, and the answer does not tell.
        let routed = try profile?.album.map { title in
            try AlbumTable.file(mayChange ? [manifest.id] : [], in: title, rows)
        }
        let album = try apply(manifest, placement, of: request.caller, rows) ?? routed
        if let device = record?.device {
            try DeviceTable.noteAdding(by: device, profile, at: effects.now(), database)
            if placement?.decision.placement == .album {
                try DeviceTable.noteUse(of: .readWrite, by: device, at: effects.now(), database)
            }
        }
        return .owed(receipt(request, asset.id, number, identity), album, owner: owner)
    }

    /// The response for an asset that was committed before; its missing bytes have been published again.
    private func healed(
        _ manifest: AssetManifest,
        for request: CommitRequest,
        _ owner: Data,
        _ database: any SQLSession
    ) throws -> CommitResponse? {
        guard let given = try CommitTable.answer(manifest.id, owner, database) else { return nil }
        try CommitTable.require(manifest, describes: given)
        // If the asset was purged since, nothing is stored: the response is the earlier one.
        if try !EntityTable.isRemoved(.asset(manifest.id), database) {
            try claimObjects(of: request, database)
            try CommitTable.addContents(of: manifest, in: request.places, database)
        }
        guard let answer = try CommitTable.currentAnswer(manifest.id, owner, effects, database) else {
            throw StoreError(
                .assetIncomplete,
                "Bytes of the asset are missing here: describe it again and send all of it.",
                about: manifest.id.description
            )
        }
        try CommitTable.store(answer, owner, database)
        return answer
    }

    private static func requireCreation(_ manifest: AssetManifest, _ owner: Data, _ database: any SQLSession) throws {
        guard let current = try CommitTable.manifest(manifest.id, owner, database), current == manifest else {
            throw StoreError(
                .assetConflict,
                "The asset was cancelled or described again meanwhile: request its uploads again.",
                about: manifest.id.description
            )
        }
    }

    /// The receipt for a request's resources, which are durable.
    func receipt(
        _ request: CommitRequest,
        _ asset: AssetID,
        _ number: ChangeNumber,
        _ identity: LibraryIdentity
    ) -> Receipt {
        Receipt(
            libraryID: identity.id,
            libraryEpoch: identity.epoch,
            deviceID: request.caller.deviceID,
            assetID: asset,
            changeNumber: number,
            time: effects.now(),
            resources: request.manifest.resources.map(Receipt.Resource.init)
        )
    }

    /// Where the asset goes according to the device's statuses; operators may put it anywhere.
    private static func placement(of manifest: AssetManifest, _ record: DecisionRecord?) throws -> Placement? {
        guard let record else { return nil }
        let decision = SaveDecision(
            readWrite: record.access.readWrite,
            addOnly: record.access.addOnly,
            wantsAlbum: manifest.desiredAlbum != nil
        )
        guard case .hold = decision.placement else {
            return Placement(decision: decision, reason: .init(rawValue: record.access.readWrite.name))
        }
        let code: ErrorCode =
            switch record.access.addOnly {
            case .restricted: .restricted
            case .denied: .denied
            case .notDetermined, .authorized, .limited: .notDetermined
            }
        throw StoreError(code, "Saving is not allowed now: keep the capture until that changes.")
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

    /// The resulting asset: new, or one that another device saved before, with the resources of both.
    private func merged(_ manifest: AssetManifest, with earlier: Asset?, mayChange: Bool) throws -> Asset {
        guard var asset = earlier else {
            var asset = manifest.asset
            asset.additionDate = effects.now()
            return asset
        }
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
            AssetResource.problem(in: all) == nil, mayChange || Self.complete(asset, added) || added.isEmpty
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

    /// Assigns the asset's change number; people's metadata becomes replicated values, which can be edited later.
    private func announce(_ manifest: AssetManifest, _ rows: ReplicatedTable) throws -> ChangeNumber {
        var edit = AssetEdit()
        edit.title = manifest.title
        edit.caption = manifest.caption
        edit.rating = manifest.rating
        edit.isFavorite = manifest.isFavorite
        edit.addedKeywords = manifest.keywords
        let entity = EntityReference.asset(manifest.id)
        guard edit != AssetEdit() else { return try rows.touch(entity) }
        let changed = try rows.edit([entity]) { state, author in
            try edit.write(to: manifest.id, in: &state, by: &author)
        }
        return changed.isEmpty ? try rows.touch(entity) : try EntityTable.lastNumber(rows.database)
    }

    /// Applies the manifest's own wish for an album; nil if it has none.
    private func apply(
        _ manifest: AssetManifest,
        _ placement: Placement?,
        of caller: StoreCaller,
        _ rows: ReplicatedTable
    ) throws -> AlbumOutcome? {
        let (database, owner) = (rows.database, caller.owner)
        guard let desired = manifest.desiredAlbum else { return nil }
        if let placement, placement.decision.placement != .album {
            let reason = placement.reason
            try CommitTable.deferAlbum(desired, reason, asset: manifest.id, owner: owner, database)
            return .deferred(reason)
        }
        return try AlbumTable.apply(desired, to: manifest.id, owner: owner, rows)
    }

    /// A caller's receipts; an operator reads all.
    package func receipts(
        of caller: StoreCaller,
        after number: ChangeNumber,
        limit: Int
    ) async throws -> ReceiptPage {
        try await store.read { database in
            _ = try admit(caller, database)
            let position: SQLArguments = [number.rawValue, limit + 1]
            let owner: SQLArguments = caller.deviceID.map { [$0.blob] } ?? []
            let rows = try database.rows(Self.receipts(ofOne: caller.deviceID != nil), owner + position)
            let receipts = try rows.prefix(limit).map { try JSONColumn.decode($0["signed"], as: SignedReceipt.self) }
            let next = rows.count > limit ? receipts.last?.receipt.changeNumber : nil
            return ReceiptPage(receipts: receipts, next: next)
        }
    }

    /// The query for a page of one device's receipts, or of all.
    ///
    /// Any device may ask for its own, also one that was denied: it reads those alone, by their index, so that neither
    /// its requests nor their duration depend on what others have saved.
    static func receipts(ofOne isOne: Bool) -> String {
        """
        SELECT number, signed FROM receipt WHERE \(isOne ? "owner = ? AND " : "")number > ? ORDER BY number LIMIT ?
        """
    }

    /// The receipt of one asset; an operator gets the first one that was issued.
    package func receipt(for asset: AssetID, of caller: StoreCaller) async throws -> CommitResponse? {
        try await store.read { database in
            _ = try admit(caller, database)
            var owner: Data? = caller.owner
            if caller.deviceID == nil {
                owner = try database.value(
                    Data.self,
                    "SELECT owner FROM receipt WHERE asset = ? ORDER BY number LIMIT 1",
                    [asset.blob]
                )
            }
            return try owner.flatMap { try CommitTable.answer(asset, $0, database) }
        }
    }
}

/// The state of a request before receipts are signed.
private enum Commit {
    /// It has its response.
    case answered(CommitResponse)
    /// Its rows are written, and it needs this receipt.
    case owed(Receipt, AlbumOutcome?, owner: Data)
}

/// Where an asset goes, and the `readWrite` status for which its album is deferred.
private struct Placement {
    let decision: SaveDecision
    let reason: AlbumOutcome.DeferralReason
}

extension AssetResource {
    /// Whether another resource has the same role and the same bytes, whatever its name.
    fileprivate func hasBytes(of other: AssetResource) -> Bool {
        type == other.type && digest == other.digest && byteCount == other.byteCount
    }
}
