import DeviceIdentity
import LibraryAPI
import Testing

@testable import LibraryServer

/// What an administrator's answer to a waiting device decides.
struct ApprovalTests {
    @Test(
        "002.7: an approval decides the levels that a device wants, and leaves the other undecided",
        arguments: [
            (false, "add-only", "authorized notDetermined"), (false, "all", "authorized notDetermined"),
            (false, "none", "denied notDetermined"), (true, "all", "authorized authorized"),
        ]
    )
    func levels(wantsReading: Bool, answer: String, expected: String) async throws {
        try await RunningServer.run(flags: ["enrollment.open=true"]) { server in
            var request = try TestDevice.request(DeviceKey(), token: nil)
            if !wantsReading {
                request.usage.readWrite = nil
                request.levels = ["addOnly"]
            }
            let pending = try await server.withClient { [request] client in
                try await client.send("POST", "/v1/enrollments", json: request).json(EnrollmentResponse.self)
            }
            #expect(pending.state == .pending)
            try await server.withOperator { admin in
                let page = try await admin.send("GET", "/v1/admin/devices").json(DevicePage.self)
                let path = "/v1/admin/devices/\(try #require(page.devices.first).id)"
                let decided = try await admin.send("POST", "\(path)/decision", json: DecisionRequest(answer: answer))
                #expect(decided.status == 200, "\(decided.text)")
                let shown = try await admin.send("GET", path).json(DeviceSummary.self).authorization
                #expect("\(shown.addOnly.rawValue) \(shown.readWrite.rawValue)" == expected)
            }
        }
    }
}
