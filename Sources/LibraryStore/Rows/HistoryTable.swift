import Authorization
import FoundationEssentials
import LibraryAPI
import PhotoModel

/// Who changed what, and when: one row per change number, written in the change's transaction.
enum HistoryTable {
    /// One change: its number, entity and description.
    struct Line {
        let number: ChangeNumber
        let entity: EntityReference
        let what: String
    }

    /// The description of a purge.
    static let purge = "purged"

    /// Lines written per statement, if there are many.
    private static let lineCount = 32
    private static let single = insertion(of: 1)
    private static let many = insertion(of: lineCount)

    /// Appends one author's changes at one time.
    static func append(_ lines: [Line], by actor: Actor, at time: WallTime, _ database: any SQLSession) throws {
        let author: [any SQLEncodable] = [time.microsecondsSince1970, actor.description]
        var rest = lines[...]
        while !rest.isEmpty {
            let isMany = rest.count >= lineCount
            var arguments = author
            for line in rest.prefix(isMany ? lineCount : 1) {
                let entity = line.entity
                arguments += [line.number.rawValue, entity.kind, entity.first, entity.second, line.what]
            }
            try database.statement(isMany ? many : single).execute(SQLArguments(arguments))
            rest = rest.dropFirst(isMany ? lineCount : 1)
        }
    }

    /// Whether an asset was purged after a change; history is never forgotten.
    static func isPurged(_ asset: AssetID, after number: ChangeNumber, _ database: any SQLSession) throws -> Bool {
        let statement = try database.statement(
            "SELECT 1 FROM history WHERE first = ? AND number > ? AND kind = ? AND what = ?"
        )
        let arguments: SQLArguments = [asset.blob, number.rawValue, EntityReference.asset(asset).kind, purge]
        return try statement.value(Bool.self, arguments) ?? false
    }

    private static func insertion(of count: Int) -> String {
        let rows = (0..<count).map { row in
            let values = (0..<5).map { "?\(3 + 5 * row + $0)" }
            return "(\(values[0]), ?1, ?2, \(values.dropFirst().joined(separator: ", ")))"
        }
        return "INSERT INTO history (number, time, actor, kind, first, second, what) VALUES "
            + rows.joined(separator: ", ")
    }

    /// The changes after a number, of everything or of one asset with its memberships.
    static func page(
        after number: ChangeNumber,
        of asset: AssetID?,
        limit: Int,
        _ database: any SQLSession
    ) throws -> [HistoryEntry] {
        let condition = asset == nil ? "TRUE" : "(kind = 2 AND first = ?3 OR kind = 5 AND second = ?3)"
        return try database.rows(
            """
            SELECT number, time, actor, kind, first, second, what FROM history
            WHERE number > ?1 AND \(condition) ORDER BY number LIMIT ?2
            """,
            SQLArguments([number.rawValue, limit] as [any SQLEncodable])
                + SQLArguments(asset.map { [$0.blob] } ?? [])
        ).map { row in
            HistoryEntry(
                number: ChangeNumber(rawValue: try row["number"]),
                time: WallTime(microsecondsSince1970: try row["time"]),
                actor: try row["actor"],
                entity: try EntityReference(row),
                what: try row["what"]
            )
        }
    }
}
