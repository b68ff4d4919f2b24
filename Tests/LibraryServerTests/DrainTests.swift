import Authorization
import LibraryAPI
import Persistence
import PhotoModel
import Replication
import Testing

@testable import LibraryServer

/// Devices that are being retired: what they announce is taken, nothing else is, and they end by themselves.
struct DrainTests {
    /// Makes contact as a device, from the first contact on.
    private struct Caller {
        let device: TestDevice
        let server: RunningServer
        private var ticket: String?

        init(_ device: TestDevice, _ server: RunningServer) {
            self.device = device
            self.server = server
        }

        mutating func contact(_ report: DrainReport? = nil) async throws -> ContactResponse {
            let incarnation = String(repeating: "b2", count: 16)
            let replica = ReplicaID(rawValue: try #require(UInt128(incarnation, radix: 16)))
            let chain = HistoryChain(of: replica, hash: .sha256)
            let request = ContactRequest(
                replica: .init(
                    incarnation: incarnation,
                    counter: chain.counter,
                    chainHash: try #require(ContentDigest(bytes: chain.hash.bytes)),
                    hostFingerprint: "board 9",
                    ticket: ticket
                ),
                time: .now(),
                drain: report
            )
            let answer = try await device.call(server) { try await $0.send("POST", "/v1/heartbeat", json: request) }
            #expect(answer.status == 200, "\(answer.text)")
            let read: ContactResponse = try answer.json()
            ticket = read.ticket
            return read
        }
    }

    private func drain(_ device: TestDevice, at server: RunningServer, cancel: Bool? = nil) async throws {
        try await server.withOperator { admin in
            let request = StateChangeRequest(reason: "is replaced", cancel: cancel)
            let answer = try await admin.send("POST", "/v1/admin/devices/\(device.id)/drain", json: request)
            #expect(answer.status == 200, "\(answer.text)")
        }
    }

    @Test("T182: the largest page of announcements fits a contact; a larger body is refused before it is decoded")
    func largestContact() async throws {
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server)
            var box = Caller(device, server)
            _ = try await box.contact()
            try await drain(device, at: server)
            let first = try TestPhoto.random(byteCount: 60).manifest.id.rawValue
            let assets = (0..<APILimits.announcedCount).map { AssetID(rawValue: first ^ UInt128($0)) }
            let answer = try await box.contact(DrainReport(announced: assets, isWhole: true))
            #expect(answer.drain == DrainProgress(isAnnounced: true, remainingCount: assets.count))
            let filler = String(repeating: "x", count: APILimits.requestByteCount)
            let refused = try await device.call(server) {
                try await $0.send("POST", "/v1/heartbeat", json: ["build": filler])
            }
            #expect(refused.status == 413, "\(refused.text)")
        }
    }

    @Test("I4: what is announced is taken and nothing beyond it; with the last report the device's rights end")
    func delivers() async throws {
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server)
            var box = Caller(device, server)
            #expect(try await box.contact().drain == nil)
            let photos = try (0..<4).map { _ in try TestPhoto.random(byteCount: 60) }
            let (first, second, late) = (photos[0], photos[1], photos[2])
            try await drain(device, at: server)
            #expect(try await box.contact().drain == DrainProgress(isAnnounced: false, remainingCount: 0))

            var page = DrainReport(announced: [first.manifest.id], isWhole: false)
            #expect(try await box.contact(page).drain == DrainProgress(isAnnounced: false, remainingCount: 1))
            page = DrainReport(announced: [second.manifest.id, photos[3].manifest.id], isWhole: true)
            #expect(try await box.contact(page).drain == DrainProgress(isAnnounced: true, remainingCount: 3))
            page = DrainReport(announced: [late.manifest.id], isWhole: true)
            #expect(try await box.contact(page).drain?.remainingCount == 3, "the list is closed")

            try await device.call(server) { client in
                _ = try await client.save(first)
                let refused = try await client.send("POST", "/v1/assets", json: late.manifest)
                #expect(refused.status == 403 && refused.text.contains("--cancel"), "\(refused.text)")
                let batch = try await client.sendBatch([second, late])
                #expect(batch.results.map { $0.commit != nil } == [true, false])
                #expect(batch.results.map(\.problem?.code) == [nil, .denied])
            }
            try await server.withOperator { admin in
                let shown = try await admin.send("GET", "/v1/admin/devices/\(device.id)").json(DeviceSummary.self)
                #expect(shown.state == .draining && shown.drain?.remainingCount == 1)
            }
            let asked = try await device.call(server) { client in
                try await client.send("POST", "/v1/picker/sessions", json: PickerRequest(purpose: "A badge."))
            }
            #expect(asked.status == 201 || asked.status == 200, "\(asked.text)")
            let ended = try await box.contact(DrainReport(isWhole: true, isDelivered: true))
            #expect(ended.drain == DrainProgress(isAnnounced: true, remainingCount: 1, isEnded: true))
            let cutOff = try await device.call(server) { try await $0.send("GET", "/v1/authorization") }
            #expect(try cutOff.json(ProblemDetails.self).code == .identityRevoked)
            try await server.withOperator { admin in
                let shown = try await admin.send("GET", "/v1/admin/devices/\(device.id)").json(DeviceSummary.self)
                #expect(shown.state == .revoked && !shown.wipe && shown.drain == nil)
                let pickers = try await admin.send("GET", "/v1/admin/picker-sessions").json(PickDocumentPage.self)
                #expect(pickers.sessions.allSatisfy { $0.state == .ended }, "it has no right left")
                #expect(shown.changedBy == Actor.device(device.id).description)
                #expect(shown.reason == "delivered all but 1 of what it had announced")
                #expect(try await admin.send("GET", "/v1/assets").json(AssetPage.self).assets.count == 2)
            }
        }
    }

    @Test("What was under way when a device was drained goes on; drained again, it makes its list anew")
    func goesOn() async throws {
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server)
            var box = Caller(device, server)
            let (begun, other) = (try TestPhoto.random(byteCount: 50), try TestPhoto.random(byteCount: 50))
            let created = try await device.call(server) {
                try await $0.send("POST", "/v1/assets", json: begun.manifest)
            }
            #expect(created.status == 200)
            try await drain(device, at: server)
            try await device.call(server) { _ = try await $0.save(begun) }
            let early = try await box.contact(DrainReport(isWhole: false, isDelivered: true))
            #expect(early.drain?.isEnded == false, "nothing was announced to its end")
            _ = try await box.contact(DrainReport(announced: [], isWhole: true))
            try await drain(device, at: server, cancel: true)
            #expect(try await box.contact().drain == nil)
            try await drain(device, at: server)
            let again = try await box.contact(DrainReport(announced: [other.manifest.id], isWhole: true))
            #expect(again.drain == DrainProgress(isAnnounced: true, remainingCount: 1))
            try await device.call(server) { _ = try await $0.save(other) }
            #expect(try await box.contact(DrainReport(isWhole: true, isDelivered: true)).drain?.isEnded == true)
        }
    }

    @Test("A device that nobody drains cannot end itself by a report")
    func uncalledFor() async throws {
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server)
            var box = Caller(device, server)
            #expect(try await box.contact(DrainReport(isWhole: true, isDelivered: true)).drain == nil)
            try await device.call(server) { _ = try await $0.save(.random(byteCount: 40)) }
        }
    }
}
