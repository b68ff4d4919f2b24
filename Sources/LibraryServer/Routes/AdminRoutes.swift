import Authorization
import Hummingbird
import LibraryAPI
import LibraryStore
import PhotoModel

/// What operators do: devices, questions, tokens, selections, the audit.
struct AdminRoutes {
    let store: LibraryStore
    let devices: DeviceDesk
    let enrollments: EnrollmentDesk

    func register(in registry: inout RouteRegistry) throws {
        try registerDevices(in: &registry)
        try registerTokens(in: &registry)
        try registry.on(.adminRequests) { [devices] _, _ in try .json(try await devices.requests()) }
        try registry.on(.adminSelection) { [metadata = store.metadata] call, _ in
            guard let row = try await metadata.device(call.parameter("id")) else { throw ProblemDetails.notFound }
            return try .json(row.record.selection)
        }
        try registry.on(.adminSetSelection) { [devices, metadata = store.metadata] call, _ in
            let id: DeviceID = try call.parameter("id")
            let selection: Selection = try await call.json()
            try await devices.apply(to: id, .selection(selection), by: call.administrator, nil)
            return try .json(try await metadata.device(id)?.record.selection ?? selection)
        }
        try registry.on(.adminAudit) { [metadata = store.metadata] call, _ in
            var query = try AdminQuery(call)
            let after = try query.value("after", UInt64.self) ?? 0
            let device = try query.value("device", DeviceID.self)
            let limit = try query.limit(default: 100, maximum: 1000)
            try query.finish()
            let entries = try await metadata.audit(after: after, device: device, limit: limit)
            return try .json(AuditPage(entries: entries, next: entries.count == limit ? entries.last?.sequence : nil))
        }
        try registry.on(.adminStatistics) { [metadata = store.metadata] _, _ in
            try .json(try await metadata.statistics())
        }
    }

    private func registerDevices(in registry: inout RouteRegistry) throws {
        try registry.on(.adminDevices) { [devices] call, _ in
            var query = try AdminQuery(call)
            let after = try query.value("after", DeviceID.self)
            let limit = try query.limit(default: 100, maximum: DeviceDesk.maximumPageCount)
            try query.finish()
            return try .json(try await devices.page(after: after, limit: limit))
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
        let changes: [(Endpoint, DeviceEvent)] = [
            (.adminRevoke, .revoked(wipe: false)), (.adminWipe, .revoked(wipe: true)),
            (.adminDrain, .drainRequested), (.adminResolve, .resolved),
        ]
        for (endpoint, event) in changes {
            try registry.on(endpoint) { [devices] call, _ in
                let id: DeviceID = try call.parameter("id")
                let request: StateChangeRequest = try await call.json()
                try await devices.apply(to: id, .state(event), by: call.administrator, request.reason)
                return try .json(try await devices.summary(of: id))
            }
        }
    }

    private func registerTokens(in registry: inout RouteRegistry) throws {
        try registry.on(.adminEnrollmentTokens) { [enrollments] _, _ in try .json(try await enrollments.tokens()) }
        try registry.on(.adminCreateEnrollmentToken) { [enrollments] call, _ in
            let answer = try await enrollments.createToken(call.json(), by: call.administrator.name)
            return try .json(answer, status: .created)
        }
        try registry.on(.adminDeleteEnrollmentToken) { [enrollments] call, _ in
            try await enrollments.withdrawToken(call.parameter("id"), by: call.administrator.name)
            return .noContent
        }
    }
}

extension Call {
    /// The operator who calls; the gate lets nobody else reach the routes that ask.
    var administrator: DeviceDesk.Administrator {
        DeviceDesk.Administrator(name: credential.operatorName ?? "unknown", context: auditContext)
    }
}
