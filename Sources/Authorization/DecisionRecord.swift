package import PhotoModel

/// What one device may do, and who changed that last, when and why.
///
/// Changes only through `proposing`, whose result is released once its audit entry is written.
package struct DecisionRecord: Hashable, Sendable, Codable {
    /// The device.
    package let device: DeviceID
    /// The device's state.
    package private(set) var state: DeviceState
    /// Whether a suspect device is to be retired: it drains once it is resolved; nil for no.
    package private(set) var isToBeRetired: Bool?
    /// What was decided.
    package private(set) var decision: AccessDecision
    /// What a limited device may see.
    package private(set) var selection: Selection
    /// The most that policy allows.
    package private(set) var ceiling: Ceiling
    /// Counts changes of decision, selection, ceiling and state; anything allowed under an older version is judged
    /// again.
    package private(set) var grantVersion: UInt64
    /// Who changed it last.
    package private(set) var changedBy: Actor
    /// When, by the server's clock.
    package private(set) var changedAt: WallTime
    /// Why, in the actor's words.
    package private(set) var reason: String

    /// The record of a new device, with nothing decided.
    package init(device: DeviceID, ceiling: Ceiling = .unlimited, at time: WallTime) {
        self.device = device
        self.ceiling = ceiling
        state = .pending
        decision = AccessDecision()
        selection = Selection()
        grantVersion = 0
        changedBy = .device(device)
        changedAt = time
        reason = "enrolled"
    }

    /// The effective statuses.
    ///
    /// A pending device shows as undecided; its decisions are kept until it is approved.
    package var access: EffectiveAccess {
        ceiling.clamping(state == .pending ? AccessDecision() : decision)
    }

    /// A change of the record.
    package enum Change: Hashable, Sendable {
        /// An administrator answered for these levels.
        case answer(AccessDecision.Answer, for: Set<AccessLevel>)
        /// An administrator reset the decision: both levels can be requested again.
        case reset
        /// An administrator chose what a limited device may see.
        case selection(Selection)
        /// An administrator added to what a limited device may see.
        case selectionAdded(Selection)
        /// Policy changed.
        case ceiling(Ceiling)
        /// The device's state changed.
        case state(DeviceEvent)
        /// An enrolment token admits the device with the answer of the token's creator, unless somebody has already
        /// decided about it.
        case admitted(AccessDecision.Answer, for: Set<AccessLevel>)
    }

    /// Whether nobody has decided anything about the device yet.
    package var isUndecided: Bool {
        guard state == .pending, decision == AccessDecision() else { return false }
        if case .administrator = changedBy { return false }
        return true
    }

    /// Prepares an actor's change, with the reason in the actor's words, effective once recorded; nil if it changes
    /// nothing.
    ///
    /// - Throws: `operatorsOnly` if a device requests what only an administrator or policy may do; `limit` for a
    ///   selection beyond its limits.
    package func proposing(
        _ change: Change,
        by actor: Actor,
        at time: WallTime,
        reason: String
    ) throws(AuthorizationError) -> ProposedChange? {
        guard permits(change, by: actor) else {
            throw AuthorizationError(.operatorsOnly, "\(actor) may not change a grant", about: device.description)
        }
        var next = self
        switch change {
        case .answer(let answer, let levels): next.decision = decision.answered(answer, for: levels)
        case .reset: next.decision = AccessDecision()
        case .selection(let selection):
            try selection.validate()
            next.selection = selection
        case .selectionAdded(let more):
            next.selection.formUnion(more)
            try next.selection.validate()
        case .ceiling(let ceiling): next.ceiling = ceiling
        case .state(let event): next.follow(event)
        case .admitted(let answer, let levels):
            guard isUndecided else { return nil }
            next.state = state.after(.approved)
            next.decision = decision.answered(answer, for: levels)
        }
        guard next != self else { return nil }
        next.grantVersion &+= 1
        next.changedBy = actor
        next.changedAt = time
        next.reason = reason
        return ProposedChange(from: self, to: next, event: change.auditEvent)
    }

    /// Changes the state.
    ///
    /// A device can have itself found suspect. That must not undo that an administrator retires it.
    private mutating func follow(_ event: DeviceEvent) {
        let before = state
        state = before.after(event)
        switch (before, event) {
        case (.draining, .forkDetected), (.suspect, .drainRequested): isToBeRetired = true
        case (.suspect, .drainCancelled): isToBeRetired = nil
        case (.suspect, .resolved) where isToBeRetired == true: state = .draining
        default: break
        }
        if state != .suspect { isToBeRetired = nil }
    }

    private func permits(_ change: Change, by actor: Actor) -> Bool {
        switch actor {
        case .administrator: return true
        case .policy:
            guard case .ceiling = change else { return false }
            return true
        case .device(let id):
            guard case .state(let event) = change else { return false }
            return id == device && event.origin == .device
        }
    }
}

/// A change of a record that takes effect only once its audit entry is written.
package struct ProposedChange: Sendable {
    /// The record before the change.
    package let before: DecisionRecord
    /// What happened, for the audit.
    package let event: AuditEvent
    private let after: DecisionRecord

    init(from before: DecisionRecord, to after: DecisionRecord, event: AuditEvent) {
        self.before = before
        self.after = after
        self.event = event
    }

    /// Writes the audit entry for the event with the record before and after, and returns the record to store in the
    /// same transaction.
    ///
    /// - Throws: `storageFull` if the entry could not be written; the old record stays in force.
    package func recorded(
        by append: (_ event: AuditEvent, _ before: DecisionRecord, _ after: DecisionRecord) throws -> Void
    ) throws(AuthorizationError) -> DecisionRecord {
        do {
            try append(event, before, after)
        } catch {
            throw AuthorizationError(
                .storageFull,
                "the audit could not be written, so nothing was changed: \(error)",
                about: before.device.description
            )
        }
        return after
    }
}

extension DecisionRecord.Change {
    /// The kind of audit entry for a change.
    package var auditEvent: AuditEvent {
        switch self {
        case .answer, .admitted: .decide
        case .reset: .reset
        case .selection, .selectionAdded: .selectionChange
        case .ceiling: .policyChange
        case .state(let event): event.auditEvent
        }
    }
}

extension DeviceEvent {
    /// The kind of audit entry for an event.
    package var auditEvent: AuditEvent {
        switch self {
        case .approved: .decide
        case .drainRequested, .drainCancelled, .drained: .drain
        case .resolved: .resolve
        case .revoked(let wipe): wipe ? .wipe : .revoke
        case .forkDetected: .fork
        case .graceExpired: .expire
        case .keyChanged: .rotate
        case .wipeConfirmed: .wipe
        }
    }
}
