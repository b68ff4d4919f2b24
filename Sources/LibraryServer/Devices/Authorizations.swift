import Authorization
import LibraryAPI
import LibraryStore
import PhotoModel
import ServiceLifecycle

/// Answers devices' queries about their rights, and records their access requests.
struct Authorizations: Sendable {
    let store: any DeviceStore & ReadingStore & RecordStore
    let places: DevicePlaces

    /// What a device may do now.
    func answer(for record: DecisionRecord) async throws -> AuthorizationResponse {
        let pending = try await store.openRequests().filter { $0.device == record.device }
        var answer = Self.answer(for: record, pending: pending, selectedCount: try await selectedCount(record))
        if answer.selection != nil {
            answer.selection?.expansion = try await store.openExpansion(of: record.device)?.id
        }
        return answer
    }

    /// Long-polls until the grant's version differs from the device's, or the timeout passes.
    ///
    /// A decision closes its device's open connections, which tells a waiting device to ask again. So nothing is read before
    /// the timeout: most devices wait for decisions, and others' changes would have each one's record read.
    func answer(
        for record: DecisionRecord,
        after version: UInt64?,
        waiting: Duration
    ) async throws -> AuthorizationResponse {
        guard record.grantVersion == version, waiting > .zero else { return try await answer(for: record) }
        try? await cancelWhenGracefulShutdown { try await Task.sleep(for: waiting) }
        try Task.checkCancellation()
        return try await answer(for: store.device(record.device)?.record ?? record)
    }

    /// Requests a level; an earlier decision stands, and nobody is asked again.
    ///
    /// - Throws: `usage.missing`, `slow_down`, `request.malformed` for an unknown level.
    func request(by device: DeviceID, _ request: AuthorizationRequest, _ context: AuditContext) async throws {
        guard let level = AccessLevel(rawValue: request.level) else {
            throw ProblemDetails(
                .malformedRequest,
                "The level must be \(AccessLevel.allCases.map(\.rawValue).joined(separator: " or ")).",
                field: "level"
            )
        }
        _ = try await store.requestAccess(level, for: device, usage: request.usage, audit: context)
    }

    /// The response to an operator who asks the same.
    static let operatorResponse = AuthorizationResponse(
        addOnly: .authorized,
        readWrite: .authorized,
        legacy: .authorized,
        grantVersion: 0,
        next: Explanation(Caller.administrator).description
    )

    /// A record's statuses in wire form, with the next step.
    static func answer(
        for record: DecisionRecord,
        pending: [AccessRequest],
        selectedCount: Int?
    ) -> AuthorizationResponse {
        let access = record.access
        return AuthorizationResponse(
            addOnly: .init(access.addOnly),
            readWrite: .init(access.readWrite),
            legacy: .init(access.readWrite == .limited ? .authorized : access.readWrite),
            restrictedBy: record.ceiling.restrictedBy(over: record.decision),
            pending: pending.map { .init(level: $0.level.rawValue, expires: $0.expiresAt.description) },
            selection: selectedCount.map { .init(count: $0, rules: record.selection.rules.count) },
            grantVersion: record.grantVersion,
            next: Explanation(
                Caller(device: record, isExpired: false),
                asked: Set(pending.map(\.level)),
                selectionIsEmpty: record.selection.isEmpty
            ).description
        )
    }

    /// The number of assets that a limited device sees; nil for others, and for one that may not read now: it is suspect
    /// or draining.
    ///
    /// - Throws: `slow_down` if the device has others counted and listed at once.
    private func selectedCount(_ record: DecisionRecord) async throws -> Int? {
        guard record.state == .active, record.access.readWrite == .limited else { return nil }
        let place = try places.take(.list, for: record.device)
        defer { withExtendedLifetime(place) {} }
        return try await store.count(FetchOptions(), in: .selection(record.selection, record.device))
    }
}

extension AuthorizationResponse.Status {
    /// The name of a status.
    init(_ status: AuthorizationStatus) { self.init(rawValue: status.name) }
}
