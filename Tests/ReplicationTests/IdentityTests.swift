import Replication
import TestSupport
import Testing

/// Rollback, fork and twins, found at the first contact, and what the device then does.
struct IdentityTests {
    private static func hash(_ byte: UInt8) -> HashValue {
        HashFunction.sha256([byte])
    }

    /// A device with `count` changes of one incarnation.
    private static func device(_ count: Int) throws -> (changes: [Change], author: Author) {
        var author = Author(incarnation: Incarnation(replica: ReplicaID(rawValue: 77)), milliseconds: 1)
        var state = ReplicaState()
        let changes = try (0..<count).compactMap { index in
            try state.set(
                .integer(Int64(index + 1)),
                field: AssetField.rating,
                of: .asset(UInt128(index % 3)),
                by: &author
            )
        }
        return (changes, author)
    }

    private static func history(_ changes: some Sequence<Change>) throws -> HistoryChain {
        var chain = HistoryChain(of: ReplicaID(rawValue: 77), hash: .sha256)
        for change in changes { try chain.append(change, hash: .sha256) }
        return chain
    }

    private static func contact(
        _ history: HistoryChain,
        device: UInt128 = 1,
        host: UInt8 = 1,
        boot: UInt128 = 1
    ) -> Contact {
        Contact(
            device: device,
            incarnation: ReplicaID(rawValue: 77),
            history: history,
            hostFingerprint: hash(host),
            bootID: boot
        )
    }

    @Test("each kind of contact gets its verdict, and each verdict its remedy")
    func verdicts() throws {
        let changes = try Self.device(6).changes
        let known = try Self.history(changes.prefix(4))
        var record = IncarnationRecord(first: Self.contact(known), hash: .sha256)
        let admitted = try record.admit(Array(changes.prefix(4)), of: Self.contact(known), hash: .sha256)
        #expect(admitted.count == 4)
        func verdict(_ contact: Contact) -> ContactVerdict { IncarnationRecord.judge(contact, against: record) }

        #expect(verdict(Self.contact(known)) == .continues(acknowledged: 4, isHostChanged: false))
        #expect(verdict(Self.contact(known, boot: 2)) == .twins)
        #expect(verdict(Self.contact(known, host: 2)) == .twins)
        record.close()
        let longer = try Self.history(changes)
        #expect(verdict(Self.contact(longer, boot: 2)) == .continues(acknowledged: 4, isHostChanged: false))
        #expect(verdict(Self.contact(known, host: 2)) == .continues(acknowledged: 4, isHostChanged: true))
        let old = try Self.history(changes.prefix(3))
        #expect(verdict(Self.contact(old)) == .rolledBack(serverKnows: 4))
        #expect(verdict(Self.contact(old, host: 2)) == .fork)
        #expect(verdict(Self.contact(known, device: 2)) == .fork)
        let forked = HistoryChain(counter: 4, hash: Self.hash(9))
        #expect(verdict(Self.contact(forked)) == .fork)
        #expect(IncarnationRecord.judge(Self.contact(known), against: nil) == .unknown)
        record.open(Self.contact(known, host: 2, boot: 5))
        #expect(verdict(Self.contact(known, host: 2, boot: 5)) == .continues(acknowledged: 4, isHostChanged: false))
        #expect(verdict(Self.contact(known, host: 2, boot: 6)) == .twins)

        #expect(ContactVerdict.unknown.remedy == .proceed)
        #expect(ContactVerdict.continues(acknowledged: 1, isHostChanged: true).remedy == .proceed)
        #expect(ContactVerdict.rolledBack(serverKnows: 1).remedy == .beginNewIncarnation)
        #expect(ContactVerdict.fork.remedy == .becomeSuspect)
        #expect(ContactVerdict.twins.remedy == .becomeSuspect)
    }

    @Test("a replica's standing decides beside its history and its ticket: every standing, every contact")
    func standings() throws {
        let changes = try Self.device(4).changes
        let record = IncarnationRecord(
            device: 1,
            incarnation: changes[0].dot.replica,
            history: try Self.history(changes),
            hostFingerprint: Self.hash(1)
        )
        let goodContact = Self.contact(try Self.history(changes))
        let oldContact = Self.contact(try Self.history(changes.prefix(2)))
        let forkedContact = Self.contact(HistoryChain(counter: 4, hash: Self.hash(9)))
        let good = ContactVerdict.continues(acknowledged: 4, isHostChanged: false)
        let old = ContactVerdict.rolledBack(serverKnows: 4)
        typealias Row = (
            was: ReplicaStanding, contact: Contact, hasTicket: Bool, verdict: ContactVerdict, becomes: ReplicaStanding
        )
        let rows: [Row] = [
            (.good, goodContact, true, good, .good),
            (.good, goodContact, false, .fork, .good),
            (.good, oldContact, true, old, .rolledBack),
            (.good, oldContact, false, old, .rolledBack),
            (.good, forkedContact, true, .fork, .good),
            (.good, forkedContact, false, .fork, .good),
            (.chosen, goodContact, true, good, .good),
            (.chosen, goodContact, false, good, .good),
            (.chosen, oldContact, true, old, .chosen),
            (.chosen, oldContact, false, old, .chosen),
            (.chosen, forkedContact, true, old, .chosen),
            (.chosen, forkedContact, false, old, .chosen),
            (.retired, goodContact, true, .fork, .retired),
            (.retired, goodContact, false, .fork, .retired),
            (.retired, oldContact, true, .fork, .retired),
            (.retired, oldContact, false, .fork, .retired),
            (.retired, forkedContact, true, .fork, .retired),
            (.retired, forkedContact, false, .fork, .retired),
            (.rolledBack, goodContact, true, good, .rolledBack),
            (.rolledBack, goodContact, false, .fork, .rolledBack),
            (.rolledBack, oldContact, true, old, .rolledBack),
            (.rolledBack, oldContact, false, old, .rolledBack),
            (.rolledBack, forkedContact, true, .fork, .rolledBack),
            (.rolledBack, forkedContact, false, .fork, .rolledBack),
        ]
        for row in rows {
            var standing = row.was
            let verdict = standing.judge(row.contact, against: record, hasTicket: row.hasTicket)
            #expect(verdict == row.verdict && standing == row.becomes, "\(row)")
        }
        let standings: [ReplicaStanding] = [.good, .chosen, .retired, .rolledBack]
        #expect(standings.map(\.isReplaceable) == [false, true, false, true])
    }

    @Test("changes are admitted once, in order, none left out, and only where they are the announced ones")
    func admission() throws {
        let changes = try Self.device(5).changes
        let contact = Self.contact(try Self.history(changes))
        var record = IncarnationRecord(first: contact, hash: .sha256)
        #expect(try record.admit(Array(changes.prefix(2)), of: contact, hash: .sha256).count == 2)
        #expect(try record.admit(Array(changes.prefix(3)), of: contact, hash: .sha256) == [changes[2]])
        let gap = #expect(throws: ReplicationError.self) {
            try record.admit([changes[4]], of: contact, hash: .sha256)
        }
        #expect(gap?.code == .counterGap(expected: 4))
        let other = Self.contact(HistoryChain(counter: 5, hash: Self.hash(1)))
        let fork = #expect(throws: ReplicationError.self) {
            try record.admit(Array(changes.suffix(2)), of: other, hash: .sha256)
        }
        #expect(fork?.code == .historyForked)
        #expect(record.history.counter == 3)
        #expect(try record.admit(changes, of: contact, hash: .sha256).count == 2)
        #expect(record.history == contact.history)
        let foreign = Change(
            entity: .asset(1),
            field: AssetField.title,
            dot: Dot(replica: ReplicaID(rawValue: 5), counter: 6),
            after: 0,
            stamp: changes[0].stamp,
            value: .nothing,
            superseded: []
        )
        #expect(throws: ReplicationError.self) { try record.admit([foreign], of: contact, hash: .sha256) }
    }

    @Test("Changes go on with a history where they tell again what was admitted, to its end; anything else is a fork")
    func continuation() throws {
        let changes = try Self.device(5).changes
        let histories = try (0...5).map { try Self.history(changes.prefix($0)) }
        let record = IncarnationRecord(
            device: 1,
            incarnation: changes[0].dot.replica,
            history: histories[3],
            hostFingerprint: Self.hash(1)
        )
        func isContinued(_ told: [Change], after prior: HistoryChain) -> Bool {
            record.isContinued(by: told, after: prior, hash: .sha256)
        }
        #expect(isContinued(Array(changes[3...]), after: histories[3]))
        #expect(isContinued(changes, after: histories[0]))
        #expect(isContinued(Array(changes[1...2]), after: histories[1]))
        #expect(isContinued([changes[4]], after: histories[4]), "a gap is no fork")
        #expect(!isContinued([changes[1]], after: histories[1]), "who sends what waits does not end before it")
        #expect(!isContinued(Array(changes[3...]), after: HistoryChain(counter: 3, hash: Self.hash(9))))
        #expect(!isContinued(changes, after: HistoryChain(counter: 0, hash: Self.hash(9))))
        #expect(!isContinued([changes[0], changes[2]], after: histories[0]))
    }

    @Test("An edit where a copy has written under the same name is refused")
    func copyHasWritten() throws {
        let start = Incarnation(replica: ReplicaID(rawValue: 7), counter: 1)
        var author = Author(incarnation: start, milliseconds: 1000)
        var copy = author
        var state = ReplicaState()
        _ = try state.set(.bool(true), field: AssetField.favorite, of: .asset(1), by: &copy)
        let refused = #expect(throws: ReplicationError.self) {
            try state.set(.bool(false), field: AssetField.favorite, of: .asset(1), by: &author)
        }
        #expect(refused?.code == .historyForked && author.incarnation == start)
        let made = try state.set(.bool(true), field: AssetField.favorite, of: .asset(2), by: &author)
        #expect(made?.dot.counter == 2, "elsewhere it is made")
    }

    @Test("the chain depends on every change and on their order")
    func chain() throws {
        let changes = try Self.device(3).changes
        let other = try Self.device(4).changes
        #expect(try Self.history(changes) == Self.history(other.prefix(3)))
        #expect(try Self.history(changes) != Self.history(other))
        let first = Change(
            entity: changes[0].entity,
            field: changes[0].field,
            dot: changes[0].dot,
            after: 0,
            stamp: changes[0].stamp,
            value: .integer(99),
            superseded: []
        )
        #expect(try Self.history(changes) != Self.history([first] + changes.dropFirst()))
        var chain = HistoryChain(of: ReplicaID(rawValue: 77), hash: .sha256)
        #expect(chain.hash != HistoryChain(of: ReplicaID(rawValue: 78), hash: .sha256).hash)
        let error = #expect(throws: ReplicationError.self) { try chain.append(changes[1], hash: .sha256) }
        #expect(error?.code == .counterGap(expected: 1))
    }

    @Test("a change that passes over an earlier one of its replica is refused")
    func passingOver() throws {
        let changes = try Self.device(6).changes
        let state = ReplicaState(applying: changes.prefix(3))
        #expect(throws: Never.self) { try state.checkFollows(changes[3]) }
        let last = changes[3]
        let claiming = Change(
            entity: last.entity,
            field: last.field,
            dot: last.dot,
            after: 0,
            stamp: last.stamp,
            value: last.value,
            superseded: []
        )
        #expect(throws: ReplicationError.self) { try state.checkFollows(claiming) }
    }

    @Test(
        "after a rollback the unacknowledged changes live on under a new incarnation, and nothing of either history is lost"
    )
    func reauthoring() {
        checkProperty("re-authoring", cases: 60, maximumSize: 25) { generator, size in
            let fleet = try Fleet.history(replicas: 2, steps: size, purges: false, using: &generator)
            let server = ReplicaState(applying: fleet.changes)
            // An image is restored, and the device goes on writing, under the same counters, before its next contact.
            var restored = fleet.replicas[0]
            var unacknowledged: [Change] = []
            for _ in 0..<size / 2 { unacknowledged += try restored.edit(purges: false, using: &generator) }
            var incarnation = Incarnation(replica: ReplicaID(using: &generator))
            let renamed = Reauthoring.reauthor(unacknowledged, as: &incarnation)
            guard renamed.map(\.value) == unacknowledged.map(\.value),
                renamed.map(\.dot.counter) == renamed.indices.map({ UInt64($0 + 1) }),
                renamed.allSatisfy({ $0.dot.replica == incarnation.replica })
            else { return "the changes are not the same under new names" }
            let stale = Set(unacknowledged.map(\.dot))
            guard renamed.allSatisfy({ stale.isDisjoint(with: $0.superseded) }) else { return "an old name is left" }
            var device = server
            for change in renamed { device.apply(change) }
            let model = ReferenceModel(changes: Set(fleet.changes + renamed))
            if let reason = model.difference(from: device) { return reason }
            let shuffled = ReplicaState(applying: (fleet.changes + renamed).shuffled(using: &generator))
            guard shuffled.canonicalBytes == device.canonicalBytes else { return "the order matters" }
            return incarnation.counter == UInt64(unacknowledged.count) ? nil : "a counter is missing"
        }
    }
}
