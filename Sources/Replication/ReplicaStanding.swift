/// A replica's standing among its device's replicas, from its past.
///
/// The raw values are stored.
package enum ReplicaStanding: Int, CaseIterable, Sendable {
    /// Normal.
    case good = 0
    /// An operator chose it: its next contact is good whatever ticket it presents.
    case chosen = 1
    /// Replaced by another one: any further contact under it comes from a copy.
    case retired = 2
    /// An old image of it called and was told to begin a new incarnation: any further contact under it comes from a
    /// copy.
    case rolledBack = 3

    /// Judges a contact by the history, the replica's past, and whether it presents a ticket that continues the
    /// replica's contacts, and updates the standing.
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

    /// Whether a new replica of its device may replace it.
    package var isReplaceable: Bool { self == .chosen || self == .rolledBack }
}
