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
            id: try UploadID(blob: row[0]),
            assetID: try AssetID(blob: row[1]),
            resourceID: try ResourceID(blob: row[2]),
            digest: try ContentDigest(blob: row[3]),
            byteCount: row[4],
            durableByteCount: row[5],
            isComplete: row[6],
            touched: WallTime(microsecondsSince1970: row[7])
        )
    }
}
