package import Capture
import FoundationEssentials
package import Persistence

/// This box's decisions about cameras and microphones, in `consents.json`, under the policy of the settings.
///
/// It is a separate file, so that a decision can be made while the service has the queue open.
package actor ConsentFile: ConsentStore {
    /// The settings' policy, for undecided or all devices (`capture.consent`).
    package enum Policy: String, Hashable, Sendable, CaseIterable {
        /// People decide.
        case ask
        /// Allowed unless a person says no.
        case authorized
        /// Forbidden, and nobody is asked.
        case restricted
    }

    /// One stored decision.
    package struct Decision: Hashable, Sendable, Codable {
        /// What it is about.
        package let subject: ConsentSubject
        /// What was decided.
        package let status: ConsentStatus
    }

    /// The file's name.
    package static let fileName = "consents.json"

    /// Devices that are not real cameras or microphones: allowed unless a person said no.
    package static let synthetic: Set<CaptureDevice.ID> = [
        CaptureDevice.ID(rawValue: "synthetic-camera"), CaptureDevice.ID(rawValue: "synthetic-microphone"),
    ]

    private let path: Path
    private let policy: Policy
    private let fileSystem: any FileSystem

    /// The decisions kept in a folder.
    package init(in folder: Path, policy: Policy, fileSystem: any FileSystem = PosixFileSystem()) {
        path = folder.appending(Self.fileName)
        self.policy = policy
        self.fileSystem = fileSystem
    }

    /// The effective decision: the policy if it forbids, else a person's, else the policy.
    package func status(for subject: ConsentSubject) throws -> ConsentStatus {
        guard policy != .restricted else { return .restricted }
        let decided = try decisions().first { $0.subject == subject }?.status ?? .notDetermined
        let isAllowedAtFirst = policy == .authorized || Self.synthetic.contains(subject.deviceID)
        return decided == .notDetermined && isAllowedAtFirst ? .authorized : decided
    }

    /// Records a decision durably; `notDetermined` removes it.
    ///
    /// Creates the folder, since a decision may come before the box's first use.
    package func setStatus(_ status: ConsentStatus, for subject: ConsentSubject) throws {
        try fileSystem.createDirectories(path.parent)
        var decisions = try decisions().filter { $0.subject != subject }
        if status != .notDetermined { decisions.append(Decision(subject: subject, status: status)) }
        try fileSystem.writeAtomically(path, try JSONText.bytes(decisions))
    }

    /// People's decisions, in the order made; none if the file does not exist.
    ///
    /// - Throws: `configuration` if the file is damaged, since guessing would open a camera.
    package func decisions() throws -> [Decision] {
        guard let bytes = try fileSystem.readAll(path) else { return [] }
        do {
            return try JSONDecoder().decode([Decision].self, from: Data(bytes))
        } catch {
            throw AgentError(
                .configuration,
                "\(path) is damaged: remove it and decide again with tintype-agent consent"
            )
        }
    }
}
