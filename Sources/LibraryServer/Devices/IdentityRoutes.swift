import Authorization
import DeviceIdentity
import Hummingbird
import LibraryAPI
import LibraryStore
import PhotoModel

/// Enrolment, certificates, and a device's standing.
struct IdentityRoutes {
    let store: any RecordStore
    let enrollments: Enrollments
    let certificates: Certificates

    func register(in registry: inout RouteRegistry) throws {
        try registry.on(.enroll) { [enrollments] call, _ in
            let request: EnrollmentRequest = try await call.json(limit: 2 * APILimits.certificateRequestByteCount)
            let origin = AuditContext(requestID: call.requestID, address: call.remoteAddress)
            return try .json(try await enrollments.enroll(request, from: origin))
        }
        try registry.on(.enrollment) { [enrollments] call, _ in
            let answer = try await enrollments.status(of: call.parameter("id"))
            if let device = call.credential.deviceID, answer.deviceID != device { throw ProblemDetails.notFound }
            return try .json(answer)
        }
        try registry.on(.renewIdentity) { [certificates] call, _ in
            let (device, certificate) = try call.deviceCertificate()
            return try .json(try await certificates.renew(call.json(), of: device, showing: certificate))
        }
        try registry.on(.rotateIdentity) { [certificates] call, _ in
            let (device, certificate) = try call.deviceCertificate()
            return try .json(try await certificates.rotate(call.json(), of: device, showing: certificate))
        }
        try registry.on(.identityState) { call, admitted in
            let record = try admitted.record.orNotFound()
            return try .json(IdentityState(record.state, certificateExpires: call.credential.certificate?.notAfter))
        }
        try registry.on(.identityWiped) { [store] call, admitted in
            let record = try admitted.record.orNotFound()
            // Only for a device that was told to wipe itself: the record is unchanged, and the audit confirms the wipe.
            guard record.state == .revoked(wipe: true) else { return .noContent }
            var content = AuditEntry.Content(.wipe, of: record.device, call.auditContext)
            content.reason = "the device erased itself"
            try await store.appendAudit(content)
            return .noContent
        }
    }
}

/// A device's rights, and its requests for more.
struct AuthorizationRoutes {
    let authorizations: Authorizations
    let expansions: Expansions

    func register(in registry: inout RouteRegistry) throws {
        try registry.on(.authorization) { [authorizations] call, admitted in
            let query = try call.query(as: AuthorizationQuery.self)
            let seconds = query.wait ?? 0
            guard let record = admitted.record else { return try .json(Authorizations.operatorResponse) }
            let place = seconds > 0 ? try call.takePlace(.wait) : nil
            defer { withExtendedLifetime(place) {} }
            let version = query.after
            let status = try await call.wait(seconds: seconds, for: admitted) { patience in
                try await authorizations.answer(for: record, after: version, waiting: patience)
            }
            return try .json(status)
        }
        try registry.on(.requestAuthorization) { [authorizations] call, admitted in
            let record = try admitted.record.orNotFound()
            try await authorizations.request(by: record.device, call.json(), call.auditContext)
            return try .json(try await authorizations.answer(for: record))
        }
        try registry.on(.expandSelection) { [expansions] call, admitted in
            let record = try admitted.record.orNotFound()
            let open = try await expansions.request(by: record.device, call.json(), call.auditContext)
            return try .json(open, status: .accepted)
        }
        try registry.on(.selection) { _, admitted in
            try .json(admitted.record?.selection ?? Selection())
        }
    }
}

extension Call {
    /// The device and its certificate; the gate admits nobody else to these routes.
    func deviceCertificate() throws -> (DeviceID, IdentityCertificate) {
        guard case .device(let device, let certificate) = credential else { throw ProblemDetails.notFound }
        return (device, certificate)
    }

    /// The call's origin, for the audit.
    var auditContext: AuditContext {
        AuditContext(
            fingerprint: credential.certificate?.keyFingerprint.description,
            requestID: requestID,
            address: remoteAddress
        )
    }
}
