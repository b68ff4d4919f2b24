/// Why a capture waits in the queue.
///
/// A hold never drops it, and does not block captures that wait for other reasons.
package enum HoldReason: String, CaseIterable, Hashable, Sendable, Codable {
    /// No administrator has answered yet.
    case pending
    /// An administrator denied it.
    case denied
    /// Policy forbids it.
    case restricted
    /// The device's certificate has expired.
    case expired
    /// The device was revoked.
    case revoked
    /// Two copies of the device were detected.
    case suspect
    /// The server cannot be reached.
    case offline
    /// The server asked the box to slow down.
    case throttled
    /// The server has no room or cannot write.
    case space
    /// It is too large for a metered link.
    case metered
    /// The current time is outside the hours in which the box may send.
    case hours

    /// The reason in words.
    package var words: String {
        switch self {
        case .pending: "waiting for an administrator's answer"
        case .denied: "an administrator does not let this device add to the library"
        case .restricted: "policy does not let this device add to the library"
        case .expired: "this device's certificate has expired"
        case .revoked: "this device was revoked"
        case .suspect: "two copies of this device were detected; uploads are quarantined until this is resolved"
        case .offline: "the server cannot be reached"
        case .throttled: "the server asked this box to slow down"
        case .space: "the server cannot store anything at the moment"
        case .metered: "too large for the box's current link, which is metered"
        case .hours: "outside the hours in which this box may send"
        }
    }

    /// What to do next.
    package var nextStep: String {
        switch self {
        case .pending: "an administrator runs: tintypectl request list"
        case .denied: "an administrator runs: tintypectl device decide <fingerprint> --as add-only"
        case .restricted: "an administrator runs: tintypectl ceiling show"
        case .expired: "the agent renews it by itself; see: tintype-agent doctor"
        case .revoked:
            "enrol again: tintype-agent enroll <url> --token <token>; then: tintype-agent queue retry --all --adopt"
        case .suspect: "an administrator switches off the wrong copy, then runs: tintypectl device resolve <device>"
        case .offline: "the agent retries by itself; see: tintype-agent doctor"
        case .throttled: "the agent waits by itself"
        case .space:
            "an administrator makes room on the server (tintypectl library stats) or raises device.quotaMebibytes there"
        case .metered: "it is sent over the next link that is not in sync.meteredInterfaces; or raise sync.meteredBytes"
        case .hours: "it is sent once the hours of sync.allowedHours begin"
        }
    }
}
