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
    package func commit(_ requests: [CommitRequest]) async -> [Result<CommittedAsset, any Error>] {
        await transaction(of: requests, [.library]) { requests, database in
            let identity = try Self.identity(database)
            var answers: [Result<CommittedAsset, any Error>] = []
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
    ) throws -> [Result<CommittedAsset, any Error>] {
        let owed = commits.compactMap { commit in
            if case .success(.owed(let receipt, _, _, _)) = commit { receipt } else { nil }
        }
        var sealed = try effects.signer.seal(owed)[...]
        return try commits.map { commit in
            switch commit {
            case .failure(let error): return .failure(error)
            case .success(.answered(let answer)): return .success(answer)
            case .success(.owed(_, let album, let owner, let ended)):
                guard let receipt = sealed.popFirst() else { throw RowDamage("a receipt that nobody signed") }
                try CommitTable.store(receipt, album, owner, database)
                let response = CommitResponse(receipt: receipt.signed, album: album)
                return .success(CommittedAsset(response: response, ended: ended))
            }
        }
    }

    private func commit(
        _ request: CommitRequest,
        _ identity: LibraryIdentity,
        _ database: any SQLSession
    ) throws -> Commit {
        let record = try admit(request.caller, database)
        // What follows may refuse it, and takes the entry back.
        if let audit = request.audit {
            try AuditTable(database: database, chain: chain).append(audit, at: effects.now())
        }
        if let target = request.adjustment { return .answered(try apply(request, to: target, identity, database)) }
        let owner = request.caller.owner
        let manifest = try request.manifest.completed(for: request.caller)
        let creation = try request.needsCreation ? CommitTable.creation(manifest.id, owner, database) : nil
        // A batch may end uploads that it does not know.
        let uploads: [UploadID]? = request.needsCreation ? creation?.uploads ?? [] : nil
        let facts = CommitFacts(
            record: record,
            isAnnounced: try AnnouncedTable.includes(manifest.id, of: record, database),
            answer: try CommitTable.earlierResponse(manifest.id, owner, database),
            needsCreation: request.needsCreation,
            creation: creation?.manifest,
            isPurged: try EntityTable.isRemoved(.asset(manifest.id), database),
            time: effects.now()
        )
        switch try CommitDecision(manifest, facts) {
        case .answer(let repetition, let recordsContents):
            if recordsContents { try recordContents(of: request, database) }
            let ended = try CommitTable.dropCreation(manifest.id, owner, uploads: uploads, database)
            switch repetition {
            case .same(let answer): return .answered(CommittedAsset(response: answer, ended: ended))
            case .renewed(let receipt, let album): return .owed(receipt, album, owner: owner, ended: ended)
            }
        case .save(let album):
            let facts = SavingFacts(
                record: record,
                earlier: try AssetTable.fetch(manifest.id, database),
                usage: try usage(of: request.caller, database),
                time: effects.now()
            )
            let writes = try CommitWrites(manifest, facts, within: limits)
            let (receipt, outcome) = try save(writes, album, of: manifest, for: request, identity, database)
            let ended = try CommitTable.dropCreation(manifest.id, owner, uploads: uploads, database)
            return .owed(receipt, outcome, owner: owner, ended: ended)
        }
    }

    /// Lets rows name a request's contents, which are published.
    func recordContents(of request: CommitRequest, _ database: any SQLSession) throws {
        try claimObjects(of: request, database)
        try CommitTable.addContents(of: request.manifest, in: request.places, database)
    }

    /// Writes an asset that is new, or that another caller saved before.
    private func save(
        _ writes: CommitWrites,
        _ album: AlbumDecision,
        of manifest: AssetManifest,
        for request: CommitRequest,
        _ identity: LibraryIdentity,
        _ database: any SQLSession
    ) throws -> (Receipt, AlbumOutcome?) {
        let owner = request.caller.owner
        try recordContents(of: request, database)
        try AssetTable.save(
            writes.isNew ? BurstTable.placed(writes.asset, database) : writes.asset,
            over: writes.isNew ? .nothing : .unknown,
            paidBy: writes.isNew ? nil : owner,
            database
        )
        let rows = rows(of: request.caller, "saved", database)
        // What an existing asset is called is changed by edits only: a file's metadata would overwrite people's.
        let number = try writes.isNew ? announce(manifest, rows) : rows.touch(.asset(manifest.id))
        let profile = try request.caller.deviceID.flatMap { try DeviceTable.savingProfile(of: $0, database) }
        let assigned = try profile?.album.map { title in
            let joins = try writes.joinsAssignedAlbum && (writes.isNew || AlbumTable.hasRoom(manifest.id, database))
            return try AlbumTable.file(joins ? [manifest.id] : [], in: title, rows)
        }
        let outcome = try apply(album, to: manifest.id, of: owner, rows) ?? assigned
        if let device = request.caller.deviceID {
            try DeviceTable.noteAdding(by: device, profile, at: effects.now(), database)
            if case .join = album {
                try DeviceTable.noteUse(of: .readWrite, by: device, at: effects.now(), database)
            }
        }
        return (receipt(request, writes.asset.id, number, identity), outcome)
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

    /// Does what was decided about the album that the manifest names; nil if it names none.
    private func apply(
        _ decision: AlbumDecision,
        to asset: AssetID,
        of owner: Data,
        _ rows: ReplicatedTable
    ) throws -> AlbumOutcome? {
        switch decision {
        case .unnamed: return nil
        case .join(let album): return try AlbumTable.apply(album, to: asset, owner: owner, rows)
        case .postpone(let album, let reason):
            try CommitTable.deferAlbum(album, reason, asset: asset, owner: owner, rows.database)
            return .deferred(reason)
        }
    }

    /// A caller's receipts; an operator reads all.
    package func receipts(of caller: StoreCaller, after number: ChangeNumber, limit: Int) async throws -> ReceiptPage {
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
    case answered(CommittedAsset)
    /// Its rows are written, and it needs this receipt; it ended these uploads.
    case owed(Receipt, AlbumOutcome?, owner: Data, ended: [UploadID])
}
