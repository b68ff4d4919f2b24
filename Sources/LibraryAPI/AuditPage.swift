package import Authorization

/// A page of the audit, on `Endpoint.adminAudit`.
package struct AuditPage: Hashable, Sendable, Codable {
    /// In order.
    package var entries: [AuditEntry]
    /// The sequence to continue after; nil on the last page.
    package var next: UInt64?

    package init(entries: [AuditEntry], next: UInt64? = nil) {
        self.entries = entries
        self.next = next
    }
}
