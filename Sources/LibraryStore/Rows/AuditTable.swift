import Authorization
import FoundationEssentials
import PhotoModel

/// The audit's rows: each entry contains the previous one's digest.
struct AuditTable {
    let database: any SQLSession
    let chain: AuditChain

    /// Appends an entry.
    @discardableResult
    func append(_ content: AuditEntry.Content, at time: WallTime) throws -> AuditEntry {
        let last = try database.value(String.self, "SELECT entry FROM audit ORDER BY sequence DESC LIMIT 1")
        let head = try last.map { AuditHead(try JSONColumn.decode($0, as: AuditEntry.self)) } ?? .start
        let entry = chain.entry(content, at: time, after: head)
        try database.execute(
            "INSERT INTO audit (sequence, time, device, entry) VALUES (?, ?, ?, ?)",
            [
                Int64(bitPattern: entry.sequence), time.microsecondsSince1970, content.device,
                try JSONColumn.encode(entry),
            ]
        )
        return entry
    }
}
