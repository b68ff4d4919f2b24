import AgentCapture
import AgentService
import DeviceIdentity
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
}
