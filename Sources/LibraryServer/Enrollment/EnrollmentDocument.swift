import Authorization
import DeviceIdentity
import LibraryAPI
import LibraryStore
import Persistence
import PhotoModel

/// One asking to become a device, from its first request on.
struct EnrollmentDocument: StoredDocument {
    static let kind = RecordKind.enrollment
    /// How long an enrolment without a decision is kept, in seconds: 7 days.
    static let lifetime = Duration.seconds(7 * 86_400)

    /// The signing request, DER.
    let signingRequest: Base64Bytes
    /// The device that it becomes.
    let deviceID: DeviceID
    /// The server's part of the verification code.
    let nonce: Base64Bytes
    /// Where it came from.
    let address: String?
    /// The certificates, once issued.
    var certificateChain: String?

    /// What an enrolment is found by when only its device is known.
    static func secondary(of device: DeviceID) -> ContentDigest {
        ContentHasher.digest(Array("enrollment of \(device)".utf8))
    }

    /// What the box and the administrator both see.
    func verificationCode(of key: Fingerprint) -> VerificationCode {
        let input = VerificationCode.input(fingerprint: key.digest, nonce: nonce.bytes)
        return VerificationCode(digest: ContentHasher.digest(input))
    }
}

/// A token that admits devices.
struct EnrollmentTokenDocument: StoredDocument {
    static let kind = RecordKind.enrollmentToken

    /// What was asked for.
    let request: EnrollmentTokenRequest
    /// Who made it.
    let createdBy: String
    /// When.
    let created: WallTime
    /// The signing requests that used it; one that comes again uses nothing up.
    var usedBy: Set<ContentDigest> = []

    /// What is decided for a device, about the levels that it asks for.
    ///
    /// A level above the token's maximum, or that was not asked for, stays undecided: it can be asked for later.
    func decision(for asked: Set<AccessLevel>) -> (answer: AccessDecision.Answer, levels: Set<AccessLevel>) {
        let wantsToRead = asked.isEmpty || asked.contains(.readWrite)
        switch Ceiling.Limit(rawValue: request.maximum) {
        case .readWrite where wantsToRead: return (.all, Set(AccessLevel.allCases))
        case .limited where wantsToRead: return (.selected, Set(AccessLevel.allCases))
        case .readWrite, .limited, .addOnly: return (.addOnly, [.addOnly])
        case .some(.none), nil: return (.none, Set(AccessLevel.allCases))
        }
    }

    /// What operators see.
    func summary(id: EnrollmentTokenID, expires: WallTime) -> EnrollmentTokenSummary {
        EnrollmentTokenSummary(
            id: id,
            request: request,
            usesLeft: max(0, request.uses - usedBy.count),
            expires: expires,
            createdBy: createdBy,
            created: created
        )
    }
}
