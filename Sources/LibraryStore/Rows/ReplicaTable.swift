import FoundationEssentials
import LibraryAPI
import Persistence
import PhotoModel
import Replication

/// The server's record of a replica: its history, machine, and contact tickets.
struct ReplicaTable {
    var record: IncarnationRecord
    var standing = ReplicaStanding.good
    /// The number up to which it has received removals; nil if it does not follow the feed.
    var followed: ChangeNumber?
    private(set) var ticket: ContentDigest
    private var earlierTicket: ContentDigest?
    private var lastContact: WallTime

    init(record: IncarnationRecord, ticket: ContentDigest, lastContact: WallTime) {
        self.record = record
        self.ticket = ticket
        self.lastContact = lastContact
    }

    /// Whether a ticket continues this history: the last one, or the one before it, valid until the last is used.
    func accepts(_ presented: ContentDigest?) -> Bool {
        presented == ticket || presented == earlierTicket || ticket == Self.anyTicket
    }

    /// Stands for any ticket a device presents: a library restored from a backup cannot know the last one.
    static let anyTicket = ContentHasher.digest("any ticket".utf8)

    /// Records a good contact.
    ///
    /// A lost response's ticket is replaced too, so that a copy that has it is detected when it calls.
    mutating func advance(after presented: ContentDigest?, to fresh: ContentDigest, at now: WallTime) {
        lastContact = now
        if presented == ticket { earlierTicket = ticket }
        ticket = fresh
    }

    /// Whether a push continues the stored history; one without its own hash is trusted.
    func isContinued(by push: ChangePush, _ hash: HashFunction) -> Bool {
        guard let first = push.changes.first, first.counter > 0,
            let prior = push.priorHash.flatMap({ HashValue($0.bytes) })
        else { return true }
        let again = push.changes.prefix { $0.counter <= record.history.counter }
        let changes = again.compactMap { try? Delta(encoded: $0.delta.bytes).changes.first }
        return changes.count == again.count
            && record.isContinued(by: changes, after: HistoryChain(counter: first.counter - 1, hash: prior), hash: hash)
    }

    /// Adds the next change to the history, and returns it, also as a single-change delta.
    ///
    /// - Parameters:
    ///   - pushed: the change.
    ///   - decoded: what its delta holds, if it is decoded already.
    ///   - milliseconds: the server's clock.
    ///   - hash: the history's hash function.
    /// - Returns: the change, and its delta.
    /// - Throws: the refusal for the device.
    mutating func extend(
        with pushed: ChangePush.Change,
        decoded: [Change]? = nil,
        _ milliseconds: UInt64,
        _ hash: HashFunction
    ) throws -> (change: Change, delta: Delta) {
        let changes: [Change]
        do {
            changes = try decoded ?? Delta(encoded: pushed.delta.bytes).changes
            guard changes.count == 1, changes[0].dot.counter == pushed.counter,
                changes[0].dot.replica == record.incarnation
            else { throw StoreError(.changeInvalid, "A pushed delta holds the one change of its counter.") }
            try HybridLogicalClock.admit(changes[0].stamp, serverMilliseconds: milliseconds)
            var history = record.history
            let delta = try history.append(changes[0], hash: hash)
            record = IncarnationRecord(
                device: record.device,
                incarnation: record.incarnation,
                history: history,
                hostFingerprint: record.hostFingerprint
            )
            return (changes[0], delta)
        } catch let error as ReplicationError {
            throw StoreError(error.errorCode, error.message, about: "\(record.incarnation)", cause: error)
        }
    }

    static func fetch(_ incarnation: ReplicaID, _ database: any SQLSession) throws -> ReplicaTable? {
        let key = AssetID(rawValue: incarnation.rawValue).blob
        let statement = try database.statement(
            """
            SELECT device, counter, chain, host, ticket, earlier_ticket, last_contact, standing, followed
            FROM replica WHERE incarnation = ?
            """
        )
        guard let row = try statement.row([key]) else { return nil }
        guard let chain = HashValue(Array(try row["chain"] as Data)),
            let host = HashValue(Array(try row["host"] as Data))
        else {
            throw RowDamage("a replica's hashes")
        }
        var rows = ReplicaTable(
            record: IncarnationRecord(
                device: try DeviceID(blob: row["device"]).rawValue,
                incarnation: incarnation,
                history: HistoryChain(counter: UInt64(bitPattern: try row["counter"] as Int64), hash: chain),
                hostFingerprint: host
            ),
            ticket: try ContentDigest(blob: row["ticket"]),
            lastContact: WallTime(microsecondsSince1970: try row["last_contact"])
        )
        let earlier: Data? = try row["earlier_ticket"]
        rows.earlierTicket = try earlier.map(ContentDigest.init(blob:))
        guard let standing = ReplicaStanding(rawValue: try row["standing"]) else {
            throw RowDamage("a replica's standing")
        }
        rows.standing = standing
        rows.followed = (try row["followed"] as Int64?).map { ChangeNumber(rawValue: $0) }
        return rows
    }

    func save(_ database: any SQLSession) throws {
        try database.statement(
            """
            INSERT INTO replica
                (incarnation, device, counter, chain, host, ticket, earlier_ticket, last_contact, standing, followed)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (incarnation) DO UPDATE SET
                device = excluded.device, counter = excluded.counter, chain = excluded.chain,
                host = excluded.host, ticket = excluded.ticket, earlier_ticket = excluded.earlier_ticket,
                last_contact = excluded.last_contact, standing = excluded.standing, followed = excluded.followed
            """
        ).execute([
            AssetID(rawValue: record.incarnation.rawValue).blob, DeviceID(rawValue: record.device).blob,
            Int64(bitPattern: record.history.counter), Data(record.history.hash.bytes),
            Data(record.hostFingerprint.bytes), ticket.blob, earlierTicket?.blob,
            lastContact.microsecondsSince1970, standing.rawValue, followed?.rawValue,
        ])
    }

    /// Judges a contact and updates the replica's standing accordingly.
    mutating func judge(_ contact: Contact, ticket presented: ContentDigest?) -> ContactVerdict {
        standing.judge(contact, against: record, hasTicket: accepts(presented))
    }

    /// The number of replicas remembered per device.
    static let countPerDevice = 32

    /// Makes room for a device's new incarnation: the ones it replaces become invalid, and beyond the limit the one
    /// silent for longest is forgotten, those that never wrote first.
    static func makeRoom(for device: DeviceID, _ database: any SQLSession) throws {
        for standing in ReplicaStanding.allCases where standing.isReplaceable {
            try database.execute(
                "UPDATE replica SET standing = ? WHERE device = ? AND standing = ?",
                [ReplicaStanding.retired.rawValue, device.blob, standing.rawValue]
            )
        }
        try forgetSurplus(of: device, database)
    }

    private static func forgetSurplus(of device: DeviceID, _ database: any SQLSession) throws {
        let surplus = try database.values(
            Data.self,
            """
            SELECT incarnation FROM replica WHERE device = ?
            ORDER BY counter > 0 DESC, last_contact DESC LIMIT \(Int64.max) OFFSET ?
            """,
            [device.blob, countPerDevice - 1]
        )
        for incarnation in surplus {
            try database.execute("DELETE FROM refused_change WHERE incarnation = ?", [incarnation])
            try database.execute("DELETE FROM replica WHERE incarnation = ?", [incarnation])
        }
    }

    /// Applies an operator's choice of which copies may continue; none named means all.
    static func choose(_ kept: [ReplicaID], of device: DeviceID, _ database: any SQLSession) throws {
        let all = kept.isEmpty ? ReplicaStanding.chosen : .retired
        try database.execute("UPDATE replica SET standing = ? WHERE device = ?", [all.rawValue, device.blob])
        for incarnation in kept {
            try database.execute(
                "UPDATE replica SET standing = ? WHERE incarnation = ?",
                [ReplicaStanding.chosen.rawValue, AssetID(rawValue: incarnation.rawValue).blob]
            )
        }
    }

    /// The largest refused change that is stored whole; of larger ones only the reason is.
    private static let keptDeltaByteCount = 1 << 10

    /// Stores a refused change, for repeated pushes and for the operator, who may apply it.
    static func keep(
        _ refusal: ChangePushResponse.Refusal,
        _ pushed: ChangePush.Change,
        of incarnation: ReplicaID,
        _ database: any SQLSession
    ) throws {
        try database.execute(
            """
            INSERT INTO refused_change (incarnation, counter, delta, problem) VALUES (?, ?, ?, ?)
            ON CONFLICT (incarnation, counter) DO UPDATE SET delta = excluded.delta, problem = excluded.problem
            """,
            [
                AssetID(rawValue: incarnation.rawValue).blob, Int64(bitPattern: refusal.counter),
                Data(pushed.delta.bytes.count <= keptDeltaByteCount ? pushed.delta.bytes : []),
                try JSONColumn.encode(refusal.problem),
            ]
        )
    }

    /// Forgets a replica's refusals except those of one push, which is all that a device repeats.
    static func forgetRefusals(of incarnation: ReplicaID, _ database: any SQLSession) throws {
        try database.statement(
            """
            DELETE FROM refused_change WHERE incarnation = ?1 AND counter <= (
                SELECT counter FROM refused_change WHERE incarnation = ?1 ORDER BY counter DESC LIMIT 1 OFFSET ?2
            )
            """
        ).execute([AssetID(rawValue: incarnation.rawValue).blob, APILimits.pushCount])
    }

    /// The refusal of an already judged change, if any.
    static func refusal(
        of incarnation: ReplicaID,
        _ counter: UInt64,
        _ database: any SQLSession
    ) throws -> [ChangePushResponse.Refusal] {
        try database.values(
            String.self,
            "SELECT problem FROM refused_change WHERE incarnation = ? AND counter = ?",
            [AssetID(rawValue: incarnation.rawValue).blob, Int64(bitPattern: counter)]
        ).map { ChangePushResponse.Refusal(counter: counter, problem: try JSONColumn.decode($0)) }
    }
}

extension ReplicationError {
    /// The wire's error code.
    var errorCode: ErrorCode {
        switch code {
        case .stampAhead: .clockAhead
        case .counterGap: .changeGap
        case .limitExceeded: .tooLarge
        case .malformedBytes, .stampExhausted, .ruleViolated, .serverOnly, .unknownWrite, .historyForked,
            .positionsUnordered, .positionsExhausted:
            .changeInvalid
        }
    }
}
