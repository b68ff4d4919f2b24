package import Authorization
package import PhotoModel

/// The role of a ``MetadataStore`` that keeps the server's own records, such as enrolments and picker sessions, and the
/// audit.
package protocol RecordStore: Sendable {
    /// One record; see `RecordKind`.
    func record(_ id: RecordID, of kind: RecordKind) async throws -> StoredRecord?
    /// The record with a secondary key, such as a secret's digest.
    func record(of kind: RecordKind, withSecondary key: ContentDigest) async throws -> StoredRecord?
    /// All unexpired records of a kind, by identifier.
    func records(of kind: RecordKind) async throws -> [StoredRecord]
    /// An owner's unexpired records of a kind, by identifier.
    func records(of kind: RecordKind, ownedBy owner: String) async throws -> [StoredRecord]
    /// Changes a record in one transaction: the body maps the current record to the new one; nil means none.
    ///
    /// - Parameters:
    ///   - id: the record.
    ///   - kind: its kind.
    ///   - parties: the parties whose requests the library's other servers end; the caller ends its own.
    ///   - audit: the change's entry, if any.
    ///   - body: maps the record.
    /// - Returns: the new record.
    /// - Throws: the body's error, without a change.
    func updateRecord(
        _ id: RecordID,
        of kind: RecordKind,
        closing parties: [Party],
        audit: AuditEntry.Content?,
        _ body: @escaping @Sendable (StoredRecord?) throws -> StoredRecord?
    ) async throws -> StoredRecord?
    /// Changes several records of a kind in one transaction, so that a limit on them holds under concurrent requests.
    ///
    /// - Parameters:
    ///   - kind: the kind of record.
    ///   - owner: the owner of the records for the body; nil for all of the kind.
    ///   - body: gets the unexpired records, by identifier, and returns the changes.
    /// - Throws: the body's error, without a change.
    func updateRecords(
        of kind: RecordKind,
        ownedBy owner: String?,
        _ body: @escaping @Sendable ([StoredRecord]) throws -> RecordChanges
    ) async throws

    /// Appends an audit entry that belongs to no other change.
    func appendAudit(_ content: AuditEntry.Content) async throws
    /// The last audit entry; nil before the first.
    func lastAuditEntry() async throws -> AuditEntry?
    /// Audit entries after a sequence number; a nil device means all.
    func audit(after sequence: UInt64, device: DeviceID?, limit: Int) async throws -> [AuditEntry]
}

extension RecordStore {
    /// Changes a record on which no requests depend.
    package func updateRecord(
        _ id: RecordID,
        of kind: RecordKind,
        audit: AuditEntry.Content?,
        _ body: @escaping @Sendable (StoredRecord?) throws -> StoredRecord?
    ) async throws -> StoredRecord? {
        try await updateRecord(id, of: kind, closing: [], audit: audit, body)
    }
}
