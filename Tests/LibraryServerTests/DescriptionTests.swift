import Authorization
import LibraryAPI
import PhotoModel
import Settings
import Testing
import Yams

@testable import LibraryServer

struct DescriptionTests {
    private func describedOperations() async throws -> (Set<String>, Node) {
        var text = ""
        try await RunningServer.run { server in
            let answer = try await server.withClient { try await $0.send("GET", "/v1/openapi.yaml") }
            #expect(answer.headers["content-type"] == "application/yaml")
            text = answer.text
        }
        let root = try #require(try Yams.compose(yaml: text))
        var operations: Set<String> = []
        for (path, item) in try #require(root["paths"]?.mapping) {
            for (method, _) in try #require(item.mapping) {
                operations.insert("\(try #require(method.string).uppercased()) \(try #require(path.string))")
            }
        }
        return (operations, root)
    }

    @Test("openapi.yaml describes exactly the declared routes, and the router serves exactly these")
    func complete() async throws {
        let (operations, _) = try await describedOperations()
        let declared = Set(Endpoint.all.map(\.description))
        #expect(operations.symmetricDifference(declared).sorted() == [])
        try await RunningServer.run { server in
            let settings = try ServerSettings(from: SettingsReader(yaml: "", environment: [:], flags: []))
            let assembly = try LibraryServer(settings: settings, environment: server.environment).assemble()
            let served = Set(assembly.endpoints.map(\.description))
            #expect(served.symmetricDifference(declared).sorted() == [])
        }
    }

    @Test("openapi.yaml names exactly the states of a picker session", arguments: ["PickerSession", "Pick"])
    func pickerStates(name: String) async throws {
        let (_, root) = try await describedOperations()
        let schema = root["components"]?["schemas"]?[name]?["properties"]?["state"]
        let described = try #require(schema?["enum"]?.sequence).compactMap { $0.string }
        #expect(described == PickerSession.State.allCases.map(\.rawValue))
    }

    @Test("openapi.yaml describes exactly the query items that a route reads and the client writes")
    func queries() async throws {
        let (_, root) = try await describedOperations()
        let declared: [Endpoint: [String]] = [
            .changes: ChangeQuery.fields.map(\.name), .changeStream: ChangeStreamQuery.fields.map(\.name),
            .authorization: AuthorizationQuery.fields.map(\.name), .receipts: ReceiptQuery.fields.map(\.name),
            .albums: ListPageQuery.fields.map(\.name), .albumAssets: ListPageQuery.fields.map(\.name),
            .thumbnail: ThumbnailQuery.fields.map(\.name), .resource: ResourceQuery.fields.map(\.name),
            .livePhoto: ExportQuery.fields.map(\.name), .motionPhoto: ExportQuery.fields.map(\.name),
            .pickedItems: PickedItemsQuery.fields.map(\.name), .pickedItem: PickedItemQuery.fields.map(\.name),
            .adminAudit: AuditQuery.fields.map(\.name), .adminHistory: HistoryQuery.fields.map(\.name),
            .adminDevices: DeviceQuery.fields.map(\.name), .adminJobs: JobQuery.fields.map(\.name),
        ]
        // Their filters and orders are compared by the tests of lists.
        let lists: Set<Endpoint> = [.assets, .timeline, .places, .pickAssets, .pickTimeline]
        for endpoint in Endpoint.all where !lists.contains(endpoint) {
            let operation = root["paths"]?[endpoint.template]?[endpoint.method.rawValue.lowercased()]
            let parameters = operation?["parameters"]?.sequence.map(Array.init) ?? []
            let described = parameters.filter { $0["in"]?.string == "query" }.compactMap { $0["name"]?.string }
            #expect(described.sorted() == (declared[endpoint] ?? []).sorted(), "\(endpoint)")
        }
    }

    @Test("A map takes an area and a number of columns; what is none is refused by name")
    func placeQuery() async throws {
        try await RunningServer.run { server in
            try await server.withOperator { admin in
                let area = "west=-10&south=40&east=10&north=60"
                for query in ["", "?\(area)", "?west=170&south=-10&east=-170&north=10&columns=32", "?hidden=true"] {
                    let answer = try await admin.send("GET", "/v1/places\(query)")
                    #expect(try answer.json(PlaceClusters.self) == PlaceClusters(clusters: [], access: .full))
                }
                let refused = [
                    "west=1": "west", "\(area)&columns=33": "columns", "columns=0": "columns", "columns=x": "columns",
                    "west=nan&south=0&east=1&north=1": "west", "west=0&south=2&east=1&north=1": "west",
                    "west=-181&south=0&east=1&north=1": "west", "limit=5": "limit", "sort=captureDate": "sort",
                ]
                for (query, field) in refused {
                    let answer = try await admin.send("GET", "/v1/places?\(query)")
                    #expect(try answer.json(ProblemDetails.self).field == field && answer.status == 400, "\(query)")
                }
            }
        }
    }

    @Test("The timeline takes the query that openapi.yaml describes; what only a list takes is refused by name")
    func timelineQuery() async throws {
        let (_, root) = try await describedOperations()
        let parameters = try #require(root["paths"]?["/v1/timeline"]?["get"]?["parameters"]?.sequence)
        let described = Set(parameters.compactMap { $0["name"]?.string })
        let items = [
            "unit": "day", "kinds": "true", "filter": #"{"not":"images"}"#, "hidden": "true", "bursts": "all",
            "trash": "true",
            "sort": "captureDate", "limit": "10", "cursor": "abc", "offset": "1",
        ]
        #expect(described.isSubset(of: items.keys))
        try await RunningServer.run { server in
            try await server.withOperator { admin in
                for name in items.keys.sorted() {
                    let query = PercentEncoding.query([(name, items[name] ?? "")])
                    let answer = try await admin.send("GET", "/v1/timeline?\(query)")
                    #expect(answer.status == (described.contains(name) ? 200 : 400), "\(name): \(answer.text)")
                    guard answer.status != 200 else { continue }
                    let problem = try answer.json(ProblemDetails.self)
                    #expect(problem.code == .malformedRequest && problem.field == name)
                }
            }
        }
    }

    @Test("openapi.yaml tells the ranges of places and offsets")
    func ranges() async throws {
        let (_, root) = try await describedOperations()
        let schemas = try #require(root["components"]?["schemas"])
        func range(_ schema: String, _ name: String) throws -> ClosedRange<Double> {
            let described = try #require(schemas[schema]?["properties"]?[name])
            let lower = try #require(described["minimum"]?.float)
            let upper = try #require(described["maximum"]?.float)
            return lower...upper
        }
        #expect(try range("Location", "latitude") == -90...90)
        #expect(try range("Location", "longitude") == -180...180)
        #expect(try range("Location", "altitude") == Location.altitudes)
        let offsets = LocalTime.offsets
        #expect(try range("CaptureTime", "utcOffsetSeconds") == Double(offsets.lowerBound)...Double(offsets.upperBound))
    }

    @Test("Every reference within openapi.yaml leads somewhere")
    func references() async throws {
        let (_, root) = try await describedOperations()
        func check(_ node: Node) {
            switch node {
            case .mapping(let mapping):
                for (key, value) in mapping {
                    if key.string == "$ref", let reference = value.string {
                        let target = reference.dropFirst(2).split(separator: "/").reduce(root as Node?) { node, name in
                            node?[String(name)]
                        }
                        #expect(target != nil, "\(reference)")
                    } else {
                        check(value)
                    }
                }
            case .sequence(let sequence): for item in sequence { check(item) }
            case .scalar, .alias: break
            }
        }
        check(root)
    }

    @Test("Every schema has exactly the members of its type, and calls those required that the type needs")
    func members() async throws {
        let (_, root) = try await describedOperations()
        let schemas = try #require(root["components"]?["schemas"])
        // One of two forms, which have schemas and types of their own.
        var seen: Set<String> = ["ChangeLine"]
        for (name, type) in Self.types {
            var described = DescribedMembers(schemas: schemas)
            described.follow(try #require(schemas[name], "there is no schema \(name)"), at: "")
            let asked = try MemberRecorder(of: type)
            #expect(described.members.symmetricDifference(asked.members).sorted() == [], "\(name)")
            // Problems are read with less than they are written with, so the other way does not hold.
            #expect(asked.required.subtracting(described.required).sorted() == [], "\(name)")
            seen.formUnion(described.names.union([name]))
        }
        let names = try #require(schemas.mapping).compactMap { $0.key.string }
        #expect(Set(names).subtracting(seen).sorted() == [], "a schema is held by no type")
    }

    /// What requests and answers are in Swift, by the names of their schemas; what they consist of is followed.
    private static var types: [String: any Decodable.Type] {
        [
            "AccessRequests": AccessRequestPage.self,
            "AdjustmentResponse": AdjustmentResponse.self,
            "AdjustmentRequest": AdjustmentRequest.self,
            "AlbumAddition": AlbumAddition.self,
            "AlbumEdit": AlbumEdit.self,
            "AlbumMove": AlbumMove.self,
            "AlbumPage": AlbumPage.self,
            "ArchiveRequest": ArchiveRequest.self,
            "ArchiveResponse": ArchiveResponse.self,
            "AssetCreation": AssetCreationResponse.self,
            "AssetPage": AssetPage.self,
            "AuditPage": AuditPage.self,
            "AuditVerification": AuditVerification.self,
            "Authority": AuthorityResponse.self,
            "AuthorizationRequest": AuthorizationRequest.self,
            "BackupReport": BackupReport.self,
            "BatchResponse": BatchResponse.self,
            "BulkEdit": BulkEdit.self,
            "BulkEditResponse": BulkEditResponse.self,
            "CameraFacts": CameraFacts.self,
            "ContactRequest": ContactRequest.self,
            "ContactResponse": ContactResponse.self,
            "ContentAssets": ContentAssets.self,
            "CeilingPolicy": CeilingPolicy.self,
            "CertificateResponse": CertificateResponse.self,
            "CertificateRenewal": CertificateRenewal.self,
            "ChangePush": ChangePush.self,
            "ChangePushResponse": ChangePushResponse.self,
            "ChangeRangePage": ChangeRangePage.self,
            "Decision": DecisionRequest.self,
            "DeviceEdit": DeviceEdit.self,
            "DevicePage": DevicePage.self,
            "Enrollment": EnrollmentResponse.self,
            "EnrollmentRequest": EnrollmentRequest.self,
            "EnrollmentTokenResponse": EnrollmentTokenResponse.self,
            "EnrollmentTokenPage": EnrollmentTokenPage.self,
            "EnrollmentTokenRequest": EnrollmentTokenRequest.self,
            "EntityChange": EntityChange.self,
            "ExpansionDecision": ExpansionDecision.self,
            "HashCheck": HashCheckRequest.self,
            "HashCheckResponse": HashCheckResponse.self,
            "HistoryPage": HistoryPage.self,
            "IdentityState": IdentityState.self,
            "JobCount": JobCount.self,
            "JobPage": JobPage.self,
            "MaintenanceTask": MaintenanceTask.self,
            "OperatorResponse": OperatorResponse.self,
            "OperatorPage": OperatorPage.self,
            "OperatorPassword": OperatorPassword.self,
            "OperatorRequest": OperatorRequest.self,
            "PageEnd": ChangeLine.PageEnd.self,
            "PendingUploads": PendingUploadPage.self,
            "PickChoice": PickChoice.self,
            "PickPage": PickDocumentPage.self,
            "PickedItems": PickedItemPage.self,
            "PickerEdit": PickerEdit.self,
            "PickerSession": PickerSession.self,
            "ReceiptPage": ReceiptPage.self,
            "Selection": Selection.self,
            "OpenExpansion": OpenExpansion.self, "SelectionExpansion": SelectionExpansion.self,
            "StateChange": StateChangeRequest.self,
            "Statistics": LibraryStatistics.self,
            "SupersededEdits": SupersededEdits.self,
            "Timeline": Timeline.self, "PlaceClusters": PlaceClusters.self,
            "Verification": MaintenanceTask.Verification.self,
            "VerificationReport": VerificationReport.self,
            "WebLink": WebLinkResponse.self,
            "WebLinkRequest": WebLinkRequest.self,
            "WebLogin": WebLoginResponse.self,
            "WebLoginRequest": WebLoginRequest.self,
            "WebSessionPage": WebSessionPage.self,
        ]
    }
}

/// The members that a schema describes, by path as ``MemberRecorder`` writes them.
private struct DescribedMembers {
    let schemas: Node
    var members: Set<String> = []
    var required: Set<String> = []
    /// The schemas that were looked at on the way.
    var names: Set<String> = []

    /// Looks at a schema, its elements and its members.
    ///
    /// What has one of several forms (`oneOf`) is not looked into: its type reads one of them at a time.
    mutating func follow(_ schema: Node, at path: String) {
        if let name = schema["$ref"]?.string?.split(separator: "/").last.map(String.init) {
            names.insert(name)
            if let target = schemas[name] { follow(target, at: path) }
        }
        if let items = schema["items"] { follow(items, at: path) }
        let required = Set(schema["required"]?.array(of: String.self) ?? [])
        for (key, member) in schema["properties"]?.mapping ?? [:] {
            guard let name = key.string else { continue }
            let below = path.isEmpty ? name : "\(path).\(name)"
            members.insert(below)
            if required.contains(name) { self.required.insert(below) }
            follow(member, at: below)
        }
    }
}
