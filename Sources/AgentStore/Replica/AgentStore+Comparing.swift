import FoundationEssentials
import GRDB
package import LibraryAPI
import Persistence
package import PhotoModel
import Replication

// Compares the replica with the library's view by hashes; `ChangeRange` defines what is hashed, and in what order.

extension AgentStore {
    /// The library's ranges that differ from the local ones.
    ///
    /// - Throws: `damaged`, `storage`.
    package func differing(_ ranges: [ChangeRange]) throws -> [ChangeRange] {
        try replica { rows in
            try ranges.filter { range in
                let bounds = ChangeRange.Bounds(from: range.from, until: range.until)
                var hasher = ContentHasher.Running()
                let count = try rows.told(in: bounds) { try Self.take($0, into: &hasher) }
                return count != range.count || hasher.digest != range.hash
            }
        }
    }

    /// Replaces the view between two keys by all of the library's entities there, and counts the changed ones.
    ///
    /// If the feed has advanced since its position at the time of the request, the response is older than the local
    /// state: it is merged, and nothing is forgotten.
    ///
    /// - Throws: `damaged` for an unreadable state, `storage`; nothing is applied then.
    package func mend(
        _ bounds: ChangeRange.Bounds,
        by entities: [EntityChange],
        at position: ChangeFeedPosition
    ) throws -> Int {
        let (count, gone) = try replica { rows in
            let cursor = try rows.cursor()
            // The view was dropped meanwhile, or is being enumerated.
            guard cursor.generation == position.enumeration else { return (0, [EntityReference]()) }
            let isExact = cursor.position == position
            var before: [EntityReference: (state: Data, original: Data?)] = [:]
            _ = try rows.told(in: bounds) { before[try ReplicaTable.entity($0)] = ($0["base"], $0["original"]) }
            var count = 0
            for change in entities where change.kind != .removed {
                var base = try change.state.map { try ReplicaState(canonicalBytes: $0.bytes) } ?? ReplicaState()
                if !isExact, let known = try rows.base(of: change.entity) { base.merge(known) }
                let original = try Self.original(of: change)
                let known = before.removeValue(forKey: change.entity)
                guard known?.state != Data(base.canonicalBytes) || known?.original != original else { continue }
                try rows.keep(base, of: change.entity, original: original, generation: cursor.generation)
                count += 1
            }
            guard isExact else { return (count, [EntityReference]()) }
            let gone = Array(before.keys)
            try rows.forget(gone)
            return (count + gone.count, gone)
        }
        try noteViewChanged(without: gone)
        return count
    }

    /// Whether a complete view is overdue for a comparison.
    package func isComparisonDue(every interval: Duration, now: WallTime) throws -> Bool {
        guard try changeToken() != nil else { return false }
        guard let last = try fact(.comparison) else {
            // An enumeration has just delivered everything.
            try setFact(.comparison, to: now)
            return interval == .zero
        }
        return now.microsecondsSince1970 >= last.advanced(by: interval).microsecondsSince1970
    }

    /// Records that the view was compared at the last contact.
    package func noteComparison() throws {
        guard let now = try fact(.lastContact) else { return }
        try setFact(.comparison, to: now)
    }

    private static func take(_ row: Row, into hasher: inout ContentHasher.Running) throws {
        let state: Data = row["base"]
        // The library has no state for entities that nobody has changed.
        let bytes = Array(state) == ReplicaState().canonicalBytes ? [] : Array(state)
        hasher.update(EntityKey(try ReplicaTable.entity(row)).bytes[...])
        hasher.update(ContentHasher.digest(bytes).bytes[...])
        guard row["kind"] as Int == 2, let original: Data = row["original"] else { return }
        for resource in try value(Asset.self, from: Array(original)).resources.sorted(by: { $0.id < $1.id }) {
            hasher.update(resource.digest.bytes[...])
        }
    }
}

extension ReplicaTable {
    /// Iterates over the library's rows between two keys, in key order, and counts them.
    func told(in bounds: ChangeRange.Bounds, _ take: (Row) throws -> Void) throws -> Int {
        var sql = "SELECT kind, first, second, base, original FROM replica_entities WHERE NOT is_local"
        var arguments: StatementArguments = []
        for (key, comparison) in [(bounds.from, ">="), (bounds.until, "<")] {
            guard let key else { continue }
            sql += " AND (kind, first, second) \(comparison) (?, ?, ?)"
            arguments += [
                Int(key.bytes[0]), Self.identifier(key.bytes[1..<17]),
                key.bytes.count > 17 ? Self.identifier(key.bytes[17...]) : "",
            ]
        }
        let rows = try Row.fetchCursor(database, sql: sql + " ORDER BY kind, first, second", arguments: arguments)
        var count = 0
        while let row = try rows.next() {
            try take(row)
            count += 1
        }
        return count
    }

    /// Sixteen bytes in the rows' identifier form.
    private static func identifier(_ bytes: ArraySlice<UInt8>) -> String {
        AssetID(rawValue: UInt128(bigEndianBytes: bytes)).description
    }
}
