import LibraryAPI
import PhotoModel
import Testing

@testable import LibraryServer

struct ConsentTests {
    private static let camera = DeviceConsent(capability: "camera", device: "usb-1", status: "authorized")
    private static let microphone = DeviceConsent(capability: "microphone", device: "card-1", status: "authorized")

    /// A contact of a box that tells of its cameras and microphones.
    private func contact(
        _ device: TestDevice,
        _ server: RunningServer,
        _ consents: [DeviceConsent]?,
        followed: UInt64? = nil
    ) async throws -> TestClient.Answer {
        var request = try ContactRequest.ofFreshBox()
        request.consents = consents
        request.consentWithdrawal = followed
        return try await device.call(server) { try await $0.send("POST", "/v1/heartbeat", json: request) }
    }

    private func withdraw(
        _ device: TestDevice,
        _ server: RunningServer,
        _ request: ConsentWithdrawalRequest
    ) async throws -> TestClient.Answer {
        try await server.withOperator { admin in
            try await admin.send("POST", "/v1/admin/devices/\(device.id)/consents/withdrawals", json: request)
        }
    }

    private func shown(_ device: TestDevice, _ server: RunningServer) async throws -> DeviceSummary {
        try await server.withOperator { try await $0.send("GET", "/v1/admin/devices/\(device.id)").json() }
    }

    @Test(
        "001.4: what a box says of its cameras is shown; a withdrawal is told at each contact until the box has followed"
    )
    func withdrawal() async throws {
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server)
            let first = try await contact(device, server, [Self.camera, Self.microphone])
            #expect(try first.json(ContactResponse.self).consentWithdrawals == nil)
            #expect(try await shown(device, server).consents == [Self.camera, Self.microphone])
            let request = ConsentWithdrawalRequest(capability: "microphone", reason: "no sound in the hall")
            let answer = try await withdraw(device, server, request)
            #expect(answer.status == 200, "\(answer.text)")
            let waiting = try #require(try answer.json(DeviceSummary.self).consentWithdrawals?.first)
            #expect(waiting.capability == "microphone" && waiting.device == "card-1")
            for _ in 1...2 {
                // An answer that was lost is told again.
                let told = try await contact(device, server, nil)
                #expect(try told.json(ContactResponse.self).consentWithdrawals == [waiting])
            }
            var denied = Self.microphone
            denied.status = "denied"
            let followed = try await contact(device, server, [Self.camera, denied], followed: waiting.number)
            #expect(try followed.json(ContactResponse.self).consentWithdrawals == nil)
            let now = try await shown(device, server)
            #expect(now.consents == [Self.camera, denied] && now.consentWithdrawals == nil)
            let audit = try await server.withOperator { try await $0.send("GET", "/v1/admin/audit?limit=50") }
            #expect(audit.text.contains("consent.withdraw") && audit.text.contains("no sound in the hall"))
        }
    }

    @Test("001.4: nothing is granted from afar: what a person at the box allows again since stays allowed")
    func grantedAgain() async throws {
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server)
            _ = try await contact(device, server, [Self.camera])
            let first = try await withdraw(device, server, ConsentWithdrawalRequest())
            let number = try #require(try first.json(DeviceSummary.self).consentWithdrawals?.first?.number)
            let again = try await contact(device, server, [Self.camera], followed: number)
            #expect(try again.json(ContactResponse.self).consentWithdrawals == nil)
            // Withdrawn once more, it has a number of its own.
            let second = try await withdraw(device, server, ConsentWithdrawalRequest(device: "usb-1"))
            let waiting = try #require(try second.json(DeviceSummary.self).consentWithdrawals)
            #expect(waiting.count == 1 && waiting[0].number > number)
            let third = try await withdraw(device, server, ConsentWithdrawalRequest(device: "usb-1"))
            #expect(try third.json(DeviceSummary.self).consentWithdrawals == waiting, "it waits already")
            // The box has followed it, somebody there allowed the camera again, and only now the box tells so.
            let told = try await contact(device, server, [Self.camera], followed: waiting[0].number)
            #expect(try told.json(ContactResponse.self).consentWithdrawals == nil, "the second command undoes nothing")
        }
    }

    @Test("001.4: a withdrawal just before a wait ends it, until a contact has told of the withdrawal")
    func betweenContactAndWait() async throws {
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server, maximum: "readWrite")
            let answer = try await contact(device, server, [Self.camera])
            let version = try answer.json(ContactResponse.self).grantVersion
            #expect(try await withdraw(device, server, ConsentWithdrawalRequest()).status == 200)
            for path in ["/v1/authorization?after=\(version)&wait=55", "/v1/changes?wait=55"] {
                // The connection is closed under the request.
                let waited = try? await device.call(server) { try await $0.send("GET", path) }
                #expect(waited == nil, "\(path)")
            }
            let told = try await contact(device, server, nil)
            #expect(try told.json(ContactResponse.self).consentWithdrawals?.count == 1)
            // It was told, although it has not followed yet: a wait is answered again.
            let waited = try await device.call(server) { client in
                try await client.send("GET", "/v1/authorization?after=\(version + 1)&wait=55")
            }
            #expect(waited.status == 200, "\(waited.text)")
        }
    }

    @Test("A withdrawal names what the box uses, and a box tells of little")
    func refused() async throws {
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server)
            #expect(try await withdraw(device, server, ConsentWithdrawalRequest()).status == 400, "it tells of nothing")
            var denied = Self.camera
            denied.status = "denied"
            _ = try await contact(device, server, [denied])
            #expect(try await withdraw(device, server, ConsentWithdrawalRequest(capability: "camera")).status == 400)
            #expect(try await withdraw(device, server, ConsentWithdrawalRequest(device: "usb-2")).status == 400)
            let many = [DeviceConsent](repeating: Self.camera, count: APILimits.consentCount + 1)
            #expect(try await contact(device, server, many).status == 400)
            for text in ["", String(repeating: "x", count: APILimits.consentDeviceByteCount + 1)] {
                let odd = DeviceConsent(capability: "camera", device: text, status: "authorized")
                #expect(try await contact(device, server, [odd]).status == 400)
            }
            #expect(try await shown(device, server).consents == [denied], "what was refused is not kept")
            let ids = [device.id, DeviceID(rawValue: 1)]
            let asDevice = try await device.call(server) { client in
                try await client.send(
                    "POST",
                    "/v1/admin/devices/\(ids[0])/consents/withdrawals",
                    json: ConsentWithdrawalRequest()
                )
            }
            #expect(asDevice.status == 403 || asDevice.status == 404)
            let unknown = try await server.withOperator { admin in
                try await admin.send(
                    "POST",
                    "/v1/admin/devices/\(ids[1])/consents/withdrawals",
                    json: ConsentWithdrawalRequest()
                )
            }
            #expect(unknown.status == 404)
        }
    }
}
