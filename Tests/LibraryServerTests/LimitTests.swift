import Authorization
import DeviceIdentity
import GRDB
import LibraryAPI
import LibraryStore
import Persistence
import PhotoModel
import Testing

@testable import LibraryServer

/// What one caller, or all together, may ask of the server.
struct LimitTests {
    @Test("A stranger's address may ask so often, and is told when to come back; a device is not counted there")
    func addresses() async throws {
        try await RunningServer.run(flags: ["server.anonymousRequestsPerMinute=12"]) { server in
            let start = ContinuousClock.now
            let device = try await TestDevice.enroll(at: server)
            let statuses = try await server.withClient { client in
                var statuses: [Int] = []
                for _ in 0..<20 {
                    let answer = try await client.send("GET", "/healthz")
                    statuses.append(answer.status)
                    if answer.status == 429 { #expect(answer.headers["retry-after"] != nil) }
                }
                return statuses
            }
            // One more for each five seconds that the requests took.
            let refilled = Int((ContinuousClock.now - start) / .seconds(5)) + 1
            #expect(statuses.count { $0 == 200 } <= 12 + refilled)
            #expect(statuses.contains(429))
            let known = try await device.call(server) { client in
                var statuses: Set<Int> = []
                for _ in 0..<20 { statuses.insert(try await client.send("GET", "/v1/authorization").status) }
                return statuses
            }
            #expect(known == [200])
        }
    }

    @Test("The bucket of an address fills with time, and addresses beyond the limit wait")
    func buckets() {
        let limit = AddressLimit(perMinute: 2)
        let start = WallTime(millisecondsSince1970: 1_000_000)
        #expect(limit.wait(for: "a", at: start) == nil)
        #expect(limit.wait(for: "a", at: start) == nil)
        #expect(limit.wait(for: "a", at: start) == 30)
        #expect(limit.wait(for: "b", at: start) == nil)
        #expect(limit.wait(for: "a", at: start.advanced(by: .seconds(30))) == nil)
        #expect(limit.wait(for: "a", at: start.advanced(by: .seconds(30))) == 30)
        for address in 0..<20_000 { _ = limit.wait(for: "\(address)", at: start) }
        #expect(limit.wait(for: "new", at: start) == 60)
        #expect(limit.wait(for: "new", at: start.advanced(by: .seconds(120))) == nil)
    }

    @Test("Beyond the load that is set requests get 503 with when to come back, and places are given back")
    func load() throws {
        let limit = LoadLimit(maximumCount: 2, refusal: "full")
        try limit.enter()
        try limit.enter()
        let problem = #expect(throws: ProblemDetails.self) { try limit.enter() }
        #expect(problem?.code == .unavailable && problem?.retryAfterSeconds == 2)
        limit.leave()
        try limit.enter()
    }

    @Test("Bodies that come slowly take no more memory than is set together; the next gets 503, until there is room")
    func slowBodies() async throws {
        try await RunningServer.run(flags: ["server.maximumBodyBytes=4194304"]) { server in
            let device = try await TestDevice.enroll(at: server, maximum: "readWrite")
            let slow = try await RawConnection.open(to: server, as: device)
            try await slow.send(
                "POST /v1/changes HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
                    + "Content-Length: 4194304\r\n\r\n"
            )
            // All but one byte of what may be held, and of what is promised.
            try await slow.send("{" + String(repeating: " ", count: 4_194_302))
            try await device.call(server) { client in
                func status(is wanted: Int) async throws -> TestClient.Answer? {
                    try await first(wanted) {
                        try await client.send("POST", "/v1/heartbeat", json: ["no": "contact"])
                    }
                }
                let refused = try #require(try await status(is: 503))
                #expect(refused.headers["retry-after"] == "2")
                await slow.close()
                #expect(try await status(is: 400) != nil)
            }
        }
    }

    /// Asks until an answer has a status; nil when none has.
    private func first(
        _ wanted: Int,
        _ ask: () async throws -> TestClient.Answer
    ) async throws -> TestClient.Answer? {
        for _ in 0..<20_000 {
            let answer = try await ask()
            if answer.status == wanted { return answer }
        }
        return nil
    }

    @Test("A server that answers as much as it may says 503 and when to come back, and goes on when there is room")
    func overload() async throws {
        try await RunningServer.run(flags: ["server.maximumRequests=1"]) { server in
            let device = try await TestDevice.enroll(at: server)
            let slow = try await RawConnection.open(to: server, as: device)
            try await slow.send(
                "POST /v1/assets HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{"
            )
            try await server.withClient { client in
                func health(is wanted: Int) async throws -> TestClient.Answer? {
                    try await first(wanted) { try await client.send("GET", "/healthz") }
                }
                let refused = try #require(try await health(is: 503))
                #expect(refused.headers["retry-after"] == "2")
                #expect(try refused.json(ProblemDetails.self).code == .unavailable)
                await slow.close()
                #expect(try await health(is: 200) != nil)
            }
        }
    }

    @Test("T44: the audit's head is signed, and a check of all of it finds a changed and a missing entry")
    func auditHead() async throws {
        let folder = try TemporaryFolder()
        var stopped: ServerEnvironment?
        try await RunningServer.run(in: folder.path) { server in
            _ = try await TestDevice.enroll(at: server)
            try await server.withOperator { admin in
                let head = try await admin.send("GET", "/v1/admin/audit/head").json(SignedAuditHead.self)
                let key = server.environment.authority.receiptKey.verificationKey
                let keyID = try #require(ReceiptKeyID(head.keyID))
                let signature = ReceiptSignature(keyID: keyID, bytes: head.signature.bytes)
                #expect(key.isValid(signature, for: head.canonicalBytes))
                let good = try await admin.send("POST", "/v1/admin/audit/verify").json(AuditVerification.self)
                #expect(good.problem == nil && good.entryCount >= Int(head.sequence))
            }
            stopped = server.environment
        }
        // A server that runs would add entries between the head, the cut and the check.
        let environment = try #require(stopped)
        let log = AuditLog(
            store: environment.store.metadata,
            key: environment.authority.receiptKey,
            // Today's head may have been kept when there were fewer entries.
            now: { environment.now().advanced(by: .seconds(86_400)) }
        )
        try await log.keepHead()
        let whole = try await log.verify()
        #expect(whole.problem == nil && whole.entryCount == whole.head.map { Int($0.sequence) })
        let layout = LibraryLayout(root: Path("\(folder.path)/library"))
        let pool = try SQLiteRowStore.opening(layout.database).open()
        try await pool.write { database in
            try database.execute(sql: "DELETE FROM audit WHERE sequence = (SELECT max(sequence) FROM audit)")
        }
        let cut = try await log.verify()
        #expect(cut.problem?.contains("truncated") == true, "\(cut)")
    }

    @Test("T70: a key that a device rotated to and never used gives way to the next one")
    func unusedKeys() async throws {
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server)
            let rotated = try await device.call(server) { client in
                var rotated: [TestDevice] = []
                for _ in 0..<4 {
                    let key = DeviceKey()
                    let request = try key.signingRequest().der
                    let renewal = CertificateRenewal(
                        certificateRequest: request,
                        proof: try device.key.signature(for: request)
                    )
                    let answer = try await client.send("POST", "/v1/identity/rotate", json: renewal)
                    let chain = try answer.json(CertificateResponse.self).certificateChain
                    rotated.append(
                        TestDevice(id: device.id, key: key, certificate: try IdentityCertificate(pem: chain))
                    )
                }
                return rotated
            }
            let store = server.environment.store.metadata
            #expect(try await store.keys(of: device.id).count == 2)
            func status(_ device: TestDevice) async throws -> Int {
                try await device.call(server) { try await $0.send("GET", "/v1/authorization").status }
            }
            #expect(try await status(rotated[0]) == 401)
            #expect(try await status(device) == 200)
            #expect(try await status(rotated[3]) == 200)
            #expect(try await store.keys(of: device.id).count == 1)
        }
    }

    @Test("T70: a device adds so many entries of a kind to the audit in an hour: certificates wait, others are folded")
    func ownEntries() async throws {
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server)
            let count = StoreLimits.auditEntriesPerHour + 5
            try await device.call(server) { client in
                let renewal = CertificateRenewal(certificateRequest: try device.key.signingRequest().der)
                var renewed: [Int] = []
                for _ in 0..<count {
                    renewed.append(try await client.send("POST", "/v1/identity/renew", json: renewal).status)
                    let request = PickerRequest(purpose: "A picture for the badge.")
                    let opened = try await client.send("POST", "/v1/picker/sessions", json: request)
                    let id = try opened.json(PickerSession.self).id
                    #expect(try await client.send("DELETE", "/v1/picker/sessions/\(id)").status < 300)
                }
                #expect(renewed.first == 200 && renewed.last == 429)
            }
            try await server.withOperator { admin in
                let path = "/v1/admin/devices/\(device.id)/wipe"
                let wiped = try await admin.send("POST", path, json: StateChangeRequest())
                #expect(wiped.status == 200, "\(wiped.text)")
            }
            try await device.call(server) { client in
                for _ in 0..<count {
                    let told = try await client.send("POST", "/v1/identity/wiped")
                    #expect(told.status == 204, "\(told.text)")
                }
            }
            let entries = try await server.environment.store.metadata.audit(after: 0, device: device.id, limit: 1000)
            for event in [AuditEvent.renew, .pickerCreate, .pickerEnd, .wipe] {
                let own = entries.count { $0.content.event == event }
                #expect(own == StoreLimits.auditEntriesPerHour, "\(event)")
            }
        }
    }

    @Test("Refusals come into the audit once, and are folded afterwards")
    func refusals() async throws {
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server)
            let statuses = try await device.call(server) { client in
                var statuses: Set<Int> = []
                for _ in 0..<10 { statuses.insert(try await client.send("GET", "/v1/assets").status) }
                statuses.insert(try await client.send("GET", "/v1/admin/devices").status)
                return statuses
            }
            #expect(statuses == [403])
            let store = server.environment.store.metadata
            let entries = try await store.audit(after: 0, device: device.id, limit: 1000)
                .filter { $0.content.event == .deniedAccess }
            #expect(
                entries.compactMap(\.content.new).sorted() == [
                    "GET /v1/admin/devices: authorization: operators only", "GET /v1/assets: authorization: scope",
                ]
            )
        }
    }
}
