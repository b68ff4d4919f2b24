package import PhotoModel

/// One change in human-readable form: who changed what, and when.
package struct HistoryEntry: Hashable, Sendable, Codable {
    /// The change.
    package var number: ChangeNumber
    /// When the server admitted it.
    package var time: WallTime
    /// Who made it.
    package var actor: String
    /// What was changed.
    package var entity: EntityReference
    /// The fields, or the event: `saved`, `trashed`, `purged`, `adjusted`, `reverted`, `added`, `removed`.
    package var what: String

    package init(number: ChangeNumber, time: WallTime, actor: String, entity: EntityReference, what: String) {
        self.number = number
        self.time = time
        self.actor = actor
        self.entity = entity
        self.what = what
    }
}

/// A page of the history.
package struct HistoryPage: Hashable, Sendable, Codable {
    /// In number order.
    package var entries: [HistoryEntry]
    /// The number to continue after; nil on the last page.
    package var next: ChangeNumber?

    package init(entries: [HistoryEntry], next: ChangeNumber? = nil) {
        self.entries = entries
        self.next = next
    }
}
