import AgentStore
import BoxIdentity
import LibraryAPI
import Logging
import Persistence

/// Polls the enrolment until the library has admitted the box.
struct Admission: Sendable {
    /// The default and maximum interval between requests.
    private static let standardSeconds = 60
    private static let longestSeconds = 300

    let agent: Agent

    /// Returns once the box is a device, or the task is cancelled.
    ///
    /// If the library is unreachable or refuses, the poll continues: an administrator may change a decision at any
    /// time.
    ///
    /// - Throws: disk errors.
    func wait() async throws {
        let enrollment = Enrollment(folder: agent.identity)
        var told: String?
        while !Task.isCancelled, let id = try agent.identity.pendingEnrollment() {
            var seconds = Self.standardSeconds
            var words: String
            do {
                let answer = try await enrollment.poll(id, proxy: agent.settings.proxy)
                if answer.state == .active, let device = answer.deviceID {
                    try await agent.pool.uncancelled { [agent] in
                        try agent.become(device)
                        try agent.sealSecrets()
                    }
                    return agent.logger.notice("the library admitted this box", metadata: ["device.id": "\(device)"])
                }
                seconds = min(max(answer.intervalSeconds ?? Self.standardSeconds, 1), Self.longestSeconds)
                words = answer.state.nextStep
            } catch {
                guard !Task.isCancelled else { return }
                words = "\(error)"
            }
            if words != told {
                try? agent.store.setFact(.admission, to: words)
                agent.logger.notice("this box is not admitted yet; captures are kept", metadata: ["next": "\(words)"])
                told = words
            }
            // A cancelled sleep just means that the service ends.
            try? await Task.sleep(for: .seconds(seconds))
        }
    }
}

extension EnrollmentResponse.State {
    /// What must happen before the box is a device.
    fileprivate var nextStep: String {
        switch self {
        case .active, .pending: "an administrator runs: tintypectl request list"
        case .refused: "the library refused this box: ask its administrator"
        case .expired: "nobody decided in time: stop the service and run tintype-agent enroll URL again"
        }
    }
}
