/// The server's record of one incarnation, by which it judges contacts and changes.
package struct IncarnationRecord: Hashable, Sendable {
    /// The device it belongs to.
    package let device: UInt128
    /// The incarnation.
    package let incarnation: ReplicaID
    /// The admitted history.
    package private(set) var history: HistoryChain
    /// The machine of the last good contact.
    package private(set) var hostFingerprint: HashValue
    /// The boot of the open contact; nil if none is open.
    package private(set) var liveBoot: UInt128?

    /// Begins the record of an incarnation at its first contact.
    package init(first contact: Contact, hash function: HashFunction) {
        device = contact.device
        incarnation = contact.incarnation
        history = HistoryChain(of: contact.incarnation, hash: function)
        hostFingerprint = contact.hostFingerprint
        liveBoot = contact.bootID
    }

    package init(device: UInt128, incarnation: ReplicaID, history: HistoryChain, hostFingerprint: HashValue) {
        self.device = device
        self.incarnation = incarnation
        self.history = history
        self.hostFingerprint = hostFingerprint
    }

    /// Judges a contact against the record of its incarnation, if there is one; see `ContactVerdict.remedy`.
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

    /// Notes that the contact ended.
    package mutating func close() {
        liveBoot = nil
    }

    /// Whether changes, in counter order and at least the repeated ones, continue the admitted history after the prior
    /// one: repeated ones must be the admitted ones, up to the last.
    ///
    /// A replica sends everything pending from its first change on, so changes that end before this history does belong
    /// to another one, or are so late that nobody waits for the response. If changes in between are missing, it is no
    /// fork either.
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

    /// Admits the next changes of a contact, each once, in counter order, without gaps, and returns the new ones.
    ///
    /// Once they reach the history that the device claimed, the hash must match.
    ///
    /// - Throws: `.counterGap` if one is missing, `.historyForked` for a different history. Nothing is admitted then.
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
