import Authorization
import LibraryAPI
import LibraryStore
import PhotoModel

/// The stored policy: a single record, so that it is replaced atomically.
private struct CeilingDocument: StoredDocument {
    static let kind = RecordKind.ceiling
    static let id = RecordID(rawValue: 1)

    var ceilings: [Ceiling] = []
}

/// Stores the policy's ceilings, and applies them to devices.
///
/// A device's record carries the lowest ceiling of its tags, so that the gate reads a single row. If the server stopped
/// between a policy change and the last device, ``holdAll(by:)`` continues at the next start.
struct Ceilings: Sendable {
    let store: any DeviceStore & RecordStore
    let devices: Devices

    /// The policy's rules, by name.
    func policy() async throws -> CeilingPolicy {
        CeilingPolicy(
            ceilings: try await ceilings().map { ceiling in
                CeilingRule(name: ceiling.name, limit: ceiling.limit.rawValue, isPickerAllowed: ceiling.isPickerAllowed)
            }
        )
    }

    /// Replaces the policy, and applies it to every device.
    ///
    /// - Throws: `request.malformed` for an unknown limit, or a duplicate or overlong name.
    func replace(with policy: CeilingPolicy, by administrator: Devices.Administrator) async throws {
        let ceilings = try policy.ceilings.map { rule in
            guard let limit = Ceiling.Limit(rawValue: rule.limit), 1...APILimits.tagByteCount ~= rule.name.utf8.count
            else {
                throw ProblemDetails(
                    .malformedRequest,
                    "A ceiling's name is a tag or \(CeilingRule.everyDevice), and its limit none, addOnly, limited or "
                        + "readWrite.",
                    field: "ceilings"
                )
            }
            return Ceiling(name: rule.name, limit: limit, isPickerAllowed: rule.isPickerAllowed)
        }
        guard ceilings.count <= APILimits.ceilingCount, Set(ceilings.map(\.name)).count == ceilings.count else {
            throw ProblemDetails(
                .malformedRequest,
                "A policy has at most \(APILimits.ceilingCount) ceilings, one per name.",
                field: "ceilings"
            )
        }
        let document = CeilingDocument(ceilings: ceilings.sorted { $0.name < $1.name })
        var audit = administrator.audit(.policyChange, try document.text(), policy.reason)
        audit.old = try CeilingDocument(ceilings: try await self.ceilings()).text()
        let record = StoredRecord(id: CeilingDocument.id, document: try document.text())
        _ = try await store.updateRecord(record.id, of: .ceiling, audit: audit) { _ in record }
        try await holdAll(by: administrator, policy.reason)
    }

    /// Applies its tags' current ceiling to every device.
    func holdAll(by administrator: Devices.Administrator, _ reason: String?) async throws {
        let policy = try await store.record(CeilingDocument.id, of: .ceiling)
        for row in try await store.devices() {
            guard try Self.ceiling(of: row.profile.tags, in: policy) != row.record.ceiling else { continue }
            try await hold(row.record.device, by: administrator, reason)
        }
    }

    /// Applies its tags' current ceiling to a device.
    func hold(_ device: DeviceID, by administrator: Devices.Administrator, _ reason: String?) async throws {
        let isChanged = try await store.hold(
            device,
            to: Self.ceiling,
            by: .administrator(administrator.name),
            reason: reason ?? "",
            audit: administrator.context
        )
        if isChanged { devices.active.close(.device(device)) }
    }

    private func ceilings() async throws -> [Ceiling] {
        let record = try await store.record(CeilingDocument.id, of: .ceiling)
        return try record.map(CeilingDocument.init)?.ceilings ?? []
    }

    /// The effective ceiling of a device with these tags, by the policy's record.
    @Sendable static func ceiling(of tags: [String], in policy: StoredRecord?) throws -> Ceiling {
        let ceilings = try policy.map(CeilingDocument.init)?.ceilings ?? []
        return .strictest(of: ceilings.filter { $0.name == CeilingRule.everyDevice || tags.contains($0.name) })
    }
}
