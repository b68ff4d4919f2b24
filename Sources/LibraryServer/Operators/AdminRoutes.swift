import Authorization
import Hummingbird
import LibraryAPI
import LibraryStore
import PhotoModel

/// The operators' routes: devices, requests, tokens, selections, the audit.
struct AdminRoutes {
    private static let standardPageCount = 100

    let store: LibraryStore
    let devices: Devices
    let enrollments: Enrollments
    let ceilings: Ceilings
    let expansions: Expansions
    let pickers: Pickers
    let audit: AuditLog
    /// The address by which boxes reach the server; nil if unknown.
    let deviceAddress: String?

    func register(in registry: inout RouteRegistry) throws {
        try registerDevices(in: &registry)
        try registerStates(in: &registry)
        try registerSuspects(in: &registry)
        try registerTokens(in: &registry)
        try registerPolicy(in: &registry)
        try registerPickers(in: &registry)
        try registry.on(.adminRequests) { [devices, expansions] _, _ in
            try .json(
                AccessRequestPage(requests: try await devices.requests(), expansions: try await expansions.open())
            )
        }
        try registry.on(.adminDecideExpansion) { [devices, expansions] call, _ in
            let id: DeviceID = try call.parameter("id")
            try await expansions.decide(about: id, call.json(), by: call.administrator)
            return try .json(try await devices.summary(of: id))
        }
        try registry.on(.adminSelection) { [metadata = store.metadata] call, _ in
            try .json(await metadata.device(call.parameter("id")).orNotFound().record.selection)
        }
        try registry.on(.adminSetSelection) { [devices, metadata = store.metadata] call, _ in
            let id: DeviceID = try call.parameter("id")
            let selection: Selection = try await call.json(limit: APILimits.selectionByteCount)
            try await devices.apply(to: id, .selection(selection), by: call.administrator, nil)
            return try .json(try await metadata.device(id)?.record.selection ?? selection)
        }
        try registry.on(.adminAudit) { [metadata = store.metadata] call, _ in
            let query = try call.query(as: AuditQuery.self)
            let limit = query.limit ?? Self.standardPageCount
            let entries = try await metadata.audit(after: query.after ?? 0, device: query.device, limit: limit)
            return try .json(AuditPage(entries: entries, next: entries.count == limit ? entries.last?.sequence : nil))
        }
        try registry.on(.adminAuditHead) { [audit] _, _ in try .json(await audit.head().orNotFound()) }
        try registry.on(.adminVerifyAudit) { [audit] _, _ in try .json(try await audit.verify()) }
        try registry.on(.adminHistory) { [metadata = store.metadata] call, _ in
            let query = try call.query(as: HistoryQuery.self)
            let limit = query.limit ?? Self.standardPageCount
            let number = ChangeNumber(rawValue: query.after ?? 0)
            let entries = try await metadata.history(of: query.asset, after: number, limit: limit)
            return try .json(HistoryPage(entries: entries, next: entries.count == limit ? entries.last?.number : nil))
        }
        try registry.on(.adminContentAssets) { [metadata = store.metadata] call, _ in
            let digest: ContentDigest = try call.parameter("digest")
            let assets = try await metadata.assets(holding: digest, limit: APILimits.defaultPageAssetCount)
            return try .json(ContentAssets(assets: assets))
        }
        try registry.on(.adminStatistics) { [store] _, _ in
            var counts = try await store.metadata.statistics()
            // A bucket has no free space to report.
            if let freeBytes = try await store.freeByteCount() {
                counts.setRoom(freeBytes: freeBytes, reservedBytes: store.settings.reservedByteCount)
            }
            let servers = try await store.metadata.duties.servers()
            if !servers.isEmpty { counts.servers = servers.map(LibraryStatistics.Server.init) }
            counts.storage?.originals = store.content.description
            do {
                try await store.content.checkReadiness()
            } catch {
                counts.storage?.problem = "\(error)"
            }
            return try .json(counts)
        }
    }

    private func registerDevices(in registry: inout RouteRegistry) throws {
        try registry.on(.adminDevices) { [devices] call, _ in
            let query = try call.query(as: DeviceQuery.self)
            return try .json(try await devices.page(after: query.after, limit: query.limit ?? Self.standardPageCount))
        }
        try registry.on(.adminDevice) { [devices] call, _ in
            try .json(try await devices.summary(of: call.parameter("id")))
        }
        try registry.on(.adminDecide) { [devices] call, _ in
            let id: DeviceID = try call.parameter("id")
            try await devices.decide(about: id, call.json(), by: call.administrator)
            return try .json(try await devices.summary(of: id))
        }
        try registry.on(.adminReset) { [devices] call, _ in
            let id: DeviceID = try call.parameter("id")
            try await devices.apply(to: id, .reset, by: call.administrator, nil)
            return try .json(try await devices.summary(of: id))
        }
        try registry.on(.adminEditDevice) { [devices, ceilings] call, _ in
            let id: DeviceID = try call.parameter("id")
            try await devices.edit(id, call.json(), by: call.administrator, ceilings)
            return try .json(try await devices.summary(of: id))
        }
        try registry.on(.adminWithdrawConsent) { [devices, expansions] call, _ in
            let id: DeviceID = try call.parameter("id")
            try await devices.withdrawConsent(of: id, call.json(), by: call.administrator, at: expansions.now())
            return try .json(try await devices.summary(of: id))
        }
    }

    private func registerStates(in registry: inout RouteRegistry) throws {
        let changes: [(Endpoint, DeviceEvent)] = [
            (.adminRevoke, .revoked(wipe: false)), (.adminWipe, .revoked(wipe: true)),
            (.adminDrain, .drainRequested),
        ]
        for (endpoint, event) in changes {
            try registry.on(endpoint) { [devices, pickers] call, _ in
                let id: DeviceID = try call.parameter("id")
                let request: StateChangeRequest = try await call.json()
                let isTakenBack = endpoint == .adminDrain && request.cancel == true
                let change = DecisionRecord.Change.state(isTakenBack ? .drainCancelled : event)
                try await devices.apply(to: id, change, by: call.administrator, request.reason)
                if case .revoked = event {
                    let actor = Actor.administrator(call.administrator.name)
                    try await pickers.endAll(of: id, by: .init(actor: actor, context: call.auditContext))
                }
                return try .json(try await devices.summary(of: id))
            }
        }
    }

    private func registerSuspects(in registry: inout RouteRegistry) throws {
        try registry.on(.adminResolve) { [devices] call, _ in
            let id: DeviceID = try call.parameter("id")
            let request: StateChangeRequest = try await call.json()
            try await devices.resolve(id, keeping: request.keep, by: call.administrator, request.reason)
            return try .json(try await devices.summary(of: id))
        }
        try registry.on(.adminUploads) { [devices] call, _ in
            try .json(try await devices.uploads(of: call.parameter("id")))
        }
        try registry.on(.adminCommitUpload) { [store] call, _ in
            let device: DeviceID = try call.parameter("id")
            guard try await store.metadata.device(device) != nil else { throw ProblemDetails.notFound }
            let asset: AssetID = try call.parameter("asset")
            let audit = call.administrator.audit(.resolve, "commits asset \(asset) in its name", nil, of: device)
            return try .json(try await store.commit(asset, by: .device(device), audit: audit))
        }
    }

    private func registerPolicy(in registry: inout RouteRegistry) throws {
        try registry.on(.adminCeilings) { [ceilings] _, _ in try .json(try await ceilings.policy()) }
        try registry.on(.adminSetCeilings) { [ceilings] call, _ in
            try await ceilings.replace(with: call.json(), by: call.administrator)
            return try .json(try await ceilings.policy())
        }
    }

    private func registerPickers(in registry: inout RouteRegistry) throws {
        try registry.on(.adminPickers) { [pickers] _, _ in try .json(try await pickers.all()) }
        try registry.on(.adminEndPicker) { [pickers] call, admitted in
            try await pickers.end(call.parameter("id"), of: nil, by: call.pickerOrigin(admitted))
            return .noContent
        }
    }

    private func registerTokens(in registry: inout RouteRegistry) throws {
        try registry.on(.adminEnrollmentTokens) { [enrollments] _, _ in try .json(try await enrollments.tokens()) }
        try registry.on(.adminCreateEnrollmentToken) { [enrollments, deviceAddress] call, _ in
            var answer = try await enrollments.createToken(call.json(), by: call.administrator)
            answer.address = deviceAddress
            return try .json(answer, status: .created)
        }
        try registry.on(.adminDeleteEnrollmentToken) { [enrollments] call, _ in
            try await enrollments.withdrawToken(call.parameter("id"), by: call.administrator)
            return .noContent
        }
    }
}

extension LibraryStatistics.Server {
    fileprivate init(_ presence: ServerPresence) {
        self.init(
            id: String(presence.id, radix: 16),
            host: presence.host,
            folder: presence.folder,
            version: presence.version,
            seen: presence.seen,
            isAlive: presence.isAlive,
            clockAheadMilliseconds: presence.clockAhead.map { Int64($0 / .milliseconds(1)) },
            duties: presence.duties.map(\.rawValue)
        )
    }
}

extension Call {
    /// The calling operator; the gate admits nobody else to these routes.
    var administrator: Devices.Administrator {
        Devices.Administrator(name: credential.operatorName ?? "unknown", context: auditContext)
    }
}
