import Authorization
import FoundationEssentials
import GRDB
import LibraryAPI
import PhotoModel

/// Who changed what and when: one row a change number, written in the transaction of the change.
enum HistoryRows {
    static func append(
        _ note: ChangeNote,
        _ entity: EntityReference,
        _ number: ChangeNumber,
        at time: WallTime,
        _ database: Database
    ) throws {
        let statement = try database.cachedStatement(
            sql: "INSERT INTO history (number, time, actor, kind, first, second, what) VALUES (?, ?, ?, ?, ?, ?, ?)"
        )
        try statement.execute(arguments: [
            number.rawValue, time.microsecondsSince1970, note.actor.description, entity.kind, entity.first,
            entity.second, note.what,
        ])
    }

    /// The changes after a number, of everything or of one asset with its memberships.
    static func page(
        after number: ChangeNumber,
        of asset: AssetID?,
        limit: Int,
        _ database: Database
    ) throws -> [HistoryEntry] {
        let condition = asset == nil ? "1" : "(kind = 2 AND first = ?3 OR kind = 5 AND second = ?3)"
        return try Row.fetchAll(
            database,
            sql: """
                SELECT number, time, actor, kind, first, second, what FROM history
                WHERE number > ?1 AND \(condition) ORDER BY number LIMIT ?2
                """,
            arguments: StatementArguments([number.rawValue, limit] as [any DatabaseValueConvertible])
                + StatementArguments(asset.map { [$0.blob] } ?? [])
        ).map { row in
            HistoryEntry(
                number: ChangeNumber(rawValue: row[0]),
                time: WallTime(microsecondsSince1970: row[1]),
                actor: row[2],
                entity: try EntityReference(kind: row[3], first: row[4], second: row[5]),
                what: row[6]
            )
        }
    }
}
