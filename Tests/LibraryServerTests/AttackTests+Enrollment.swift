import DeviceIdentity
import LibraryAPI
import PhotoModel
import Testing

@testable import LibraryServer

extension AttackTests {
    @Test("T69: a token's tags, album and ceiling hold for a box that enrolled without it; a second token's do not")
    func tokenAfterEnrollment() async throws {
        try await RunningServer.run(flags: ["enrollment.open=true"]) { server in
            let tokens = try await server.withOperator { admin in
                let policy = CeilingPolicy(ceilings: [CeilingRule(name: "garden", limit: "addOnly")])
                #expect(try await admin.send("PUT", "/v1/admin/ceilings", json: policy).status == 200)
                var tokens: [String] = []
                for tag in ["garden", "house"] {
                    let request = EnrollmentTokenRequest(maximum: "readWrite", album: tag, tags: [tag])
                    let answer = try await admin.send("POST", "/v1/admin/enrollment-tokens", json: request)
                    tokens.append(try answer.json(EnrollmentTokenResponse.self).token)
                }
                return tokens
            }
            let plain = try TestDevice.request(DeviceKey(), token: nil)
            func enroll(with token: String?) async throws -> EnrollmentResponse {
                var request = plain
                request.token = token
                let wish = request
                return try await server.withClient { try await $0.send("POST", "/v1/enrollments", json: wish).json() }
            }
            #expect(try await enroll(with: nil).state == .pending)
            for token in tokens {
                let device = try #require(try await enroll(with: token).deviceID)
                let shown = try await shown(device.description, at: server)
                #expect(shown.tags == ["garden"] && shown.album == "garden")
                #expect(shown.authorization.addOnly == .authorized && shown.authorization.readWrite == .restricted)
            }
        }
    }
}
