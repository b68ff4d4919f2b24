import Authorization
import FoundationEssentials
import PhotoModel

/// The audit's rows: each entry contains the previous one's digest.
struct AuditTable {
    let database: any SQLSession
    let chain: AuditChain

    /// The latest entries of a device among which those of a kind are counted.
    private static let countedEntries = 512

    /// Whether a device may by itself cause another entry of a kind.
    func hasRoom(for event: AuditEvent, of device: String, at time: WallTime) throws -> Bool {
        let statement = try database.statement(
            """
            SELECT count(*) FROM (
                SELECT time, entry FROM audit WHERE device = ? ORDER BY sequence DESC LIMIT \(Self.countedEntries)
            ) AS latest WHERE time > ? AND entry LIKE ?
            """
        )
        let since = time.advanced(by: .seconds(-3600)).microsecondsSince1970
        let count = try statement.value(Int.self, [device, since, "%\"event\":\"\(event.rawValue)\"%"])
        return count ?? 0 < StoreLimits.auditEntriesPerHour
    }

    /// Appends an entry of a change, unless the device can repeat the change at will and did so too often.
    func note(_ content: AuditEntry.Content, at time: WallTime) throws {
        if content.isRepeatedByDevice, let device = content.device {
            guard try hasRoom(for: content.event, of: device, at: time) else { return }
        }
        try append(content, at: time)
    }

    /// Appends an entry.
    @discardableResult
    func append(_ content: AuditEntry.Content, at time: WallTime) throws -> AuditEntry {
        let last = try database.statement("SELECT entry FROM audit ORDER BY sequence DESC LIMIT 1").value(String.self)
        let head = try last.map { AuditHead(try JSONColumn.decode($0, as: AuditEntry.self)) } ?? .start
        let entry = chain.entry(content, at: time, after: head)
        try database.statement("INSERT INTO audit (sequence, time, device, entry) VALUES (?, ?, ?, ?)").execute([
            Int64(bitPattern: entry.sequence), time.microsecondsSince1970, content.device,
            try JSONColumn.encode(entry),
        ])
        return entry
    }
}

extension AuditEntry.Content {
    /// Whether the device caused it by a request that it can repeat at will.
    fileprivate var isRepeatedByDevice: Bool {
        guard let device, actor == "device \(device)" else { return false }
        return [.pickerCreate, .pickerFetch, .pickerEnd, .wipe].contains(event)
    }
}
