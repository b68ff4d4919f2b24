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
            // The levels, their word for old programs, and what an answer to a question of the whole library is.
            let rows: [(maximum: String, addOnly: String, readWrite: String, word: String, status: Int)] = [
                ("addOnly", "authorized", "notDetermined", "notDetermined", 403),
                ("limited", "authorized", "limited", "authorized", 403),
                ("readWrite", "authorized", "authorized", "authorized", 404),
            ]
            for row in rows {
                let device = try await TestDevice.enroll(at: server, maximum: row.maximum)
                let answer = try await device.call(server) { client in
                    let status = try await client.send("GET", "/v1/authorization")
                    // The whole trash needs authorized, whatever the word for old programs is.
                    let purge = try await client.send("DELETE", "/v1/trash/\(AssetID(rawValue: 5))")
                    #expect(purge.status == row.status, "\(row.maximum): \(purge.text)")
                    return try status.json(AuthorizationResponse.self)
                }
                #expect(answer.readWrite.rawValue == row.readWrite && answer.addOnly.rawValue == row.addOnly)
                #expect(answer.legacy.rawValue == row.word, "\(row.maximum)")
            }
        }
    }
}
