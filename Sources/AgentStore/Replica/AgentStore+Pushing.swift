import FoundationEssentials
import GRDB
package import LibraryAPI
package import PhotoModel
package import Replication

// Pushes local changes to the library, which judges them.

extension AgentStore {
    /// The most delta bytes in one push: the library's request limit, with room for encoding.
    private static let pushByteCount = APILimits.pushByteCount / 2

    /// The changes that the library has not judged yet, in order; nil if nothing is pending.
    ///
    /// - Throws: `storage`.
    package func pendingPush(limit: Int = APILimits.pushCount) throws -> ChangePush? {
        try replica { rows in
            let found = try Row.fetchAll(
                rows.database,
                sql: """
                    SELECT incarnation, counter, delta FROM replica_changes WHERE state = 'pending'
                    ORDER BY sequence LIMIT ?
                    """,
                arguments: [limit]
            )
            guard let first = found.first else { return nil }
            var byteCount = 0
            let fitting = found.prefix { row in
                byteCount += (row[2] as Data).count
                return byteCount <= Self.pushByteCount
            }
            let (incarnation, counter): (String, Int64) = (first[0], first[1])
            // The judged history ends where the pending changes begin.
            let author = try rows.author()
            let prior = author.map(\.acknowledged).flatMap { $0.counter &+ 1 == UInt64(clamping: counter) ? $0 : nil }
            return ChangePush(
                incarnation: incarnation,
                priorHash: prior.flatMap { ContentDigest(bytes: $0.hash.bytes) },
                changes: (fitting.isEmpty ? found[..<1] : fitting).map { row in
                    .init(counter: UInt64(clamping: row[1] as Int64), delta: Base64Bytes(Array(row[2] as Data)))
                }
            )
        }
    }

    /// Records the library's judgement of pushed changes, and counts the judged ones; a refused one is kept with its
    /// reason, and no longer shown.
    ///
    /// - Throws: `storage`.
    package func acknowledge(_ push: ChangePush, _ answer: ChangePushResponse) throws -> Int {
        let judged = try replica { rows in
            let refusals = Dictionary(answer.refused.map { ($0.counter, $0.problem) }) { first, _ in first }
            var judged = 0
            for change in push.changes where change.counter <= answer.acknowledged {
                let isNew = try Self.judge(
                    change,
                    of: push.incarnation,
                    refusedFor: refusals[change.counter],
                    at: answer.changeNumber,
                    rows
                )
                judged += isNew ? 1 : 0
            }
            if let number = answer.changeNumber {
                // Earlier changes whose answer was lost may have no number; a backup that contains these contains them.
                try rows.database.execute(
                    sql: """
                        UPDATE replica_changes SET change_number = ?
                        WHERE state = 'acknowledged' AND change_number IS NULL
                        """,
                    arguments: [number.rawValue]
                )
            }
            if var author = try rows.author(),
                author.incarnation.replica.description == push.incarnation,
                author.acknowledged.counter < answer.acknowledged,
                let reached = try Self.history(at: answer.acknowledged, of: push.incarnation, rows)
            {
                author.acknowledged = reached
                try rows.save(author)
            }
            return judged
        }
        replicaChangeNotifier.ring()
        return judged
    }

    /// Records that the library rejected a whole push; later changes are rewritten under a new incarnation, because the
    /// library has no place for them in the old one.
    ///
    /// - Throws: `storage`.
    package func refuse(_ push: ChangePush, _ problem: ProblemDetails, fresh: ReplicaID) throws {
        try replica { rows in
            for change in push.changes {
                _ = try Self.judge(change, of: push.incarnation, refusedFor: problem, at: nil, rows)
            }
            try Self.begin(fresh, rows)
        }
        replicaChangeNotifier.ring()
    }

    /// Permanently refused changes, oldest first.
    package func refusedChanges(limit: Int = 1000) throws -> [RefusedChange] {
        try replica { rows in
            try Row.fetchAll(
                rows.database,
                sql: "SELECT * FROM replica_changes WHERE state = 'refused' ORDER BY sequence LIMIT ?",
                arguments: [limit]
            ).map(RefusedChange.init)
        }
    }

    /// Drops refused changes once a person has seen them.
    package func dropRefusedChanges() throws -> Int {
        try replica { rows in
            try rows.database.execute(sql: "DELETE FROM replica_changes WHERE state = 'refused'")
            return rows.database.changesCount
        }
    }

    /// Records one change's outcome; false if already recorded.
    private static func judge(
        _ change: ChangePush.Change,
        of incarnation: String,
        refusedFor problem: ProblemDetails?,
        at number: ChangeNumber?,
        _ rows: ReplicaTable
    ) throws -> Bool {
        let row = try Row.fetchOne(
            rows.database,
            sql: "SELECT * FROM replica_changes WHERE incarnation = ? AND counter = ? AND state = 'pending'",
            arguments: [incarnation, Int64(clamping: change.counter)]
        )
        guard let row else { return false }
        let entity = try ReplicaTable.entity(row)
        try rows.database.execute(
            sql: "UPDATE replica_changes SET state = ?, problem = ?, change_number = ? WHERE sequence = ?",
            arguments: [
                problem == nil ? "acknowledged" : "refused", try problem.map { try blob($0) }, number?.rawValue,
                row["sequence"] as Int64,
            ]
        )
        guard var base = try rows.base(of: entity) else { return true }
        if problem == nil { base.apply(try Delta(encoded: change.delta.bytes)) }
        try rows.keep(base, of: entity, original: nil, generation: nil)
        return true
    }
}

/// A permanently refused change.
package struct RefusedChange: Hashable, Sendable {
    /// The changed entity.
    package let entity: EntityReference
    /// When it was made, by the box's clock.
    package let madeAt: WallTime
    /// Why it was refused, and what to do.
    package let problem: ProblemDetails

    init(_ row: Row) throws {
        entity = try ReplicaTable.entity(row)
        madeAt = WallTime(microsecondsSince1970: row["made_at"])
        problem = try AgentStore.value(ProblemDetails.self, from: Array(row["problem"] as Data))
    }
}
