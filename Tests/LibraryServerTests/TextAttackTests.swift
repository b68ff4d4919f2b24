import Authorization
import DeviceIdentity
import LibraryAPI
import LibraryStore
import PhotoModel
import Testing

@testable import LibraryServer

/// Texts that a store cannot hold, or should not.
struct TextAttackTests {
    @Test("T183: NUL in any text of an enrolment, a contact or an operator's request is refused, and nothing is stored")
    func nul() async throws {
        try await RunningServer.run(flags: ["enrollment.open=true"]) { server in
            var requests = try (0..<3).map { _ in try TestDevice.request(DeviceKey(), token: nil) }
            requests[0].name = "n\0m"
            requests[1].build = "b\0"
            requests[2].hardwareHints = ["h\0"]
            for request in requests {
                let answer = try await server.withClient { try await $0.send("POST", "/v1/enrollments", json: request) }
                let problem = try answer.json(ProblemDetails.self)
                #expect(problem.code == .malformedRequest && problem.detail.contains("a text contains NUL"))
            }
            #expect(try await server.environment.store.metadata.devices().isEmpty)
            let device = try await TestDevice.enroll(at: server)
            var contact = try ContactRequest.ofFreshBox()
            contact.status = ContactRequest.Status(queuedAssets: 0, queuedBytes: 0, freeBytes: 0, build: "b\0")
            let said = contact
            let status = try await device.call(server) { try await $0.send("POST", "/v1/heartbeat", json: said).status }
            #expect(status == 400)
            let path = "/v1/admin/devices/\(device.id)"
            try await server.withOperator { admin in
                for edit in [DeviceEdit(name: "n\0m"), DeviceEdit(tags: ["t\0"]), DeviceEdit(album: "a\0b")] {
                    #expect(try await admin.send("PATCH", path, json: edit).status == 400)
                }
                let list = try await admin.send("GET", "/v1/albums?cursor=a%00b")
                #expect(list.status == 400 && list.text.contains("NUL"), "\(list.text)")
                let filter = PercentEncoding.encode(#"{"text":"a\u0000b"}"#)
                for route in ["/v1/assets", "/v1/timeline"] {
                    #expect(try await admin.send("GET", "\(route)?filter=\(filter)").status == 400)
                }
                let refused = try await admin.send("POST", "\(path)/revoke", json: StateChangeRequest(reason: "a\0b"))
                #expect(refused.status == 400)
            }
            let row = try #require(try await server.environment.store.metadata.device(device.id))
            #expect(row.profile.name == "gate" && row.profile.status == nil && row.record.state == .active)
        }
    }

    @Test("T183: an operator's reason has at most 1 KiB, on every request that has one")
    func longReasons() async throws {
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server)
            let path = "/v1/admin/devices/\(device.id)"
            let long = String(repeating: "x", count: APILimits.reasonByteCount + 1)
            let certificate = try DeviceKey().signingRequest().der
            let issue = OperatorRequest(name: "ana", certificateRequest: certificate, reason: long)
            let requests: [(method: String, path: String, body: any Encodable & Sendable)] = [
                ("POST", "\(path)/revoke", StateChangeRequest(reason: long)),
                ("POST", "\(path)/decision", DecisionRequest(answer: "all", reason: long)),
                ("POST", "\(path)/consents/withdrawals", ConsentWithdrawalRequest(reason: long)),
                ("POST", "/v1/admin/requests/expansions/\(device.id)", ExpansionDecision(reason: long)),
                ("PATCH", path, DeviceEdit(reason: long)),
                ("PUT", "/v1/admin/ceilings", CeilingPolicy(ceilings: [], reason: long)),
                ("POST", "/v1/admin/enrollment-tokens", EnrollmentTokenRequest(maximum: "addOnly", reason: long)),
                ("POST", "/v1/admin/operators", issue),
            ]
            try await server.withOperator { admin in
                for request in requests {
                    let answer = try await admin.send(request.method, request.path, json: request.body)
                    let problem = try answer.json(ProblemDetails.self)
                    #expect(problem.code == .tooLarge && problem.field == "reason", "\(request.path): \(answer.text)")
                }
                let longest = DeviceEdit(reason: String(long.dropLast()))
                #expect(try await admin.send("PATCH", path, json: longest).status == 200)
            }
        }
    }
}
