import Authorization
import LibraryAPI
import LibraryStore
import PhotoModel

/// Rechecks the caller of a waiting or streaming request, because its rights may end on another server.
///
/// A decision closes its device's connections on every server; this covers a server that missed the notice. What wakes no
/// request is checked for none: a fleet that waits would have its records read every second.
struct StandingAdmission: Sendable {
    /// How long an admission is valid.
    private static let lifetime = Duration.seconds(1)

    let gate: Gate
    let now: @Sendable () -> WallTime

    /// One caller's admission, and when it was checked.
    struct Standing: Sendable {
        let credential: Credential
        let admitted: AuthorizedCall
        fileprivate(set) var judged = ContinuousClock.now

        init(_ call: Call, _ admitted: AuthorizedCall) {
            credential = call.credential
            self.admitted = admitted
        }
    }

    /// Checks again if the last check is more than a second old.
    ///
    /// - Throws: the gate's refusal; `unavailable` if the grant has changed.
    func renew(_ standing: inout Standing) async throws {
        let time = ContinuousClock.now
        guard time - standing.judged >= Self.lifetime else { return }
        let admitted = try await gate.admit(standing.credential, to: standing.admitted.row, at: now())
        guard admitted.record?.grantVersion == standing.admitted.record?.grantVersion else {
            throw ProblemDetails(.unavailable, "The grant has just changed: try again.", retryAfterSeconds: 1)
        }
        standing.judged = time
    }
}
