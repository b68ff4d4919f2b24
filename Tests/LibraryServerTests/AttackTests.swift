import Authorization
import Crypto
import DeviceIdentity
import Foundation
import PhotoModel
import Testing

@testable import LibraryAPI
@testable import LibraryServer

struct AttackTests {
    // Devices are named by text: Swift 6.3.1 on x86-64 loses asynchronous calls with 128-bit arguments.
    func shown(_ device: String, at server: RunningServer) async throws -> DeviceSummary {
        try await server.withOperator { try await $0.send("GET", "/v1/admin/devices/\(device)").json() }
    }

    private func token(_ server: RunningServer, uses: Int = 1, maximum: String = "addOnly") async throws -> String {
        try await server.withOperator { client in
            let request = EnrollmentTokenRequest(maximum: maximum, uses: uses)
            let answer = try await client.send("POST", "/v1/admin/enrollment-tokens", json: request)
            return try answer.json(EnrollmentTokenResponse.self).token
        }
    }

    @Test("T1, T3: an enrolment that is sent again gives the same device and certificate, and uses the token once")
    func replayedEnrollment() async throws {
        try await RunningServer.run { server in
            let request = try TestDevice.request(DeviceKey(), token: try await token(server))
            try await server.withClient { client in
                let first = try await client.send("POST", "/v1/enrollments", json: request).json(
                    EnrollmentResponse.self
                )
                let again = try await client.send("POST", "/v1/enrollments", json: request).json(
                    EnrollmentResponse.self
                )
                #expect(first.deviceID != nil)
                #expect(first == again)
                let polled = try await client.send("GET", "/v1/enrollments/\(first.id)").json(EnrollmentResponse.self)
                #expect(polled == first)
            }
            let devices = try await server.withOperator { try await $0.send("GET", "/v1/admin/devices") }
            #expect(try devices.json(DevicePage.self).devices.count == 1)
        }
    }

    @Test("T2: of devices that use the last use of a token at once, exactly one wins")
    func sharedToken() async throws {
        try await RunningServer.run { server in
            let token = try await token(server)
            let requests = try (0..<8).map { _ in try TestDevice.request(DeviceKey(), token: token) }
            let statuses = try await server.withClient { client in
                try await withThrowingTaskGroup(of: Int.self) { group in
                    for request in requests {
                        group.addTask { try await client.send("POST", "/v1/enrollments", json: request).status }
                    }
                    return try await group.reduce(into: [Int]()) { $0.append($1) }
                }
            }
            #expect(statuses.count { $0 == 200 } == 1)
            #expect(statuses.count { $0 == 403 } == 7)
        }
    }

    @Test("T1: the same signing request eight times at once is one device, and every answer is the same")
    func parallelEnrollment() async throws {
        try await RunningServer.run { server in
            let request = try TestDevice.request(DeviceKey(), token: try await token(server))
            let answers = try await server.withClient { client in
                try await withThrowingTaskGroup(of: TestClient.Answer.self) { group in
                    for _ in 0..<8 {
                        group.addTask { try await client.send("POST", "/v1/enrollments", json: request) }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
            }
            #expect(answers.allSatisfy { $0.status == 200 }, "\(answers.map(\.status))")
            let chains = try answers.map { try $0.json(EnrollmentResponse.self).certificateChain }
            #expect(Set(chains).count == 1)
        }
    }

    @Test(
        "T47: an enrolment that is sent again, or with another token, applies nothing over what was decided since",
        arguments: ["none", "reset", "revoke"],
        [false, true]
    )
    func replayAfterDecision(decision: String, isOtherToken: Bool) async throws {
        try await RunningServer.run { server in
            let request = try TestDevice.request(DeviceKey(), token: try await token(server, uses: 3))
            var again = request
            if isOtherToken { again.token = try await token(server, maximum: "readWrite") }
            func enroll(_ request: EnrollmentRequest) async throws -> EnrollmentResponse {
                try await server.withClient { client in
                    try await client.send("POST", "/v1/enrollments", json: request).json(EnrollmentResponse.self)
                }
            }
            let device = try #require(try await enroll(request).deviceID).description
            try await server.withOperator { admin in
                let path = "/v1/admin/devices/\(device)"
                switch decision {
                case "none":
                    let answer = try await admin.send("POST", "\(path)/decision", json: DecisionRequest(answer: "none"))
                    #expect(answer.status == 200, "\(answer.text)")
                case "reset":
                    let answer = try await admin.send("DELETE", "\(path)/decision")
                    #expect(answer.status == 200, "\(answer.text)")
                default:
                    let answer = try await admin.send("POST", "\(path)/revoke", json: StateChangeRequest())
                    #expect(answer.status == 200, "\(answer.text)")
                }
            }
            func audit() async throws -> [AuditEvent] {
                try await server.withOperator { admin in
                    try await admin.send("GET", "/v1/admin/audit?limit=1000").json(AuditPage.self).entries
                        .map(\.content.event)
                }
            }
            let before = try await shown(device, at: server)
            let entries = try await audit()
            _ = try await enroll(again)
            let after = try await shown(device, at: server)
            #expect(after.authorization == before.authorization)
            #expect(after.state == before.state)
            #expect(try await audit() == entries, "nothing is told in the operator's name")
        }
    }

    @Test("T47: of a token and an operator's none at once the operator's stands, whichever came first")
    func enrollmentBesideDecision() async throws {
        try await RunningServer.run(flags: ["enrollment.open=true"]) { server in
            for _ in 0..<16 {
                let waiting = try TestDevice.request(DeviceKey(), token: nil)
                var request = waiting
                request.token = try await token(server, maximum: "readWrite")
                let device = try await server.withClient { [admitting = request] client in
                    let pending = try await client.send("POST", "/v1/enrollments", json: waiting)
                        .json(EnrollmentResponse.self)
                    return try await server.withOperator { admin in
                        let page = try await admin.send("GET", "/v1/admin/devices").json(DevicePage.self)
                        let device = try #require(
                            page.devices.first { $0.verificationCode == pending.verificationCode }
                        ).id.description
                        let path = "/v1/admin/devices/\(device)/decision"
                        async let enrolled = client.send("POST", "/v1/enrollments", json: admitting).status
                        async let decided = admin.send("POST", path, json: DecisionRequest(answer: "none")).status
                        let statuses = try await [enrolled, decided]
                        #expect(statuses == [200, 200])
                        return device
                    }
                }
                let shown = try await shown(device, at: server)
                #expect(shown.isRefused == true || shown.authorization.readWrite == .denied, "\(shown)")
            }
        }
    }

    @Test("002.7: a token decides the level that was asked for, up to its maximum, and leaves the other undecided")
    func tokenLevels() async throws {
        try await RunningServer.run { server in
            let cases: [(maximum: String, levels: [String], expected: String)] = [
                ("addOnly", ["addOnly"], "authorized notDetermined"),
                ("addOnly", ["addOnly", "readWrite"], "authorized notDetermined"),
                ("readWrite", ["addOnly"], "authorized notDetermined"),
                ("readWrite", ["addOnly", "readWrite"], "authorized authorized"),
                ("limited", ["readWrite"], "limited limited"),
            ]
            for (maximum, levels, expected) in cases {
                let token = try await server.withOperator { client in
                    try await client.send(
                        "POST",
                        "/v1/admin/enrollment-tokens",
                        json: EnrollmentTokenRequest(maximum: maximum)
                    ).json(EnrollmentTokenResponse.self).token
                }
                var request = try TestDevice.request(DeviceKey(), token: token)
                request.levels = levels
                let device = try await server.withClient { client in
                    try await client.send("POST", "/v1/enrollments", json: request).json(EnrollmentResponse.self)
                        .deviceID
                }
                let status = try await shown(try #require(device).description, at: server).authorization
                #expect("\(status.addOnly.rawValue) \(status.readWrite.rawValue)" == expected, "\(maximum) \(levels)")
            }
        }
    }

    @Test(
        "002.7: a box that asks for saving alone is decided for that alone, and may ask for reading later",
        arguments: [["add-only"], ["none", "add-only"]]
    )
    func savingAlone(answers: [String]) async throws {
        try await RunningServer.run(flags: ["enrollment.open=true"]) { server in
            var request = try TestDevice.request(DeviceKey(), token: nil)
            request.usage.readWrite = nil
            request.levels = ["addOnly"]
            let wish = request
            let pending = try await server.withClient { client in
                try await client.send("POST", "/v1/enrollments", json: wish).json(EnrollmentResponse.self)
            }
            #expect(pending.state == .pending)
            let status = try await server.withOperator { admin in
                let devices = try await admin.send("GET", "/v1/admin/devices").json(DevicePage.self).devices
                let path = "/v1/admin/devices/\(try #require(devices.first).id)"
                for answer in answers {
                    // As the inbox and `device approve` send it: an answer without levels.
                    let request = DecisionRequest(answer: answer)
                    let decided = try await admin.send("POST", "\(path)/decision", json: request)
                    #expect(decided.status == 200, "\(decided.text)")
                }
                return try await admin.send("GET", path).json(DeviceSummary.self).authorization
            }
            #expect("\(status.addOnly.rawValue) \(status.readWrite.rawValue)" == "authorized notDetermined")
        }
    }

    @Test("002.8: None to a question about reading does not stop a camera that saves")
    func noneToReading() async throws {
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server)
            try await device.call(server) { client in
                let wish = AuthorizationRequest(level: "readWrite", usage: "Shows it at the desk.")
                let answer = try await client.send("POST", "/v1/authorization/requests", json: wish)
                #expect(answer.status < 300, "\(answer.text)")
            }
            let status = try await server.withOperator { admin in
                let path = "/v1/admin/devices/\(device.id)/decision"
                return try await admin.send("POST", path, json: DecisionRequest(answer: "none")).status
            }
            #expect(status == 200)
            let after = try await shown(device.id.description, at: server).authorization
            #expect("\(after.addOnly.rawValue) \(after.readWrite.rawValue)" == "authorized denied")
        }
    }

    @Test("T4: signing requests that ask for more, or are none, get a 4xx; without a token nobody gets in")
    func hostileSigningRequests() async throws {
        try await RunningServer.run { server in
            let token = try await token(server)
            try await server.withClient { client in
                var request = try TestDevice.request(DeviceKey(), token: token)
                for bytes in [
                    [], [0x30, 0], request.certificateRequest.bytes + [0], Array(repeating: 7, count: 20_000),
                ] {
                    request.certificateRequest = Base64Bytes(bytes)
                    let answer = try await client.send("POST", "/v1/enrollments", json: request)
                    #expect(answer.status == 400 || answer.status == 413, "\(answer.text)")
                }
                let uninvited = try TestDevice.request(DeviceKey(), token: nil)
                let answer = try await client.send("POST", "/v1/enrollments", json: uninvited)
                #expect(try answer.json(ProblemDetails.self).code == .enrollmentTokenInvalid)
                var silent = try TestDevice.request(DeviceKey(), token: token)
                silent.usage = UsageTexts()
                let refused = try await client.send("POST", "/v1/enrollments", json: silent)
                #expect(refused.status == 422)
                #expect(try refused.json(ProblemDetails.self).code == .usageMissing)
            }
        }
    }

    @Test("A box without a token waits, both sides see one code, and an approval by that code lets it in")
    func openEnrollment() async throws {
        try await RunningServer.run(flags: ["enrollment.open=true"]) { server in
            let key = DeviceKey()
            let request = try TestDevice.request(key, token: nil)
            let pending = try await server.withClient { client in
                try await client.send("POST", "/v1/enrollments", json: request).json(EnrollmentResponse.self)
            }
            #expect(pending.state == .pending)
            #expect(pending.certificateChain == nil)
            try await server.withOperator { client in
                let page = try await client.send("GET", "/v1/admin/devices").json(DevicePage.self)
                let device = try #require(page.devices.first)
                #expect(device.verificationCode == pending.verificationCode)
                let path = "/v1/admin/devices/\(device.id)/decision"
                let wrong = DecisionRequest(answer: "add-only", expectedCode: "BBBB-BBBB")
                #expect(try await client.send("POST", path, json: wrong).status == 409)
                #expect(try await client.send("POST", path, json: DecisionRequest(answer: "none")).status == 200)
                let refused = try await client.send("GET", "/v1/admin/devices/\(device.id)").json(DeviceSummary.self)
                #expect(refused.state == .pending && refused.isRefused == true)
                let right = DecisionRequest(answer: "add-only", expectedCode: pending.verificationCode)
                #expect(try await client.send("POST", path, json: right).status == 200)
                let admitted = try await client.send("GET", "/v1/admin/devices/\(device.id)").json(DeviceSummary.self)
                #expect(admitted.isRefused == nil)
            }
            let active = try await server.withClient { client in
                try await client.send("GET", "/v1/enrollments/\(pending.id)").json(EnrollmentResponse.self)
            }
            let device = try TestDevice(key: key, enrollment: active)
            let answer = try await device.call(server) { try await $0.send("GET", "/v1/authorization") }
            #expect(try answer.json(AuthorizationResponse.self).addOnly == .authorized)
        }
    }

    @Test("A device renews, rotates its key, and the old key is void once the new one was used")
    func rotation() async throws {
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server)
            let newKey = DeviceKey()
            let chain = try await device.call(server) { client in
                let same = CertificateRenewal(certificateRequest: try device.key.signingRequest().der)
                #expect(try await client.send("POST", "/v1/identity/renew", json: same).status == 200)
                let request = try newKey.signingRequest().der
                let unproved = CertificateRenewal(certificateRequest: request)
                #expect(try await client.send("POST", "/v1/identity/rotate", json: unproved).status == 400)
                let proved = CertificateRenewal(
                    certificateRequest: request,
                    proof: try device.key.signature(for: request)
                )
                let answer = try await client.send("POST", "/v1/identity/rotate", json: proved)
                #expect(answer.status == 200, "\(answer.text)")
                #expect(
                    try await client.send("GET", "/v1/authorization").status == 200,
                    "both keys are good until then"
                )
                return try answer.json(CertificateResponse.self).certificateChain
            }
            let rotated = TestDevice(id: device.id, key: newKey, certificate: try IdentityCertificate(pem: chain))
            #expect(try await rotated.call(server) { try await $0.send("GET", "/v1/authorization").status } == 200)
            #expect(try await device.call(server) { try await $0.send("GET", "/v1/authorization").status } == 401)
        }
    }

    @Test("T22: an addOnly device that probes digests learns nothing of what others hold")
    func hashProbes() async throws {
        try await RunningServer.run { server in
            let owner = try await TestDevice.enroll(at: server, maximum: "readWrite")
            let photo = try TestPhoto.random(byteCount: 2000)
            _ = try await owner.call(server) { try await $0.save(photo) }
            let prober = try await TestDevice.enroll(at: server)
            let unknown = try TestPhoto.random(byteCount: 2000)
            try await prober.call(server) { client in
                let digests = [photo.resource.digest, unknown.resource.digest]
                let answer = try await client.send(
                    "POST",
                    "/v1/hashes/check",
                    json: HashCheckRequest(digests: digests)
                )
                #expect(try answer.json(HashCheckResponse.self).known == [])
                for bytes in [photo.bytes, unknown.bytes] {
                    let copy = try TestPhoto(bytes: bytes)
                    let created = try await client.send("POST", "/v1/assets", json: copy.manifest)
                    #expect(try created.json(AssetCreationResponse.self).uploads.map(\.offset) == [0])
                }
                #expect(try await client.send("GET", "/v1/assets").status == 403)
            }
        }
    }

    @Test(
        "T41: JSON that could be read in two ways is refused with 400",
        arguments: [
            "{\"level\":\"addOnly\",\"level\":\"readWrite\",\"usage\":\"x\"}", "[", "{\"level\":1e999999}",
            String(repeating: "[", count: 5000),
        ]
    )
    func ambiguousJSON(text: String) async throws {
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server)
            try await device.call(server) { client in
                for bytes in [Array(text.utf8), Array("{\"level\":\"".utf8) + [0xFF, 0x22, 0x7D]] {
                    let answer = try await client.send(
                        "POST",
                        "/v1/authorization/requests",
                        headers: [("Content-Type", "application/json")],
                        body: bytes
                    )
                    #expect(answer.status == 400)
                    #expect(try answer.json(ProblemDetails.self).code == .malformedRequest)
                }
            }
        }
    }

    @Test("T40: a header flood is refused, and the server goes on")
    func headerFlood() async throws {
        try await RunningServer.run { server in
            try await server.withClient { client in
                let flood = (0..<2000).map { ("X-Flood-\($0)", String(repeating: "a", count: 50)) }
                let status = try? await client.send("GET", "/healthz", headers: flood).status
                #expect(status.map { 400..<500 ~= $0 } ?? true)
            }
            #expect(try await server.withClient { try await $0.send("GET", "/healthz").status } == 200)
        }
    }

    @Test(
        "Ranges that overflow, cross or miss are answered by RFC 9110",
        arguments: [
            ("bytes=0-9223372036854775807", ByteRange.part(0..<10)), ("bytes=5-", .part(5..<10)),
            ("bytes=-3", .part(7..<10)), ("bytes=-99999999999999999999", .part(0..<10)), ("bytes=9-9", .part(9..<10)),
            ("bytes=10-", .unsatisfiable), ("bytes=99999999999999999999-", .unsatisfiable),
            ("bytes=-0", .unsatisfiable),
            ("bytes=5-4", .whole), ("bytes=0-1,3-4", .whole), ("items=0-1", .whole), ("bytes=a-b", .whole),
            ("bytes=-", .whole),
        ]
    )
    func ranges(field: String, expected: ByteRange) {
        #expect(ByteRange(field, total: 10) == expected)
    }
}
