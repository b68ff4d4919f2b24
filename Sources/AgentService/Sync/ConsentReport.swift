import AgentCapture
import AgentStore
import Capture
import LibraryAPI
import Logging
import Persistence

/// Reports the consents for this box's cameras and microphones to the library, and applies an administrator's
/// withdrawals.
///
/// State is kept in files: the service stores the current consents, each contact reports them, and a withdrawal is
/// written to the consents file, which stops a running service's capture.
package struct ConsentReport: Sendable {
    let store: AgentStore
    let pool: BlockingPool
    let consents: ConsentFile
    let logger: Logger

    /// Stores the current consents of the connected devices, and of those that somebody decided about.
    ///
    /// - Parameter devices: the connected devices; nil for those of the previous call.
    /// - Returns: whether the report differs from the stored one.
    /// - Throws: what the store or the consents file throws.
    func note(_ devices: [CaptureDevice]?) async throws -> Bool {
        let known = try await pool.run { [store] in try store.fact(.consents) }
        // Nothing is reported before the devices were listed once.
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
            // Devices listed meanwhile replace the previous ones.
            guard current != fitting, devices != nil || current == known else { return false }
            try store.setFact(.consents, to: fitting)
            return true
        }
    }

    /// Stores the current consents for the previously listed devices, before a contact reports them.
    func renew() async {
        do {
            _ = try await note(nil)
        } catch {
            logger.error("the device consents cannot be reported to the library", metadata: ["error": "\(error)"])
        }
    }

    /// Applies new withdrawals.
    ///
    /// One that was applied before is not applied again, even if the decision was changed here since.
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
                    "an administrator withdrew a consent: tintype-agent consent set allows it again",
                    metadata: ["capability": "\(capability.rawValue)", "capture.device": "\(device.rawValue)"]
                )
            }
            try await pool.run { [store] in try store.setFact(.consentWithdrawal, to: last) }
        } catch {
            // The withdrawal stays open at the library, and is retried at the next contact.
            logger.error("a consent could not be withdrawn", metadata: ["error": "\(error)"])
        }
    }
}

extension DeviceConsent {
    /// The camera or microphone concerned; nil for a capability that this version does not know.
    fileprivate var subject: ConsentSubject? {
        CaptureDevice.Capability(rawValue: capability).map {
            ConsentSubject(capability: $0, deviceID: CaptureDevice.ID(rawValue: device))
        }
    }
}
