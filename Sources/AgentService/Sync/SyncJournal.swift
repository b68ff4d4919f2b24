package import Authorization
import LibraryAPI
package import Logging
import PhotoModel
import SyncEngine
import Synchronization

/// Logs a service's sync, without a line for every asset or repeated messages.
package final class SyncJournal: Sendable {
    private struct State {
        var saved = 0
        var holds: Set<HoldReason> = []
        var identityHold: HoldReason?
    }

    private let logger: Logger
    private let state: Mutex<State>

    /// Creates a journal that knows why the library rejected the box's identity when last asked.
    package init(logger: Logger, identityHold: HoldReason?) {
        self.logger = logger
        state = Mutex(State(identityHold: identityHold))
    }

    /// Records saved assets.
    func noteSaved(_ count: Int) {
        state.withLock { $0.saved += count }
    }

    /// Records held assets; the first ones for a reason are logged.
    func noteHeld(_ count: Int, _ reason: HoldReason) {
        guard state.withLock({ $0.holds.insert(reason).inserted }) else { return }
        logger.info(
            "captures wait",
            metadata: ["assets": "\(count)", "hold": "\(reason.rawValue)", "next": "\(reason.nextStep)"]
        )
    }

    /// Records released assets.
    func noteReleased(_ count: Int) {
        state.withLock { $0.holds = [] }
        logger.info("captures are no longer held", metadata: ["assets": "\(count)"])
    }

    /// Logs that an asset became a dead letter.
    func noteRejected(_ asset: AssetID, _ problem: String) {
        logger.warning(
            "a capture was given up; its bytes are kept: see tintype-agent queue list --state deadLetter",
            metadata: ["asset.id": "\(asset)", "problem": "\(problem)"]
        )
    }

    /// Logs that assets which the library had acknowledged are to be sent again.
    func noteOfferedAgain(_ count: Int) {
        guard count > 0 else { return }
        logger.notice(
            "captures are offered again: the library's history is new, or it misses their bytes",
            metadata: ["assets": "\(count)"]
        )
    }

    /// Records that the library responded, and whether it has seen two copies of this box; logs the assets saved since.
    func noteContact(isSuspect: Bool) {
        tellSaved()
        noteIdentity(isSuspect ? .suspect : nil)
    }

    /// Records a failed call; a lack of identity is logged once, because somebody must fix it.
    func note(_ failure: SyncFailure) {
        guard case .refused(let problem) = failure, let reason = HoldReason(refusing: problem.code) else { return }
        noteIdentity(reason)
    }

    /// Logs saved assets that are not yet logged.
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
        guard let reason else { return logger.notice("the library recognises this box as its device again") }
        logger.warning(
            "the library does not recognise this box as its device",
            metadata: ["hold": "\(reason.rawValue)", "reason": "\(reason.words)", "next": "\(reason.nextStep)"]
        )
    }
}
