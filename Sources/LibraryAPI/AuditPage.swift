package import Authorization

/// A page of the audit, on `Endpoint.adminAudit`.
package struct AuditPage: Hashable, Sendable, Codable {
    /// In their order.
    package var entries: [AuditEntry]
    /// The sequence to go on after; nil when these are the last.
    package var next: UInt64?

    package init(entries: [AuditEntry], next: UInt64? = nil) {
        self.entries = entries
        self.next = next
    }
}
