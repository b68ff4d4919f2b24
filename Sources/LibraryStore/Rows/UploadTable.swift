import FoundationEssentials
import LibraryAPI
import PhotoModel

/// The rows of uploads.
enum UploadTable {
    private static func columns(_ database: any SQLSession) -> String {
        "id, asset, resource, digest, byte_count, durable, is_complete, touched, \(database.dialect.turnColumns)"
    }

    /// One upload; a nil owner matches any.
    static func fetch(_ id: UploadID, owner: Data?, _ database: any SQLSession) throws -> UploadRecord? {
        try database.statement("SELECT \(columns(database)) FROM upload WHERE id = ?1 AND owner = coalesce(?2, owner)")
            .row([id.blob, owner]).map(record)
    }

    /// The uploads of one creation.
    static func of(asset: AssetID, owner: Data, _ database: any SQLSession) throws -> [UploadRecord] {
        try database.statement("SELECT \(columns(database)) FROM upload WHERE asset = ? AND owner = ?")
            .rows([asset.blob, owner]).map(record)
    }

    /// The number of a caller's uploads.
    static func count(of owner: Data, _ database: any SQLSession) throws -> Int {
        try database.statement("SELECT count(*) FROM upload WHERE owner = ?").value(Int.self, [owner]) ?? 0
    }

    private static func record(_ row: SQLRow) throws -> UploadRecord {
        UploadRecord(
            id: try UploadID(blob: row["id"]),
            assetID: try AssetID(blob: row["asset"]),
            resourceID: try ResourceID(blob: row["resource"]),
            digest: try ContentDigest(blob: row["digest"]),
            byteCount: (try row["byte_count"] as Int64).clamped(to: AssetResource.decodedByteCounts),
            durableByteCount: (try row["durable"] as Int64).clamped(to: 0...AssetResource.maximumByteCount),
            isComplete: try row["is_complete"],
            touched: WallTime(microsecondsSince1970: try row["touched"]),
            turn: try row["turn"],
            copy: try row["copy"]
        )
    }
}
