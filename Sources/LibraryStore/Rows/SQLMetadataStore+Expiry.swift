import Authorization
import FoundationEssentials
package import LibraryAPI
package import PhotoModel

extension SQLMetadataStore {
    /// Drops creations whose uploads have all been untouched since a time, and a revoked device's unfinished ones, in as
    /// many writer turns as that needs.
    package func expireUploads(untouchedSince time: WallTime) async throws -> [UploadID] {
        var ended: [UploadID] = []
        do {
            try await expireUploads(untouchedSince: time, &ended)
        } catch  where !ended.isEmpty {
            // Their bytes can go all the same. The next upkeep continues, and reports what is wrong.
        }
        return ended
    }

    private func expireUploads(untouchedSince time: WallTime, _ ended: inout [UploadID]) async throws {
        var last: StaleCreation?
        while true {
            let found = try await store.read { [last, count = turns.foundCreations] database in
                try StaleCreation.find(after: last, untouchedSince: time, atMost: count, database)
            }
            for start in stride(from: 0, to: found.count, by: turns.expiredCreations) {
                let turn = found[start...].prefix(turns.expiredCreations)
                // Others waiting for the writer get their turn in between.
                ended += try await store.write([.library]) { database in
                    try turn.flatMap { try $0.end(untouchedSince: time, database) }
                }
            }
            guard found.count == turns.foundCreations else { return }
            last = found.last
        }
    }
}

/// A creation whose uploads a reader found expired.
struct StaleCreation: Sendable {
    private let asset: Data
    private let owner: Data

    /// The first ones after another, in the order of the table.
    static func find(
        after last: StaleCreation?,
        untouchedSince time: WallTime,
        atMost count: Int,
        _ database: any SQLSession
    ) throws -> [StaleCreation] {
        try database.rows(
            """
            SELECT asset, owner FROM upload
            WHERE (asset, owner) > (?1, ?2) AND owner NOT IN (\(devices(in: "suspect")))
            GROUP BY asset, owner
            HAVING max(touched) < ?3 OR (max(is_complete) = 0 AND owner IN (\(devices(in: "revoked"))))
            ORDER BY asset, owner LIMIT ?4
            """,
            [last?.asset ?? Data(), last?.owner ?? Data(), time.microsecondsSince1970, count]
        ).map { StaleCreation(asset: try $0["asset"], owner: try $0["owner"]) }
    }

    private static func devices(in state: String) -> String {
        "SELECT id FROM device WHERE record -> 'state' -> '\(state)' IS NOT NULL"
    }

    /// Drops it, unless it does not count as expired any more; returns its uploads.
    func end(untouchedSince time: WallTime, _ database: any SQLSession) throws -> [UploadID] {
        // Locked, so that a server that continues one of them has done so before, or finds it gone.
        let uploads = try database.statement(
            "SELECT id, touched, is_complete FROM upload WHERE asset = ? AND owner = ?\(database.dialect.locking)"
        ).rows([asset, owner])
        guard let touched = try uploads.map({ try $0["touched"] as Int64 }).max() else { return [] }
        let isIdle = touched < time.microsecondsSince1970
        let hasFile = try uploads.contains { try $0["is_complete"] as Bool }
        let state = try stateOfOwner(database)
        let isExpired =
            switch state {
            // An operator decides about them, however long that takes.
            case .suspect?: false
            // Nobody can finish them, but one with a complete file may be all that is left of a picture.
            case .revoked?: isIdle || !hasFile
            default: isIdle
            }
        guard isExpired else { return [] }
        try database.statement("DELETE FROM creation WHERE asset = ? AND owner = ?").execute([asset, owner])
        return try uploads.map { try UploadID(blob: $0["id"]) }
    }

    /// The state of its device; nil for operators.
    private func stateOfOwner(_ database: any SQLSession) throws -> DeviceState? {
        guard !owner.isEmpty else { return nil }
        return try DeviceTable.record(of: DeviceID(blob: owner), database)?.state
    }
}
