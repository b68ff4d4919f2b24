import Authorization
import LibraryAPI
import LibraryStore
import PhotoModel

/// A limited device's stored request for more assets: one per device, under the device's identifier.
private struct ExpansionDocument: StoredDocument {
    static let kind = RecordKind.expansion
    /// How long a request stays open: 7 days.
    static let lifetime = Duration.seconds(7 * 86_400)

    /// Identifies the request; nil in records of older servers, which use the device's identifier.
    let id: ExpansionID?
    let device: DeviceID
    var reason: String
    /// How often the reason was replaced; nil for never.
    var changeCount: Int?
    var address: String?
    let opened: WallTime

    var expires: WallTime { opened.advanced(by: Self.lifetime) }
    var name: ExpansionID { id ?? ExpansionID(rawValue: device.rawValue) }
    var wire: OpenExpansion { OpenExpansion(id: name, reason: reason, openedAt: opened, expiresAt: expires) }
}

/// Stores limited devices' requests for more assets, and operators' answers.
struct Expansions: Sendable {
    /// The most open requests.
    static let maximumCount = 1000
    /// The most reasons that one request may have, one after the other.
    static let maximumReasonCount = 8

    let store: any DeviceStore & RecordStore
    let active: ActiveRequests
    let now: @Sendable () -> WallTime

    /// Requests more assets; if a request is already open, replaces its reason.
    ///
    /// - Returns: the open request.
    /// - Throws: `usage.missing`; `slow_down` if too many are open, or this one has had too many reasons.
    func request(
        by device: DeviceID,
        _ expansion: SelectionExpansion,
        _ context: AuditContext
    ) async throws -> OpenExpansion {
        if let problem = UsageText.problem(in: expansion.reason) {
            throw ProblemDetails(
                .usageMissing,
                "The reason \(problem.rawValue): say why the device needs more.",
                field: "reason"
            )
        }
        let id = RecordID(rawValue: device.rawValue)
        let known = try await store.record(id, of: .expansion).map(ExpansionDocument.init)
        if let known, known.reason == expansion.reason { return known.wire }
        let waiting = known == nil ? try await store.records(of: .expansion).count : 0
        guard waiting < Self.maximumCount else {
            throw ProblemDetails(.slowDown, "Too many requests are waiting: try again later.", retryAfterSeconds: 3600)
        }
        var audit = AuditEntry.Content(.request, of: device, context)
        audit.new = "more of the selection"
        audit.reason = expansion.reason
        let fresh = ExpansionDocument(
            id: ExpansionID(rawValue: UInt128.random(in: 1 ... .max)),
            device: device,
            reason: expansion.reason,
            address: context.address,
            opened: now()
        )
        let kept = try await store.updateRecord(id, of: .expansion, audit: audit) { record in
            var document = try record.map(ExpansionDocument.init) ?? fresh
            if record != nil, document.reason != expansion.reason {
                let count = (document.changeCount ?? 0).clamped(to: 0...Self.maximumReasonCount) + 1
                guard count < Self.maximumReasonCount else {
                    throw ProblemDetails(
                        .slowDown,
                        "The request has had \(count) reasons: wait for its answer.",
                        retryAfterSeconds: 3600
                    )
                }
                document.changeCount = count
                document.reason = expansion.reason
                document.address = context.address
            }
            return StoredRecord(id: id, expires: document.expires, document: try document.text())
        }
        return try kept.map(ExpansionDocument.init)?.wire ?? fresh.wire
    }

    /// All open requests, oldest first.
    func open() async throws -> [ExpansionSummary] {
        var summaries: [ExpansionSummary] = []
        for record in try await store.records(of: .expansion) {
            let document = try ExpansionDocument(record)
            guard let row = try await store.device(document.device) else { continue }
            summaries.append(
                ExpansionSummary(
                    id: document.name,
                    deviceID: document.device,
                    deviceName: row.profile.name,
                    reason: document.reason,
                    address: document.address,
                    openedAt: document.opened,
                    expiresAt: record.expires ?? document.expires
                )
            )
        }
        return summaries.sorted { $0.openedAt < $1.openedAt }
    }

    /// Adds an operator's choice to the device's selection, and closes its request.
    ///
    /// - Throws: `object.not_found` if the device has no open request.
    func decide(
        about device: DeviceID,
        _ decision: ExpansionDecision,
        by administrator: Devices.Administrator
    ) async throws {
        let more = Selection(
            assets: Set(decision.assets ?? []),
            rules: decision.rules ?? [],
            grantedAlbums: Set(decision.grantedAlbums ?? [])
        )
        do {
            try await store.answerExpansion(
                of: device,
                by: .administrator(administrator.name),
                adding: more,
                reason: decision.reason,
                audit: administrator.context
            )
        } catch let error as StoreError where error.code == .notFound {
            throw ProblemDetails(
                .notFound,
                "No such device asks to see more: tintypectl request list shows which do; tintypectl selection add adds unasked."
            )
        }
        if !more.isEmpty { active.close(.device(device)) }
    }
}

extension RecordStore {
    /// A limited device's open request for more assets, if any.
    func openExpansion(of device: DeviceID) async throws -> OpenExpansion? {
        try await record(RecordID(rawValue: device.rawValue), of: .expansion).map(ExpansionDocument.init)?.wire
    }
}
