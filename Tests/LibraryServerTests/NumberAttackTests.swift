import Authorization
import DeviceIdentity
import Foundation
import LibraryAPI
import LibraryStore
import PhotoModel
import Synchronization
import Testing

@testable import LibraryServer

/// Numbers of devices and operators that are as far out as a text can say.
struct NumberAttackTests {
    /// Around every bound of the integers that anything here is stored in, and beyond them.
    private static let extremes = [
        "-9223372036854775809", "-9223372036854775808", "-1", "0", "1", "2147483648", "9007199254740992",
        "9223372036854775807", "9223372036854775808", "18446744073709551616", "1e308", "0.5",
    ]

    /// Every body that comes of replacing one number of a request by an extreme one.
    private static func bodies(_ request: some Encodable) throws -> [[UInt8]] {
        let mark = "9090909"
        let whole = try JSONSerialization.jsonObject(with: JSONEncoder().encode(request))
        return try marked(whole, mark).flatMap { variant in
            let text = String(decoding: try JSONSerialization.data(withJSONObject: variant), as: UTF8.self)
            return extremes.map { Array(text.replacing("\"\(mark)\"", with: $0).utf8) }
        }
    }

    /// Copies of a JSON value, in each of which one number is the mark.
    private static func marked(_ value: Any, _ mark: String) -> [Any] {
        switch value {
        case let object as [String: Any]:
            return object.flatMap { key, member in
                marked(member, mark).map { object.merging([key: $0]) { $1 } as Any }
            }
        case let list as [Any]:
            return list.indices.flatMap { index in
                marked(list[index], mark).map { member in
                    var copy = list
                    copy[index] = member
                    return copy as Any
                }
            }
        case is NSNumber: return [mark]
        default: return []
        }
    }

    private static func manifest() throws -> AssetManifest {
        var manifest = try TestPhoto.random(byteCount: 10).manifest
        let second = try TestPhoto.random(byteCount: 20).manifest.resources[0]
        manifest.resources.append(
            AssetResource(
                id: second.id,
                type: .pairedVideo,
                digest: second.digest,
                byteCount: second.byteCount,
                contentType: "video/quicktime"
            )
        )
        manifest.pixelSize = PixelSize(width: 4000, height: 3000)
        manifest.durationMicroseconds = 3_000_000
        manifest.captureFacts = CaptureFacts(trigger: "timer", lagMicroseconds: 20)
        manifest.location = Location(latitude: 1, longitude: 2)
        manifest.rating = Rating(rawValue: 3)
        return manifest
    }

    private func probe(_ client: TestClient) async throws {
        var status = ContactRequest.Status(queuedAssets: 1, queuedBytes: 2, freeBytes: 3, build: "1")
        status.holds = ["offline": 4]
        var contact = try ContactRequest.ofFreshBox()
        contact.grantVersion = 1
        contact.status = status
        var pick = PickerRequest(purpose: "A picture for the badge.")
        pick.selectionLimit = 1
        let requests: [(method: String, path: String, bodies: [[UInt8]])] = [
            ("POST", "/v1/assets", try Self.bodies(try Self.manifest())),
            ("POST", "/v1/heartbeat", try Self.bodies(contact)),
            ("POST", "/v1/picker/sessions", try Self.bodies(pick)),
            ("POST", "/v1/admin/enrollment-tokens", try Self.bodies(EnrollmentTokenRequest(maximum: "addOnly"))),
            (
                "PATCH", "/v1/assets/\(AssetID(rawValue: 1))",
                try Self.bodies(AssetEdit.making { $0.rating = Rating(rawValue: 3) })
            ),
        ]
        for (method, path, bodies) in requests {
            #expect(!bodies.isEmpty, "\(path) has numbers")
            for body in bodies {
                let answer = try await client.send(
                    method,
                    path,
                    headers: [("Content-Type", "application/json")],
                    body: body
                )
                let sent = String(decoding: body, as: UTF8.self)
                #expect(answer.status < 500, "\(method) \(path) \(sent): \(answer.text)")
            }
        }
    }

    /// Sends batches and pushes: every number of a manifest, every frame length and every counter.
    private func probeBatches(_ client: TestClient) async throws {
        let photo = try TestPhoto.random(byteCount: 30)
        let end = BatchFraming.head(.end, byteCount: 0)
        func batch(_ manifest: [UInt8], _ length: Int64? = nil, _ resource: Int64? = nil) -> [UInt8] {
            BatchFraming.magic + BatchFraming.head(.manifest, byteCount: length ?? Int64(manifest.count)) + manifest
                + BatchFraming.head(.resource, byteCount: resource ?? 30) + photo.bytes + end
        }
        let manifest = Array(try JSONEncoder().encode(photo.manifest))
        let lengths = Self.extremes.compactMap(Int64.init)
        var bodies = try Self.bodies(Self.manifest()).map { batch($0) }
        bodies += lengths.map { batch(manifest, $0) } + lengths.map { batch(manifest, nil, $0) }
        for body in bodies {
            let headers = [("Content-Type", BatchFraming.contentType)]
            let answer = try await client.send("POST", "/v1/batches", headers: headers, body: body)
            #expect(answer.status < 500, "\(answer.text)")
        }
        let contact = try ContactRequest.ofFreshBox()
        _ = try await client.send("POST", "/v1/heartbeat", json: contact)
        let push = ChangePush(
            incarnation: contact.replica.incarnation,
            changes: [.init(counter: 1, delta: Base64Bytes([1, 2, 3])), .init(counter: 2, delta: Base64Bytes([]))]
        )
        for body in try Self.bodies(push) {
            let headers = [("Content-Type", "application/json")]
            let answer = try await client.send("POST", Endpoint.pushChanges.template, headers: headers, body: body)
            #expect(answer.status < 500, "\(String(decoding: body, as: UTF8.self)): \(answer.text)")
        }
    }

    private func probeQueries(_ client: TestClient) async throws {
        let paths = [
            "/v1/assets?limit=", "/v1/timeline?limit=", "/v1/changes?wait=0&limit=", "/v1/receipts?limit=",
            "/v1/admin/devices?limit=", "/v1/admin/audit?limit=", "/v1/admin/audit?after=",
            "/v1/assets/\(AssetID(rawValue: 1))/thumbnail?size=", "/v1/authorization?version=", "/v1/places?columns=",
            "/v1/places?west=0&south=0&east=1&north=",
        ]
        for path in paths {
            for number in Self.extremes {
                let answer = try await client.send("GET", path + number)
                #expect(answer.status < 500, "\(path)\(number): \(answer.text)")
            }
        }
        for field in ["Upload-Offset", "Range", "Upload-Length"] {
            for number in Self.extremes {
                let value = field == "Range" ? "bytes=\(number)-\(number)" : number
                let answer = try await client.send(
                    "PATCH",
                    "/v1/uploads/\(UploadID(rawValue: 1))",
                    headers: [
                        (field, value), ("Upload-Complete", "?1"), ("Content-Type", "application/partial-upload"),
                    ],
                    body: [1]
                )
                #expect(answer.status < 500, "\(field): \(value)")
            }
        }
    }

    /// Sends the requests of openapi.yaml that have a number, with each extreme in place of each number: all of them, or one
    /// of so many.
    private func probeDescription(_ client: TestClient, _ described: DescribedNumbers, each step: Int) async throws {
        let probes = try described.probes(Self.extremes)
        #expect(probes.count > 500, "openapi.yaml describes numbers")
        for index in stride(from: 0, to: probes.count, by: step) {
            let probe = probes[index]
            let answer = try await client.send(probe.method, probe.path, headers: probe.headers, body: probe.body)
            let sent = "\(probe.method) \(probe.path) \(String(decoding: probe.body, as: UTF8.self))"
            // An upload may be larger than the disk's room (507).
            #expect(answer.status < 500 || answer.status == 507, "\(sent): \(answer.status) \(answer.text)")
        }
    }

    /// Sends numbers at what the caller has itself: its picker session, its photo's bytes, its open upload.
    ///
    /// - Returns: what was reached: answers to numbers that are good there.
    private func probeOwn(_ client: TestClient, _ photo: TestPhoto, at server: RunningServer) async throws -> [String] {
        var reached: Set<String> = []
        var request = PickerRequest(purpose: "A picture for the badge.")
        request.isContinuous = true
        let opened = try await client.send("POST", "/v1/picker/sessions", json: request)
        if opened.status == 201 {
            let session = try opened.json(PickerSession.self)
            let fields = [("Content-Type", "application/json"), (PickerRoutes.secretField, try session.secret)]
            for body in try Self.bodies(PickChoice(assets: [], revision: 1)) {
                let answer = try await server.withOperator { admin in
                    try await admin.send("PUT", "/v1/picks/\(session.id)/selection", headers: fields, body: body)
                }
                #expect(answer.status < 500, "\(String(decoding: body, as: UTF8.self)): \(answer.text)")
                if answer.status == 200 { reached.insert("selection") }
            }
        }
        let bytes = "/v1/assets/\(photo.manifest.id)/resources/\(photo.resource.id)"
        for number in Self.extremes {
            for range in ["\(number)-", "-\(number)", "0-\(number)", "\(number)-\(number)", "0-0,\(number)-"] {
                let answer = try await client.send("GET", bytes, headers: [("Range", "bytes=\(range)")])
                #expect(answer.status < 500, "bytes=\(range): \(answer.text)")
                if answer.status == 206 { reached.insert("range") }
            }
        }
        let next = try TestPhoto.random(byteCount: 60)
        let created = try await client.send("POST", "/v1/assets", json: next.manifest)
        guard created.status == 200 else { return reached.sorted() }
        let upload = try #require(try created.json(AssetCreationResponse.self).uploads.first).id
        for field in ["Upload-Offset", "Upload-Length"] {
            for number in Self.extremes {
                let offset = field == "Upload-Offset" ? [] : [("Upload-Offset", "1")]
                let fields = [
                    (field, number), ("Upload-Complete", "?0"), ("Content-Type", UploadHeaders.partialUpload),
                ]
                let answer = try await client.send(
                    "PATCH",
                    "/v1/uploads/\(upload)",
                    headers: offset + fields,
                    body: field == "Upload-Offset" ? [next.bytes[0]] : []
                )
                #expect(answer.status < 500, "\(field): \(number): \(answer.text)")
                if answer.status == 204 { reached.insert("upload") }
            }
        }
        return reached.sorted()
    }

    /// Gives a device the standing that a caller of this name has, and returns by how much the server's clock goes on.
    private func place(_ device: TestDevice, as caller: String, at server: RunningServer) async throws -> Duration {
        guard caller != "expired" else {
            return device.certificate.notAfter.duration(since: .now()) + .seconds(60)
        }
        try await server.withOperator { admin in
            let path = "/v1/admin/devices/\(device.id)"
            let answer =
                switch caller {
                case "none": try await admin.send("POST", "\(path)/decision", json: DecisionRequest(answer: "none"))
                case "revoked": try await admin.send("POST", "\(path)/revoke", json: StateChangeRequest())
                case "draining": try await admin.send("POST", "\(path)/drain", json: StateChangeRequest())
                case "restricted":
                    try await admin.send(
                        "PUT",
                        "/v1/admin/ceilings",
                        json: CeilingPolicy(ceilings: [CeilingRule(name: CeilingRule.everyDevice, limit: "none")])
                    )
                default: try await admin.send("GET", path)
                }
            #expect(answer.status == 200, "\(answer.text)")
        }
        return .zero
    }

    /// Runs `body` against a server whose clock can go ahead.
    private func withClock(
        _ body: (RunningServer, _ goOn: @escaping @Sendable (Duration) -> Void) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        let ahead = Mutex(Duration.zero)
        let now = { @Sendable in ServerEnvironment.systemTime().advanced(by: ahead.withLock(\.self)) }
        try await RunningServer.run(in: folder.path, now: now) { server in
            try await body(server) { duration in ahead.withLock { $0 = duration } }
        }
    }

    @Test(
        "T48, T57: no number of a request ends the server or is answered with a 5xx, whoever sends it",
        arguments: [
            "stranger", "none", "addOnly", "limited", "readWrite", "operator", "draining", "restricted", "expired",
            "revoked",
        ]
    )
    func numbers(caller: String) async throws {
        try await withClock { server, goOn in
            let levels = ["addOnly", "limited", "readWrite"]
            let device = try await TestDevice.enroll(
                at: server,
                maximum: levels.contains(caller) ? caller : "readWrite"
            )
            let photo = try TestPhoto.random(byteCount: 60)
            _ = try await device.call(server) { try await $0.save(photo) }
            goOn(try await place(device, as: caller, at: server))
            let yaml = try await server.withClient { try await $0.send("GET", "/v1/openapi.yaml").text }
            let described = try DescribedNumbers(
                yaml: yaml,
                asset: photo.manifest.id.description,
                device: device.id.description
            )
            let reached =
                switch caller {
                case "addOnly": ["selection", "upload"]
                case "limited", "readWrite", "operator": ["range", "selection", "upload"]
                case "none", "draining": ["selection"]
                default: [String]()
                }
            func probeAll(_ client: TestClient) async throws {
                let good = try await probeOwn(client, photo, at: server)
                #expect(good == reached)
                try await probe(client)
                try await probeQueries(client)
                try await probeBatches(client)
                // Who has no standing is refused before anything is read: a part of the requests shows it.
                let hasStanding = !["draining", "restricted", "expired", "revoked"].contains(caller)
                try await probeDescription(client, described, each: hasStanding ? 1 : 7)
            }
            switch caller {
            case "stranger": try await server.withClient { try await probeAll($0) }
            case "operator": try await server.withOperator { try await probeAll($0) }
            default: try await device.call(server) { try await probeAll($0) }
            }
            // What was stored is shown, and the server still runs.
            try await server.withOperator { admin in
                for path in ["/v1/admin/devices", "/v1/timeline?unit=day", "/v1/timeline?unit=month", "/v1/assets"] {
                    let answer = try await admin.send("GET", path)
                    #expect(answer.status == 200, "\(path)")
                }
            }
        }
    }

    @Test("T48: two resources whose lengths overflow their sum are refused as what they are")
    func overflowingLengths() async throws {
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server)
            let text = String(decoding: try JSONEncoder().encode(try Self.manifest()), as: UTF8.self)
            for (length, status) in [("-9223372036854775808", 422), ("9223372036854775807", 413)] {
                let body = text.replacing("\"byteCount\":10", with: "\"byteCount\":\(length)")
                    .replacing("\"byteCount\":20", with: "\"byteCount\":\(length)")
                let answer = try await device.call(server) { client in
                    try await client.send(
                        "POST",
                        "/v1/assets",
                        headers: [("Content-Type", "application/json")],
                        body: Array(body.utf8)
                    )
                }
                #expect(answer.status == status, "\(answer.text)")
            }
        }
    }

    @Test("T177: an offset that no place on Earth has is refused", arguments: [64_801, -64_801, Int.max, Int.min])
    func offsets(seconds: Int) async throws {
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server)
            var manifest = try Self.manifest()
            manifest.captureTime.utcOffsetSeconds = seconds
            let asked = manifest
            let answer = try await device.call(server) { try await $0.send("POST", "/v1/assets", json: asked) }
            #expect(answer.status == 422, "\(answer.text)")
            manifest.captureTime.utcOffsetSeconds = seconds.clamped(to: LocalTime.offsets)
            let valid = manifest
            let taken = try await device.call(server) { try await $0.send("POST", "/v1/assets", json: valid) }
            #expect(taken.status < 300, "\(taken.text)")
        }
    }

    @Test("T188: an altitude that no camera has is refused", arguments: ["1e308", "-1e308", "1000001", "-100001"])
    func altitudes(metres: String) async throws {
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server)
            var manifest = try Self.manifest()
            manifest.location = Location(latitude: 47, longitude: 8, altitude: 4321)
            let valid = String(decoding: try JSONEncoder().encode(manifest), as: UTF8.self)
            let headers = [("Content-Type", "application/json")]
            let absurd = valid.replacing("\"altitude\":4321", with: "\"altitude\":\(metres)")
            for (body, isTaken) in [(absurd, false), (valid, true)] {
                let answer = try await device.call(server) { client in
                    try await client.send("POST", "/v1/assets", headers: headers, body: Array(body.utf8))
                }
                #expect(isTaken ? answer.status < 300 : answer.status == 400, "\(answer.text)")
            }
            let edit = #"{"location":{"latitude":47,"longitude":8,"altitude":\#(metres)}}"#
            let path = "/v1/assets/\(manifest.id)"
            let answer = try await server.withOperator { admin in
                try await admin.send("PATCH", path, headers: headers, body: Array(edit.utf8))
            }
            #expect(answer.status == 400 && answer.text.contains("An altitude is"), "\(answer.text)")
        }
    }

    @Test("T50: a status beyond its limits is refused, so that none is kept")
    func largeStatus() async throws {
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server)
            var contact = try ContactRequest.ofFreshBox()
            let reasons = (0...APILimits.holdReasonCount).map { ("reason \($0)", 1) }
            let long = String(repeating: "x", count: APILimits.holdReasonByteCount + 1)
            let build = String(repeating: "1", count: APILimits.deviceNameByteCount + 1)
            let statuses: [(holds: [String: Int], build: String, field: String)] = [
                (Dictionary(uniqueKeysWithValues: reasons), "1", "status.holds"), ([long: 1], "1", "status.holds"),
                ([:], build, "status.build"),
            ]
            for (holds, build, field) in statuses {
                var status = ContactRequest.Status(queuedAssets: 1, queuedBytes: 2, freeBytes: 3, build: build)
                status.holds = holds
                contact.status = status
                let answer = try await device.call(server) { client in
                    try await client.send("POST", "/v1/heartbeat", json: contact)
                }
                #expect(answer.status == 400, "\(answer.text)")
                #expect(try answer.json(ProblemDetails.self).field == field)
            }
        }
    }

    @Test("T51: an identifier that was saved is not answered with a receipt for other bytes")
    func otherBytes() async throws {
        try await RunningServer.run { server in
            let device = try await TestDevice.enroll(at: server)
            let saved = try TestPhoto.random(byteCount: 400)
            var other = try TestPhoto.random(byteCount: 400)
            other.manifest.id = saved.manifest.id
            let sent = other
            let (again, batch) = try await device.call(server) { client in
                _ = try await client.save(saved)
                let again = try await client.send("POST", "/v1/assets", json: sent.manifest)
                return (again, try await client.sendBatch([sent]))
            }
            #expect(try again.json(ProblemDetails.self).code == .assetConflict)
            #expect(batch.results.map(\.problem?.code) == [.assetConflict])
            #expect(batch.results.map { $0.commit == nil } == [true])
        }
    }
}
