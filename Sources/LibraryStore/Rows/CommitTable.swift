import Authorization
import FoundationEssentials
import LibraryAPI
import Persistence
import PhotoModel

/// The rows read and written by a commit.
enum CommitTable {
    /// The earlier response; nil if there is none.
    static func answer(_ asset: AssetID, _ owner: Data, _ database: any SQLSession) throws -> CommitResponse? {
        let statement = try database.statement("SELECT signed, album FROM receipt WHERE asset = ? AND owner = ?")
        return try statement.row([asset.blob, owner]).map(response)
    }

    /// What this caller was answered before, with the library's current epoch and the contents that are missing now; nil
    /// if it was not.
    static func earlierResponse(_ asset: AssetID, _ owner: Data, _ database: any SQLSession) throws -> EarlierResponse?
    {
        let statement = try database.statement(
            """
            SELECT signed, album, epoch, change_number FROM receipt CROSS JOIN library WHERE asset = ? AND owner = ?
            """
        )
        guard let row = try statement.row([asset.blob, owner]) else { return nil }
        // A database that lost changes must be noticed before the request is judged by it.
        database.note(ChangeNumber(rawValue: try row["change_number"]))
        let response = try response(row)
        return EarlierResponse(
            response: response,
            epoch: try LibraryEpoch(blob: row["epoch"]),
            missing: try missing(response.receipt.receipt.resources.map(\.digest), database)
        )
    }

    private static func response(_ row: SQLRow) throws -> CommitResponse {
        let album: String? = try row["album"]
        return CommitResponse(
            receipt: try JSONColumn.decode(row["signed"], as: SignedReceipt.self),
            album: try album.map { try JSONColumn.decode($0, as: AlbumOutcome.self) }
        )
    }

    /// Stores a response.
    static func store(
        _ sealed: SealedReceipt,
        _ album: AlbumOutcome?,
        _ owner: Data,
        _ database: any SQLSession
    ) throws {
        let receipt = sealed.signed.receipt
        try database.statement(
            """
            INSERT INTO receipt (asset, owner, number, signed, album) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (asset, owner) DO UPDATE SET
                number = excluded.number, signed = excluded.signed, album = excluded.album
            """
        ).execute([
            receipt.assetID.blob, owner, receipt.changeNumber.rawValue, sealed.text,
            try album.map { try JSONColumn.encode($0) },
        ])
    }

    /// Drops a creation with its uploads, if there is one.
    ///
    /// - Parameters:
    ///   - asset: the described asset.
    ///   - owner: who described it.
    ///   - known: its uploads, if this transaction has read them.
    ///   - database: the transaction.
    /// - Returns: the uploads, whose staged bytes may be deleted after the transaction.
    /// - Throws: the database's error.
    static func dropCreation(
        _ asset: AssetID,
        _ owner: Data,
        uploads known: [UploadID]? = nil,
        _ database: any SQLSession
    ) throws -> [UploadID] {
        let uploads = try known ?? UploadTable.of(asset: asset, owner: owner, database).map(\.id)
        // Every creation has uploads.
        guard !uploads.isEmpty else { return [] }
        try database.statement("DELETE FROM creation WHERE asset = ? AND owner = ?").execute([asset.blob, owner])
        return uploads
    }

    /// The manifest and uploads of a creation; nil if the owner has not described the asset.
    static func creation(
        _ asset: AssetID,
        _ owner: Data,
        _ database: any SQLSession
    ) throws -> (manifest: AssetManifest, uploads: [UploadID])? {
        let statement = try database.statement(
            """
            SELECT manifest, id FROM creation
            JOIN upload ON upload.asset = creation.asset AND upload.owner = creation.owner
            WHERE creation.asset = ? AND creation.owner = ?
            """
        )
        let rows = try statement.rows([asset.blob, owner])
        guard let first = rows.first else { return nil }
        let text: String = try first["manifest"]
        let uploads = try rows.map { try UploadID(blob: $0["id"]) }
        return (manifest: try JSONColumn.decode(text, as: AssetManifest.self), uploads: uploads)
    }

    /// The manifest of a creation; nil if there is none.
    static func manifest(_ asset: AssetID, _ owner: Data, _ database: any SQLSession) throws -> AssetManifest? {
        let statement = try database.statement("SELECT manifest FROM creation WHERE asset = ? AND owner = ?")
        return try statement.value(String.self, [asset.blob, owner])
            .map { try JSONColumn.decode($0, as: AssetManifest.self) }
    }

    /// The content with a digest; nil if it does not exist according to the rows.
    static func contentRow(_ digest: ContentDigest, _ database: any SQLSession) throws -> ContentRow? {
        let statement = try database.statement("SELECT byte_count, file_extension FROM content WHERE digest = ?")
        return try statement.row([digest.blob]).map { try content(digest, $0) }
    }

    /// One page of the existing content, after a digest.
    static func contents(after digest: ContentDigest?, limit: Int, _ database: any SQLSession) throws -> [ContentRow] {
        try database.rows(
            """
            SELECT digest, byte_count, file_extension, verified FROM content
            WHERE digest > ? ORDER BY digest LIMIT ?
            """,
            [digest?.blob ?? Data(), limit]
        ).map { row in
            var content = try content(ContentDigest(blob: row["digest"]), row)
            content.hashed = (try row["verified"] as Int64?).map { WallTime(microsecondsSince1970: $0) }
            return content
        }
    }

    private static func content(_ digest: ContentDigest, _ row: SQLRow) throws -> ContentRow {
        let suffix: String = try row["file_extension"]
        guard let address = ContentAddress(fileName: "\(digest).\(suffix)") else {
            throw RowDamage("a file extension \(suffix)")
        }
        // A damaged length stays invalid, so that a verification finds it.
        let byteCount = (try row["byte_count"] as Int64).clamped(to: AssetResource.decodedByteCounts)
        return ContentRow(address: address, byteCount: byteCount)
    }

    /// The number of contents, and their total bytes.
    static func totals(_ database: any SQLSession) throws -> TransferProgress {
        let row = try database.row("SELECT count(*) AS count, coalesce(sum(byte_count), 0) AS bytes FROM content")
        return TransferProgress(contents: try row?["count"] ?? 0, byteCount: try row?["bytes"] ?? 0)
    }

    /// Those of the digests whose bytes are known to be missing or damaged.
    private static func missing(_ digests: [ContentDigest], _ database: any SQLSession) throws -> Set<ContentDigest> {
        let statement = try database.statement("SELECT digest FROM missing_content WHERE digest IN \(ByteList.marks)")
        var missing: Set<ContentDigest> = []
        for part in ByteList.parts(of: digests.map(\.blob)) {
            let found = try statement.values(Data.self, ByteList.arguments(part))
            missing.formUnion(try found.map(ContentDigest.init(blob:)))
        }
        return missing
    }

    /// Whether bytes are known to be missing or damaged.
    static func isMissing(_ digest: ContentDigest, _ database: any SQLSession) throws -> Bool {
        let statement = try database.statement("SELECT 1 FROM missing_content WHERE digest = ?")
        return try statement.value(Bool.self, [digest.blob]) ?? false
    }

    /// Records that a manifest's contents are published, at the given places or at those derived from their types.
    ///
    /// `file_extension` holds what follows the digest in the name, including the name of a copy.
    static func addContents(
        of manifest: AssetManifest,
        in places: [ContentDigest: ContentAddress],
        _ database: any SQLSession
    ) throws {
        // A missing content is now where it was last published.
        let statement = try database.statement(
            """
            INSERT INTO content (digest, byte_count, file_extension) VALUES (?1, ?2, ?3)
            ON CONFLICT (digest) DO UPDATE SET file_extension = excluded.file_extension
            WHERE EXISTS (SELECT 1 FROM missing_content WHERE digest = ?1)
            """
        )
        let found = try database.statement("DELETE FROM missing_content WHERE digest = ?")
        for resource in manifest.resources {
            let address = places[resource.digest] ?? ContentAddress(resource.digest, contentType: resource.contentType)
            try statement.execute([resource.digest.blob, resource.byteCount, address.suffix])
            try found.execute([resource.digest.blob])
        }
    }

    /// Deletes the row of a content that no asset uses; false if one does.
    static func deleteUnusedContent(_ digest: ContentDigest, _ database: any SQLSession) throws -> Bool {
        try database.execute(
            "DELETE FROM content WHERE digest = ?1 AND NOT EXISTS (SELECT 1 FROM resource WHERE digest = ?1)",
            [digest.blob]
        )
        return try database.changesCount > 0
    }

    /// Stores a request for an album until a decision allows it.
    static func deferAlbum(
        _ desired: DesiredAlbum,
        _ reason: AlbumOutcome.DeferralReason,
        asset: AssetID,
        owner: Data,
        _ database: any SQLSession
    ) throws {
        try database.execute(
            """
            INSERT INTO deferred_album (asset, owner, desired, reason) VALUES (?, ?, ?, ?)
            ON CONFLICT (asset, owner) DO UPDATE SET desired = excluded.desired, reason = excluded.reason
            """,
            [asset.blob, owner, try JSONColumn.encode(desired), reason.rawValue]
        )
    }
}
