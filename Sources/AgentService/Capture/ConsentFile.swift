package import Capture
import FoundationEssentials
package import Persistence

/// The decisions about cameras and microphones of this box, in `consents.json`, under the policy of the settings.
///
/// A file of its own, so that a decision can be made while the service has the queue open.
package actor ConsentFile: ConsentStore {
    /// What the settings say where nobody has decided, or whatever anybody decided (`capture.consent`).
    package enum Policy: String, Hashable, Sendable, CaseIterable {
        /// People decide.
        case ask
        /// Allowed until a person says no.
        case authorized
        /// Forbidden, and nobody is asked.
        case restricted
    }

    /// One decision as the file holds it.
    package struct Decision: Hashable, Sendable, Codable {
        /// What it is about.
        package let subject: ConsentSubject
        /// What was decided.
        package let status: ConsentStatus
    }

    /// The file's name.
    static let fileName = "consents.json"

    /// Devices that are nobody's camera or microphone: allowed unless a person said no.
    static let synthetic: Set<CaptureDevice.ID> = [
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

    /// The decision that counts: policy where it forbids, else what a person said, else policy.
    package func status(for subject: ConsentSubject) throws -> ConsentStatus {
        guard policy != .restricted else { return .restricted }
        let decided = try decisions().first { $0.subject == subject }?.status ?? .notDetermined
        let isAllowedAtFirst = policy == .authorized || Self.synthetic.contains(subject.deviceID)
        return decided == .notDetermined && isAllowedAtFirst ? .authorized : decided
    }

    /// Records a decision durably; `notDetermined` forgets it.
    package func setStatus(_ status: ConsentStatus, for subject: ConsentSubject) throws {
        var decisions = try decisions().filter { $0.subject != subject }
        if status != .notDetermined { decisions.append(Decision(subject: subject, status: status)) }
        try fileSystem.writeAtomically(path, try JSONText.bytes(decisions))
    }

    /// What people have decided, in the order of deciding.
    ///
    /// - Returns: the decisions; none when the file is not there.
    /// - Throws: `configuration` when the file is damaged, since guessing would open a camera.
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
