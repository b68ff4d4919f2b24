import AsyncHTTPClient
import Authorization
import DeviceIdentity
import Foundation
import LibraryStore
import Persistence
import PhotoModel
import Testing

@testable import LibraryAPI
@testable import LibraryServer

/// Operators that are not on the server's machine: certificates, logins on the web page, and a proxy in between.
struct OperatorTests {
    private struct Issued {
        let key: DeviceKey
        let certificate: IdentityCertificate
        let summary: OperatorSummary
    }

    private func issue(_ name: String, at server: RunningServer, key: DeviceKey = DeviceKey()) async throws -> Issued {
        let answer = try await server.withOperator { admin in
            let request = OperatorRequest(name: name, certificateRequest: try key.signingRequest().der, days: 7)
            return try await admin.send("POST", "/v1/admin/operators", json: request)
        }
        #expect(answer.status == 201, "\(answer.text)")
        let issued = try answer.json(OperatorResponse.self)
        return Issued(
            key: key,
            certificate: try IdentityCertificate(pem: issued.certificateChain),
            summary: issued.summary
        )
    }

    @Test(
        "An operator's certificate works on the operators' routes until it is taken back, and its streams end with it"
    )
    func certificates() async throws {
        try await RunningServer.run { server in
            let ana = try await issue("ana", at: server)
            try await server.withClient(key: ana.key, certificate: ana.certificate) { client in
                #expect(try await client.send("GET", "/v1/admin/devices").status == 200)
                let listed = try await client.send("GET", "/v1/admin/operators").json(OperatorPage.self).operators
                #expect(listed == [ana.summary])
                // The stream has begun before its certificate is taken back: else it is refused.
                let (isOpen, opened) = AsyncStream.makeStream(of: Void.self)
                try await withThrowingTaskGroup(of: Bool.self) { group in
                    group.addTask { try await client.streamEnds(at: "/v1/changes/stream") { opened.finish() } }
                    for await _ in isOpen {}
                    let path = "/v1/admin/operators/\(ana.summary.id)"
                    let gone = try await server.withOperator { try await $0.send("DELETE", path).status }
                    #expect(gone == 204)
                    for try await ended in group { #expect(ended) }
                }
                let refused = try await untilAnswered { try await client.send("GET", "/v1/admin/devices") }
                #expect(try refused.json(ProblemDetails.self).code == .identityMissing)
            }
        }
    }

    @Test("A certificate of our authority that was not issued as an operator's opens nothing; a key serves one purpose")
    func unissued() async throws {
        try await RunningServer.run { server in
            let key = DeviceKey()
            let certificate = try server.environment.authority.authority.certificate(
                for: key.signingRequest(),
                identity: .operator(try #require(OperatorName("root"))),
                at: .now()
            )
            let answer = try await server.withClient(key: key, certificate: certificate) { client in
                try await client.send("GET", "/v1/admin/devices")
            }
            #expect(answer.status == 401)
            let device = try await TestDevice.enroll(at: server)
            let taken = try await server.withOperator { admin in
                let der = try device.key.signingRequest().der
                let request = OperatorRequest(name: "box", certificateRequest: der)
                return try await admin.send("POST", "/v1/admin/operators", json: request)
            }
            #expect(try taken.json(ProblemDetails.self).code == .enrollmentConflict)
        }
    }

    // MARK: The web page

    private struct Login {
        let cookie: String
        let answer: WebLoginResponse
        let field: String
    }

    private func logIn(_ request: WebLoginRequest, _ client: TestClient) async throws -> Login? {
        let answer = try await client.send("POST", "/login", json: request)
        guard answer.status == 200 else { return nil }
        let field = try #require(answer.headers["set-cookie"])
        return Login(
            cookie: String(field.prefix { $0 != ";" }),
            answer: try answer.json(),
            field: field
        )
    }

    private func link(at server: RunningServer, name: String = "ana") async throws -> String {
        let answer = try await server.withOperator { admin in
            try await admin.send("POST", "/v1/admin/web-logins", json: WebLinkRequest(name: name))
        }
        #expect(answer.status == 201, "\(answer.text)")
        return String(try answer.json(WebLinkResponse.self).uri.split(separator: "#")[1])
    }

    @Test("A one-time link logs in once, into a cookie that pages cannot read; logging out ends it")
    func oneTimeLink() async throws {
        try await RunningServer.run { server in
            let secret = try await link(at: server)
            try await server.withClient { client in
                let first = try await logIn(WebLoginRequest(secret: secret), client)
                let login = try #require(first)
                for part in ["HttpOnly", "Secure", "SameSite=Strict", "Path=/"] {
                    #expect(login.field.contains(part), "\(part)")
                }
                #expect(login.cookie.hasPrefix("__Host-"))
                let again = try await logIn(WebLoginRequest(secret: secret), client)
                #expect(again == nil, "the link was used")
                let headers = [("Cookie", login.cookie)]
                #expect(try await client.send("GET", "/v1/admin/devices", headers: headers).status == 200)
                let asLink = try await client.send("GET", "/v1/admin/devices", headers: [("Cookie", secret)])
                #expect(asLink.status == 401)
                let listed = try await client.send("GET", "/v1/admin/web-logins", headers: headers)
                #expect(try listed.json(WebSessionPage.self).sessions.map(\.name) == ["ana"])
                let token = (OperatorRoutes.csrfField, login.answer.csrfToken)
                #expect(try await client.send("POST", "/logout", headers: headers + [token]).status == 204)
                #expect(try await client.send("GET", "/v1/admin/devices", headers: headers).status == 401)
            }
            let audit = try await server.environment.store.metadata.audit(after: 0, device: nil, limit: 1000)
            #expect(audit.count { $0.content.event == .adminLogin } == 3, "link, login, end")
        }
    }

    @Test("A login is listed with what its browser calls itself, cut where that is long")
    func namedBrowser() async throws {
        try await RunningServer.run { server in
            let agent = "Mozilla/5.0 (X11; Linux x86_64) Firefox/145.0 " + String(repeating: "x", count: 300)
            let request = WebLoginRequest(secret: try await link(at: server))
            let body = Array(try JSONEncoder().encode(request))
            let fields = [("User-Agent", agent), ("Content-Type", "application/json")]
            let answer = try await server.withClient { client in
                try await client.send("POST", "/login", headers: fields, body: body)
            }
            #expect(answer.status == 200, "\(answer.text)")
            let page = try await server.withOperator { admin in
                try await admin.send("GET", "/v1/admin/web-logins").json(WebSessionPage.self)
            }
            #expect(page.sessions.map(\.userAgent) == [String(agent.prefix(256))])
        }
    }

    @Test("Asking who is logged in, as the login page does, is no denied access; an unknown login's cookie is")
    func askedBeforeLogin() async throws {
        try await RunningServer.run { server in
            let metadata = server.environment.store.metadata
            let path = "/v1/admin/web-logins/current"
            try await server.withClient { client in
                #expect(try await client.send("GET", path).status == 401)
                let asked = try await metadata.audit(after: 0, device: nil, limit: 1000)
                #expect(asked.count { $0.content.event == .deniedAccess } == 0)
                let guess = [("Cookie", OperatorRoutes.cookie + "=guess")]
                #expect(try await client.send("GET", path, headers: guess).status == 401)
                #expect(try await client.send("GET", "/v1/admin/web-logins").status == 401)
            }
            let refused = try await metadata.audit(after: 0, device: nil, limit: 1000)
            #expect(refused.count { $0.content.event == .deniedAccess } == 2)
        }
    }

    @Test("T70: links and logins created at once do not exceed their maximum together")
    func parallelLogins() async throws {
        try await RunningServer.run { server in
            let expires = server.environment.now().advanced(by: WebLogins.linkLifetime)
            let records = try (1...(WebLogins.maximumCount - 4)).map { number in
                let document = WebLoginDocument(
                    name: "ana",
                    isLink: true,
                    csrfToken: "",
                    address: nil,
                    created: server.environment.now()
                )
                return StoredRecord(
                    id: RecordID(rawValue: UInt128(number)),
                    expires: expires,
                    document: try document.text()
                )
            }
            try await server.environment.store.metadata.updateRecords(of: .webLogin, ownedBy: nil) { _ in
                var changes = RecordChanges()
                changes.written = records
                return changes
            }
            let statuses = try await server.withOperator { admin in
                try await withThrowingTaskGroup(of: Int.self) { group in
                    for _ in 0..<32 {
                        group.addTask {
                            try await admin.send("POST", "/v1/admin/web-logins", json: WebLinkRequest(name: "ana"))
                                .status
                        }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
            }
            #expect(statuses.count { $0 == 201 } == 4)
            #expect(statuses.count { $0 == 429 } == 28)
        }
    }

    @Test("T17: a login that ends after its cookie was looked up opens nothing")
    func endedLogin() async throws {
        try await RunningServer.run { server in
            let secret = try await link(at: server)
            try await server.withClient { client in
                let found = try await logIn(WebLoginRequest(secret: secret), client)
                let login = try #require(found)
                let metadata = server.environment.store.metadata
                let records = try await metadata.records(of: .webLogin)
                let record = try #require(records.first)
                let identity = WebIdentity(
                    id: WebSessionID(rawValue: record.id.rawValue),
                    name: "ana",
                    csrfToken: login.answer.csrfToken,
                    expires: login.answer.expires
                )
                let gate = Gate(store: metadata)
                let row = try RouteRegistry.row(of: .adminDevices)
                _ = try await gate.admit(.webSession(identity), to: row, at: .now())
                let fields = [("Cookie", login.cookie), (OperatorRoutes.csrfField, identity.csrfToken)]
                #expect(try await client.send("POST", "/logout", headers: fields).status == 204)
                await #expect(throws: ProblemDetails.self) {
                    try await gate.admit(.webSession(identity), to: row, at: .now())
                }
            }
        }
    }

    @Test("T30: a login's cookie alone changes nothing, whatever page sends it")
    func forgedRequests() async throws {
        try await RunningServer.run { server in
            let secret = try await link(at: server)
            try await server.withClient { client in
                let found = try await logIn(WebLoginRequest(secret: secret), client)
                let login = try #require(found)
                let body = Array(try JSONEncoder().encode(AlbumEdit.titled("Forged")))
                func create(_ fields: [(String, String)]) async throws -> Int {
                    let headers = [("Cookie", login.cookie), ("Content-Type", "application/json")] + fields
                    return try await client.send("POST", "/v1/albums", headers: headers, body: body).status
                }
                #expect(try await create([]) == 403)
                #expect(try await create([(OperatorRoutes.csrfField, "")]) == 403)
                #expect(
                    try await create([(OperatorRoutes.csrfField, String(login.answer.csrfToken.reversed()))]) == 403
                )
                #expect(try await create([(OperatorRoutes.csrfField, login.answer.csrfToken)]) == 201)
            }
        }
    }

    @Test("T161: a page of another origin cannot use the certificate or login of a browser; it may link to pages")
    func otherOrigins() async throws {
        func origin(_ site: String, _ mode: String, _ destination: String) -> [(String, String)] {
            [("Sec-Fetch-Site", site), ("Sec-Fetch-Mode", mode), ("Sec-Fetch-Dest", destination)]
        }
        try await RunningServer.run { server in
            let ana = try await issue("ana", at: server)
            try await server.withClient(key: ana.key, certificate: ana.certificate) { client in
                for site in ["cross-site", "same-site"] {
                    let script = origin(site, "no-cors", "empty")
                    let (link, frame) = (origin(site, "navigate", "document"), origin(site, "navigate", "iframe"))
                    for (method, path, headers, status) in [
                        ("POST", "/v1/admin/jobs/pause", script, 403), ("POST", "/v1/admin/jobs/pause", link, 403),
                        ("GET", "/v1/assets", script, 403), ("GET", "/v1/assets", frame, 403), ("GET", "/", link, 200),
                        ("GET", "/pick/\(PickerSessionID(rawValue: 7))", frame, 200),
                    ] as [(String, String, [(String, String)], Int)] {
                        let answer = try await client.send(method, path, headers: headers)
                        #expect(answer.status == status, "\(method) \(path) \(headers)")
                    }
                }
                let jobs = try await client.send("GET", "/v1/admin/jobs").json(JobPage.self)
                #expect(!jobs.isPaused)
                let own = origin("same-origin", "cors", "empty")
                #expect(try await client.send("POST", "/v1/admin/jobs/pause", headers: own).status == 200)
            }
            let secret = try await link(at: server)
            try await server.withClient { client in
                let found = try await logIn(WebLoginRequest(secret: secret), client)
                let cookie = ("Cookie", try #require(found).cookie)
                let headers = origin("same-site", "no-cors", "image") + [cookie]
                #expect(try await client.send("GET", "/v1/assets", headers: headers).status == 403)
                #expect(try await client.send("GET", "/v1/assets", headers: [cookie]).status == 200)
            }
        }
    }

    @Test("A password logs in; wrong ones are refused alike, and after five of them all are")
    func passwords() async throws {
        try await RunningServer.run { server in
            let password = "correct horse battery"
            let set = try await server.withOperator { admin in
                let path = "/v1/admin/operators/passwords/ana"
                let short = try await admin.send("PUT", path, json: OperatorPassword(password: "short"))
                #expect(short.status == 400)
                return try await admin.send("PUT", path, json: OperatorPassword(password: password))
            }
            #expect(set.status == 204, "\(set.text)")
            let kept = try await server.environment.store.metadata.records(of: .init(rawValue: "operatorPassword"))
            #expect(kept.allSatisfy { !$0.document.contains(password) })
            try await server.withClient { client in
                let login = try await logIn(WebLoginRequest(name: "ana", password: password), client)
                #expect(login != nil)
                var refusals: Set<String> = []
                for name in ["ana", "nobody"] {
                    let wrong = WebLoginRequest(name: name, password: "wrong horse battery")
                    let answer = try await client.send("POST", "/login", json: wrong)
                    var problem = try answer.json(ProblemDetails.self)
                    problem.instance = nil
                    refusals.insert("\(answer.status) \(problem)")
                }
                #expect(refusals.count == 1, "\(refusals)")
                for _ in 1..<Passwords.maximumFailureCount {
                    _ = try await client.send("POST", "/login", json: WebLoginRequest(name: "ana", password: "x"))
                }
                let right = WebLoginRequest(name: "ana", password: password)
                #expect(try await client.send("POST", "/login", json: right).status == 429)
            }
        }
    }

    @Test("T163: a changed or removed password ends the logins by the one before, also one stored just after that")
    func changedPassword() async throws {
        try await RunningServer.run { server in
            func set(_ password: String?) async throws {
                let path = "/v1/admin/operators/passwords/ana"
                let answer = try await server.withOperator { admin in
                    try await admin.send("PUT", path, json: OperatorPassword(password: password))
                }
                #expect(answer.status == 204, "\(answer.text)")
            }
            let secret = try await link(at: server)
            try await server.withClient { client in
                func status(_ cookie: String) async throws -> Int {
                    try await untilAnswered {
                        try await client.send("GET", "/v1/admin/devices", headers: [("Cookie", cookie)]).status
                    }
                }
                let byLink = try await logIn(WebLoginRequest(secret: secret), client)
                let linked = try #require(byLink).cookie
                let passwords = ["correct horse battery", "another horse battery"]
                for (password, next) in [(passwords[0], passwords[1]), (passwords[1], nil)] as [(String, String?)] {
                    try await set(password)
                    let byPassword = try await logIn(WebLoginRequest(name: "ana", password: password), client)
                    let cookie = try #require(byPassword).cookie
                    #expect(try await status(cookie) == 200)
                    let (isOpen, opened) = AsyncStream.makeStream(of: Void.self)
                    try await withThrowingTaskGroup(of: Bool.self) { group in
                        group.addTask {
                            let fields = [("Cookie", cookie)]
                            return try await client.streamEnds(at: "/v1/changes/stream", headers: fields) {
                                opened.finish()
                            }
                        }
                        for await _ in isOpen {}
                        try await set(next)
                        for try await ended in group { #expect(ended) }
                    }
                    #expect(try await status(cookie) == 401)
                    #expect(try await status(linked) == 200)
                }
                // Its password was compared before it was changed, and the login stored after that.
                let late = WebLoginDocument(
                    name: "ana",
                    isLink: false,
                    csrfToken: "",
                    address: nil,
                    created: .now(),
                    passwordSalt: Base64Bytes([1])
                )
                let record = StoredRecord(
                    id: RecordID(rawValue: 7),
                    secondary: ContentHasher.digest("late".utf8),
                    document: try late.text()
                )
                let metadata = server.environment.store.metadata
                _ = try await metadata.updateRecord(record.id, of: .webLogin, audit: nil) { _ in record }
                #expect(try await status("\(OperatorRoutes.cookie)=late") == 401)
            }
        }
    }

    // MARK: A proxy

    @Test("T12: a configured proxy passes certificates on; the same field from anybody else is ignored")
    func proxy() async throws {
        let proxyKey = DeviceKey()
        let flag = "proxy.keys=\(proxyKey.fingerprint)"
        try await RunningServer.run(flags: [flag]) { server in
            let proxy = try await issue("proxy", at: server, key: proxyKey)
            let other = try await issue("ana", at: server)
            let device = try await TestDevice.enroll(at: server)
            let forms = [
                Base64.encode(device.certificate.der), ":" + Base64.encode(device.certificate.der) + ":",
                PercentEncoding.encode(device.certificate.pem + "\n"),
            ]
            try await server.withClient(key: proxy.key, certificate: proxy.certificate) { client in
                for form in forms {
                    let answer = try await client.send("GET", "/v1/identity/state", headers: [("Client-Cert", form)])
                    #expect(answer.status == 200, "\(answer.text)")
                }
                let bare = try await client.send("GET", "/v1/admin/devices")
                #expect(bare.status == 401, "the proxy itself is nobody")
                let broken = try await client.send("GET", "/v1/identity/state", headers: [("Client-Cert", "AAAA")])
                #expect(broken.status == 401)
            }
            try await server.withClient(key: other.key, certificate: other.certificate) { client in
                let answer = try await client.send("GET", "/v1/identity/state", headers: [("Client-Cert", forms[0])])
                #expect(try answer.json(ProblemDetails.self).code == .operatorsOnly, "an operator stays one")
            }
            let stranger = try await server.withClient { client in
                try await client.send("GET", "/v1/identity/state", headers: [("Client-Cert", forms[0])])
            }
            #expect(stranger.status == 401)
        }
    }

    @Test("T77: refusals of all addresses of an IPv6 network of 64 bits are folded in the audit")
    func refusedNetwork() async throws {
        let proxyKey = DeviceKey()
        try await RunningServer.run(flags: ["proxy.keys=\(proxyKey.fingerprint)"]) { server in
            let proxy = try await issue("proxy", at: server, key: proxyKey)
            try await server.withClient(key: proxy.key, certificate: proxy.certificate) { client in
                for address in ["2001:db8:1:2::1", "2001:db8:1:2:ffff::9", "2001:db8:1:3::1"] {
                    let headers = [("X-Forwarded-For", address)]
                    let answer = try await client.send("GET", "/v1/admin/devices", headers: headers)
                    #expect(answer.status == 401)
                }
            }
            let refusals = try await server.environment.store.metadata.audit(after: 0, device: nil, limit: 1000)
                .filter { $0.content.event == .deniedAccess }
            #expect(refusals.map(\.content.address) == ["2001:db8:1:2::1", "2001:db8:1:3::1"])
        }
    }
}

extension AlbumEdit {
    static func titled(_ title: String) -> AlbumEdit {
        var edit = AlbumEdit()
        edit.title = title
        return edit
    }
}
