import AgentCapture
import AgentService
import BoxIdentity
import DeviceIdentity
import Foundation
import LibraryAPI
import LibraryClient
import Persistence
import Testing

struct EnrollmentInvitationTests {
    private static let fingerprint = String(repeating: "ab", count: 32)
    private static let token = "TT1.\(fingerprint).\(String(repeating: "0", count: 32))"

    @Test("An invitation names a server and the authority to pin, by token or by fingerprint")
    func good() throws {
        let url = "https://photos.example:8443"
        let invitations = [
            try Enrollment.Invitation(url: url, token: Self.token, fingerprint: nil),
            try Enrollment.Invitation(url: url, token: nil, fingerprint: Self.fingerprint),
            try Enrollment.Invitation(url: url, token: Self.token, fingerprint: Self.fingerprint),
        ]
        #expect(invitations.allSatisfy { $0.fingerprint.description == Self.fingerprint })
    }

    @Test(
        "Anything that does not name the authority is refused before a connection is made",
        arguments: [
            ("https://a", nil, nil), ("http://a", token, nil), ("https://a", "TT1.short", nil),
            ("https://a", nil, "abcd"), ("https://a", token, String(repeating: "cd", count: 32)),
        ] as [(String, String?, String?)]
    )
    func bad(url: String, token: String?, fingerprint: String?) {
        let error = #expect(throws: AgentError.self) {
            try Enrollment.Invitation(url: url, token: token, fingerprint: fingerprint)
        }
        #expect(error?.exit == .usage)
    }

    @Test("An enrolment that the library no longer knows has expired, and the box keeps its request")
    func forgotten() async throws {
        let root = Path("/tmp/tintype-enrolment-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(atPath: root.text) }
        let folder = IdentityFolder(in: root)
        let url = "https://photos.example:8443"
        let authority = try CertificateAuthority(rootKey: DeviceKey()).root.pem
        try folder.setPinned(.init(url: url, authority: authority, receiptKeys: []))
        let id = EnrollmentID(rawValue: 7)
        try folder.setPendingEnrollment(id)
        let request = try folder.signingRequest()
        let enrollment = Enrollment(folder: folder) { _ in Forgetful() }
        let answer = try await enrollment.poll(id, proxy: nil)
        #expect(answer == EnrollmentResponse(id: id, state: .expired))
        #expect(try folder.pendingEnrollment() == id)
        #expect(try folder.signingRequest() == request)
    }

    /// A library that knows nothing.
    private struct Forgetful: Transport {
        func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
            TransportResponse(status: 404, fields: [("Content-Type", ProblemDetails.contentType)])
        }
    }
}
