import Authorization
import FoundationEssentials
import GRDB
import PhotoModel

/// The audit's rows: each entry holds the previous one's digest.
struct AuditTable {
    let database: Database
    let chain: AuditChain

    /// Appends an entry.
    @discardableResult
    func append(_ content: AuditEntry.Content, at time: WallTime) throws -> AuditEntry {
        let last = try String.fetchOne(database, sql: "SELECT entry FROM audit ORDER BY sequence DESC LIMIT 1")
        let head = try last.map { AuditHead(try JSONColumn.decode($0, as: AuditEntry.self)) } ?? .start
        let entry = chain.entry(content, at: time, after: head)
        try database.execute(
            sql: "INSERT INTO audit (sequence, time, device, entry) VALUES (?, ?, ?, ?)",
            arguments: [
                Int64(bitPattern: entry.sequence), time.microsecondsSince1970, content.device,
                try JSONColumn.encode(entry),
            ]
        )
        return entry
    }
}
