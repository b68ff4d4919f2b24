package import PhotoModel

/// One change as people read it: who changed what, and when.
package struct HistoryEntry: Hashable, Sendable, Codable {
    /// The change.
    package var number: ChangeNumber
    /// When the server admitted it.
    package var time: WallTime
    /// Who made it.
    package var actor: String
    /// What was changed.
    package var entity: EntityReference
    /// The fields, or what happened: `saved`, `trashed`, `purged`, `adjusted`, `reverted`, `added`, `removed`.
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
    /// In the order of their numbers.
    package var entries: [HistoryEntry]
    /// The number to go on after; nil when these are the last.
    package var next: ChangeNumber?

    package init(entries: [HistoryEntry], next: ChangeNumber? = nil) {
        self.entries = entries
        self.next = next
    }
}
