import LibraryAPI
import PhotoModel
import Testing

@testable import LibraryServer

struct EnrollmentClaimTests {
    @Test("001.10: what a box says of itself when it enrols is shown: name, program, and why it asks")
    func claim() async throws {
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server)
            let shown: DeviceSummary = try await server.withOperator { admin in
                try await admin.send("GET", "/v1/admin/devices/\(device.id)").json()
            }
            #expect(shown.name == "gate" && shown.build == "test 1")
            #expect(shown.usage.add == "Saves what passes the gate.")
            #expect(shown.usage.readWrite == "Shows it at the desk.")
            #expect(shown.firstSeen <= .now())
        }
    }

    @Test("002.3, 002.4: one word for old programs: limited reads as authorized, and decides nothing")
    func legacyWord() async throws {
        try await RunningServer.run { server in
            let rows: [(maximum: String, readWrite: String, word: String)] = [
                ("addOnly", "notDetermined", "notDetermined"), ("limited", "limited", "authorized"),
                ("readWrite", "authorized", "authorized"),
            ]
            for row in rows {
                let device = try await TestDevice.enroll(at: server, maximum: row.maximum)
                let answer = try await device.call(server) { client in
                    let status = try await client.send("GET", "/v1/authorization")
                    // Only operators delete for good, whatever the word for old programs is.
                    let purge = try await client.send("DELETE", "/v1/trash/\(AssetID(rawValue: 5))")
                    #expect(purge.status == 403, "\(row.maximum): \(purge.text)")
                    // A page of the whole library is for those who may read it.
                    let listed = try await client.send("GET", "/v1/assets")
                    #expect(listed.status == (row.maximum == "addOnly" ? 403 : 200), "\(row.maximum): \(listed.text)")
                    return try status.json(AuthorizationResponse.self)
                }
                #expect(answer.readWrite.rawValue == row.readWrite, "\(row.maximum)")
                #expect(answer.legacy.rawValue == row.word, "\(row.maximum)")
            }
        }
    }
}
