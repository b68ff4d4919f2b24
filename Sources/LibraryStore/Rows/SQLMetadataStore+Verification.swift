import FoundationEssentials
package import LibraryAPI
import Persistence
package import PhotoModel

/// A page of receipts, checked against the rows.
package struct ReceiptVerification: Hashable, Sendable {
    /// The mismatches, by asset.
    package var findings: [VerificationReport.Finding] = []
    /// The last asset of the page; nil if there was none.
    package var last: AssetID?
}

extension SQLMetadataStore {
    /// Checks receipts against the rows: everything confirmed exists, or was purged.
    ///
    /// - Parameters:
    ///   - asset: the asset to continue after.
    ///   - limit: assets on a page.
    /// - Returns: the findings.
    /// - Throws: the database's error.
    package func verifyReceipts(after asset: AssetID?, limit: Int) async throws -> ReceiptVerification {
        try await store.read { database in
            // All receipts of an asset are on one page, so that the asset is enough to continue from.
            let rows = try database.rows(
                """
                SELECT asset, signed FROM receipt WHERE asset > ?1 AND asset <= (
                    SELECT asset FROM (SELECT asset FROM receipt WHERE asset > ?1 ORDER BY asset LIMIT ?2) AS page
                    ORDER BY asset DESC LIMIT 1
                ) ORDER BY asset
                """,
                [asset?.blob ?? Data(), limit]
            )
            var answer = ReceiptVerification()
            for row in rows {
                let id = try AssetID(blob: row["asset"])
                answer.last = id
                if let kind = try Self.problem(of: id, row["signed"], database) {
                    answer.findings.append(.init(kind: kind, object: "asset \(id)", isQuarantined: false))
                }
            }
            return answer
        }
    }

    private static func problem(
        of asset: AssetID,
        _ signed: String,
        _ database: any SQLSession
    ) throws -> VerificationReport.Finding.Kind? {
        let promised = try JSONColumn.decode(signed, as: SignedReceipt.self).receipt
        // A purge ends the confirmation, even a forgotten one, after which others may use the identifier.
        if try HistoryTable.isPurged(asset, after: promised.changeNumber, database) { return nil }
        guard try AssetTable.fetch(asset, database) != nil else {
            return try EntityTable.isRemoved(.asset(asset), database) ? nil : .receiptWithoutAsset
        }
        let held = try database.rows(
            """
            SELECT resource.digest AS digest, content.byte_count AS byte_count FROM resource
            JOIN asset ON asset.key = resource.asset JOIN content ON content.digest = resource.digest
            WHERE asset.id = ?
            """,
            [asset.blob]
        )
        let lengths = Dictionary(
            try held.map { (try ContentDigest(blob: $0["digest"]), try $0["byte_count"] as Int64) },
            uniquingKeysWith: { first, _ in first }
        )
        // A later edit replaces an earlier one's files; originals are permanent.
        let isKept = promised.resources.allSatisfy { resource in
            AdjustmentRequest.resourceTypes.contains(resource.type) || lengths[resource.digest] == resource.byteCount
        }
        return promised.assetID == asset && isKept ? nil : .receiptDiffers
    }

    /// Corrects a content's length from its bytes.
    package func setByteCount(_ byteCount: Int64, of digest: ContentDigest) async throws {
        try await store.write([.library]) { database in
            try database.execute("UPDATE content SET byte_count = ? WHERE digest = ?", [byteCount, digest.blob])
        }
    }

    /// Records that contents were read and match their digests.
    package func setHashed(_ digests: [ContentDigest], at time: WallTime) async throws {
        guard !digests.isEmpty else { return }
        try await store.write([]) { database in
            let statement = try database.statement("UPDATE content SET verified = ? WHERE digest = ?")
            for digest in digests { try statement.execute([time.microsecondsSince1970, digest.blob]) }
        }
    }
}
