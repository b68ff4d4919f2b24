import FoundationEssentials
package import LibraryAPI
package import Persistence
package import PhotoModel

extension SQLMetadataStore {
    /// Bytes still to come in open uploads.
    package func promisedByteCount() async throws -> Int64 {
        try await store.read { database in
            let sum = try database.statement("SELECT sum(byte_count - durable) FROM upload WHERE is_complete = 0")
            return (try sum.value(Int64.self) ?? 0).clamped(to: 0...1 << 62)
        }
    }

    /// Accepts a manifest, and returns its uploads.
    package func create(_ manifest: AssetManifest, by caller: StoreCaller) async throws -> AssetCreationResponse {
        let answers = await together([manifest], caller.locks) { manifest, database in
            try create(manifest, by: caller, database)
        }
        return try answers[0].get()
    }

    private func create(
        _ manifest: AssetManifest,
        by caller: StoreCaller,
        _ database: any SQLSession
    ) throws -> AssetCreationResponse {
        let record = try admit(caller, database)
        let manifest = try manifest.completed(for: caller)
        let facts = CreationFacts(
            record: record,
            isAnnounced: try AnnouncedTable.includes(manifest.id, of: record, database),
            answer: try CommitTable.earlierResponse(manifest.id, caller.owner, database),
            time: effects.now()
        )
        switch try CreationDecision(manifest, facts) {
        case .answer(let repetition):
            let answer = try respond(with: repetition, to: caller, database)
            return AssetCreationResponse(
                assetID: manifest.id,
                uploads: [],
                receipt: answer.receipt,
                album: answer.album
            )
        case .describe:
            let uploads = try describe(manifest, by: caller, database)
            return AssetCreationResponse(assetID: manifest.id, uploads: uploads.map(\.status))
        }
    }

    /// The response to a repeated request, whose receipt is signed and stored if it is a new one.
    private func respond(
        with repetition: EarlierResponse.Repetition,
        to caller: StoreCaller,
        _ database: any SQLSession
    ) throws -> CommitResponse {
        switch repetition {
        case .same(let answer): return answer
        case .renewed(let receipt, let album):
            let sealed = try SealedReceipt(effects.signer.sign(receipt))
            try CommitTable.store(sealed, album, caller.owner, database)
            return CommitResponse(receipt: sealed.signed, album: album)
        }
    }

    /// What counts against the caller's quota: with the open uploads of other assets, if bytes of this one are still
    /// to come; nil for callers without a quota.
    func usage(
        of caller: StoreCaller,
        promisedBeside asset: AssetID? = nil,
        _ database: any SQLSession
    ) throws -> DeviceUsage? {
        try UsageTable.counted(for: caller.deviceID, within: limits, at: effects.now(), promisedBeside: asset, database)
    }

    /// Stores a manifest with an upload per resource, unless these are open already.
    ///
    /// - Returns: the uploads, in the manifest's order.
    func describe(
        _ manifest: AssetManifest,
        isEdit: Bool = false,
        by caller: StoreCaller,
        _ database: any SQLSession
    ) throws -> [UploadRecord] {
        let owner = caller.owner
        let isForOperator = caller.deviceID == nil && !isEdit
        let earlier = try CommitTable.manifest(manifest.id, owner, database)
        let facts = UploadFacts(
            isPurged: try isForOperator && EntityTable.isRemoved(.asset(manifest.id), database),
            usage: try usage(of: caller, promisedBeside: manifest.id, database),
            earlier: earlier,
            openUploads: try earlier == nil ? UploadTable.count(of: owner, database) : 0
        )
        let decision = try UploadDecision(manifest, isEdit: isEdit, facts, within: limits)
        let now = effects.now().microsecondsSince1970
        try database.statement(
            """
            INSERT INTO creation (asset, owner, manifest, created) VALUES (?, ?, ?, ?)
            ON CONFLICT (asset, owner) DO UPDATE SET manifest = excluded.manifest
            """
        ).execute([manifest.id.blob, owner, try JSONColumn.encode(manifest), now])
        if decision == .open {
            let upload = try database.statement(
                """
                INSERT INTO upload (id, asset, owner, resource, digest, byte_count, touched)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                """
            )
            for resource in manifest.resources {
                try upload.execute([
                    effects.identifier(UploadID.self).blob, manifest.id.blob, owner, resource.id.blob,
                    resource.digest.blob, resource.byteCount, now,
                ])
            }
        }
        let order = Dictionary(uniqueKeysWithValues: manifest.resources.enumerated().map { ($1.id, $0) })
        return try UploadTable.of(asset: manifest.id, owner: owner, database)
            .sorted { order[$0.resourceID] ?? 0 < order[$1.resourceID] ?? 0 }
    }

    /// The address of an upload.
    package func address(ofUpload id: UploadID) async throws -> ContentAddress {
        try await store.read { database in
            let statement = try database.statement(
                """
                SELECT upload.digest, upload.resource, creation.manifest FROM upload
                JOIN creation ON creation.asset = upload.asset AND creation.owner = upload.owner WHERE upload.id = ?
                """
            )
            let row = try statement.row([id.blob]).orNotFound(id)
            let resource = try ResourceID(blob: row["resource"])
            let manifest = try JSONColumn.decode(row["manifest"], as: AssetManifest.self)
            let type = manifest.resources.first { $0.id == resource }?.contentType ?? ""
            return ContentAddress(try ContentDigest(blob: row["digest"]), contentType: type)
        }
    }

    /// One of the caller's uploads.
    package func upload(_ id: UploadID, of caller: StoreCaller) async throws -> UploadRecord {
        try await store.read { database in
            _ = try admit(caller, database)
            return try UploadTable.fetch(id, owner: caller.owner, database).orNotFound(id)
        }
    }

    /// Records newly durable bytes; their number never decreases.
    package func record(_ progress: [UploadProgress]) async -> [Result<Void, any Error>] {
        let now = effects.now().microsecondsSince1970
        return await together(progress, []) { step, database in
            let statement = try database.statement(
                """
                UPDATE upload SET
                    durable = CASE WHEN durable < ?2 THEN ?2 ELSE durable END,
                    is_complete = CASE WHEN is_complete < ?3 THEN ?3 ELSE is_complete END,
                    \(isShared ? "copy = coalesce(?5, copy), " : "")touched = ?4
                WHERE id = ?1\(isShared ? " AND turn = ?6" : "")
                """
            )
            var arguments: SQLArguments = [step.id.blob, step.durableByteCount, step.isComplete, now]
            if isShared { arguments += [step.copy, step.turn] }
            try statement.execute(arguments)
            guard try database.changesCount == 1 else { throw try Self.refusal(of: step.id, database) }
        }
    }

    /// Drops the creation that an upload belongs to.
    package func cancel(_ id: UploadID, by caller: StoreCaller) async throws -> [UploadID] {
        try await store.write(caller.locks) { database in
            _ = try admit(caller, database)
            let owner = caller.deviceID == nil ? nil : caller.owner
            let upload = try UploadTable.fetch(id, owner: owner, database).orNotFound(id)
            let holder = try database.value(Data.self, "SELECT owner FROM upload WHERE id = ?", [id.blob])
            return try CommitTable.dropCreation(upload.assetID, holder ?? Data(), database)
        }
    }

    /// A device's described but uncommitted assets.
    package func creations(of device: DeviceID) async throws -> [PendingUploadPage.Entry] {
        try await store.read { database in
            try database.values(
                String.self,
                "SELECT manifest FROM creation WHERE owner = ? ORDER BY asset",
                [device.blob]
            ).map { text in
                let manifest = try JSONColumn.decode(text, as: AssetManifest.self)
                let uploads = try UploadTable.of(asset: manifest.id, owner: device.blob, database)
                return PendingUploadPage.Entry(manifest: manifest, uploads: uploads.map(\.status))
            }
        }
    }

    /// All open uploads.
    package func openUploads() async throws -> Set<UploadID> {
        try await store.read { database in
            Set(try database.values(Data.self, "SELECT id FROM upload").map(UploadID.init(blob:)))
        }
    }
}
