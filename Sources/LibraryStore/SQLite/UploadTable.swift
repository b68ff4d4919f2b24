import FoundationEssentials
import GRDB
import LibraryAPI
import PhotoModel

/// The rows of uploads.
enum UploadTable {
    private static let columns = "id, asset, resource, digest, byte_count, durable, is_complete, touched"

    /// One upload; a nil owner matches any.
    static func fetch(_ id: UploadID, owner: Data?, _ database: Database) throws -> UploadRecord? {
        try Row.fetchOne(
            database.cachedStatement(sql: "SELECT \(columns) FROM upload WHERE id = ?1 AND owner = ifnull(?2, owner)"),
            arguments: [id.blob, owner]
        ).map(record)
    }

    /// The uploads of one creation.
    static func of(asset: AssetID, owner: Data, _ database: Database) throws -> [UploadRecord] {
        try Row.fetchAll(
            database.cachedStatement(sql: "SELECT \(columns) FROM upload WHERE asset = ? AND owner = ?"),
            arguments: [asset.blob, owner]
        ).map(record)
    }

    private static func record(_ row: Row) throws -> UploadRecord {
        UploadRecord(
            id: try UploadID(blob: row["id"]),
            assetID: try AssetID(blob: row["asset"]),
            resourceID: try ResourceID(blob: row["resource"]),
            digest: try ContentDigest(blob: row["digest"]),
            byteCount: row["byte_count"],
            durableByteCount: row["durable"],
            isComplete: row["is_complete"],
            touched: WallTime(microsecondsSince1970: row["touched"])
        )
    }
}
