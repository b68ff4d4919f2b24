package import Authorization
package import PhotoModel

/// The kinds of the server's own records.
package struct RecordKind: RawRepresentable, Hashable, Sendable {
    /// The name in rows.
    package let rawValue: String
    /// Any name; each kind is declared once, here or by the server.
    package init(rawValue: String) { self.rawValue = rawValue }
    /// Enrolments.
    package static let enrollment = RecordKind(rawValue: "enrollment")
    /// Enrolment tokens; the secondary key is the secret's digest.
    package static let enrollmentToken = RecordKind(rawValue: "enrollmentToken")
    /// Picker sessions; the secondary key is the digest of the person's secret.
    package static let pickerSession = RecordKind(rawValue: "pickerSession")
    /// Operators.
    package static let operatorAccount = RecordKind(rawValue: "operator")
    /// The policy's ceilings, by tag.
    package static let ceiling = RecordKind(rawValue: "ceiling")
    /// Requests for a larger selection, under the device's identifier.
    package static let expansion = RecordKind(rawValue: "expansion")
    /// Logins on the web page; the secondary key is the secret's digest.
    package static let webLogin = RecordKind(rawValue: "webLogin")
}

/// Identifies a record of one kind.
package struct RecordID: UniqueIdentifier {
    /// The 128 bits.
    package let rawValue: UInt128
    package init(rawValue: UInt128) { self.rawValue = rawValue }
}

/// The changes to an owner's records in one transaction; see `MetadataStore.updateRecords`.
package struct RecordChanges: Sendable {
    /// Records to write, new or changed.
    package var written: [StoredRecord] = []
    /// Records to remove.
    package var removed: [RecordID] = []
    /// The change's audit entry, if it deserves one.
    package var audit: AuditEntry.Content?

    /// Changes nothing.
    package init() {}
}

/// One of the server's own records.
package struct StoredRecord: Hashable, Sendable {
    /// The record's identifier.
    package let id: RecordID
    /// An additional lookup key, unique within a kind.
    package var secondary: ContentDigest?
    /// The owner, nil for none: an owner's records are found, counted and capped together.
    package var owner: String?
    /// When it may be dropped; nil for never.
    package var expires: WallTime?
    /// The record's JSON.
    package var document: String

    /// A record that is not stored yet.
    package init(
        id: RecordID,
        secondary: ContentDigest? = nil,
        owner: String? = nil,
        expires: WallTime? = nil,
        document: String
    ) {
        self.id = id
        self.secondary = secondary
        self.owner = owner
        self.expires = expires
        self.document = document
    }
}
