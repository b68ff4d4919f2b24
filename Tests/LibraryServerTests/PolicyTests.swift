import Authorization
import DeviceIdentity
import GRDB
import LibraryAPI
import LibraryStore
import Persistence
import PhotoModel
import Testing

@testable import LibraryServer

/// What operators say about devices: ceilings, names and tags, more of a selection.
struct PolicyTests {
    private func status(_ device: TestDevice, _ server: RunningServer) async throws -> AuthorizationResponse {
        try await untilAnswered {
            try await device.call(server) { try await $0.send("GET", "/v1/authorization").json() }
        }
    }

    @Test("A ceiling clamps the devices with its tag at once, and lifting it restores what was decided")
    func ceilings() async throws {
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server, maximum: "readWrite")
            let other = try await TestDevice.enroll(at: server, maximum: "readWrite")
            try await server.withOperator { admin in
                let tagged = try await admin.send(
                    "PATCH",
                    "/v1/admin/devices/\(device.id)",
                    json: DeviceEdit(name: "Front gate", tags: ["kiosk"])
                )
                #expect(try tagged.json(DeviceSummary.self).tags == ["kiosk"])
                #expect(try tagged.json(DeviceSummary.self).name == "Front gate")
                let policy = CeilingPolicy(ceilings: [CeilingRule(name: "kiosk", limit: "addOnly")], reason: "public")
                let set = try await admin.send("PUT", "/v1/admin/ceilings", json: policy)
                #expect(set.status == 200, "\(set.text)")
                let shown = try await admin.send("GET", "/v1/admin/ceilings").json(CeilingPolicy.self)
                #expect(shown.ceilings == policy.ceilings)
            }
            let clamped = try await status(device, server)
            #expect(clamped.addOnly == .authorized && clamped.readWrite == .restricted)
            #expect(clamped.restrictedBy == "kiosk")
            #expect(try await status(other, server).readWrite == .authorized)
            try await server.withOperator { admin in
                _ = try await admin.send("PUT", "/v1/admin/ceilings", json: CeilingPolicy(ceilings: []))
            }
            #expect(try await status(device, server).readWrite == .authorized)
        }
    }

    @Test("A policy that a stop kept from reaching a device reaches it at the next start")
    func interrupted() async throws {
        let folder = try TemporaryFolder()
        var enrolled: TestDevice?
        try await RunningServer.run(in: folder.path) { server in
            let device = try await TestDevice.enroll(at: server, maximum: "readWrite")
            try await server.withOperator { admin in
                let policy = CeilingPolicy(ceilings: [CeilingRule(name: CeilingRule.everyDevice, limit: "addOnly")])
                let answer = try await admin.send("PUT", "/v1/admin/ceilings", json: policy)
                #expect(answer.status == 200)
            }
            // As if the server had stopped before this device had its turn.
            _ = try await server.environment.store.metadata.decide(
                device.id,
                .ceiling(Ceiling.strictest(of: [])),
                by: .administrator("test"),
                reason: "",
                audit: AuditContext()
            )
            #expect(try await status(device, server).readWrite == .authorized)
            enrolled = device
        }
        let device = try #require(enrolled)
        try await RunningServer.run(in: folder.path) { server in
            try await eventually { try await status(device, server).readWrite == .restricted }
            #expect(try await status(device, server).addOnly == .authorized)
        }
    }

    @Test("A ceiling for every device holds for those that enrol later, and a token gives its tags and its album")
    func tokens() async throws {
        try await RunningServer.run { server in
            let token = try await server.withOperator { admin in
                let policy = CeilingPolicy(ceilings: [
                    CeilingRule(name: CeilingRule.everyDevice, limit: "limited"),
                    CeilingRule(name: "kiosk", limit: "addOnly", isPickerAllowed: false),
                ])
                _ = try await admin.send("PUT", "/v1/admin/ceilings", json: policy)
                let request = EnrollmentTokenRequest(maximum: "readWrite", album: "Gate", tags: ["kiosk"])
                let answer = try await admin.send("POST", "/v1/admin/enrollment-tokens", json: request)
                return try answer.json(EnrollmentTokenResponse.self).token
            }
            let key = DeviceKey()
            let enrolled = try await server.withClient { client in
                try await client.send("POST", "/v1/enrollments", json: TestDevice.request(key, token: token))
            }
            let device = try TestDevice(key: key, enrollment: enrolled.json())
            #expect(try await status(device, server).readWrite == .restricted)
            let plain = try await TestDevice.enroll(at: server, maximum: "readWrite")
            #expect(try await status(plain, server).readWrite == .limited)
            let answer = try await device.call(server) { try await $0.save(.random(byteCount: 40)) }
            guard case .created(let album)? = answer.album else {
                Issue.record("the token's album was not applied: \(String(describing: answer.album))")
                return
            }
            try await server.withOperator { admin in
                let albums = try await admin.send("GET", "/v1/albums").json(AlbumPage.self).albums
                #expect(albums.map(\.album.title) == ["Gate"])
                #expect(albums.map(\.album.id) == [album])
                #expect(albums.map(\.assetCount) == [1])
            }
            let picker = try await device.call(server) { client in
                try await client.send("POST", "/v1/picker/sessions", json: PickerRequest(purpose: "A badge."))
            }
            #expect(try picker.json(ProblemDetails.self).code == .restricted)
        }
    }

    @Test("A device that is being retired adds nothing, and goes on when an operator takes that back")
    func drain() async throws {
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server, maximum: "addOnly")
            let path = "/v1/admin/devices/\(device.id)/drain"
            let manifest = try TestPhoto.random(byteCount: 40).manifest
            try await server.withOperator { admin in
                let drained = try await admin.send("POST", path, json: StateChangeRequest(reason: "is replaced"))
                #expect(try drained.json(DeviceSummary.self).state == .draining)
            }
            let refused = try await device.call(server) { try await $0.send("POST", "/v1/assets", json: manifest) }
            #expect(refused.status == 403 && refused.text.contains("--cancel"), "\(refused.text)")
            try await server.withOperator { admin in
                let kept = try await admin.send("POST", path, json: StateChangeRequest(cancel: true))
                #expect(try kept.json(DeviceSummary.self).state == .active)
            }
            let taken = try await device.call(server) { try await $0.send("POST", "/v1/assets", json: manifest) }
            #expect(taken.status == 200, "\(taken.text)")
        }
    }

    @Test("A policy that cannot be is refused", arguments: ["everything", "", "READWRITE"])
    func invalidPolicy(limit: String) async throws {
        try await RunningServer.run { server in
            try await server.withOperator { admin in
                let policy = CeilingPolicy(ceilings: [CeilingRule(name: "x", limit: limit)])
                let refused = try await admin.send("PUT", "/v1/admin/ceilings", json: policy)
                #expect(refused.status == 400)
                let twice = CeilingPolicy(ceilings: [
                    CeilingRule(name: "x", limit: "none"), CeilingRule(name: "x", limit: "addOnly"),
                ])
                let doubled = try await admin.send("PUT", "/v1/admin/ceilings", json: twice)
                #expect(doubled.status == 400)
            }
        }
    }

    @Test("A limited device asks for more once, an operator answers, and the asset enters its view")
    func expansions() async throws {
        try await RunningServer.run { server in
            let owner = try await TestDevice.enroll(at: server, maximum: "readWrite")
            let photo = try TestPhoto.random(byteCount: 60)
            _ = try await owner.call(server) { try await $0.save(photo) }
            let limited = try await TestDevice.enroll(at: server, maximum: "limited")
            try await limited.call(server) { client in
                let path = "/v1/selection/expansions"
                let silent = try await client.send("POST", path, json: SelectionExpansion(reason: ""))
                #expect(try silent.json(ProblemDetails.self).code == .usageMissing)
                var names: Set<ExpansionID> = []
                for reason in ["For a moment.", "For the desk.", "For the desk."] {
                    let asked = try await client.send("POST", path, json: SelectionExpansion(reason: reason))
                    #expect(asked.status == 202, "\(asked.text)")
                    let open = try asked.json(OpenExpansion.self)
                    #expect(open.reason == reason)
                    names.insert(open.id)
                }
                #expect(names.count == 1, "a second reason replaces the first one's, of the same question")
                let waiting = try await client.send("GET", "/v1/authorization").json(AuthorizationResponse.self)
                #expect(waiting.selection?.expansion == names.first)
                #expect(try await client.send("GET", "/v1/assets/\(photo.manifest.id)").status == 404)
            }
            try await server.withOperator { admin in
                let inbox = try await admin.send("GET", "/v1/admin/requests").json(AccessRequestPage.self)
                #expect(inbox.expansions.map(\.reason) == ["For the desk."])
                #expect(inbox.expansions.first?.id != ExpansionID(rawValue: limited.id.rawValue))
                let path = "/v1/admin/requests/expansions/\(limited.id)"
                let decision = ExpansionDecision(assets: [photo.manifest.id])
                #expect(try await admin.send("POST", path, json: decision).status == 200)
                let late = try await admin.send("POST", path, json: decision)
                #expect(late.status == 404 && late.text.contains("No such device asks to see more"), "\(late.text)")
                let rest = try await admin.send("GET", "/v1/admin/requests").json(AccessRequestPage.self)
                #expect(rest.expansions.isEmpty)
            }
            let seen = try await limited.call(server) { try await $0.send("GET", "/v1/assets/\(photo.manifest.id)") }
            #expect(seen.status == 200)
            let answered = try await limited.call(server) { try await $0.send("GET", "/v1/authorization") }
            #expect(try answered.json(AuthorizationResponse.self).selection?.expansion == nil)
        }
    }

    @Test("An answer to a request for more adds to the selection and ends the request together, or does neither")
    func wholeAnswer() async throws {
        let folder = try TemporaryFolder()
        try await RunningServer.run(in: folder.path) { server in
            let limited = try await TestDevice.enroll(at: server, maximum: "limited")
            let asked = try await limited.call(server) { client in
                try await client.send("POST", "/v1/selection/expansions", json: SelectionExpansion(reason: "The desk."))
            }
            #expect(asked.status == 202, "\(asked.text)")
            let layout = LibraryLayout(root: Path("\(folder.path)/library"))
            let pool = try SQLiteRowStore.opening(layout.database).open()
            try await pool.write { database in
                try database.execute(
                    sql: """
                        CREATE TRIGGER kept BEFORE DELETE ON record WHEN OLD.kind = 'expansion'
                        BEGIN SELECT raise(ABORT, 'the request stays open'); END
                        """
                )
            }
            let path = "/v1/admin/requests/expansions/\(limited.id)"
            let more = AssetID(rawValue: 1)
            let decision = ExpansionDecision(assets: [more])
            let failed = try await server.withOperator { try await $0.send("POST", path, json: decision) }
            #expect(failed.status >= 500, "\(failed.text)")
            let before = try await server.environment.store.metadata.device(limited.id)
            #expect(before?.record.selection.isEmpty == true)
            try await pool.write { try $0.execute(sql: "DROP TRIGGER kept") }
            let answered = try await server.withOperator { try await $0.send("POST", path, json: decision) }
            #expect(answered.status == 200, "\(answered.text)")
            let after = try await server.environment.store.metadata.device(limited.id)
            #expect(after?.record.selection.assets == [more])
        }
    }

    @Test("004.69: one question has a bounded number of reasons, so that a device does not fill the audit")
    func reasons() async throws {
        try await RunningServer.run { server in
            let limited = try await TestDevice.enroll(at: server, maximum: "limited")
            let statuses = try await limited.call(server) { client in
                var statuses: [Int] = []
                for number in 0..<Expansions.maximumReasonCount + 2 {
                    let expansion = SelectionExpansion(reason: "Reason number \(number).")
                    let answer = try await client.send("POST", "/v1/selection/expansions", json: expansion)
                    statuses.append(answer.status)
                }
                return statuses
            }
            let expected = Array(repeating: 202, count: Expansions.maximumReasonCount) + [429, 429]
            #expect(statuses == expected)
        }
    }

    @Test("An operator reads the receipts that devices were given, and who changed what")
    func receiptsAndHistory() async throws {
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server)
            let photo = try TestPhoto.random(byteCount: 60)
            let answer = try await device.call(server) { try await $0.save(photo) }
            try await server.withOperator { admin in
                let receipt = try await admin.send("GET", "/v1/receipts/\(photo.manifest.id)")
                #expect(try receipt.json(SignedReceipt.self) == answer.receipt)
                let all = try await admin.send("GET", "/v1/receipts").json(ReceiptPage.self)
                #expect(all.receipts == [answer.receipt])
                let edit = AssetEdit.making { edit in
                    edit.title = "At the gate"
                    edit.isFavorite = true
                }
                let path = "/v1/assets/\(photo.manifest.id)"
                #expect(try await admin.send("PATCH", path, json: edit).status == 200)
                let history = try await admin.send("GET", "/v1/admin/library/history?asset=\(photo.manifest.id)")
                let entries = try history.json(HistoryPage.self).entries
                #expect(entries.map(\.what) == ["saved", "title, isFavorite"])
                #expect(entries.first?.actor.contains(device.id.description) == true)
            }
        }
    }
}
