/// Combines triggers: any of them, or all of them within a time window.
///
/// A command from a person or program always fires by itself.
package struct TriggerCombination: Sendable {
    /// When the combined trigger fires.
    package enum Rule: Hashable, Sendable {
        /// Whenever any of them fires.
        case any
        /// When each of them has fired within this time; then all must fire again.
        case all(within: Duration)
    }

    private let rule: Rule
    private let members: Set<Trigger>
    private var latest: [Trigger: TriggerEvent] = [:]

    /// Combines triggers, apart from commands.
    package init(_ members: Set<Trigger>, _ rule: Rule) {
        self.members = members
        self.rule = rule
    }

    /// Handles a member's firing, and returns the combined one, at its last member's time; nil if some are missing.
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
