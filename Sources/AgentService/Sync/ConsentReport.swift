import AgentCapture
import AgentStore
import Capture
import LibraryAPI
import Logging
import Persistence

/// What the library is told of this box's cameras and microphones, and what an administrator takes back.
///
/// Both go by what is on the disk: the service writes down what holds, each contact tells it, and a withdrawal is a decision
/// in the file of decisions, which stops a service that runs.
package struct ConsentReport: Sendable {
    let store: AgentStore
    let pool: BlockingPool
    let consents: ConsentFile
    let logger: Logger

    /// Writes down what holds for the devices that are there, and for those that somebody decided about.
    ///
    /// - Parameter devices: the devices that are there; nil for those of the last time.
    /// - Returns: whether that differs from what was written down before.
    /// - Throws: what the store or the file of consents throws.
    func note(_ devices: [CaptureDevice]?) async throws -> Bool {
        let known = try await pool.run { [store] in try store.fact(.consents) }
        // Nothing is told before somebody has looked at the devices.
        guard
            let present = devices?.map({ ConsentSubject(capability: $0.capability, deviceID: $0.id) })
                ?? known?.compactMap(\.subject)
        else { return false }
        let decided = try await consents.decisions().map(\.subject).filter { !present.contains($0) }
        var told: [DeviceConsent] = []
        for subject in present + decided {
            let status = try await consents.status(for: subject)
            told.append(
                DeviceConsent(
                    capability: subject.capability.rawValue,
                    device: subject.deviceID.rawValue,
                    status: status.rawValue
                )
            )
        }
        let fitting = Array(told.filter(\.isWithinLimits).prefix(APILimits.consentCount))
        return try await pool.run { [store] in
            let current = try store.fact(.consents)
            // The devices of the last time give way to those that somebody looked at meanwhile.
            guard current != fitting, devices != nil || current == known else { return false }
            try store.setFact(.consents, to: fitting)
            return true
        }
    }

    /// Writes down what holds by now for the devices of the last time, before a contact tells it.
    func renew() async {
        do {
            _ = try await note(nil)
        } catch {
            logger.error("what may be used is not told to the library", metadata: ["error": "\(error)"])
        }
    }

    /// Follows withdrawals that are new; one that was followed before and decided otherwise here since stays decided.
    func follow(_ withdrawals: [ConsentWithdrawal]) async {
        do {
            let followed = try await pool.run { [store] in
                try store.fact(.consentWithdrawal) ?? 0
            }
            let new = withdrawals.filter { $0.number > followed }
            guard let last = new.map(\.number).max() else { return }
            for withdrawal in new {
                guard let capability = CaptureDevice.Capability(rawValue: withdrawal.capability) else { continue }
                let device = CaptureDevice.ID(rawValue: withdrawal.device)
                try await consents.setStatus(.denied, for: ConsentSubject(capability: capability, deviceID: device))
                logger.notice(
                    "an administrator took a consent back: tintype-agent consent set allows it again",
                    metadata: ["capability": "\(capability.rawValue)", "capture.device": "\(device.rawValue)"]
                )
            }
            try await pool.run { [store] in try store.setFact(.consentWithdrawal, to: last) }
        } catch {
            // It stays open at the library, and is tried again at the next contact.
            logger.error("a consent could not be taken back", metadata: ["error": "\(error)"])
        }
    }
}

extension DeviceConsent {
    /// What it is about; nil for a capability that is not known here.
    fileprivate var subject: ConsentSubject? {
        CaptureDevice.Capability(rawValue: capability).map {
            ConsentSubject(capability: $0, deviceID: CaptureDevice.ID(rawValue: device))
        }
    }
}
