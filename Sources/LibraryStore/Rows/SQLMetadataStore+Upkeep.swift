import FoundationEssentials
package import LibraryAPI
package import Persistence
package import PhotoModel

extension SQLMetadataStore {
    /// Counts and sizes.
    package func statistics() async throws -> LibraryStatistics {
        try await store.read { database in
            func count(_ sql: String) throws -> Int { try database.value(Int.self, sql) ?? 0 }
            var counts = LibraryStatistics()
            counts.assets = try count("SELECT count(*) FROM asset WHERE is_trashed = 0")
            counts.trashed = try count("SELECT count(*) FROM asset WHERE is_trashed = 1")
            counts.albums = try count("SELECT count(*) FROM album")
            counts.contents = try count("SELECT count(*) FROM content")
            counts.contentBytes = Int64(try count("SELECT coalesce(sum(byte_count), 0) FROM content"))
            counts.missing = try count("SELECT count(*) FROM missing_content")
            counts.uploads = try count("SELECT count(*) FROM upload")
            counts.quarantined = try count("SELECT count(*) FROM quarantine")
            counts.devices = try count("SELECT count(*) FROM device")
            counts.lastChange = try EntityTable.lastNumber(database)
            counts.backupWatermark = try Self.identity(database).backupWatermark
            counts.backupTime = try database.value(Int64.self, "SELECT backup_time FROM library")
                .map { WallTime(microsecondsSince1970: $0) }
            guard let engine = try database.row(database.dialect.engine) else { return counts }
            let replication: String? = try engine["replication"]
            counts.storage = .init(rows: try engine["name"], replication: replication.flatMap { .init(rawValue: $0) })
            return counts
        }
    }

    /// One page of the existing content, after a digest.
    package func contents(after digest: ContentDigest?, limit: Int) async throws -> [ContentRow] {
        try await store.read { try CommitTable.contents(after: digest, limit: limit, $0) }
    }

    /// The content with a digest.
    package func content(_ digest: ContentDigest) async throws -> ContentRow? {
        try await store.read { try CommitTable.contentRow(digest, $0) }
    }

    /// The assets with an original, by identifier.
    package func assets(holding digest: ContentDigest, limit: Int) async throws -> [AssetID] {
        try await store.read { database in
            try database.values(
                Data.self,
                """
                SELECT DISTINCT asset.id FROM resource JOIN asset ON asset.key = resource.asset
                WHERE digest = ? ORDER BY asset.id LIMIT ?
                """,
                [digest.blob, limit]
            ).map(AssetID.init(blob:))
        }
    }

    /// Those of the given digests that are in use: by an asset, or by an open creation.
    package func wanted(_ digests: [ContentDigest]) async throws -> Set<ContentDigest> {
        try await store.read { database in Set(try digests.filter { try Self.isWanted($0, database) }) }
    }

    /// Those of the given addresses at which nothing is needed.
    package func unwanted(_ addresses: [ContentAddress]) async throws -> [ContentAddress] {
        try await store.read { database in try addresses.filter { try !Self.isWanted($0, database) } }
    }

    private static func isWanted(_ digest: ContentDigest, _ database: any SQLSession) throws -> Bool {
        let statement = try database.statement(
            """
            SELECT EXISTS (SELECT 1 FROM resource WHERE digest = ?1)
                OR EXISTS (SELECT 1 FROM upload WHERE digest = ?1)
            """
        )
        return try statement.value(Bool.self, [digest.blob]) ?? false
    }

    private static let identifierCount = 36

    static func isWanted(_ address: ContentAddress, _ database: any SQLSession) throws -> Bool {
        guard try isWanted(address.digest, database) else { return false }
        guard address.copy != nil else { return true }
        // The row names one of several copies of the same bytes.
        if try CommitTable.contentRow(address.digest, database)?.address == address { return true }
        return try hasUpload(address, database)
    }

    /// Whether the upload of a copy still exists.
    static func hasUpload(_ address: ContentAddress, _ database: any SQLSession) throws -> Bool {
        // A turn's number follows the upload's identifier.
        guard let copy = address.copy, let id = UploadID(String(copy.prefix(identifierCount))) else { return false }
        return try UploadTable.fetch(id, owner: nil, database) != nil
    }

    /// Records quarantined content, and drops its row if nothing names it; false if servers share the originals and
    /// rows need it again.
    package func addQuarantined(_ item: QuarantinedContent, isDamaged: Bool) async throws -> Bool {
        if isShared { return try await mark(item, isDamaged: isDamaged) }
        return try await store.write([.library]) { database in
            // A file that replaces an earlier one gets its own retention time.
            try database.execute("DELETE FROM quarantine WHERE file_name = ?", [item.fileName])
            try database.execute(
                "INSERT INTO quarantine (digest, file_name, reason, since) VALUES (?, ?, ?, ?)",
                [item.digest.blob, item.fileName, item.reason, item.since.microsecondsSince1970]
            )
            _ = try CommitTable.deleteUnusedContent(item.digest, database)
            return true
        }
    }

    /// Content quarantined before a time.
    package func quarantined(before time: WallTime) async throws -> [QuarantinedContent] {
        try await store.read { database in
            try database.rows(
                "SELECT digest, file_name, reason, since FROM quarantine WHERE since < ? ORDER BY since",
                [time.microsecondsSince1970]
            ).map(Self.quarantined)
        }
    }

    static func quarantined(_ row: SQLRow) throws -> QuarantinedContent {
        QuarantinedContent(
            digest: try ContentDigest(blob: row["digest"]),
            fileName: try row["file_name"],
            reason: try row["reason"],
            since: WallTime(microsecondsSince1970: try row["since"])
        )
    }

    /// Forgets quarantined content after its bytes were deleted.
    package func removeQuarantined(_ fileName: String) async throws {
        try await store.write([]) { database in
            try database.execute("DELETE FROM quarantine WHERE file_name = ?", [fileName])
        }
    }
}
