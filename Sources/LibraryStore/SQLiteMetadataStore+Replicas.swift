import Authorization
import Foundation
import GRDB
package import LibraryAPI
import Persistence
package import PhotoModel
package import Replication

extension SQLiteMetadataStore {
    private static let hash = HashFunction { bytes in
        guard let value = HashValue(ContentHasher.digest(bytes).bytes) else {
            preconditionFailure("SHA-256 has 32 bytes")
        }
        return value
    }

    /// Judges a replica's contact by its history and its ticket, and gives the next ticket.
    ///
    /// The last ticket is good; the one before it only while the last was never used, as when its answer was lost.
    /// Anything else means that somebody else has gone on with this history: a copy.
    package func contact(_ contact: Contact, ticket: String?, by caller: StoreCaller) async throws -> ContactAnswer {
        let fresh = ContentHasher.digest(
            effects.identifier(RecordID.self).bytes + effects.identifier(RecordID.self).bytes
        )
        let now = effects.now()
        return try await database.write { database in
            _ = try admit(caller, database)
            guard contact.device == caller.deviceID?.rawValue else {
                throw StoreError(.malformedRequest, "The contact names another device than the one that calls.")
            }
            let kept = try ReplicaRows.fetch(contact.incarnation, database)
            var verdict = IncarnationRecord.judge(contact, against: kept?.record)
            let presented = ticket.flatMap { ContentDigest($0) }
            if let kept, verdict.remedy == .proceed, !kept.accepts(presented) { verdict = .fork }
            guard verdict.remedy == .proceed else {
                return ContactAnswer(verdict: verdict, acknowledged: kept?.record.history.counter ?? 0, ticket: nil)
            }
            var row =
                kept
                ?? ReplicaRows(
                    record: IncarnationRecord(first: contact, hash: Self.hash),
                    ticket: fresh,
                    lastContact: now
                )
            row.record.open(contact)
            if kept != nil { row.advance(after: presented, to: fresh, at: now) }
            try row.save(database)
            return ContactAnswer(
                verdict: verdict,
                acknowledged: row.record.history.counter,
                ticket: row.ticket.description
            )
        }
    }

    /// Takes a replica's changes in the order of their counters.
    ///
    /// Each is taken or refused for good; what was judged before is passed over, and told again when it was refused. A
    /// stamp too far ahead stops the push there: the device stamps anew, since nobody else has seen the change.
    package func push(_ push: ChangePush, by caller: StoreCaller) async throws -> ChangePushAnswer {
        guard push.changes.count <= APILimits.pushCount, push.incarnation.utf8.count == 32,
            let bits = UInt128(push.incarnation, radix: 16)
        else {
            throw StoreError(.malformedRequest, "A push has an incarnation and at most \(APILimits.pushCount) changes.")
        }
        let incarnation = ReplicaID(rawValue: bits)
        let milliseconds = UInt64(max(effects.now().millisecondsSince1970, 0))
        return try await database.write { database in
            let record = try admit(caller, database)
            guard var row = try ReplicaRows.fetch(incarnation, database),
                row.record.device == caller.deviceID?.rawValue
            else { throw StoreError(.preconditionFailed, "The replica is not known: make contact first.") }
            var answer = ChangePushAnswer(acknowledged: row.record.history.counter)
            for pushed in push.changes {
                if pushed.counter <= row.record.history.counter {
                    answer.refused += try ReplicaRows.refusal(of: incarnation, pushed.counter, database)
                    continue
                }
                do {
                    try row.extend(with: pushed, milliseconds, Self.hash)
                } catch  where answer.acknowledged > 0 || !answer.refused.isEmpty {
                    break
                }
                answer.acknowledged = row.record.history.counter
                if let refusal = try judge(pushed, record, incarnation, database) { answer.refused.append(refusal) }
            }
            try row.save(database)
            answer.changeNumber = try EntityRows.lastNumber(database)
            return answer
        }
    }

    private func judge(
        _ pushed: ChangePush.Change,
        _ record: DecisionRecord?,
        _ incarnation: ReplicaID,
        _ database: Database
    ) throws -> ChangePushAnswer.Refusal? {
        do {
            for change in try Delta(encoded: pushed.delta.bytes).changes {
                let judgement = ChangeJudgement(record: record, database: database)
                let entities = try judgement.admit(change)
                try ReplicatedRows(database: database, effects: effects).update(entities) { $0.apply(change) }
            }
            return nil
        } catch let error as StoreError {
            let refusal = ChangePushAnswer.Refusal(counter: pushed.counter, problem: error.details)
            try ReplicaRows.keep(refusal, pushed, of: incarnation, database)
            return refusal
        }
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

/// What the server keeps of a replica: its history, its machine, and the tickets of its contacts.
struct ReplicaRows {
    var record: IncarnationRecord
    private(set) var ticket: ContentDigest
    private var earlierTicket: ContentDigest?
    private var lastContact: WallTime

    init(record: IncarnationRecord, ticket: ContentDigest, lastContact: WallTime) {
        self.record = record
        self.ticket = ticket
        self.lastContact = lastContact
    }

    /// Whether a ticket continues this history: the last one, or the one before it, which stays until the last is used.
    func accepts(_ presented: ContentDigest?) -> Bool {
        presented == ticket || presented == earlierTicket
    }

    /// Notes a good contact.
    ///
    /// A lost answer's ticket is replaced too, so that a copy that has it is found when it calls.
    mutating func advance(after presented: ContentDigest?, to fresh: ContentDigest, at now: WallTime) {
        lastContact = now
        if presented == ticket { earlierTicket = ticket }
        ticket = fresh
    }

    /// Adds the next change to the history.
    mutating func extend(with pushed: ChangePush.Change, _ milliseconds: UInt64, _ hash: HashFunction) throws {
        let changes: [Change]
        do {
            guard pushed.delta.bytes.count <= APILimits.deltaByteCount else {
                throw StoreError(.tooLarge, "A change has at most \(APILimits.deltaByteCount) bytes.")
            }
            changes = try Delta(encoded: pushed.delta.bytes).changes
            guard changes.count == 1, changes[0].dot.counter == pushed.counter,
                changes[0].dot.replica == record.incarnation
            else { throw StoreError(.changeInvalid, "A pushed delta holds the one change of its counter.") }
            try HybridLogicalClock.admit(changes[0].stamp, serverMilliseconds: milliseconds)
            var history = record.history
            try history.append(changes[0], hash: hash)
            record = IncarnationRecord(
                device: record.device,
                incarnation: record.incarnation,
                history: history,
                hostFingerprint: record.hostFingerprint
            )
        } catch let error as ReplicationError {
            throw StoreError(error.errorCode, error.message, about: "\(record.incarnation)", cause: error)
        }
    }

    static func fetch(_ incarnation: ReplicaID, _ database: Database) throws -> ReplicaRows? {
        let key = AssetID(rawValue: incarnation.rawValue).blob
        let row = try Row.fetchOne(database, sql: "SELECT * FROM replica WHERE incarnation = ?", arguments: [key])
        guard let row else { return nil }
        guard let chain = HashValue(Array(row["chain"] as Data)), let host = HashValue(Array(row["host"] as Data))
        else {
            throw RowDamage("a replica's hashes")
        }
        var rows = ReplicaRows(
            record: IncarnationRecord(
                device: try DeviceID(blob: row["device"]).rawValue,
                incarnation: incarnation,
                history: HistoryChain(counter: UInt64(bitPattern: row["counter"] as Int64), hash: chain),
                hostFingerprint: host
            ),
            ticket: try ContentDigest(blob: row["ticket"]),
            lastContact: WallTime(microsecondsSince1970: row["last_contact"])
        )
        let earlier: Data? = row["earlier_ticket"]
        rows.earlierTicket = try earlier.map(ContentDigest.init(blob:))
        return rows
    }

    func save(_ database: Database) throws {
        try database.execute(
            sql: """
                INSERT OR REPLACE INTO replica
                    (incarnation, device, counter, chain, host, ticket, earlier_ticket, last_contact)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                AssetID(rawValue: record.incarnation.rawValue).blob, DeviceID(rawValue: record.device).blob,
                Int64(bitPattern: record.history.counter), Data(record.history.hash.bytes),
                Data(record.hostFingerprint.bytes), ticket.blob, earlierTicket?.blob,
                lastContact.microsecondsSince1970,
            ]
        )
    }

    /// Keeps a refused change, for the device that asks again and for the operator, who may apply it.
    static func keep(
        _ refusal: ChangePushAnswer.Refusal,
        _ pushed: ChangePush.Change,
        of incarnation: ReplicaID,
        _ database: Database
    ) throws {
        try database.execute(
            sql: "INSERT OR REPLACE INTO refused_change (incarnation, counter, delta, problem) VALUES (?, ?, ?, ?)",
            arguments: [
                AssetID(rawValue: incarnation.rawValue).blob, Int64(bitPattern: refusal.counter),
                Data(pushed.delta.bytes), try JSONColumn.encode(refusal.problem),
            ]
        )
    }

    /// The refusal of a change that was judged before, if it was one.
    static func refusal(
        of incarnation: ReplicaID,
        _ counter: UInt64,
        _ database: Database
    ) throws -> [ChangePushAnswer.Refusal] {
        try String.fetchAll(
            database,
            sql: "SELECT problem FROM refused_change WHERE incarnation = ? AND counter = ?",
            arguments: [AssetID(rawValue: incarnation.rawValue).blob, Int64(bitPattern: counter)]
        ).map { ChangePushAnswer.Refusal(counter: counter, problem: try JSONColumn.decode($0)) }
    }
}

extension ReplicationError {
    fileprivate var errorCode: ErrorCode {
        switch code {
        case .stampAhead: .clockAhead
        case .counterGap: .changeGap
        case .limitExceeded: .tooLarge
        case .malformedBytes, .stampExhausted, .ruleViolated, .serverOnly, .historyForked, .positionsUnordered,
            .positionsExhausted:
            .changeInvalid
        }
    }
}
