import Authorization
import LibraryAPI
import LibraryStore
import PhotoModel

/// Judges the caller of a request that waits or streams again and again, because rights may end on another server.
///
/// A decision closes the connections of its device wherever they are; this holds also where that is not heard of.
struct StandingAdmission: Sendable {
    /// How long a judgement counts.
    private static let lifetime = Duration.seconds(1)

    let gate: Gate
    let now: @Sendable () -> WallTime

    /// One caller's admission, and when it was judged.
    struct Standing: Sendable {
        let credential: Credential
        let admitted: AuthorizedCall
        fileprivate(set) var judged = ContinuousClock.now

        init(_ call: Call, _ admitted: AuthorizedCall) {
            credential = call.credential
            self.admitted = admitted
        }
    }

    /// Judges again, unless that was done within the last second.
    ///
    /// - Throws: the gate's refusal; `unavailable` if the grant has changed.
    func renew(_ standing: inout Standing) async throws {
        let time = ContinuousClock.now
        guard time - standing.judged >= Self.lifetime else { return }
        let admitted = try await gate.admit(standing.credential, to: standing.admitted.row, at: now())
        guard admitted.record?.grantVersion == standing.admitted.record?.grantVersion else {
            throw ProblemDetails(.unavailable, "The grant has just changed: ask again.", retryAfterSeconds: 1)
        }
        standing.judged = time
    }
}
