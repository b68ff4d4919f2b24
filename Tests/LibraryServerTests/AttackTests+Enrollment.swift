import DeviceIdentity
import LibraryAPI
import LibraryStore
import PhotoModel
import Testing

@testable import LibraryServer

extension AttackTests {
    @Test("T69: a token's tags, album and ceiling hold for a box that enrolled without it; a second token's do not")
    func tokenAfterEnrollment() async throws {
        try await RunningServer.run(flags: ["enrollment.open=true"]) { server in
            let tokens = try await server.withOperator { admin in
                let policy = CeilingPolicy(ceilings: [CeilingRule(name: "garden", limit: "addOnly")])
                #expect(try await admin.send("PUT", "/v1/admin/ceilings", json: policy).status == 200)
                var tokens: [String] = []
                for tag in ["garden", "house"] {
                    let request = EnrollmentTokenRequest(maximum: "readWrite", album: tag, tags: [tag])
                    let answer = try await admin.send("POST", "/v1/admin/enrollment-tokens", json: request)
                    tokens.append(try answer.json(EnrollmentTokenResponse.self).token)
                }
                return tokens
            }
            let plain = try TestDevice.request(DeviceKey(), token: nil)
            func enroll(with token: String?) async throws -> EnrollmentResponse {
                var request = plain
                request.token = token
                let wish = request
                return try await server.withClient { try await $0.send("POST", "/v1/enrollments", json: wish).json() }
            }
            #expect(try await enroll(with: nil).state == .pending)
            for token in tokens {
                let device = try #require(try await enroll(with: token).deviceID)
                let shown = try await shown(device.description, at: server)
                #expect(shown.tags == ["garden"] && shown.album == "garden")
                #expect(shown.authorization.addOnly == .authorized && shown.authorization.readWrite == .restricted)
            }
        }
    }

    @Test("T92: a reason for a level that a box does not ask for keeps the rules of those that operators are shown")
    func unaskedUsage() async throws {
        try await RunningServer.run(flags: ["enrollment.open=true"]) { server in
            for levels in [[], ["addOnly"]] as [[String]] {
                let request = EnrollmentRequest(
                    certificateRequest: try DeviceKey().signingRequest().der,
                    name: "gate",
                    build: "test 1",
                    usage: UsageTexts(add: "Saves what passes the gate.", readWrite: "Approved\u{202E}ana yb "),
                    levels: levels
                )
                let refused = try await server.withClient { client in
                    try await client.send("POST", "/v1/enrollments", json: request)
                }
                #expect(try refused.json(ProblemDetails.self).code == .usageMissing, "\(levels)")
            }
            let page = try await server.withOperator { try await $0.send("GET", "/v1/admin/devices") }
            #expect(try page.json(DevicePage.self).devices.isEmpty)
        }
    }

    @Test(
        "T131: an enrolment that is sent again weeks later, when its key was rotated away, becomes no other device",
        arguments: [false, true]
    )
    func replayAfterRotation(hasWaited: Bool) async throws {
        try await RunningServer.run(flags: ["enrollment.open=true"]) { server in
            let token = try await server.withOperator { admin in
                let wish = EnrollmentTokenRequest(maximum: "readWrite", expiresSeconds: 60 * 86_400)
                let answer = try await admin.send("POST", "/v1/admin/enrollment-tokens", json: wish)
                return try answer.json(EnrollmentTokenResponse.self).token
            }
            let key = DeviceKey()
            let request = try TestDevice.request(key, token: token)
            var tokenless = request
            tokenless.token = nil
            func enroll(_ request: EnrollmentRequest) async throws -> EnrollmentResponse {
                try await server.withClient { try await $0.send("POST", "/v1/enrollments", json: request).json() }
            }
            if hasWaited { #expect(try await enroll(tokenless).state == .pending) }
            let device = try TestDevice(key: key, enrollment: try await enroll(request))
            let rotated = try await rotate(device, at: server)
            #expect(try await rotated.call(server) { try await $0.send("GET", "/v1/authorization").status } == 200)
            let path = "/v1/admin/devices/\(device.id)/revoke"
            try await server.withOperator { admin in
                let status = try await admin.send("POST", path, json: StateChangeRequest()).status
                #expect(status == 200)
            }
            try await forgetEnrollments(at: server)
            #expect(try await enroll(request).state == .refused)
            #expect(try await server.environment.store.metadata.devices().count == 1)
        }
    }

    @Test("T132: a request of a key that was rotated away since it began gets no certificate, for it or another key")
    func replacedKey() async throws {
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server)
            let rotated = try await rotate(device, at: server)
            #expect(try await rotated.call(server) { try await $0.send("GET", "/v1/authorization").status } == 200)
            // The gate let them in before that; their bodies took their time.
            let store = server.environment.store.metadata
            let certificates = Certificates(
                store: store,
                authority: server.environment.authority.authority,
                now: server.environment.now
            )
            let same = CertificateRenewal(certificateRequest: try device.key.signingRequest().der)
            let other = try renewal(of: device, with: DeviceKey())
            await #expect(throws: StoreError.self) {
                _ = try await certificates.renew(same, of: device.id, showing: device.certificate)
            }
            await #expect(throws: StoreError.self) {
                _ = try await certificates.rotate(other, of: device.id, showing: device.certificate)
            }
            let keys = try await store.keys(of: device.id).map(\.fingerprint)
            #expect(keys == [rotated.certificate.keyFingerprint.digest])
        }
    }

    @Test("T134: signing requests that become no device leave nothing behind")
    func refusedEnrollments() async throws {
        try await RunningServer.run(flags: ["enrollment.open=true", "enrollment.pendingCount=1"]) { server in
            let waiting = DeviceKey()
            // After the first one there is no room, and another of the same key would be a second device.
            let requests = try [waiting, DeviceKey(), DeviceKey(), waiting].map { key in
                try TestDevice.request(key, token: nil)
            }
            let statuses = try await server.withClient { client in
                var statuses: [Int] = []
                for request in requests {
                    statuses.append(try await client.send("POST", "/v1/enrollments", json: request).status)
                }
                return statuses
            }
            #expect(statuses == [200, 429, 429, 409])
            #expect(try await server.environment.store.metadata.records(of: .enrollment).count == 1)
        }
    }

    @Test(
        "T152: a box that waited for longer than its enrolment was kept asks again, and gets what was decided since",
        arguments: [true, false],
        ["", "decision", "revoke"]
    )
    func forgottenEnrollment(isSameRequest: Bool, decision: String) async throws {
        try await RunningServer.run(flags: ["enrollment.open=true"]) { server in
            let key = DeviceKey()
            let request = try TestDevice.request(key, token: nil)
            let again = isSameRequest ? request : try TestDevice.request(key, token: nil)
            func enroll(_ request: EnrollmentRequest) async throws -> TestClient.Answer {
                try await server.withClient { try await $0.send("POST", "/v1/enrollments", json: request) }
            }
            #expect(try await enroll(request).json(EnrollmentResponse.self).state == .pending)
            try await forgetEnrollments(at: server)
            let path = try await server.withOperator { admin in
                let devices = try await admin.send("GET", "/v1/admin/devices").json(DevicePage.self).devices
                let path = "/v1/admin/devices/\(try #require(devices.first).id)"
                if decision == "decision" {
                    let request = DecisionRequest(answer: "add-only")
                    #expect(try await admin.send("POST", "\(path)/decision", json: request).status == 200)
                } else if decision == "revoke" {
                    #expect(try await admin.send("POST", "\(path)/revoke", json: StateChangeRequest()).status == 200)
                }
                return path
            }
            let answer = try await enroll(again).json(EnrollmentResponse.self)
            let expected: EnrollmentResponse.State =
                decision.isEmpty ? .pending : decision == "revoke" ? .refused : .active
            #expect(answer.state == expected)
            let page = try await server.withOperator { try await $0.send("GET", "/v1/admin/devices") }
            #expect(try page.json(DevicePage.self).devices.count == 1)
            guard answer.state == .active else { return }
            let device = try TestDevice(key: key, enrollment: answer)
            #expect(path.hasSuffix("/\(device.id)"))
            #expect(try await device.call(server) { try await $0.send("GET", "/v1/authorization").status } == 200)
            // A key that has had its certificate renews it, whoever sends its request again.
            try await forgetEnrollments(at: server)
            #expect(try await enroll(again).status == 409)
            #expect(try await server.environment.store.metadata.records(of: .enrollment).isEmpty)
        }
    }

    @Test("T152: the enrolment of a box that waits and asks is kept")
    func waitingEnrollment() async throws {
        try await RunningServer.run(flags: ["enrollment.open=true"]) { server in
            let store = server.environment.store.metadata
            let request = try TestDevice.request(DeviceKey(), token: nil)
            let pending = try await server.withClient { client in
                try await client.send("POST", "/v1/enrollments", json: request).json(EnrollmentResponse.self)
            }
            let soon = server.environment.now().advanced(by: .seconds(3600))
            try await store.updateRecords(of: .enrollment, ownedBy: nil) { records in
                var changes = RecordChanges()
                changes.written = records.map { record in
                    var record = record
                    record.expires = soon
                    return record
                }
                return changes
            }
            let polled = try await server.withClient { client in
                try await client.send("GET", "/v1/enrollments/\(pending.id)").json(EnrollmentResponse.self)
            }
            #expect(polled == pending)
            let kept = try await store.records(of: .enrollment).compactMap(\.expires)
            #expect(kept.count == 1 && kept.allSatisfy { $0 > soon.advanced(by: .seconds(86_400)) })
        }
    }

    @Test("T184: strangers who wait for a decision keep out nobody who has a token")
    func tokenBesideStrangers() async throws {
        try await RunningServer.run(flags: ["enrollment.open=true", "enrollment.pendingCount=1"]) { server in
            let stranger = try TestDevice.request(DeviceKey(), token: nil)
            let waiting: EnrollmentResponse = try await server.withClient { client in
                try await client.send("POST", "/v1/enrollments", json: stranger).json()
            }
            #expect(waiting.state == .pending)
            _ = try await TestDevice.enroll(at: server)
            let late = try TestDevice.request(DeviceKey(), token: nil)
            let status = try await server.withClient { try await $0.send("POST", "/v1/enrollments", json: late).status }
            #expect(status == 429)
        }
    }

    @Test("T184: a token loses no use to a refused enrolment, nor to a device that is decided about")
    func keptUses() async throws {
        try await RunningServer.run { server in
            let tokens = try await server.withOperator { admin in
                var tokens: [String] = []
                for _ in 0..<2 {
                    let wish = EnrollmentTokenRequest(maximum: "addOnly", uses: 2)
                    let answer = try await admin.send("POST", "/v1/admin/enrollment-tokens", json: wish)
                    tokens.append(try answer.json(EnrollmentTokenResponse.self).token)
                }
                return tokens
            }
            let key = DeviceKey()
            var request = try TestDevice.request(key, token: tokens[0])
            func enroll(_ request: EnrollmentRequest) async throws -> TestClient.Answer {
                try await server.withClient { try await $0.send("POST", "/v1/enrollments", json: request) }
            }
            func usesLeft() async throws -> [Int] {
                let answer = try await server.withOperator { try await $0.send("GET", "/v1/admin/enrollment-tokens") }
                return try answer.json(EnrollmentTokenPage.self).tokens.map(\.usesLeft).sorted()
            }
            let device = try TestDevice(key: key, enrollment: try await enroll(request).json())
            #expect(try await usesLeft() == [1, 2])
            #expect(try await enroll(TestDevice.request(key, token: tokens[0])).status == 409)
            request.token = tokens[1]
            #expect(try await enroll(request).json(EnrollmentResponse.self).deviceID == device.id)
            #expect(try await usesLeft() == [1, 2])
            let path = "/v1/admin/devices/\(device.id)/revoke"
            try await server.withOperator { admin in
                let status = try await admin.send("POST", path, json: StateChangeRequest()).status
                #expect(status == 200)
            }
            #expect(try await enroll(request).json(EnrollmentResponse.self).state == .refused)
            #expect(try await enroll(TestDevice.request(key, token: tokens[1])).status == 409)
            #expect(try await usesLeft() == [1, 2])
        }
    }

    /// Eight days later: enrolments that have expired by then are gone.
    private func forgetEnrollments(at server: RunningServer) async throws {
        let later = server.environment.now().advanced(by: .seconds(8 * 86_400))
        try await server.environment.store.metadata.updateRecords(of: .enrollment, ownedBy: nil) { records in
            var changes = RecordChanges()
            changes.removed = records.filter { $0.expires.map { $0 <= later } ?? false }.map(\.id)
            return changes
        }
    }

    /// Asks for a certificate of another key, which the device's own vouches for.
    private func renewal(of device: TestDevice, with key: DeviceKey) throws -> CertificateRenewal {
        let request = try key.signingRequest().der
        return CertificateRenewal(certificateRequest: request, proof: try device.key.signature(for: request))
    }

    /// Gives a device another key, which it has not used yet.
    private func rotate(_ device: TestDevice, at server: RunningServer) async throws -> TestDevice {
        let key = DeviceKey()
        let renewal = try renewal(of: device, with: key)
        let answer = try await device.call(server) { client in
            try await client.send("POST", "/v1/identity/rotate", json: renewal)
        }
        let chain = try answer.json(CertificateResponse.self).certificateChain
        return TestDevice(id: device.id, key: key, certificate: try IdentityCertificate(pem: chain))
    }
}
