import Authorization
import DeviceIdentity
import Foundation
import LibraryStore
import PhotoModel
import Testing

@testable import LibraryAPI
@testable import LibraryServer

/// The endpoint table, cell by cell, over real TLS and the operators' socket.
struct EndpointTableTests {
    private struct Row {
        let number: Int
        let endpoint: Endpoint
        let cells: [String: String]
    }

    /// Ids of things that another device made.
    private struct Foreign {
        let asset: AssetID
        let resource: ResourceID
        let upload: UploadID
        let enrollment: EnrollmentID
        let device: DeviceID
    }

    /// The album of the caller that was granted one, with a member that it sees and one that is hidden from everybody.
    private struct Granted {
        let album: AlbumID
        let visible: AssetID
        let hidden: AssetID
        /// An album that nobody was granted.
        let otherAlbum: AlbumID
    }

    private static let unknown = "01900000-0000-7000-8000-000000000000"

    private static func rows() throws -> [Row] {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../AuthorizationTests/Fixtures/endpoint-permissions.csv")
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").filter { !$0.hasPrefix("#") }
        let columns = try #require(lines.first).split(separator: ",").map(String.init)
        let designed = try lines.dropFirst().flatMap { line -> [Row] in
            let values = line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            let cells = Dictionary(zip(columns, values), uniquingKeysWith: { first, _ in first })
            let number = try #require(Int(values[0]))
            return endpoints(number, values[1], values[2]).map { Row(number: number, endpoint: $0, cells: cells) }
        }
        // What operators got since stands in no row of its own: it is theirs alone, like the audit.
        let cells = try #require(designed.first { $0.number == 40 }?.cells)
        let later = Endpoint.all.filter { endpoint in
            endpoint.template.hasPrefix("/v1/admin/") && !designed.contains { $0.endpoint == endpoint }
        }
        // Parts of what has a row are judged like their whole, at each of their cells, too.
        let parts: [(Endpoint, Endpoint)] = [
            (.receipt, .receipts), (.livePhoto, .resource), (.motionPhoto, .resource), (.timeline, .assets),
            (.places, .assets),
            (.superseded, .asset), (.facts, .asset), (.createArchive, .resource), (.archive, .resource),
            (.prepareArchive, .resource), (.archiveContent, .resource), (.editAssets, .editAsset),
            (.albumAssets, .albums), (.moveInAlbum, .addToAlbum),
        ]
        let partial = try parts.map { part, whole in
            let row = try #require(designed.first { $0.endpoint == whole })
            return Row(number: row.number, endpoint: part, cells: row.cells)
        }
        return designed + partial + later.map { Row(number: 46, endpoint: $0, cells: cells) }
    }

    @Test("A route without a row in the table cannot be served: the server does not start with it")
    func rowless() {
        let error = #expect(throws: ServerError.self) { try RouteRegistry.row(of: Endpoint(.get, "/v1/everything")) }
        #expect(error?.code == .routeWithoutRow)
    }

    @Test("Every declared route stands in the table, but those that are open to anybody")
    func complete() throws {
        let known = Set(try Self.rows().map(\.endpoint))
        let open: Set<Endpoint> = [.readiness, .description, .page, .pageFile, .loginForm, .login, .logout]
        #expect(Set(Endpoint.all).subtracting(known) == open)
        for endpoint in Endpoint.all {
            let route = Authorization.Route(method: endpoint.method.rawValue, template: endpoint.template)
            #expect(route != nil, "\(endpoint)")
        }
    }

    /// The declared routes of a row; the operators' rows name several.
    private static func endpoints(_ number: Int, _ method: String, _ path: String) -> [Endpoint] {
        let starts: [Int: [String]] = [
            36: ["/pick/", "/v1/picks"],
            37: ["/v1/admin/devices", "/v1/admin/requests"],
            39: ["/v1/admin/enrollment-tokens", "/v1/admin/ceilings", "/v1/admin/selections"],
            40: ["/v1/admin/audit", "/metrics"],
        ]
        let states = ["revoke", "wipe", "drain", "resolve"]
        return Endpoint.all.filter { endpoint in
            let isState = states.contains { endpoint.template.hasSuffix("/\($0)") }
            if number == 38 { return isState }
            if let starts = starts[number] {
                return !isState && starts.contains { endpoint.template.hasPrefix($0) }
            }
            return endpoint.method.rawValue == method && endpoint.template == path
        }
    }

    private static func path(of endpoint: Endpoint, _ foreign: Foreign?) -> String {
        let device = DeviceID(rawValue: 99).description
        return endpoint.template.split(separator: "/", omittingEmptySubsequences: false).map { segment in
            switch segment {
            case "{id}" where endpoint.template.hasPrefix("/v1/admin/devices"),
                "{id}" where endpoint.template.hasPrefix("/v1/admin/selections"):
                foreign?.device.description ?? device
            case "{id}" where endpoint.template.hasPrefix("/v1/uploads"): foreign?.upload.description ?? unknown
            case "{id}" where endpoint.template.hasPrefix("/v1/assets"): foreign?.asset.description ?? unknown
            case "{id}" where endpoint.template.hasPrefix("/v1/enrollments"):
                foreign?.enrollment.description ?? unknown
            case "{asset}" where endpoint == .receipt: foreign?.asset.description ?? unknown
            case "{resource}": foreign?.resource.description ?? unknown
            case _ where segment.hasPrefix("{"): unknown
            default: String(segment)
            }
        }.joined(separator: "/")
    }

    private static func headers(of endpoint: Endpoint) -> [(String, String)] {
        guard endpoint == .appendUpload else { return [("Content-Type", "application/json")] }
        return [("Content-Type", UploadHeaders.partialUpload), ("Upload-Offset", "0"), ("Upload-Complete", "?0")]
    }

    private static func body(of endpoint: Endpoint) -> [UInt8]? {
        switch endpoint {
        case .addToAlbum: Array("{\"assets\":[]}".utf8)
        case .appendUpload: []
        case .addAdjustment: Array(edit.utf8)
        case _ where [.post, .put, .patch].contains(endpoint.method): Array("{}".utf8)
        default: nil
        }
    }

    /// An edit that could be taken, if its asset were there.
    private static let edit = """
        {"adjustment": {"formatIdentifier": "x", "formatVersion": "1"}, "resources": [
            {"id": "01900000-0000-7000-8000-000000000001", "type": 7, "byteCount": 1, "contentType": "text/plain",
             "digest": "\(String(repeating: "0", count: 64))"},
            {"id": "01900000-0000-7000-8000-000000000002", "type": 5, "byteCount": 1, "contentType": "image/jpeg",
             "digest": "\(String(repeating: "1", count: 64))"}
        ]}
        """

    /// What a cell means as an answer; nil when the answer is right.
    private static func complaint(_ cell: String, _ endpoint: Endpoint, _ answer: TestClient.Answer) -> String? {
        let problem = try? answer.json(ProblemDetails.self)
        let codes: [String: ErrorCode] = [
            "401m": .identityMissing, "401e": .identityExpired, "401r": .identityRevoked, "403n": .notDetermined,
            "403d": .denied, "403x": .restricted, "403s": .insufficientScope, "403o": .operatorsOnly,
        ]
        if let code = codes[cell] {
            let isRight = answer.status == code.status && (problem?.code == code || endpoint.method == .head)
            return isRight ? nil : "expected \(code.rawValue), got \(answer.status) \(answer.text.prefix(200))"
        }
        let isRefused = answer.status == 401 || answer.status == 403 || answer.status == 500
        if isRefused { return "expected \(cell), got \(answer.status) \(answer.text.prefix(200))" }
        guard cell != "ok", !endpoint.parameters.isEmpty else { return nil }
        let isHidden = answer.status == 404 || answer.status == 501
        return isHidden ? nil : "a foreign object was shown: \(answer.status) \(answer.text.prefix(200))"
    }

    private struct Callers {
        var devices: [String: TestDevice] = [:]
        let foreign: Foreign
        let granted: Granted
    }

    private static func makeAlbums(_ owner: TestDevice, _ server: RunningServer) async throws -> Granted {
        let store = server.environment.store.metadata
        let photos = try (0..<2).map { _ in try TestPhoto.random(byteCount: 100) }
        try await owner.call(server) { client in for photo in photos { _ = try await client.save(photo) } }
        let ids = photos.map(\.manifest.id)
        var albums: [AlbumID] = []
        for title in ["granted", "another"] {
            albums.append(try await store.createAlbum(AlbumEdit(title: title), by: .administrator("test")).id)
        }
        try await store.add(ids, to: albums[0], in: .everything, by: .administrator("test"))
        let hiding = AssetEdit.making { $0.isHidden = true }
        _ = try await store.edit(ids[1], hiding, in: .everything, by: .administrator("test"))
        return Granted(album: albums[0], visible: ids[0], hidden: ids[1], otherAlbum: albums[1])
    }

    private static func makeCallers(at server: RunningServer) async throws -> Callers {
        let store = server.environment.store.metadata
        let owner = try await TestDevice.enroll(at: server, maximum: "readWrite")
        let saved = try TestPhoto.random(byteCount: 100)
        let open = try TestPhoto.random(byteCount: 100)
        let upload = try await owner.call(server) { client in
            _ = try await client.save(saved)
            let created = try await client.send("POST", "/v1/assets", json: open.manifest)
            return try #require(try created.json(AssetCreationResponse.self).uploads.first?.id)
        }
        let request = try SigningRequest(der: owner.key.signingRequest().der)
        let granted = try await makeAlbums(owner, server)
        var callers = Callers(
            foreign: Foreign(
                asset: saved.manifest.id,
                resource: saved.resource.id,
                upload: upload,
                enrollment: .derived(from: request.fingerprint.digest),
                device: owner.id
            ),
            granted: granted
        )
        let changes: [(String, String, [DecisionRecord.Change])] = [
            ("revoked", "readWrite", [.state(.revoked(wipe: false))]),
            ("undetermined", "addOnly", [.reset]),
            ("add", "addOnly", []),
            ("limited", "limited", []),
            ("limited_albums", "limited", [.selection(Selection(grantedAlbums: [granted.album]))]),
            ("full", "readWrite", []),
            ("denied", "addOnly", [.reset, .answer(.none, for: [.addOnly, .readWrite])]),
            ("restricted", "readWrite", [.ceiling(Ceiling(name: "policy", limit: .none))]),
        ]
        for (name, maximum, steps) in changes {
            let device = try await TestDevice.enroll(at: server, maximum: maximum)
            for step in steps {
                _ = try await store.decide(
                    device.id,
                    step,
                    by: .administrator("test"),
                    reason: "",
                    audit: AuditContext()
                )
            }
            callers.devices[name] = device
        }
        let late = try await TestDevice.enroll(at: server, maximum: "readWrite")
        callers.devices["expired"] = try late.withCertificate(from: server, at: WallTime(microsecondsSince1970: 0))
        return callers
    }

    @Test("T5, T6, T13, T15: every cell of the endpoint table, over TLS with every kind of caller")
    func everyCell() async throws {
        let rows = try Self.rows()
        try await RunningServer.run { server in
            let callers = try await Self.makeCallers(at: server)
            var count = 0
            var complaints: [String] = []
            func check(_ caller: String, _ client: TestClient) async throws {
                for row in rows {
                    guard let cell = row.cells[caller] else { continue }
                    let foreign = cell == "ok" ? nil : callers.foreign
                    let answer = try await client.send(
                        row.endpoint.method.rawValue,
                        Self.path(of: row.endpoint, foreign),
                        headers: Self.headers(of: row.endpoint),
                        body: Self.body(of: row.endpoint)
                    )
                    count += 1
                    if let complaint = Self.complaint(cell, row.endpoint, answer) {
                        complaints.append("\(row.endpoint) by \(caller): \(complaint)")
                    }
                }
            }
            try await server.withClient { try await check("none", $0) }
            try await server.withOperator { try await check("admin", $0) }
            for (name, device) in callers.devices {
                try await device.call(server) { try await check(name, $0) }
            }
            #expect(complaints.sorted() == [])
            #expect(count >= 510, "\(count) cells")
        }
    }

    /// A request that names an asset or an album.
    private struct Probe {
        let endpoint: Endpoint
        let path: String
        let body: [UInt8]?
    }

    /// Requests that name what is hidden from their caller, or with nil what never existed.
    private static func probes(_ foreign: Foreign?, in granted: Granted) throws -> [Probe] {
        let endpoints: [Endpoint] = [
            .asset, .resource, .thumbnail, .editAsset, .trashAsset, .uploadOffset, .facts, .superseded, .livePhoto,
            .motionPhoto, .addAdjustment, .removeAdjustment, .receipt,
        ]
        let probes = endpoints.map { Probe(endpoint: $0, path: path(of: $0, foreign), body: body(of: $0)) }
        let asset = try #require(foreign?.asset ?? AssetID(unknown))
        let member = foreign == nil ? asset : granted.hidden
        let another = foreign == nil ? unknown : granted.otherAlbum.description
        let album = "/v1/albums/\(granted.album)"
        let edit = Array(try JSONEncoder().encode(BulkEdit(assets: [asset], edit: .making { $0.isFavorite = true })))
        let requests: [(Endpoint, String, String?)] = [
            (.createArchive, "/v1/archives", #"{"assets":["\#(asset)"]}"#),
            (.createArchive, "/v1/archives", #"{"assets":["\#(member)"]}"#),
            (.addToAlbum, "\(album)/assets", #"{"assets":["\#(member)"]}"#),
            (.moveInAlbum, "\(album)/moves", #"{"assets":["\#(member)"]}"#),
            (.moveInAlbum, "\(album)/moves", #"{"assets":["\#(granted.visible)"],"behind":"\#(member)"}"#),
            (.removeFromAlbum, "\(album)/assets/\(member)", nil),
            (.albumAssets, "\(album)/assets?cursor=\(member)", nil),
            (.albums, "/v1/albums?cursor=\(another)", nil),
        ]
        return probes + [Probe(endpoint: .editAssets, path: "/v1/assets", body: edit)]
            + requests.map { Probe(endpoint: $0, path: $1, body: $2.map { Array($0.utf8) }) }
    }

    /// An answer without what differs from call to call.
    private static func shape(_ answer: TestClient.Answer) -> String {
        let varying: Set<String> = ["request-id", "date", "content-length"]
        let headers = answer.headers.filter { !varying.contains($0.key) }.sorted { $0.key < $1.key }
        var text = answer.text
        if answer.headers["content-type"] == "application/problem+json",
            var problem = try? answer.json(ProblemDetails.self)
        {
            problem.instance = nil
            text = "\(problem)"
        }
        return "\(answer.status) \(text) \(headers)"
            .replacing(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/, with: "ID")
            .replacing(/"expires":("[^"]*"|\d+)/, with: "")
    }

    @Test("T14, T74: what is outside the view and what never existed are answered alike, and nothing of it changes")
    func hiddenLikeAbsent() async throws {
        try await RunningServer.run { server in
            let callers = try await Self.makeCallers(at: server)
            for name in ["add", "limited", "limited_albums"] {
                let device = try #require(callers.devices[name])
                try await device.call(server) { client in
                    func shape(_ probe: Probe) async throws -> String {
                        Self.shape(
                            try await client.send(
                                probe.endpoint.method.rawValue,
                                probe.path,
                                headers: Self.headers(of: probe.endpoint),
                                body: probe.body
                            )
                        )
                    }
                    let hidden = try Self.probes(callers.foreign, in: callers.granted)
                    for (hidden, absent) in zip(hidden, try Self.probes(nil, in: callers.granted)) {
                        let shapes = (try await shape(hidden), try await shape(absent))
                        #expect(shapes.0 == shapes.1, "\(hidden.endpoint) by \(name)")
                    }
                }
            }
            let store = server.environment.store.metadata
            let member = try await store.asset(callers.granted.hidden, in: .everything)
            #expect(member?.albums == [callers.granted.album] && member?.isFavorite == false)
        }
    }
}

extension TestDevice {
    /// The same device and key with a certificate of another time.
    func withCertificate(from server: RunningServer, at time: WallTime) throws -> TestDevice {
        TestDevice(
            id: id,
            key: key,
            certificate: try server.environment.authority.authority.certificate(
                for: key.signingRequest(),
                identity: .device(id),
                at: time
            )
        )
    }
}
