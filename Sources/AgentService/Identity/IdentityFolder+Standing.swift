import AgentCapture
package import BoxIdentity
import LibraryAPI

extension IdentityFolder {
    /// The library that admitted the box, and its device identity there.
    ///
    /// - Throws: `held` while an administrator must decide, `notAllowed` after a refusal, `configuration` if no library
    ///   has admitted the box or was asked to.
    package func admission() throws -> (library: Pinned, device: Device) {
        guard let library = try pinned() else {
            throw AgentError(.configuration, "this box has no library yet: tintype-agent enroll URL --token TOKEN")
        }
        if let device = try device() { return (library, device) }
        guard try isAwaitingAdmission else {
            throw AgentError(
                .configuration,
                "this box is not a device of \(library.url): tintype-agent enroll URL --token TOKEN"
            )
        }
        guard try !isRefused else {
            throw AgentError(.notAllowed, "the library refused this box: tintype-agent enroll URL --token TOKEN")
        }
        throw AgentError(.held, "an administrator has not admitted this box yet: tintype-agent enroll --wait")
    }

    /// Whether an enrolment is pending, or was refused.
    package var isAwaitingAdmission: Bool {
        get throws { try pinned() != nil && device() == nil && pendingEnrollment() != nil }
    }

    /// Whether the library refused the enrolment.
    package var isRefused: Bool {
        get throws { try isAwaitingAdmission && pendingEnrollment() == refusedEnrollment() }
    }
}
