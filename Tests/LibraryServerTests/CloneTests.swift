import Authorization
import DeviceIdentity
import LibraryAPI
import LibraryStore
import Persistence
import PhotoModel
import Replication
import Testing

@testable import LibraryServer

/// Copies of a device: found at their contacts, kept apart, resolved by an operator.
struct CloneTests {
    private static let incarnation = String(repeating: "a1", count: 16)

    private func call(
        _ device: TestDevice,
        _ server: RunningServer,
        _ request: ContactRequest
    ) async throws -> ContactResponse {
        let answer = try await device.call(server) { try await $0.send("POST", "/v1/heartbeat", json: request) }
        #expect(answer.status == 200, "\(answer.text)")
        return try answer.json()
    }

    /// The tickets with which the box and a copy of it go on, after the contacts by which the copy was found.
    private func copied(_ device: TestDevice, _ server: RunningServer) async throws -> (copy: String?, own: String?) {
        let first = try await call(device, server, .ofFreshBox())
        let second = try await call(device, server, .ofFreshBox(ticket: first.ticket))
        _ = try await call(device, server, .ofFreshBox(ticket: second.ticket))
        #expect(try await call(device, server, .ofFreshBox(ticket: first.ticket)).continuity == .suspect)
        return (first.ticket, second.ticket)
    }

    @Test(
        "T7: of two copies of a disk one is found at its next contact; reads stop, bytes are kept apart, nothing is lost"
    )
    func clonedDisk() async throws {
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server, maximum: "readWrite")
            let first = try await call(device, server, .ofFreshBox())
            #expect(first.continuity == .continued)
            let second = try await call(device, server, .ofFreshBox(ticket: first.ticket))
            // The copy has the first ticket; the original has used the one after it.
            _ = try await call(device, server, .ofFreshBox(ticket: second.ticket))
            let copy = try await call(device, server, .ofFreshBox(ticket: first.ticket))
            #expect(copy.continuity == .suspect && copy.ticket == nil)

            let photo = try TestPhoto.random(byteCount: 900)
            try await device.call(server) { client in
                let read = try await client.send("GET", "/v1/assets")
                #expect(try read.json(ProblemDetails.self).code == .identitySuspect)
                let created = try await client.send("POST", "/v1/assets", json: photo.manifest)
                let upload = try #require(try created.json(AssetCreationResponse.self).uploads.first)
                let status = try await client.append(photo.bytes, to: upload.id, at: 0, isComplete: true).status
                #expect(status == 204)
                let refused = try await client.send("POST", "/v1/assets/\(photo.manifest.id)/commit")
                #expect(try refused.json(ProblemDetails.self).code == .identitySuspect)
                #expect(try refused.json(ProblemDetails.self).retry == .onDecision)
            }
            try await server.withOperator { admin in
                #expect(try await admin.send("GET", "/v1/assets").json(AssetPage.self).assets.isEmpty)
                let path = "/v1/admin/devices/\(device.id)"
                let shown = try await admin.send("GET", path).json(DeviceSummary.self)
                #expect(shown.state == .suspect)
                #expect(shown.instances?.map(\.incarnation) == [Self.incarnation])
                let apart = try await admin.send("GET", "\(path)/uploads").json(PendingUploadPage.self).assets
                #expect(apart.map(\.manifest.id) == [photo.manifest.id])
                #expect(apart.first?.uploads.map(\.isComplete) == [true])
                let taken = try await admin.send("POST", "\(path)/uploads/\(photo.manifest.id)/commit")
                #expect(taken.status == 200, "\(taken.text)")
                #expect(try await admin.send("GET", "/v1/assets").json(AssetPage.self).assets.count == 1)
            }
        }
    }

    @Test("T7: a suspect device's batches are kept apart like its single uploads, and committed when it is resolved")
    func batches() async throws {
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server, maximum: "readWrite")
            _ = try await copied(device, server)
            let photos = try [TestPhoto.random(byteCount: 900), TestPhoto.random(byteCount: 30)]
            let held = try await device.call(server) { client in
                _ = try await client.sendBatch(photos)
                return try await client.sendBatch(photos)
            }
            #expect(held.results.map(\.problem?.code) == [.identitySuspect, .identitySuspect])
            #expect(held.results.map(\.problem?.retry) == [.onDecision, .onDecision])
            let path = "/v1/admin/devices/\(device.id)"
            try await server.withOperator { admin in
                #expect(try await admin.send("GET", "/v1/assets").json(AssetPage.self).assets.isEmpty)
                let apart = try await admin.send("GET", "\(path)/uploads").json(PendingUploadPage.self).assets
                #expect(Set(apart.map(\.manifest.id)) == Set(photos.map(\.manifest.id)))
                #expect(apart.allSatisfy { $0.uploads.allSatisfy(\.isComplete) })
                let kept = StateChangeRequest(reason: "", keep: Self.incarnation)
                #expect(try await admin.send("POST", "\(path)/resolve", json: kept).status == 200)
            }
            try await device.call(server) { client in
                for photo in photos {
                    let answer = try await client.send("POST", "/v1/assets/\(photo.manifest.id)/commit")
                    #expect(answer.status == 200, "\(answer.text)")
                }
                let page = try await client.send("GET", "/v1/assets").json(AssetPage.self)
                #expect(page.assets.count == 2)
            }
        }
    }

    @Test(
        "T137: a device that may read no more, suspect or draining, learns nothing of changes or of its view's size",
        arguments: ["readWrite", "limited"],
        [false, true]
    )
    func unreadable(maximum: String, isDraining: Bool) async throws {
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server, maximum: maximum)
            let photo = try TestPhoto.random(byteCount: 60)
            _ = try await device.call(server) { try await $0.save(photo) }
            func count() async throws -> Int? {
                let answer = try await device.call(server) { try await $0.send("GET", "/v1/authorization") }
                return try answer.json(AuthorizationResponse.self).selection?.count
            }
            let other = String(repeating: "c3", count: 16)
            let before = try await call(device, server, .ofFreshBox(other))
            #expect(before.hasChanges)
            #expect(try await count() == (maximum == "limited" ? 1 : nil))
            if isDraining {
                let path = "/v1/admin/devices/\(device.id)/drain"
                try await server.withOperator { admin in
                    let status = try await admin.send("POST", path, json: StateChangeRequest()).status
                    #expect(status == 200)
                }
            } else {
                _ = try await copied(device, server)
            }
            let after = try await call(device, server, .ofFreshBox(other, ticket: before.ticket))
            #expect(!after.hasChanges && (after.continuity == .suspect) == !isDraining)
            #expect(try await count() == nil)
        }
    }

    @Test("T8: after an operator said which copy goes on, that one works and the other is found again")
    func resolved() async throws {
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server, maximum: "readWrite")
            let tickets = try await copied(device, server)
            try await server.withOperator { admin in
                let path = "/v1/admin/devices/\(device.id)/resolve"
                let unknown = StateChangeRequest(keep: String(repeating: "0f", count: 16))
                #expect(try await admin.send("POST", path, json: unknown).status == 404)
                let kept = StateChangeRequest(reason: "the other was thrown away", keep: Self.incarnation)
                let answer = try await admin.send("POST", path, json: kept)
                #expect(try answer.json(DeviceSummary.self).state == .active, "\(answer.text)")
            }
            // The copy with the old ticket is the one that was kept.
            let next = try await call(device, server, .ofFreshBox(ticket: tickets.copy))
            #expect(next.continuity == .continued)
            #expect(try await call(device, server, .ofFreshBox(ticket: next.ticket)).continuity == .continued)
            #expect(try await device.call(server) { try await $0.send("GET", "/v1/assets").status } == 200)
            let other = try await call(device, server, .ofFreshBox(ticket: tickets.own))
            #expect(other.continuity == .suspect, "the other copy still runs")
        }
    }

    @Test(
        "T138: a device that is being retired still is once its copies are resolved, whichever came first",
        arguments: [false, true]
    )
    func retiredCopies(isCopiedFirst: Bool) async throws {
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server, maximum: "readWrite")
            let path = "/v1/admin/devices/\(device.id)"
            if isCopiedFirst { _ = try await copied(device, server) }
            try await server.withOperator { admin in
                let retired = try await admin.send("POST", "\(path)/drain", json: StateChangeRequest())
                #expect(retired.status == 200, "\(retired.text)")
            }
            if !isCopiedFirst { _ = try await copied(device, server) }
            try await server.withOperator { admin in
                #expect(try await admin.send("GET", path).json(DeviceSummary.self).state == .suspect)
                let kept = StateChangeRequest(keep: Self.incarnation)
                let resolved = try await admin.send("POST", "\(path)/resolve", json: kept)
                #expect(try resolved.json(DeviceSummary.self).state == .draining, "\(resolved.text)")
            }
            let read = try await device.call(server) { try await $0.send("GET", "/v1/assets") }
            #expect(read.status == 403, "\(read.text)")
            try await server.withOperator { admin in
                let again = StateChangeRequest(cancel: true)
                let active = try await admin.send("POST", "\(path)/drain", json: again)
                #expect(try active.json(DeviceSummary.self).state == .active, "\(active.text)")
            }
        }
    }

    @Test("T154: the audit has what an operator commits in a device's name, and nothing of what is refused or repeated")
    func committedInItsName() async throws {
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server, maximum: "readWrite")
            _ = try await copied(device, server)
            let photo = try TestPhoto.random(byteCount: 900)
            let upload = try await device.call(server) { client in
                let created = try await client.send("POST", "/v1/assets", json: photo.manifest)
                return try #require(try created.json(AssetCreationResponse.self).uploads.first)
            }
            let path = "/v1/admin/devices/\(device.id)/uploads/\(photo.manifest.id)/commit"
            let refused = try await server.withOperator { try await $0.send("POST", path) }
            #expect(try refused.json(ProblemDetails.self).code == .assetIncomplete)
            #expect(try await commitEntries(at: server) == 0)
            try await device.call(server) { client in
                let status = try await client.append(photo.bytes, to: upload.id, at: 0, isComplete: true).status
                #expect(status == 204)
            }
            for _ in 0..<2 {
                #expect(try await server.withOperator { try await $0.send("POST", path).status } == 200)
                #expect(try await commitEntries(at: server) == 1)
            }
        }
    }

    /// The audit's entries about commits in a device's name.
    private func commitEntries(at server: RunningServer) async throws -> Int {
        try await server.withOperator { admin in
            let page = try await admin.send("GET", "/v1/admin/audit?limit=1000").json(AuditPage.self)
            return page.entries.count { $0.content.new?.hasPrefix("commits asset ") ?? false }
        }
    }

    @Test("An incarnation that was not chosen does not come back: of the device's replicas only the chosen one goes on")
    func retired() async throws {
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server, maximum: "readWrite")
            let other = String(repeating: "b2", count: 16)
            let old = try await call(device, server, .ofFreshBox())
            let new = try await call(device, server, .ofFreshBox(other))
            #expect(new.continuity == .continued)
            try await server.withOperator { admin in
                let path = "/v1/admin/devices/\(device.id)/resolve"
                _ = try await admin.send("POST", path, json: StateChangeRequest(keep: other))
            }
            #expect(try await call(device, server, .ofFreshBox(other, ticket: new.ticket)).continuity == .continued)
            #expect(try await call(device, server, .ofFreshBox(ticket: old.ticket)).continuity == .suspect)
        }
    }
}
