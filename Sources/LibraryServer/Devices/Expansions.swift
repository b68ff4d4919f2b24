import Authorization
import LibraryAPI
import LibraryStore
import PhotoModel

/// A limited device's question for more, as it is kept; one a device, named by the device's identifier.
private struct ExpansionDocument: StoredDocument {
    static let kind = RecordKind.expansion
    /// How long a question waits: 7 days.
    static let lifetime = Duration.seconds(7 * 86_400)

    let device: DeviceID
    let reason: String
    let address: String?
    let opened: WallTime
}

/// Takes limited devices' questions for more, and answers them.
struct Expansions: Sendable {
    /// The most questions that wait.
    static let maximumCount = 1000

    let store: any MetadataStore
    let devices: Devices
    let now: @Sendable () -> WallTime

    /// Asks for more; a question that waits already is left as it is.
    ///
    /// - Throws: `usage.missing`, `slow_down` when too many wait.
    func request(by device: DeviceID, _ expansion: SelectionExpansion, _ context: AuditContext) async throws {
        if let problem = UsageText.problem(in: expansion.reason) {
            throw ProblemDetails(
                .usageMissing,
                "The reason \(problem.rawValue): say why the device needs more.",
                field: "reason"
            )
        }
        let id = RecordID(rawValue: device.rawValue)
        guard try await store.record(id, of: .expansion) == nil else { return }
        guard try await store.records(of: .expansion).count < Self.maximumCount else {
            throw ProblemDetails(.slowDown, "Too many questions wait: ask again later.", retryAfterSeconds: 3600)
        }
        let time = now()
        let document = ExpansionDocument(
            device: device,
            reason: expansion.reason,
            address: context.address,
            opened: time
        )
        let record = StoredRecord(
            id: id,
            expires: time.advanced(by: ExpansionDocument.lifetime),
            document: try document.text()
        )
        var audit = AuditEntry.Content(.request, by: Actor.device(device).description)
        audit.device = device.description
        audit.fingerprint = context.fingerprint
        audit.requestID = context.requestID
        audit.address = context.address
        audit.new = "more of the selection"
        audit.reason = expansion.reason
        _ = try await store.updateRecord(id, of: .expansion, audit: audit) { $0 ?? record }
    }

    /// Every question that waits, oldest first.
    func open() async throws -> [ExpansionSummary] {
        var summaries: [ExpansionSummary] = []
        for record in try await store.records(of: .expansion) {
            let document = try ExpansionDocument(record)
            guard let row = try await store.device(document.device) else { continue }
            summaries.append(
                ExpansionSummary(
                    deviceID: document.device,
                    deviceName: row.profile.name,
                    reason: document.reason,
                    address: document.address,
                    openedAt: document.opened,
                    expiresAt: record.expires ?? document.opened.advanced(by: ExpansionDocument.lifetime)
                )
            )
        }
        return summaries.sorted { $0.openedAt < $1.openedAt }
    }

    /// Adds what an operator chose to the selection of a device that asked, and closes its question.
    ///
    /// - Throws: `object.not_found` when the device did not ask.
    func decide(
        about device: DeviceID,
        _ decision: ExpansionDecision,
        by administrator: Devices.Administrator
    ) async throws {
        let id = RecordID(rawValue: device.rawValue)
        guard try await store.record(id, of: .expansion) != nil else { throw ProblemDetails.notFound }
        let more = Selection(
            assets: Set(decision.assets ?? []),
            rules: decision.rules ?? [],
            grantedAlbums: Set(decision.grantedAlbums ?? [])
        )
        if !more.isEmpty {
            try await devices.apply(to: device, .selectionAdded(more), by: administrator, decision.reason)
        }
        var audit = AuditEntry.Content(.decide, by: Actor.administrator(administrator.name).description)
        audit.device = device.description
        audit.requestID = administrator.context.requestID
        audit.address = administrator.context.address
        audit.new = more.isEmpty ? "no more of the selection" : "more of the selection"
        audit.reason = decision.reason
        _ = try await store.updateRecord(id, of: .expansion, audit: audit) { _ in nil }
    }
}
