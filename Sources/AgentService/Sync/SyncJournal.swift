package import Authorization
import LibraryAPI
package import Logging
import SyncEngine
import Synchronization

/// Tells a service's log what its sync does: not a line for every asset, and nothing twice.
package final class SyncJournal: Sendable {
    private struct State {
        var saved = 0
        var holds: Set<HoldReason> = []
        var identityHold: HoldReason?
    }

    private let logger: Logger
    private let state: Mutex<State>

    /// A journal.
    ///
    /// - Parameters:
    ///   - logger: where it is written.
    ///   - identityHold: why the library did not take the box for its device when it was last asked.
    package init(logger: Logger, identityHold: HoldReason?) {
        self.logger = logger
        state = Mutex(State(identityHold: identityHold))
    }

    /// Notes that assets are in the library.
    func noteSaved(_ count: Int) {
        state.withLock { $0.saved += count }
    }

    /// Notes that assets wait; the first ones for a reason are told.
    func noteHeld(_ count: Int, _ reason: HoldReason) {
        guard state.withLock({ $0.holds.insert(reason).inserted }) else { return }
        logger.info(
            "captures wait",
            metadata: ["assets": "\(count)", "hold": "\(reason.rawValue)", "next": "\(reason.nextStep)"]
        )
    }

    /// Notes that assets wait no longer.
    func noteReleased(_ count: Int) {
        state.withLock { $0.holds = [] }
        logger.info("captures wait no longer", metadata: ["assets": "\(count)"])
    }

    /// Notes that the library answered, and tells what was saved since it last did.
    ///
    /// - Parameter isSuspect: whether it has seen two copies of this box.
    func noteContact(isSuspect: Bool) {
        tellSaved()
        noteIdentity(isSuspect ? .suspect : nil)
    }

    /// Notes a call that failed; one that fails for want of an identity is told once, and is what somebody has to mend.
    func note(_ failure: SyncFailure) {
        guard case .refused(let problem) = failure, let reason = HoldReason(refusing: problem.code) else { return }
        noteIdentity(reason)
    }

    /// Tells what was saved and not told yet.
    func tellSaved() {
        let count = state.withLock { state in
            defer { state.saved = 0 }
            return state.saved
        }
        if count > 0 { logger.info("captures were saved", metadata: ["assets": "\(count)"]) }
    }

    private func noteIdentity(_ reason: HoldReason?) {
        let isNew = state.withLock { state in
            defer { state.identityHold = reason }
            return state.identityHold != reason
        }
        guard isNew else { return }
        guard let reason else { return logger.notice("the library takes this box for its device again") }
        logger.warning(
            "the library does not take this box for its device",
            metadata: ["hold": "\(reason.rawValue)", "reason": "\(reason.words)", "next": "\(reason.nextStep)"]
        )
    }
}
