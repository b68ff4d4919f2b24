import Authorization
import FoundationEssentials
import GRDB
import LibraryAPI
import Persistence
import PhotoModel

/// Rows that a commit reads and writes.
enum CommitRows {
    /// The answer that was given before; nil when there was none.
    static func answer(_ asset: AssetID, _ owner: Data, _ database: Database) throws -> CommitAnswer? {
        let statement = try database.cachedStatement(
            sql: "SELECT signed, album FROM receipt WHERE asset = ? AND owner = ?"
        )
        return try Row.fetchOne(statement, arguments: [asset.blob, owner]).map { row in
            let album: String? = row[1]
            return CommitAnswer(
                receipt: try JSONColumn.decode(row[0], as: SignedReceipt.self),
                album: try album.map { try JSONColumn.decode($0, as: AlbumOutcome.self) }
            )
        }
    }

    /// Keeps an answer, and forgets the creation that led to it.
    static func store(_ answer: CommitAnswer, _ owner: Data, _ database: Database) throws {
        let receipt = answer.receipt.receipt
        try database.cachedStatement(
            sql: "INSERT INTO receipt (asset, owner, number, signed, album) VALUES (?, ?, ?, ?, ?)"
        ).execute(arguments: [
            receipt.assetID.blob, owner, receipt.changeNumber.rawValue, try JSONColumn.encode(answer.receipt),
            try answer.album.map { try JSONColumn.encode($0) },
        ])
        try database.cachedStatement(sql: "DELETE FROM creation WHERE asset = ? AND owner = ?")
            .execute(arguments: [receipt.assetID.blob, owner])
    }

    /// The manifest of a creation; nil when there is none.
    static func manifest(_ asset: AssetID, _ owner: Data, _ database: Database) throws -> AssetManifest? {
        let statement = try database.cachedStatement(sql: "SELECT manifest FROM creation WHERE asset = ? AND owner = ?")
        return try String.fetchOne(statement, arguments: [asset.blob, owner])
            .map { try JSONColumn.decode($0, as: AssetManifest.self) }
    }

    /// The content that a digest names; nil when no row says that it is there.
    static func contentRow(_ digest: ContentDigest, _ database: Database) throws -> ContentRow? {
        let statement = try database.cachedStatement(
            sql: "SELECT byte_count, file_extension FROM content WHERE digest = ?"
        )
        return try Row.fetchOne(statement, arguments: [digest.blob]).map { row in
            guard let address = ContentAddress(fileName: "\(digest).\(row[1] as String)") else {
                throw RowDamage("a file extension \(row[1] as String)")
            }
            return ContentRow(address: address, byteCount: row[0])
        }
    }

    /// Says that the contents of a manifest are published.
    static func addContents(of manifest: AssetManifest, _ database: Database) throws {
        let statement = try database.cachedStatement(
            sql: "INSERT OR IGNORE INTO content (digest, byte_count, file_extension) VALUES (?, ?, ?)"
        )
        for resource in manifest.resources {
            let address = ContentAddress(resource.digest, contentType: resource.contentType)
            try statement.execute(arguments: [resource.digest.blob, resource.byteCount, address.fileExtension])
        }
    }

    /// Keeps the wish for an album until a decision allows it.
    static func deferAlbum(
        _ desired: DesiredAlbum,
        _ reason: AlbumOutcome.DeferralReason,
        asset: AssetID,
        owner: Data,
        _ database: Database
    ) throws {
        try database.execute(
            sql: "INSERT OR REPLACE INTO deferred_album (asset, owner, desired, reason) VALUES (?, ?, ?, ?)",
            arguments: [asset.blob, owner, try JSONColumn.encode(desired), reason.rawValue]
        )
    }
}
