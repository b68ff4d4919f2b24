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

    /// Stores the current consents of the connected devices, or of those of the previous call, and of those that
    /// somebody decided about; returns whether the report differs from the stored one.
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

    /// Decisions beyond which a withdrawal for a device that the box does not have adds none: the file must stay
    /// readable.
    ///
    /// Up to then it does, since a camera that is only unplugged must not open again.
    private static let decisionCount = 4 * APILimits.consentCount

    /// Applies new withdrawals.
    ///
    /// One that was applied before is not applied again, even if the decision was changed here since.
    func follow(_ withdrawals: [ConsentWithdrawal]) async {
        do {
            let followed = try await pool.run { [store] in
                try store.fact(.consentWithdrawal) ?? 0
            }
            // The rest comes again at the next contact.
            let new = withdrawals.filter { $0.number > followed }.sorted { $0.number < $1.number }
                .prefix(APILimits.consentCount)
            guard let last = new.last?.number else { return }
            let reported = try await pool.run { [store] in try store.fact(.consents)?.compactMap(\.subject) ?? [] }
            var decided = Set(try await consents.decisions().map(\.subject))
            for withdrawal in new {
                guard let subject = withdrawal.subject else { continue }
                guard decided.contains(subject) || reported.contains(subject) || decided.count < Self.decisionCount
                else {
                    logger.warning("a withdrawal for a device that this box does not have was not written down")
                    continue
                }
                decided.insert(subject)
                try await consents.setStatus(.denied, for: subject)
                logger.notice(
                    "an administrator withdrew a consent: tintype-agent consent set allows it again",
                    metadata: [
                        "capability": "\(subject.capability.rawValue)",
                        "capture.device": "\(subject.deviceID.rawValue)",
                    ]
                )
            }
            try await pool.run { [store] in try store.setFact(.consentWithdrawal, to: last) }
        } catch {
            // The withdrawal stays open at the library, and is retried at the next contact.
            logger.error("a consent could not be withdrawn", metadata: ["error": "\(error)"])
        }
    }
}

extension ConsentWithdrawal {
    /// The camera or microphone concerned; nil for a capability that this version does not know, or a name that no
    /// report can have.
    fileprivate var subject: ConsentSubject? {
        DeviceConsent(capability: capability, device: device, status: ConsentStatus.denied.rawValue).inLimits?.subject
    }
}

extension DeviceConsent {
    fileprivate var inLimits: Self? { isWithinLimits ? self : nil }

    /// The camera or microphone concerned; nil for a capability that this version does not know.
    fileprivate var subject: ConsentSubject? {
        CaptureDevice.Capability(rawValue: capability).map {
            ConsentSubject(capability: $0, deviceID: CaptureDevice.ID(rawValue: device))
        }
    }
}
