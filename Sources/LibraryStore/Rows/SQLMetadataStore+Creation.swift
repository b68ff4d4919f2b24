import Authorization
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
        try AnnouncedTable.require(manifest.id, of: record, database)
        if let answer = try CommitTable.currentAnswer(manifest.id, caller.owner, effects, database) {
            try CommitTable.require(manifest, describes: answer)
            return AssetCreationResponse(
                assetID: manifest.id,
                uploads: [],
                receipt: answer.receipt,
                album: answer.album
            )
        }
        // A device that did not save it learns of the purge only once its bytes are here: until then, the library's
        // contents are none of its business.
        if caller.deviceID == nil { try Self.refusePurged(manifest.id, for: nil, database) }
        try require(manifest, of: caller, isAnnounced: true, database)
        try storeCreation(manifest, for: caller, database)
        let uploads = try UploadTable.of(asset: manifest.id, owner: caller.owner, database)
        let order = Dictionary(uniqueKeysWithValues: manifest.resources.enumerated().map { ($1.id, $0) })
        return AssetCreationResponse(
            assetID: manifest.id,
            uploads: uploads.sorted { order[$0.resourceID] ?? 0 < order[$1.resourceID] ?? 0 }.map(\.status)
        )
    }

    /// Refuses what would exceed the caller's quota.
    func require(
        _ manifest: AssetManifest,
        isEdit: Bool = false,
        of caller: StoreCaller,
        isAnnounced: Bool,
        _ database: any SQLSession
    ) throws {
        try UsageTable.require(
            manifest,
            isEdit: isEdit,
            of: caller.deviceID,
            within: limits,
            at: effects.now(),
            isAnnounced: isAnnounced,
            database
        )
    }

    /// Refuses the identifier of a purged asset.
    ///
    /// A device that does not see everything is told no more than for an asset outside its view. An identifier derived
    /// from a picture says that this picture was here, which only who has its bytes gets to know.
    static func refusePurged(_ id: AssetID, for record: DecisionRecord?, _ database: any SQLSession) throws {
        guard try EntityTable.isRemoved(.asset(id), database) else { return }
        guard id.isDerived || record?.view ?? .everything == .everything else { throw StoreError.identifierTaken(id) }
        throw StoreError(
            .assetPurged,
            "The asset was permanently deleted here, and does not come back by itself: to have it again, save it "
                + "under a new identifier.",
            about: id.description
        )
    }

    /// Stores a manifest with an upload per resource; an existing one must describe the same resources.
    func storeCreation(_ manifest: AssetManifest, for caller: StoreCaller, _ database: any SQLSession) throws {
        let earlier = try CommitTable.manifest(manifest.id, caller.owner, database)
        if let earlier {
            guard Set(earlier.resources) == Set(manifest.resources) else {
                throw StoreError(
                    .assetConflict,
                    "The asset was described with other resources: cancel its uploads, or use a new identifier.",
                    about: manifest.id.description
                )
            }
        }
        let now = effects.now().microsecondsSince1970
        try database.statement(
            """
            INSERT INTO creation (asset, owner, manifest, created) VALUES (?, ?, ?, ?)
            ON CONFLICT (asset, owner) DO UPDATE SET manifest = excluded.manifest
            """
        ).execute([manifest.id.blob, caller.owner, try JSONColumn.encode(manifest), now])
        guard earlier == nil else { return }
        let open = try database.statement("SELECT count(*) FROM upload WHERE owner = ?")
        guard try (open.value(Int.self, [caller.owner]) ?? 0) + manifest.resources.count <= limits.openUploads else {
            throw StoreError(
                .slowDown,
                "At most \(limits.openUploads) uploads may be open: finish or cancel some."
            )
        }
        let upload = try database.statement(
            """
            INSERT INTO upload (id, asset, owner, resource, digest, byte_count, touched)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """
        )
        for resource in manifest.resources {
            try upload.execute([
                effects.identifier(UploadID.self).blob, manifest.id.blob, caller.owner, resource.id.blob,
                resource.digest.blob, resource.byteCount, now,
            ])
        }
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
            guard let row = try statement.row([id.blob]) else { throw StoreError.notFound(id.description) }
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
            guard let upload = try UploadTable.fetch(id, owner: caller.owner, database) else {
                throw StoreError.notFound(id.description)
            }
            return upload
        }
    }

    /// Records newly durable bytes; their number never decreases.
    package func record(_ progress: [UploadProgress]) async -> [Result<Void, any Error>] {
        guard !isShared else { return await recordInTurn(progress) }
        let now = effects.now().microsecondsSince1970
        return await together(progress, []) { step, database in
            let statement = try database.statement(
                """
                UPDATE upload SET
                    durable = CASE WHEN durable < ?2 THEN ?2 ELSE durable END,
                    is_complete = CASE WHEN is_complete < ?3 THEN ?3 ELSE is_complete END,
                    touched = ?4
                WHERE id = ?1
                """
            )
            try statement.execute([step.id.blob, step.durableByteCount, step.isComplete, now])
            guard try database.changesCount == 1 else {
                throw StoreError.uploadGone(step.id)
            }
        }
    }

    /// Drops the creation that an upload belongs to.
    package func cancel(_ id: UploadID, by caller: StoreCaller) async throws -> [UploadID] {
        try await store.write(caller.locks) { database in
            _ = try admit(caller, database)
            let owner = caller.deviceID == nil ? nil : caller.owner
            guard let upload = try UploadTable.fetch(id, owner: owner, database) else {
                throw StoreError.notFound(id.description)
            }
            let holder = try database.value(Data.self, "SELECT owner FROM upload WHERE id = ?", [id.blob])
            let all = try UploadTable.of(asset: upload.assetID, owner: holder ?? Data(), database)
            try database.execute("DELETE FROM creation WHERE asset = ? AND owner = ?", [upload.assetID.blob, holder])
            return all.map(\.id)
        }
    }

    /// A device's described but uncommitted assets.
    package func creations(of device: DeviceID) async throws -> [PendingCreation] {
        try await store.read { database in
            try database.values(
                String.self,
                "SELECT manifest FROM creation WHERE owner = ? ORDER BY asset",
                [device.blob]
            ).map { text in
                let manifest = try JSONColumn.decode(text, as: AssetManifest.self)
                let uploads = try UploadTable.of(asset: manifest.id, owner: device.blob, database)
                return PendingCreation(manifest: manifest, uploads: uploads.map(\.status))
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
