import Authorization
import FoundationEssentials
import GRDB
package import LibraryAPI
import Persistence
package import PhotoModel
package import Replication

extension SQLiteMetadataStore {
    /// Judges a replica's contact by its history and its ticket, and gives the next ticket.
    ///
    /// The last ticket is good; the one before it only while the last was never used, as when its answer was lost.
    /// Anything else means that somebody else has gone on with this history: a copy.
    package func contact(
        _ contact: Contact,
        ticket: String?,
        following number: ChangeNumber?,
        by caller: StoreCaller
    ) async throws -> ContactAnswer {
        let fresh = ContentHasher.digest(
            effects.identifier(RecordID.self).bytes + effects.identifier(RecordID.self).bytes
        )
        let now = effects.now()
        return try await database.write { database in
            _ = try admit(caller, database)
            guard contact.device == caller.deviceID?.rawValue else {
                throw StoreError(.malformedRequest, "The contact names another device than the one that calls.")
            }
            let presented = ticket.flatMap { ContentDigest($0) }
            var kept = try ReplicaRows.fetch(contact.incarnation, database)
            let verdict =
                kept?.judge(contact, ticket: presented) ?? IncarnationRecord.judge(contact, against: nil)
            guard verdict.remedy == .proceed else {
                try kept?.save(database)
                return ContactAnswer(verdict: verdict, acknowledged: kept?.record.history.counter ?? 0, ticket: nil)
            }
            if kept == nil { try ReplicaRows.retireReplaced(of: DeviceID(rawValue: contact.device), database) }
            var row =
                kept
                ?? ReplicaRows(
                    record: IncarnationRecord(first: contact, hash: .sha256),
                    ticket: fresh,
                    lastContact: now
                )
            row.record.open(contact)
            row.followed = number
            if kept != nil { row.advance(after: presented, to: fresh, at: now) }
            try row.save(database)
            return ContactAnswer(
                verdict: verdict,
                acknowledged: row.record.history.counter,
                ticket: row.ticket.description
            )
        }
    }

    /// Says which of a device's replicas may go on; the others are void.
    package func keepReplicas(of device: DeviceID, _ kept: [ReplicaID]) async throws {
        try await database.write { database in
            for incarnation in kept {
                guard try ReplicaRows.fetch(incarnation, database)?.record.device == device.rawValue else {
                    throw StoreError.notFound("\(incarnation)")
                }
            }
            try ReplicaRows.choose(kept, of: device, database)
        }
    }

    /// Takes a replica's changes in the order of their counters.
    ///
    /// Each is taken or refused for good; what was judged before is passed over, and told again when it was refused. A
    /// stamp too far ahead stops the push there: the device stamps anew, since nobody else has seen the change. Where
    /// another copy of the replica wrote something else under the same names, nothing is taken, and the device writes what
    /// waits once more under a new one; whoever then comes with this one is a copy.
    package func push(_ push: ChangePush, by caller: StoreCaller) async throws -> ChangePushAnswer {
        guard push.changes.count <= APILimits.pushCount, push.incarnation.utf8.count == 32,
            let bits = UInt128(push.incarnation, radix: 16)
        else {
            throw StoreError(.malformedRequest, "A push has an incarnation and at most \(APILimits.pushCount) changes.")
        }
        let incarnation = ReplicaID(rawValue: bits)
        let milliseconds = UInt64(max(effects.now().millisecondsSince1970, 0))
        let answer: ChangePushAnswer? = try await database.write { database in
            let record = try admit(caller, database)
            guard var row = try ReplicaRows.fetch(incarnation, database),
                row.record.device == caller.deviceID?.rawValue
            else { throw StoreError(.preconditionFailed, "The replica is not known: make contact first.") }
            guard row.isContinued(by: push, .sha256) else {
                if row.standing == .good { row.standing = .rolledBack }
                try row.save(database)
                return nil
            }
            let before = row.record.history.counter
            var answer = ChangePushAnswer(acknowledged: before)
            let rows = ReplicatedRows(
                database: database,
                effects: effects,
                note: ChangeNote(record.map { Actor.device($0.device) } ?? .policy, "")
            )
            var taken = PushedChanges(rows)
            let judgement = ChangeJudgement(record: record, database: database)
            for pushed in push.changes {
                if pushed.counter <= row.record.history.counter {
                    answer.refused += try ReplicaRows.refusal(of: incarnation, pushed.counter, database)
                    continue
                }
                let change: Change
                let delta: Delta
                do {
                    (change, delta) = try row.extend(with: pushed, milliseconds, .sha256)
                } catch  where answer.acknowledged > before || !answer.refused.isEmpty {
                    break
                }
                answer.acknowledged = row.record.history.counter
                do {
                    // What is no change of a library is refused like any other, once it has its place in the history.
                    guard pushed.delta.bytes.count <= APILimits.deltaByteCount else {
                        throw StoreError(.tooLarge, "A change has at most \(APILimits.deltaByteCount) bytes.")
                    }
                    // Who sees only a part is judged by what the changes before this one made of it.
                    if judgement.dependsOnView { try taken.write() }
                    try taken.take(change, as: delta, of: judgement.admit(change, after: taken))
                } catch let error as StoreError {
                    let refusal = ChangePushAnswer.Refusal(counter: pushed.counter, problem: error.details)
                    try ReplicaRows.keep(refusal, pushed, of: incarnation, database)
                    answer.refused.append(refusal)
                }
            }
            try taken.write()
            try row.save(database)
            answer.changeNumber = try EntityRows.lastNumber(database)
            return answer
        }
        guard let answer else {
            throw StoreError(
                .changesForked,
                "Another copy of this replica wrote something else.",
                about: "\(incarnation)"
            )
        }
        return answer
    }

    /// The replicas of a device, the last to be in contact first.
    package func replicas(of device: DeviceID) async throws -> [ReplicaSummary] {
        try await database.read { database in
            try Row.fetchAll(
                database,
                sql: """
                    SELECT incarnation, counter, last_contact,
                        (SELECT count(*) FROM refused_change WHERE incarnation = replica.incarnation)
                    FROM replica WHERE device = ? ORDER BY last_contact DESC
                    """,
                arguments: [device.blob]
            ).map { row in
                ReplicaSummary(
                    incarnation: ReplicaID(rawValue: try AssetID(blob: row[0]).rawValue),
                    acknowledged: UInt64(bitPattern: row[1] as Int64),
                    lastContact: WallTime(microsecondsSince1970: row[2]),
                    refusedCount: row[3]
                )
            }
        }
    }
}
