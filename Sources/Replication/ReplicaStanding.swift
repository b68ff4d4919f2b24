/// Where a replica stands among those of its device, by what happened to it before.
///
/// The raw values are stored.
package enum ReplicaStanding: Int, CaseIterable, Sendable {
    /// As usual.
    case good = 0
    /// An operator chose it: its next contact is good whatever ticket it shows.
    case chosen = 1
    /// Another one goes on in its place: whoever comes with it is a copy.
    case retired = 2
    /// An old image of it called and was told to begin anew: once that has happened, whoever comes with this is a copy.
    case rolledBack = 3

    /// What a contact means by the history, the ticket, and what happened to this replica before.
    ///
    /// - Parameters:
    ///   - contact: the contact.
    ///   - record: what is known of the replica.
    ///   - hasTicket: whether the contact shows a ticket that continues the replica's contacts.
    /// - Returns: the verdict, after which the replica stands as it says.
    package mutating func judge(
        _ contact: Contact,
        against record: IncarnationRecord,
        hasTicket: Bool
    ) -> ContactVerdict {
        let verdict = IncarnationRecord.judge(contact, against: record)
        switch (self, verdict.remedy) {
        case (.retired, _): return .fork
        case (.chosen, .proceed):
            self = .good
            return verdict
        case (.chosen, _): return .rolledBack(serverKnows: record.history.counter)
        case (.good, .proceed), (.rolledBack, .proceed): return hasTicket ? verdict : .fork
        case (.good, .beginNewIncarnation):
            self = .rolledBack
            return verdict
        case (.good, .becomeSuspect), (.rolledBack, _): return verdict
        }
    }

    /// Whether a new replica of its device takes its place.
    package var isReplaceable: Bool { self == .chosen || self == .rolledBack }
}
