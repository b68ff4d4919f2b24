/// Joins several triggers into one: any of them, or all of them within a window of time.
///
/// What a person or a program asks for by a command is always a firing of its own.
package struct TriggerCombination: Sendable {
    /// When the joined trigger fires.
    package enum Rule: Hashable, Sendable {
        /// Whenever one fires.
        case any
        /// When each of them has fired within so long; then all must fire again.
        case all(within: Duration)
    }

    private let rule: Rule
    private let members: Set<Trigger>
    private var latest: [Trigger: TriggerEvent] = [:]

    /// Joins triggers.
    ///
    /// - Parameters:
    ///   - members: what all of them are, apart from commands.
    ///   - rule: when it fires.
    package init(_ members: Set<Trigger>, _ rule: Rule) {
        self.members = members
        self.rule = rule
    }

    /// Takes a firing of a member.
    ///
    /// - Parameter event: the firing.
    /// - Returns: the joined firing, at the time of the last of its members; nil when some are missing.
    package mutating func offer(_ event: TriggerEvent) -> TriggerEvent? {
        guard case .all(let window) = rule, members.count > 1, event.trigger.kind != .command else { return event }
        latest[event.trigger] = event
        let oldest = event.time.advanced(by: .zero - window)
        latest = latest.filter { $0.value.time >= oldest }
        guard members.isSubset(of: latest.keys) else { return nil }
        let names = latest.keys.map(\.description).sorted()
        latest = [:]
        return TriggerEvent(
            Trigger(event.trigger.kind, name: names.joined(separator: " and ")),
            at: event.time,
            skippedCount: event.skippedCount
        )
    }
}
