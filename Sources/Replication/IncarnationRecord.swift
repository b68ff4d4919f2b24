/// What the server keeps of one incarnation, and judges its contacts and changes by.
package struct IncarnationRecord: Hashable, Sendable {
    /// The device it belongs to.
    package let device: UInt128
    /// The incarnation.
    package let incarnation: ReplicaID
    /// What has been admitted.
    package private(set) var history: HistoryChain
    /// The machine of the last good contact.
    package private(set) var hostFingerprint: HashValue
    /// The boot of the contact that is open now; nil when none is.
    package private(set) var liveBoot: UInt128?

    /// Begins the record of an incarnation at its first contact.
    ///
    /// - Parameters:
    ///   - contact: the contact.
    ///   - function: the hash function.
    package init(first contact: Contact, hash function: HashFunction) {
        device = contact.device
        incarnation = contact.incarnation
        history = HistoryChain(of: contact.incarnation, hash: function)
        hostFingerprint = contact.hostFingerprint
        liveBoot = contact.bootID
    }

    /// A record as it was kept.
    ///
    /// - Parameters:
    ///   - device: the device it belongs to.
    ///   - incarnation: the incarnation.
    ///   - history: what has been admitted.
    ///   - hostFingerprint: the machine of the last good contact.
    package init(device: UInt128, incarnation: ReplicaID, history: HistoryChain, hostFingerprint: HashValue) {
        self.device = device
        self.incarnation = incarnation
        self.history = history
        self.hostFingerprint = hostFingerprint
    }

    /// Judges a contact against what is known.
    ///
    /// - Parameters:
    ///   - contact: what the device says.
    ///   - record: the record of its incarnation; nil when there is none.
    /// - Returns: the verdict; `ContactVerdict.remedy` tells what follows.
    package static func judge(_ contact: Contact, against record: Self?) -> ContactVerdict {
        guard let record else { return .unknown }
        guard contact.incarnation == record.incarnation, contact.device == record.device else { return .fork }
        let isHostChanged = contact.hostFingerprint != record.hostFingerprint
        if let boot = record.liveBoot, boot != contact.bootID || isHostChanged { return .twins }
        if contact.history.counter < record.history.counter {
            return isHostChanged ? .fork : .rolledBack(serverKnows: record.history.counter)
        }
        if contact.history.counter == record.history.counter, contact.history.hash != record.history.hash {
            return .fork
        }
        return .continues(acknowledged: record.history.counter, isHostChanged: isHostChanged)
    }

    /// Opens a contact that was judged good.
    package mutating func open(_ contact: Contact) {
        hostFingerprint = contact.hostFingerprint
        liveBoot = contact.bootID
    }

    /// Notes that the contact has ended.
    package mutating func close() {
        liveBoot = nil
    }

    /// Whether changes go on with what has been admitted: those that come again are the admitted ones, to the last.
    ///
    /// A replica sends what waits from its first change on, so that changes which end before this history does are of
    /// another one, or come so late that nobody waits for the answer.
    ///
    /// - Parameters:
    ///   - changes: in the order of their counters; at least those that come again.
    ///   - prior: the history before the first of them, as the replica has it.
    ///   - function: the hash function.
    /// - Returns: false for a fork; true also where changes between are missing.
    package func isContinued(by changes: [Change], after prior: HistoryChain, hash function: HashFunction) -> Bool {
        guard prior.counter <= history.counter else { return true }
        var told = prior
        for change in changes where change.dot.counter <= history.counter {
            do {
                try told.append(change, hash: function)
            } catch {
                return false
            }
        }
        return told == history
    }

    /// Admits the next changes of a contact: each once, in order, none left out.
    ///
    /// - Parameters:
    ///   - changes: in the order of their counters; those admitted before are passed over.
    ///   - contact: what the device said its history is; where the changes reach it, the hash must be the same.
    ///   - function: the hash function.
    /// - Returns: the changes that are new.
    /// - Throws: `.counterGap` when one is missing, `.historyForked` when it is another history. Nothing is then admitted.
    package mutating func admit(
        _ changes: [Change],
        of contact: Contact,
        hash function: HashFunction
    ) throws(ReplicationError) -> [Change] {
        var extended = history
        var admitted: [Change] = []
        for change in changes {
            guard change.dot.replica == incarnation else {
                throw ReplicationError(.historyForked, "A change is by another replica", subject: "\(incarnation)")
            }
            guard change.dot.counter > extended.counter else { continue }
            try extended.append(change, hash: function)
            admitted.append(change)
            if extended.counter == contact.history.counter, extended.hash != contact.history.hash {
                throw ReplicationError(
                    .historyForked,
                    "The changes are not the announced ones",
                    subject: "\(incarnation)"
                )
            }
        }
        history = extended
        return admitted
    }
}
