package import Authorization

/// The result of a sync.
package struct SyncReport: Hashable, Sendable {
    /// How it ended.
    package enum Outcome: String, CaseIterable, Hashable, Sendable, Codable {
        /// Something was sent, and nothing is owed any more.
        case done
        /// Nothing was owed.
        case nothingToDo
        /// Some assets were sent or rejected; the rest must be retried later.
        case partly
        /// Everything left waits for a decision, or for the allowed hours.
        case held
        /// The library cannot be reached, or is not the pinned one.
        case unreachable
        /// The device may not save, or is no longer a device.
        case notAllowed
    }

    /// How it ended.
    package let outcome: Outcome
    /// The work done.
    package let tally: SyncTally
    /// Assets still owed.
    package let remaining: Int
    /// Held assets by reason.
    package let holds: [HoldReason: Int]
    /// Why the box itself may not send, whether or not anything is owed.
    package let identityHold: HoldReason?
    /// Whether the box was retired: everything is delivered, and it is no longer a device of the library.
    package let isRetired: Bool

    /// Summarizes a machine.
    init(_ machine: SyncMachine) {
        tally = machine.tally
        let left = machine.remaining
        remaining = left.count
        holds = left.compactMap(\.hold).reduce(into: [:]) { $0[$1, default: 0] += 1 }
        identityHold = machine.contact.hold
        let reasons = Set(left.compactMap(\.hold))
        let isAnyFree = left.contains { $0.hold == nil }
        isRetired = machine.drain == .ended
        if isRetired, left.isEmpty {
            outcome = .done
        } else if identityHold == .revoked {
            outcome = .notAllowed
        } else if machine.link.hold == .offline, tally.committed == 0 {
            outcome = .unreachable
        } else if left.isEmpty, identityHold != nil {
            outcome = .held
        } else if left.isEmpty {
            let isAnythingOpen = machine.owesChanges || machine.link.hold != nil
            let isAnythingDone = tally.committed + tally.changesSent + tally.changesReceived + tally.entitiesMended > 0
            let isAnythingRefused = tally.rejected + tally.changesRefused > 0
            outcome = isAnythingOpen || isAnythingRefused ? .partly : isAnythingDone ? .done : .nothingToDo
        } else if isAnyFree || tally.committed > 0 || !reasons.isDisjoint(with: [.offline, .throttled, .space]) {
            outcome = .partly
        } else {
            outcome = reasons.isSubset(of: [.denied, .restricted, .revoked]) ? .notAllowed : .held
        }
    }
}
