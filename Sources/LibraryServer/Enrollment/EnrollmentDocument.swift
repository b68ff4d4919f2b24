import Authorization
import DeviceIdentity
import LibraryAPI
import LibraryStore
import Persistence
import PhotoModel

/// An enrolment, from its first request on.
struct EnrollmentDocument: StoredDocument {
    static let kind = RecordKind.enrollment
    /// How long an enrolment is kept: 7 days, and with a token until 7 days after the token's end.
    static let lifetime = Duration.seconds(7 * 86_400)

    /// The signing request, DER.
    let signingRequest: Base64Bytes
    /// The resulting device.
    let deviceID: DeviceID
    /// The server's part of the verification code.
    let nonce: Base64Bytes
    /// The peer's address.
    let address: String?
    /// The certificates, once issued.
    var certificateChain: String?

    /// The lookup key of an enrolment by its device.
    static func secondary(of device: DeviceID) -> ContentDigest {
        ContentHasher.digest(Array("enrollment of \(device)".utf8))
    }

    /// The code shown to both the box and the administrator.
    func verificationCode(of key: Fingerprint) -> VerificationCode {
        let input = VerificationCode.input(fingerprint: key.digest, nonce: nonce.bytes)
        return VerificationCode(digest: ContentHasher.digest(input))
    }
}

/// A token that admits devices.
struct EnrollmentTokenDocument: StoredDocument {
    static let kind = RecordKind.enrollmentToken

    let request: EnrollmentTokenRequest
    let createdBy: String
    let created: WallTime
    /// The signing requests that used it; a repeated one consumes nothing.
    var usedBy: Set<ContentDigest> = []

    var expires: WallTime { created.advanced(by: .seconds(request.expiresSeconds)) }

    /// The decision for a device, about its requested levels.
    ///
    /// A level above the token's maximum, or not requested, stays undecided: it can be requested later.
    func decision(for asked: Set<AccessLevel>) -> (answer: AccessDecision.Answer, levels: Set<AccessLevel>) {
        let wantsToRead = asked.isEmpty || asked.contains(.readWrite)
        switch Ceiling.Limit(rawValue: request.maximum) {
        case .readWrite where wantsToRead: return (.all, Set(AccessLevel.allCases))
        case .limited where wantsToRead: return (.selected, Set(AccessLevel.allCases))
        case .readWrite, .limited, .addOnly: return (.addOnly, [.addOnly])
        case .some(.none), nil: return (.none, Set(AccessLevel.allCases))
        }
    }

    /// The operators' view.
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
